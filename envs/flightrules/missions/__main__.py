"""Missions as files: ``python -m flightrules.missions export LEVEL SPLIT INDEX`` and ``... check FILE``.

Exit code 0, or 2 for misuse and for a file that is not what it says, with one line that tells why.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from flightrules.errors import RequestError
from flightrules.flight.happenings import ANOMALIES
from flightrules.missions.files import check, export
from flightrules.missions.generator import address
from flightrules.missions.knobs import NO_ANOMALY, Knobs
from flightrules.missions.splits import LEVELS, SPLITS


class _Parser(argparse.ArgumentParser):
    """Answers misuse in one line."""

    def error(self, message: str) -> NoReturn:
        """Say what was wrong and end."""
        self.exit(2, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Write or check a mission file.

    Args:
        arguments: Words of the command line; by default the process' own.

    Raises:
        SystemExit: With exit code 2, after misuse or for a file that is refused.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        if given.command == "export":
            _export(given)
        else:
            mission, knobs = check(given.file.read_text(encoding="utf-8"))
            name = address(mission.level, mission.split, mission.index, knobs)
            print(f"{given.file}: {name}, as the generator makes it and proved fair")
    except (RequestError, OSError, UnicodeDecodeError) as error:
        parser.exit(2, f"{parser.prog} {given.command}: {error}\n")


def _export(given: argparse.Namespace) -> None:
    text = export(given.level, given.split, given.index, Knobs.of(vars(given)))
    if given.out is None:
        sys.stdout.write(text)
    else:
        given.out.write_text(text, encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m flightrules.missions", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    exporting = commands.add_parser("export", help="write a mission and its proof as JSON")
    exporting.add_argument("level", choices=LEVELS)
    exporting.add_argument("split", choices=SPLITS)
    exporting.add_argument("index", type=int)
    exporting.add_argument("--horizon-s", type=int, help="length of the mission, s")
    exporting.add_argument("--directives", type=int, help="how many directives are kept")
    exporting.add_argument("--tightness", type=float, help="what the limits are divided by")
    exporting.add_argument("--anomaly", help=", ".join((NO_ANOMALY, *ANOMALIES)))
    exporting.add_argument("--out", type=Path, help="file to write; the terminal if not given")
    checking = commands.add_parser("check", help="make a file's mission again and compare")
    checking.add_argument("file", type=Path)
    return parser


if __name__ == "__main__":
    main()
