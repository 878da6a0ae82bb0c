"""The command line: arguments become a config, a station or the pipeline runs, its verdict is the exit code.

Exit codes: 0 GO, 1 NO-GO, 2 misuse (a bad flag, config or target), 3 HOLD (cannot tell; the message
says what is missing), 70 a fault of gonogo's own, 130 Ctrl-C, 143 SIGTERM. An error that gonogo raises on
purpose is one message on stderr, without a stack trace; what nobody foresaw is one too, with a file to report.
It begins before anything is imported that could fail, as a broken installation does.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from gonogo import faults
from gonogo.cli import locks
from gonogo.errors import GonogoError, Interrupted, Misuse

__all__ = ["main"]


def main() -> None:
    """Run the command line; the entry point of the package, and the boundary that no error passes."""
    outlive_readers()
    signal.signal(signal.SIGTERM, interrupted)
    sys.exit(answered(sys.argv[1:]))


def interrupted(number: int, frame: FrameType | None) -> None:
    """End the command as Ctrl-C does, if a machine asks it to stop.

    Raises:
        Interrupted: Always.
    """
    raise Interrupted(number)


def answered(words: Sequence[str]) -> int:
    """The exit code of a command line; what has to be said of it is said.

    Args:
        words: The command and its arguments.
    """
    try:
        try:
            code = run(words)
            sys.stdout.flush()
        finally:
            folder = locks.report_to()
            locks.let_go()
    except GonogoError as error:
        return said(str(error), error.exit_code)
    except (KeyboardInterrupt, Interrupted) as error:
        number = error.number if isinstance(error, Interrupted) else signal.SIGINT
        again = faults.command_line(words)
        return said(f"interrupted; to go on: gonogo {again}", Interrupted(number).exit_code)
    except Exception as error:  # noqa: BLE001 - the boundary: Python's own answer is 1, and 1 is NO-GO
        if (known := faults.foreseen(error, words)) is not None:
            return said(str(known), known.exit_code)
        return said(faults.report(error, words, folder), faults.FAULT)
    return code


def run(words: Sequence[str]) -> int:
    """Run a command; its verdict's exit code, or 2 where its words are none."""
    import typer

    from gonogo.cli.commands import USAGE, app
    from gonogo.records.terminal import Terminal

    Terminal.speaks = True
    command = typer.main.get_command(app)
    try:
        with command.make_context("gonogo", list(words)) as context:
            command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    except USAGE as error:
        error.show()
        return Misuse.exit_code
    return 0


def said(text: str, code: int) -> int:
    """Say why a command ends, and answer its exit code."""
    from gonogo.records.terminal import visible

    print(f"gonogo: {visible(text)}", file=sys.stderr)
    return code


class Patient(io.TextIOWrapper):
    """A stream whose reader may leave: what is printed from then on goes nowhere, and the command goes on.

    A command's work is in its records and its verdict is its exit code: neither depends on who reads its tables.
    """

    def write(self, text: str, /) -> int:
        """Write, or lose what is written."""
        try:
            return super().write(text)
        except BrokenPipeError:
            self._nowhere()
            return len(text)

    def flush(self) -> None:
        """Flush, or lose what was written."""
        try:
            super().flush()
        except BrokenPipeError:
            self._nowhere()
            super().flush()  # what was buffered, so that nothing fails on it later

    def _nowhere(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)


def outlive_readers() -> None:
    """Let the process outlive who reads its standard output and error."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if type(stream) is io.TextIOWrapper:  # not a test's, and not none
            patient = Patient(
                stream.buffer,
                encoding=stream.encoding,
                errors=stream.errors,
                line_buffering=stream.line_buffering,
                write_through=stream.write_through,
            )
            setattr(sys, name, patient)
