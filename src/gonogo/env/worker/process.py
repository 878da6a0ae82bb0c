"""A foreign process that is talked to over pipes with a deadline, and whose output is kept for errors.

It owns the plumbing that foreign processes need: writing and reading at once (neither side may fill
a pipe and wait for ever), a deadline on every exchange, a bound on what is read, the last lines of what
the process printed, a scratch folder in the place of the user's home, and an end that leaves nobody
behind, however this process ends: see :mod:`gonogo.env.worker.supervisor`. What is said over the
pipes is not its concern. POSIX only.

A worker is started as a fork of a process that has read OpenEnv: that costs a fork instead of a second of imports. Each
child is a process of its own in which no environment has been read before, so that it is as fresh as a spawned one;
what it shares with its siblings is what Python reads at its start, the hash seed and the path, wherefore there is a
server for each. The servers start with the first child that needs them and end with this process. The other end is
:mod:`gonogo.env.worker.supervisor`, which describes the requests.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from gonogo.env.entrances import hints_of
from gonogo.env.install import asks_for_openenv, interpreter_of
from gonogo.env.target import FolderTarget, ImportTarget, RewardFile, UrlTarget
from gonogo.env.variables import CACHES, hint, housed
from gonogo.env.worker.boundary import CLOSE_S
from gonogo.env.worker.supervisor import NUMBER
from gonogo.errors import EnvironmentFailure
from gonogo.wire import WireObject

HEADER = struct.Struct(">I")
TIMEOUT_S = 120.0
"""Seconds that lines may take, where nobody says another number."""
SERVER_S = 600.0
"""Seconds that a worker waits for a server's answer; whoever asks the worker waits no longer than a step may take."""
CHUNK = 1 << 20
TAIL_BYTES = 4000
TAIL_LINES = 100
MOST_BYTES = 256 * 1024 * 1024
"""Most bytes of one answer; a process that says more is not listened to."""
GRACE_S = 2.0
READ_AT_THE_START = ("PYTHONHASHSEED", "PYTHONPATH")
"""Variables that Python reads before a child is given its own: there is a server for each of their values."""
MARGIN_S = 1.0
"""Seconds that a foreign process needs beside what runs in it."""
END_S = 10.0
GONE = -int(signal.SIGKILL)
"""The exit status of a process of which nobody can tell how it ended."""
WORKER = Path(__file__).with_name("program.py")
SUPERVISOR = Path(__file__).with_name("supervisor.py")


class Malformed(Exception):
    """What a foreign process said breaks the protocol: the message is the rule and the value."""


class Unanswered(Exception):
    """Lines that a foreign process did not answer: the message is what became of it, after its name."""


@dataclass(frozen=True, slots=True)
class Command:
    """What is to be run.

    Attributes:
        argv: The command; ``{read}`` and ``{write}`` in it become the numbers of the kept descriptors.
        cwd: Its working directory.
        env: Its environment variables.
        scratch: A folder that is removed when it has ended; None for none.
    """

    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    scratch: str | None = None


@dataclass(frozen=True, slots=True)
class Streams:
    """The descriptors of a child and of its supervisor.

    Attributes:
        stdin: What the child reads.
        stdout: Where what it prints goes; None for the log, to which its errors go.
        kept: Two more, which it reads from and writes to, or none.
        log: The supervisor's file for what is printed.
        control: The supervisor's end of the socket to gonogo.
    """

    stdin: int
    stdout: int | None
    kept: tuple[int, ...]
    log: int
    control: int


Taken = TypeVar("Taken")
Start = Callable[[Command, Streams], "subprocess.Popen[bytes] | None"]


def spawn(command: Command, streams: Streams) -> subprocess.Popen[bytes]:
    """Start a program and its supervisor, which is in a session of its own.

    Args:
        command: The program.
        streams: Its descriptors.

    Returns:
        The supervisor.

    Raises:
        OSError: It cannot be started.
    """
    numbers = dict(zip(("{read}", "{write}"), map(str, streams.kept), strict=False))
    argv = [numbers.get(argument, argument) for argument in command.argv]
    logged = "all" if streams.stdout is None else "errors"
    told = [str(streams.control), str(streams.log), command.scratch or "", logged]
    # -I -S: nothing of the foreign folder, its variables or the site is read by the supervisor.
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(SUPERVISOR), *told, *argv],
        cwd=command.cwd,
        env=dict(command.env),
        stdin=streams.stdin,
        stdout=subprocess.DEVNULL if streams.stdout is None else streams.stdout,
        stderr=subprocess.DEVNULL,
        pass_fds=(*streams.kept, streams.log, streams.control),
        start_new_session=True,
    )


