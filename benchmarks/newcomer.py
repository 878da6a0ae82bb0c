"""A newcomer's first minutes, each from a fresh clone of this repository's last commit in a temporary folder.

core: the core is installed into a fresh virtual environment as the GitHub Action installs it (.ci/action), where torch
must not come along, and `gonogo audit` judges the environment that `openenv init` makes. poll: `gonogo poll` on the
same environment, in the same virtual environment, into a folder of its own. demo: `make demo`, to a trained agent and
its report; it takes both cores for a quarter of an hour and also downloads torch. Times are of the machine at hand, of
what else it does (so the processors' seconds stand beside them) and of its package index, whose cache pip is told not
to use: figures and no test. A part that is left out keeps what the record says of it.

Run from the repository's root: python benchmarks/newcomer.py [--skip core|poll|demo ...]
PIP_FLAGS holds extra words for pip, as it does for make.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gonogo.errors import MissingRecord
from gonogo.records.audit import AuditReport
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.files import read_record, write_record
from gonogo.records.provenance import provenance
from gonogo.records.record import Verdict
from gonogo.records.stations import PageReport

ROOT = Path(__file__).resolve().parents[1]
RECORD = Path(__file__).with_name("newcomer.json")
KIND, VERSION = "newcomer_benchmark", 1
PARTS = ("core", "poll", "demo")
WANTED = {"install_s": 60, "poll_s": 120}
"""Figures to reach, in seconds."""
LARGEST = 8
ACTION_FLAGS = ("--quiet", "--no-cache-dir", "--no-compile")
"""Words for pip as the action gives them; a runner of its own has no cache."""

Json = dict[str, Any]


class Newcomer:
    """A temporary folder with a fresh clone, a virtual environment with the core, and an environment to try it on.

    Args:
        scratch: An empty folder.
    """

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.clone = scratch / "gonogo"
        self.venv = scratch / "venv"
        self.times: dict[str, float] = {}
        self.timed("clone", ["git", "clone", "--quiet", str(ROOT), str(self.clone)])
        done = run(["git", "rev-parse", "HEAD"], self.clone, capture=True)
        self.commit = done.stdout.strip()

    @property
    def python(self) -> str:
        """The interpreter of the virtual environment."""
        return str(self.venv / "bin" / "python")

    def timed(self, name: str, command: Sequence[str], answers: Sequence[int] = (0,)) -> int:
        """Run a command in the temporary folder, keep its seconds and the CPU's; its exit code, as :func:`run`."""
        began, busy = time.monotonic(), cpu_s()
        done = run(command, self.scratch, answers=answers)
        took = {"s": time.monotonic() - began, "cpu_s": cpu_s() - busy}
        self.times |= {f"{name}_{unit}": round(value, 1) for unit, value in took.items()}
        print(f"{name}: {took['s']:.1f} s, of which it worked {took['cpu_s']:.1f} s", flush=True)
        return done.returncode

    def told(self, *names: str) -> dict[str, float]:
        """The seconds of some commands, by ``NAME_s`` and ``NAME_cpu_s``."""
        return {
            f"{name}_{unit}": self.times[f"{name}_{unit}"]
            for name in names
            for unit in ("s", "cpu_s")
        }

    def install(self) -> None:
        """Make the virtual environment, install the core, make the template environment."""
        flags = [*ACTION_FLAGS, *shlex.split(os.environ.get("PIP_FLAGS", ""))]
        constraints = str(self.clone / "constraints.txt")
        pip = [self.python, "-m", "pip", "install", *flags, "-c", constraints]
        self.timed("venv", [sys.executable, "-m", "venv", str(self.venv)])
        self.timed("install", [*pip, str(self.clone)])
        run([self.python, "-m", "openenv.cli", "init", "echo_env"], self.scratch)

    def station(self, name: str) -> str:
        """Call a station on the template environment; its verdict."""
        words = ["-m", "gonogo", name, "echo_env", "--out", f"runs/{name}"]
        return Verdict(self.timed(name, [self.python, *words], tuple(Verdict))).name


def run(
    command: Sequence[str], where: Path, *, capture: bool = False, answers: Sequence[int] = (0,)
) -> subprocess.CompletedProcess[str]:
    """Run a command; its words go to stderr unless they are captured.

    Raises:
        SystemExit: It ended with an exit code that is none of `answers`.
    """
    into = subprocess.PIPE if capture else sys.stderr
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=where, stdout=into, text=True, check=False, env=own)
    if done.returncode not in answers:
        raise SystemExit(f"{shlex.join(command)} ended with exit code {done.returncode}")
    return done


