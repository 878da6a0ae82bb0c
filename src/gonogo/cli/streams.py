"""What a command prints, where its reader may leave before it is done, as ``head`` does."""

from __future__ import annotations

import io
import os
import sys

__all__ = ["outlive_readers"]


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