class Supervised:
    """A foreign process, as its supervisor tells of it.

    Args:
        command: What is to be run.
        start: What starts it and its supervisor.
        stdin: What the child reads.
        stdout: Where what it prints goes; None for the log.
        kept: Two more descriptors, or none.

    Attributes:
        pid: Its number, and its group's.
        returncode: Its exit status, minus the signal's number where one ended it; None as long as it runs.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(
        self, command: Command, start: Start, stdin: int, stdout: int | None, kept: tuple[int, ...]
    ) -> None:
        self.returncode: int | None = None
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        self._control, theirs = socket.socketpair()
        with theirs:
            streams = Streams(stdin, stdout, kept, self._log.fileno(), theirs.fileno())
            self._supervisor = start(command, streams)
        told = self._control.recv(NUMBER.size, socket.MSG_WAITALL)
        if len(told) < NUMBER.size:
            raise ConnectionResetError("the process that was to start it has ended")
        self.pid = int(NUMBER.unpack(told)[0])

    def wait(self, timeout: float | None = None) -> int | None:
        """Its exit status when nobody is left of it, or None where somebody still is after so many seconds."""
        if self.returncode is None:
            poll = select.poll()
            poll.register(self._control, select.POLLIN)
            if not poll.poll(None if timeout is None else timeout * 1000):
                return None
            told = self._control.recv(NUMBER.size, socket.MSG_WAITALL)
            self.returncode = int(NUMBER.unpack(told)[0]) if len(told) == NUMBER.size else GONE
        return self.returncode

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process and its group, as long as it runs."""
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    def tail(self, lines: int) -> str:
        """The last lines of what it printed."""
        size = os.fstat(self._log.fileno()).st_size
        said = os.pread(self._log.fileno(), TAIL_BYTES, max(0, size - TAIL_BYTES))
        text = said.decode("utf-8", "replace").strip()
        return "\n".join(text.splitlines()[-lines:])

    def _wake_supervisor(self) -> None:
        """Where the child has stopped its supervisor, which leads the session of both, that goes on."""
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(os.getsid(self.pid), signal.SIGCONT)

    def end(self) -> None:
        """End it and everybody whom it left. Safe to call twice."""
        if self._log.closed:
            return
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)
        self._wake_supervisor()
        if self.wait(END_S) in {None, GONE}:  # where the supervisor was killed, nobody else does it
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self._wake_supervisor()
        if self._supervisor is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._supervisor.wait(END_S)
        self._control.close()
        self._log.close()