def cpu_s() -> float:
    """Seconds that processors worked for the commands that have ended, and for what they started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def sizes(site: Path) -> Json:
    """What was installed: its size and its largest folders, in MB.

    Args:
        site: A folder of site-packages.
    """
    found = {entry.name: size_mb(entry) for entry in site.iterdir()}
    largest = sorted(found, key=lambda name: -found[name])[:LARGEST]
    return {
        "packages": len(list(site.glob("*.dist-info"))),
        "installed_mb": round(sum(found.values())),
        "largest_mb": {name: round(found[name]) for name in largest},
    }


def size_mb(entry: Path) -> float:
    """Size of a file, or of all files below a folder."""
    files = [entry] if entry.is_file() else (path for path in entry.rglob("*") if path.is_file())
    return sum(path.stat().st_size for path in files) / 1e6


def core(newcomer: Newcomer) -> Json:
    """What was installed, that torch was not, and what the audit said.

    Raises:
        SystemExit: torch can be imported.
    """
    said = run([newcomer.python, "-c", "import torch"], newcomer.scratch, answers=(0, 1))
    if said.returncode == 0:
        raise SystemExit("the core brought torch along")
    (site,) = newcomer.venv.glob("lib/python*/site-packages")
    verdict = newcomer.station("audit")
    audit = AuditReport.load(newcomer.scratch / "runs" / "audit")
    return {
        **newcomer.told("clone", "venv", "install", "audit"),
        **sizes(site),
        "audit": {"verdict": verdict, "reason": audit.reason, "flown": audit.flown.model_dump()},
    }


def poll(newcomer: Newcomer) -> Json:
    """How long the board took, and what it said."""
    verdict = newcomer.station("poll")
    board = json.loads((newcomer.scratch / "runs" / "poll" / "poll.json").read_text())["board"]
    said = {row["station"]: row["verdict"] for row in board}
    return {**newcomer.told("poll"), "verdict": verdict, "board": said}


def demo(newcomer: Newcomer) -> Json:
    """How long it took to a trained agent and its report, and what both say."""
    # make answers 2 where its command failed, be it with a verdict; the record tells that from a crash.
    newcomer.timed("demo", ["make", "-C", str(newcomer.clone), "demo"], (0, 2))
    out = newcomer.clone / "runs" / "demo"
    return {
        **newcomer.told("clone", "demo"),
        "evaluation": EvaluationReport.load(out).verdict.name,
        "report": PageReport.load(out).verdict.name,
    }


def here(newcomer: Newcomer) -> Json:
    """The commit and the machine; the packages of this interpreter are not those that were installed."""
    told = provenance()
    return {"commit": newcomer.commit, **{name: told[name] for name in told if name != "packages"}}


def measure(skipped: Sequence[str], out: Path | None) -> dict[str, Json]:
    """The parts that are not left out, each with its commit and its machine."""
    with tempfile.TemporaryDirectory(prefix="newcomer-") as scratch:
        newcomer = Newcomer(out or Path(scratch))
        if {"core", "poll"} - set(skipped):
            newcomer.install()
        found = {}
        for name, part in {"core": core, "poll": poll, "demo": demo}.items():
            if name not in skipped:
                found[name] = {**part(newcomer), "load": os.getloadavg()[0], **here(newcomer)}
        return found


def main() -> None:
    """Measure, print the figures beside those to reach, write the record."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--skip", nargs="*", default=[], choices=PARTS)
    parser.add_argument("--record", type=Path, default=RECORD, help="where the record goes")
    parser.add_argument("--out", type=Path, help="a new folder for the clone; a temporary one")
    chosen = parser.parse_args()
    if chosen.out is not None:
        chosen.out.mkdir(parents=True)
    found = measure(chosen.skip, None if chosen.out is None else chosen.out.resolve())
    try:
        before = read_record(chosen.record, KIND, VERSION)
    except MissingRecord:
        before = {}
    parts = {**{name: before[name] for name in PARTS if name in before}, **found}
    write_record(chosen.record, KIND, VERSION, parts)
    for part in found.values():
        for name, wanted in WANTED.items():
            if name in part:
                print(f"{name}: {part[name]} of {wanted}, ratio {part[name] / wanted:.2f}")


if __name__ == "__main__":
    main()
