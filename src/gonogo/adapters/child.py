"""A child process that is talked to over pipes with a deadline, and whose output is kept for errors.

It owns the plumbing that foreign processes need: writing and reading at once (neither side may fill
a pipe and wait for ever), a deadline on every exchange, the last lines of what the child printed, and
an end that takes the child's own children with it. What is said over the pipes is not its concern.
POSIX only.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

__all__ = ["Child", "Process", "Streams", "spawn"]

CHUNK = 1 << 20
TAIL_BYTES = 4000
GRACE_S = 2.0


class Process(Protocol):
    """A running process, as :class:`subprocess.Popen` is one; it leads a process group of its own."""

    @property
    def pid(self) -> int:
        """Its number, and its group's."""

    @property
    def returncode(self) -> int | None:
        """Its exit status, minus the signal's number where one ended it; None as long as it runs."""

    def wait(self, timeout: float | None = None) -> int | None:
        """Its exit status; raises :class:`subprocess.TimeoutExpired` where it still runs then."""


@dataclass(frozen=True, slots=True)
class Streams:
    """The descriptors of a child.

    Attributes:
        stdin: What it reads.
        stdout: Where what it prints goes.
        stderr: Where its errors go.
        kept: Two more, which it reads from and writes to, or none.
    """

    stdin: int
    stdout: int
    stderr: int
    kept: tuple[int, ...]


Start = Callable[[Sequence[str], Path, Mapping[str, str], Streams], Process]


def spawn(argv: Sequence[str], cwd: Path, env: Mapping[str, str], streams: Streams) -> Process:
    """Start a program in a session of its own.

    Args:
        argv: The command; ``{read}`` and ``{write}`` in it become the numbers of the kept descriptors.
        cwd: Its working directory.
        env: Its environment variables.
        streams: Its descriptors.

    Raises:
        OSError: It cannot be started.
    """
    numbers = dict(zip(("{read}", "{write}"), map(str, streams.kept), strict=False))
    return subprocess.Popen(
        [numbers.get(argument, argument) for argument in argv],
        cwd=cwd,
        env=dict(env),
        stdin=streams.stdin,
        stdout=streams.stdout,
        stderr=streams.stderr,
        pass_fds=streams.kept,
        start_new_session=True,
    )


class Child:
    """A child process with one pipe each way and a log of everything else it prints.

    Args:
        argv: The command. Where it holds ``{read}`` and ``{write}``, these are replaced by the
            numbers of descriptors made for the purpose and stdin, stdout belong to the log;
            otherwise the pipes are the child's stdin and stdout.
        cwd: Its working directory.
        env: Its environment variables.
        start: What starts it.
    """

    def __init__(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], start: Start = spawn
    ) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        child_reads, self._write_fd = os.pipe()
        self._read_fd, child_writes = os.pipe()
        log, nowhere = self._log.fileno(), os.open(os.devnull, os.O_RDONLY)
        if "{read}" in argv:
            streams = Streams(nowhere, log, log, (child_reads, child_writes))
        else:
            streams = Streams(child_reads, child_writes, log, ())
        try:
            self._process = start(argv, cwd, env, streams)
        except OSError:
            os.close(self._write_fd)
            os.close(self._read_fd)
            raise
        finally:
            for descriptor in (child_reads, child_writes, nowhere):
                os.close(descriptor)
        os.set_blocking(self._write_fd, False)
        os.set_blocking(self._read_fd, False)
        self._buffer = bytearray()
        self._open = True

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def exchange(
        self, data: bytes, take: Callable[[bytearray], bytes | None], timeout_s: float
    ) -> bytes:
        """Write all of ``data`` while reading, until ``take`` finds an answer in what was read.

        Args:
            data: Bytes to write; may be empty.
            take: Removes one complete answer from the front of the buffer and returns it, or
                returns None as long as it is incomplete.
            timeout_s: Seconds for the whole exchange.

        Raises:
            BrokenPipeError: The child closed its end first, or ended.
            TimeoutError: The deadline passed first.
        """
        deadline = time.monotonic() + timeout_s
        unwritten = memoryview(data)
        while True:
            if not unwritten and (answer := take(self._buffer)) is not None:
                return answer
            readable, writable = self._wait(bool(unwritten), deadline)
            if readable:
                self._read()
            if writable:
                unwritten = unwritten[self._write(unwritten) :]

    def _wait(self, writing: bool, deadline: float) -> tuple[bool, bool]:
        if not self._open:
            raise BrokenPipeError
        poll = select.poll()
        poll.register(self._read_fd, select.POLLIN)
        if writing:
            poll.register(self._write_fd, select.POLLOUT)
        ready = dict(poll.poll(max(0.0, deadline - time.monotonic()) * 1000))
        if not ready:
            raise TimeoutError
        return self._read_fd in ready, self._write_fd in ready

    def _read(self) -> None:
        chunk = os.read(self._read_fd, CHUNK)
        if not chunk:
            raise BrokenPipeError
        self._buffer += chunk

    def _write(self, data: memoryview) -> int:
        return os.write(self._write_fd, data[:CHUNK])

    def tail(self, lines: int = 12) -> str:
        """The last lines of what the child printed, to be quoted in an error."""
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - TAIL_BYTES))
        text = self._log.read().decode("utf-8", "replace").strip()
        return "\n".join(text.splitlines()[-lines:])

    def obituary(self) -> str:
        """How the child ended and its last words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=GRACE_S)
        code = self._process.returncode
        if code is None:
            how = "closed its pipe"
        elif code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
        else:
            how = f"exited with code {code}"
        tail = self.tail()
        return f"{how}; it last printed:\n{tail}" if tail else f"{how} and printed nothing"

    def abort(self) -> str:
        """End a child that hangs, with the stack that faulthandler prints on SIGABRT.

        Returns:
            The child's last words.
        """
        self._signal(signal.SIGABRT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=GRACE_S)
        return self.tail(lines=24)

    def close(self, farewell: bytes = b"") -> None:
        """Say farewell, wait a moment, then end the child and whatever it started."""
        if not self._open:
            return
        self._open = False
        with contextlib.suppress(OSError):
            os.write(self._write_fd, farewell)
        os.close(self._write_fd)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=GRACE_S)
        self._signal(signal.SIGKILL)
        self._process.wait()
        os.close(self._read_fd)
        self._log.close()

    def _signal(self, number: signal.Signals) -> None:
        # The child leads its own session, so its group is the child and what it forked.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)