class Child:
    """A foreign process with one pipe each way and a log of everything else it prints.

    Args:
        argv: The command. Where it holds ``{read}`` and ``{write}``, these are replaced by the
            numbers of descriptors made for the purpose and stdout belongs to the log;
            otherwise the pipes are the child's stdin and stdout.
        cwd: Its working directory.
        env: Its environment variables; home, temporary files and caches are named where they name none.
        start: What starts it.

    Raises:
        EnvironmentFailure: It cannot be started.
    """

    def __init__(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], start: Start = spawn
    ) -> None:
        self._scratch = tempfile.mkdtemp(prefix="gonogo-scratch-")
        command = Command(argv, cwd, housed(env, self._scratch, cwd), self._scratch)
        child_reads, self._write_fd = os.pipe()
        self._read_fd, child_writes = os.pipe()
        nowhere = os.open(os.devnull, os.O_RDONLY)
        given: tuple[int, int | None, tuple[int, ...]] = (child_reads, child_writes, ())
        if "{read}" in argv:
            given = (nowhere, None, (child_reads, child_writes))
        try:
            self._process = begun(command, start, *given)
        except OSError as error:
            os.close(self._write_fd)
            os.close(self._read_fd)
            shutil.rmtree(self._scratch, ignore_errors=True)
            raise EnvironmentFailure(f"no process can be started in {cwd}: {error}") from None
        finally:
            for descriptor in (child_reads, child_writes, nowhere):
                os.close(descriptor)
        os.set_blocking(self._write_fd, False)
        os.set_blocking(self._read_fd, False)
        self._buffer = bytearray()
        self._open, self._hung_up = True, False

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def exchange(
        self, data: bytes, take: Callable[[bytearray], Taken | None], timeout_s: float
    ) -> Taken:
        """Write all of ``data`` while reading, until ``take`` finds an answer in what was read.

        Args:
            data: Bytes to write; may be empty.
            take: Removes one complete answer from the front of the buffer and returns it, or
                returns None as long as it is incomplete.
            timeout_s: Seconds for the whole exchange.

        Raises:
            BrokenPipeError: The child closed its end first, or ended.
            TimeoutError: The deadline passed first.
            Malformed: It said more than an answer may hold.
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

    def exchange_lines(
        self, data: bytes, count: int, timeout_s: float, blamed: Callable[[str], str] = str
    ) -> list[bytes]:
        """Write all of ``data`` while reading, until so many lines have come.

        Args:
            data: Lines to write.
            count: How many lines answer them.
            timeout_s: Seconds for the whole exchange.
            blamed: Says how a child ended, of its end and last words.

        Raises:
            Unanswered: The child ended, was late, or said more than an answer may hold.
        """
        try:
            return self.exchange(data, lambda held: take_lines(held, count), timeout_s)
        except BrokenPipeError:
            said = blamed(self.obituary())
            raise Unanswered(f"{said}{hint(said)}") from None
        except TimeoutError:
            said = f"gave no answer within {timeout_s:g} s\n{self.abort()}"
            raise Unanswered(said) from None
        except Malformed as error:
            raise Unanswered(f"broke the protocol: {error}") from None

    def unasked(self) -> bool:
        """Whether it has said something that nobody asked for."""
        if not self._open:
            return False
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            self._read()
        return bool(self._buffer)

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
        if len(self._buffer) > MOST_BYTES + CHUNK:
            raise Malformed(f"an answer must not be longer than {MOST_BYTES} bytes")

    def _write(self, data: memoryview) -> int:
        return os.write(self._write_fd, data[:CHUNK])

    def tail(self, lines: int = 12) -> str:
        """The last lines of what the child printed, to be quoted in an error."""
        return self._process.tail(lines)

    def obituary(self) -> str:
        """How the child ended and its last words."""
        how, tail = self.end_of(), self.tail()
        return f"{how}; it last printed:\n{tail}" if tail else f"{how} and printed nothing"

    def end_of(self) -> str:
        """How the child ended."""
        code = self._process.wait(timeout=GRACE_S)
        if code is None:
            return "closed its pipe"
        if code < 0:
            return f"was ended by {signal.Signals(-code).name}"
        return f"exited with code {code}"

    def abort(self) -> str:
        """End a child that hangs, with the stack that faulthandler prints on SIGABRT.

        Returns:
            The child's last words.
        """
        self._process.signal(signal.SIGABRT)
        self._process.wait(timeout=GRACE_S)
        return self.tail(lines=24)

    def last_words(self, lines: int) -> str:
        """Hang up, and give the last lines of what the child printed to its end; it is still to be closed."""
        self._hang_up()
        return self.tail(lines)

    def _hang_up(self, farewell: bytes = b"") -> None:
        """Say farewell, and wait until closing may take no longer."""
        if self._hung_up:
            return
        self._hung_up = True
        with contextlib.suppress(OSError):
            os.write(self._write_fd, farewell)
        os.close(self._write_fd)
        self._process.wait(timeout=CLOSE_S + MARGIN_S)

    def close(self, farewell: bytes = b"") -> None:
        """Say farewell, wait until closing may take no longer, then end the child and whatever it started."""
        if not self._open:
            return
        self._open = False
        self._hang_up(farewell)
        self._process.end()
        os.close(self._read_fd)
        shutil.rmtree(self._scratch, ignore_errors=True)  # where the supervisor was killed


def run_to_end(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str], timeout_s: float
) -> tuple[int, str]:
    """Run a foreign program to its end, and end whatever it leaves.

    Args:
        argv: The command.
        cwd: Its working directory.
        env: Its environment variables; home, temporary files and caches are named where they name none.
        timeout_s: Seconds that it may take.

    Returns:
        Its exit status, minus the signal's number where one ended it, and the last of what it printed.

    Raises:
        TimeoutExpired: It took longer.
        OSError: It cannot be started.
    """
    with tempfile.TemporaryDirectory(prefix="gonogo-scratch-", ignore_cleanup_errors=True) as place:
        command = Command(argv, cwd, housed(env, place, cwd), place)
        with open(os.devnull, "rb") as nothing:
            process = begun(command, spawn, nothing.fileno(), None, ())
        try:
            status = process.wait(timeout_s)
            if status is None:
                raise subprocess.TimeoutExpired(list(argv), timeout_s)
            return status, process.tail(TAIL_LINES)
        finally:
            process.end()


def begun(
    command: Command, start: Start, stdin: int, stdout: int | None, kept: tuple[int, ...]
) -> Supervised:
    """Start a process; if what starts it has ended just then, once more.

    Args:
        command: What is to be run.
        start: What starts it and its supervisor.
        stdin: What the process reads.
        stdout: Where what it prints goes; None for the log.
        kept: Two more descriptors, or none.

    Raises:
        OSError: It cannot be started.
    """
    with contextlib.suppress(ConnectionError):
        return Supervised(command, start, stdin, stdout, kept)
    return Supervised(command, start, stdin, stdout, kept)


def take_lines(buffer: bytearray, count: int) -> list[bytes] | None:
    """Remove ``count`` lines from the front of the buffer; None while there are fewer."""
    if buffer.count(b"\n") < count:
        return None
    *lines, rest = bytes(buffer).split(b"\n", count)
    buffer[:] = rest
    return lines


def worker_command(spec: WireObject, *arguments: str) -> list[str]:
    """Command of a child that runs :mod:`gonogo.env.worker.program`.

    ``-P`` keeps this folder off the child's path: its ``inspect.py`` is not Python's.
    A folder for which something was installed has an interpreter of its own.
    """
    folder = spec.get("folder")
    own = interpreter_of(Path(folder)) if isinstance(folder, str) else None
    return [str(own or sys.executable), "-P", "-u", str(WORKER), json.dumps(spec), *arguments]


def child_spec(
    target: FolderTarget | ImportTarget | UrlTarget, reward: RewardFile | None = None
) -> WireObject:
    """What the worker has to load."""
    if reward is not None:
        given = {"file": str(reward.file.resolve()), "ablate": reward.ablate}
        return {**child_spec(target), "reward": given}
    if isinstance(target, ImportTarget):
        kind = "gym" if target.is_id else "class"
        return {"kind": kind, "path": target.name if target.is_id else target.path}
    if isinstance(target, UrlTarget):
        return {"kind": "server", "url": target.http, "timeout_s": SERVER_S}
    return {
        "kind": "folder",
        "folder": str(target.folder),
        "app": target.app,
        "packages": list(target.packages),
        "aliases": list(target.aliases),
        "entrances": [[each.kind, each.file, each.name] for each in target.places],
        "hints": hints_of(target.manifest),
        "asks_for_openenv": asks_for_openenv(target.folder),
    }


class ForkServer:
    """A process that has read OpenEnv and forks.

    Args:
        command: What starts it; the number of its socket is added.
        env: Its environment variables.
    """

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        self._line, theirs = socket.socketpair()
        self._one_at_a_time = threading.Lock()
        # Its children inherit what it was started with, and have homes of their own.
        own = {n: value for n, value in env.items() if n not in {"HOME", "TMPDIR", CACHES}}
        with theirs:
            # What OpenEnv says while it is read is nobody's business: what is wrong with it, each child says.
            self._process = subprocess.Popen(
                [*command, str(theirs.fileno())],
                env=own,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )

    def fork(self, command: Command, streams: Streams) -> None:
        """Fork a supervisor, which forks the child.

        Args:
            command: Its arguments, without the program, and the rest.
            streams: Its descriptors.

        Raises:
            ConnectionError: The server has ended.
        """
        said = {
            "argv": list(command.argv),
            "cwd": str(command.cwd),
            "env": dict(command.env),
            "scratch": command.scratch,
            "logged": streams.stdout is None,
        }
        body = json.dumps(said).encode()
        stdout = streams.stdin if streams.stdout is None else streams.stdout
        descriptors = (streams.stdin, stdout, streams.log, streams.control, *streams.kept)
        with self._one_at_a_time:
            socket.send_fds(self._line, [HEADER.pack(len(body))], descriptors)
            self._line.sendall(body)

    def close(self) -> None:
        """Hang up: it ends, its children do not."""
        self._line.close()
        self._process.wait()


servers: dict[tuple[str, ...], ForkServer] = {}
starting = threading.Lock()


def fork(command: Command, streams: Streams) -> None:
    """Start a worker as :func:`gonogo.env.worker.process.spawn` would, by a fork.

    Args:
        command: A worker's.
        streams: Its descriptors.

    Raises:
        OSError: It cannot be started.
    """
    argv, env = command.argv, command.env
    place = next(number for number, word in enumerate(argv) if word.endswith(".py")) + 1
    program = tuple(argv[:place])
    key = (*program, *(env.get(name, "") for name in READ_AT_THE_START))
    rest = replace(command, argv=argv[place:])
    try:
        server(key, program, env).fork(rest, streams)
    except ConnectionError:  # it was ended from outside: the next one serves
        with starting:
            servers.pop(key).close()
        server(key, program, env).fork(rest, streams)


def server(key: tuple[str, ...], program: Sequence[str], env: Mapping[str, str]) -> ForkServer:
    """The server of a program and a hash seed, started where there is none yet."""
    with starting:
        if key not in servers:
            servers[key] = ForkServer([*program, json.dumps({"kind": "forks"})], env)
        return servers[key]


@atexit.register
def end_servers() -> None:
    """End the processes that workers are forked from."""
    while servers:
        servers.popitem()[1].close()


# A fork of this very process has its parent's sockets: it must not speak on them.
os.register_at_fork(after_in_child=servers.clear)
