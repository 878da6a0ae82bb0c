"""A process beside each foreign one: it keeps the end of what that prints, and leaves nobody behind.

Loaded by its path, or run by it, and like :mod:`gonogo.env.worker.program` it imports nothing of gonogo. The
supervisor is the foreign process's parent and, on Linux, the reaper of whatever that leaves: a child that made a
session of its own, or whose parent has ended, becomes the supervisor's. When the foreign process ends, or gonogo
hangs up or is gone (the kernel hangs up for it), everybody below is killed, and the scratch folder is removed. Where
the supervisor itself is killed, the kernel kills the foreign process.

Over its control socket it tells the foreign process's number and, when nobody is left, its exit status (minus the
signal's number where one ended it), eight bytes each. Into the log, a file, it writes the last bytes that were
printed, never more than twice :data:`LOG_BYTES`: a process that prints without end neither waits nor fills a disk.
Elsewhere than on Linux only the foreign process's group is ended.

A worker's supervisor is forked from a process that has read OpenEnv, see :func:`serve`: starting another worker then
costs a fork instead of a second of imports. The other end is :class:`gonogo.env.worker.process.ForkServer`. Nothing of
any environment is ever read there, so that what a child knows of one is its own. A request is four bytes of length,
big-endian, with the descriptors (stdin, stdout, the log, the control socket, then those that it is to keep), and JSON:
``argv``, ``cwd``, ``env``, ``scratch``, ``logged``. For each, a supervisor is forked, which forks the child and tells
of it on the control socket.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from typing import Any

Json = dict[str, Any]

NUMBER = struct.Struct(">q")
HEADER = struct.Struct(">I")
MOST_DESCRIPTORS = 8
LOG_BYTES = 64 * 1024
CHUNK = 256 * 1024
FLUSH_S = 0.1
KILL_S = 5.0
"""Seconds after which what cannot be killed is left: it hangs in the kernel, or belongs to somebody else."""

ON_LINUX = sys.platform.startswith("linux")
SET_DEATH_SIGNAL, SET_REAPER = 1, 36  # prctl's PR_SET_PDEATHSIG and PR_SET_CHILD_SUBREAPER


def prctl(option: int, value: int) -> None:
    """Set something of this process; nothing elsewhere than on Linux."""
    if ON_LINUX:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def reap_orphans() -> None:
    """Become the parent of everybody below whose own parent ends."""
    prctl(SET_REAPER, 1)


def children() -> list[int]:
    """This process's children, those that it was left included; only its own forks' where /proc does not tell."""
    number = os.getpid()
    try:
        with open(f"/proc/{number}/task/{number}/children", encoding="ascii") as listed:
            return [int(child) for child in listed.read().split()]
    except FileNotFoundError:
        return [child for child in below_proc() if parent_of(child) == number]


def below_proc() -> Iterable[int]:
    """All processes that /proc shows."""
    with contextlib.suppress(FileNotFoundError):
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return []


def parent_of(number: int) -> int | None:
    """A process's parent; None where it is gone."""
    with contextlib.suppress(OSError), open(f"/proc/{number}/stat", "rb") as said:
        return int(said.read().rpartition(b")")[2].split()[1])
    return None


class Log:
    """The last bytes of what was printed, in a file.

    Args:
        descriptor: The file.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._kept = bytearray()
        self._written = 0  # of what is kept, how much stands in the file
        self._flushed_at = 0.0

    @property
    def behind(self) -> bool:
        """Whether something is not yet in the file."""
        return self._written < len(self._kept)

    def add(self, chunk: bytes) -> None:
        """Keep what was printed, and write it now and then."""
        self._kept += chunk
        if len(self._kept) > 2 * LOG_BYTES:
            del self._kept[:-LOG_BYTES]
            self._written = 0
        if time.monotonic() > self._flushed_at + FLUSH_S:
            self.flush()

    def flush(self) -> None:
        """Write what is kept; a full disk costs the log alone."""
        self._flushed_at = time.monotonic()
        with contextlib.suppress(OSError):
            if self._written == 0:
                os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, self._kept[self._written :], self._written)
        self._written = len(self._kept)


class Supervisor:
    """What the parent of a foreign process does until that has ended.

    Args:
        child: The foreign process.
        control: The socket to gonogo.
        prints: Where what is printed comes from.
        awake: Readable when a child has ended.
        log: The log.
    """

    def __init__(
        self, child: int, control: socket.socket, prints: int, awake: int, log: Log
    ) -> None:
        self._child, self._control, self._log = child, control, log
        self._prints, self._awake = prints, awake
        self._status: int | None = None
        os.set_blocking(prints, False)

    def watch(self) -> None:
        """Until the foreign process has ended, or gonogo has hung up."""
        poll = select.poll()
        for descriptor in (self._prints, self._awake, self._control.fileno()):
            poll.register(descriptor, select.POLLIN)
        while self._status is None:
            ready = {
                number for number, _ in poll.poll(FLUSH_S * 1000 if self._log.behind else None)
            }
            if self._prints in ready:
                if not self._take():  # it said so, and there is nothing: the end
                    poll.unregister(self._prints)
            elif self._log.behind:
                self._log.flush()
            if self._awake in ready:
                os.read(self._awake, 4096)
                self._reap()
            if self._control.fileno() in ready:
                return

    def finish(self) -> None:
        """End everybody who is left, keep what they printed last, and tell the exit status."""
        deadline = time.monotonic() + KILL_S
        while self._kill() and time.monotonic() < deadline:
            while self._take():
                pass
            time.sleep(0.002)
        while self._take():
            pass
        self._log.flush()
        with contextlib.suppress(OSError):
            status = -signal.SIGKILL if self._status is None else self._status
            self._control.sendall(NUMBER.pack(status))

    def _take(self) -> bool:
        """Read what was printed; whether there was anything."""
        with contextlib.suppress(BlockingIOError):
            if chunk := os.read(self._prints, CHUNK):
                self._log.add(chunk)
                return True
        return False

    def _reap(self) -> bool:
        """Take leave of the children that have ended; whether any is left."""
        while True:
            try:
                number, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if number == 0:
                return True
            if number == self._child:
                self._status = os.waitstatus_to_exitcode(status)

    def _kill(self) -> bool:
        """Kill the children that are there now; whether any is left, perhaps one that it was left just now."""
        if self._status is None or not ON_LINUX:
            for kill in (os.killpg, os.kill):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    kill(self._child, signal.SIGKILL)
        for child in children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        return self._reap()


def split(control: int, log: int, scratch: str | None) -> int:
    """Fork: the child goes on and becomes the foreign process, this process supervises it and does not return.

    Args:
        control: Descriptor of the socket to gonogo.
        log: Descriptor of the log's file.
        scratch: Folder to be removed at the end.

    Returns:
        In the child: the descriptor for what it prints.
    """
    reads, prints = os.pipe()
    awake, alarm = os.pipe()
    for end in (awake, alarm):
        os.set_blocking(end, False)
    reap_orphans()
    signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # they are for gonogo, which hangs up
    supervisor = os.getpid()
    child = os.fork()
    if child == 0:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        prctl(SET_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != supervisor:
            os._exit(1)
        lead_group(0)
        for descriptor in (reads, awake, alarm, control, log):
            os.close(descriptor)
        return prints
    lead_group(child)
    keep_only({control, log, reads, awake, alarm})
    line = socket.socket(fileno=control)
    with contextlib.suppress(OSError):
        line.sendall(NUMBER.pack(child))
    watch = Supervisor(child, line, reads, awake, Log(log))
    watch.watch()
    watch.finish()
    if scratch is not None:
        shutil.rmtree(scratch, ignore_errors=True)
    os._exit(0)


def lead_group(number: int) -> None:
    """Give a process a group of its own; parent and child do it both: whoever comes first."""
    with contextlib.suppress(PermissionError, ProcessLookupError):
        os.setpgid(number, number)


def keep_only(descriptors: set[int]) -> None:
    """Close every other descriptor, so that an end of a pipe that the child closes is closed."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    for name in os.listdir("/dev/fd"):
        if int(name) not in {0, 1, 2, *descriptors}:
            with contextlib.suppress(OSError):  # that of the list itself
                os.close(int(name))


def read_ahead() -> None:
    """Read what every worker reads: OpenEnv, and what FastAPI reads when an app's first route is made."""
    for name in ("openenv.core.env_server.http_server", "pydantic.v1"):
        # Without it every worker says itself what is wrong with OpenEnv here.
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def serve(control: int) -> list[str]:
    """Fork a child for each request; returns in every child, with its arguments, and ends when gonogo hangs up.

    Args:
        control: Descriptor of the socket that requests come from.
    """
    read_ahead()
    # What is read stays: neither a collection nor the end of a child has to go through it, and copy it.
    gc.freeze()
    reap_orphans()  # of a supervisor that was killed
    line = socket.socket(fileno=control)
    awake, alarm = os.pipe()
    for end in (awake, alarm):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    # gonogo ends it by hanging up; Ctrl-C is for gonogo.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    supervisors: set[int] = set()
    poll = select.poll()
    for descriptor in (awake, line.fileno()):
        poll.register(descriptor, select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poll.poll()}
        if awake in ready:
            os.read(awake, 4096)
            reap(supervisors)
        if line.fileno() not in ready:
            continue
        request = receive(line)
        if request is None:
            wake(supervisors)
            sys.exit(0)
        said, descriptors = request
        supervisor = os.fork()
        if supervisor == 0:
            signal.set_wakeup_fd(-1)
            for descriptor in (line.detach(), awake, alarm):
                os.close(descriptor)
            return become(said, descriptors)
        supervisors.add(supervisor)
        for descriptor in descriptors:
            os.close(descriptor)


def receive(line: socket.socket) -> tuple[Json, list[int]] | None:
    """One request: what was said, and the descriptors; None at the end."""
    header, descriptors, _, _ = socket.recv_fds(line, HEADER.size, MOST_DESCRIPTORS)
    if not header:
        return None
    body = b""
    length = HEADER.unpack(header)[0]
    while len(body) < length:
        chunk = line.recv(length - len(body))
        if not chunk:
            return None
        body += chunk
    return json.loads(body), descriptors


def wake(supervisors: set[int]) -> None:
    """Let those that were stopped go on, and hear that gonogo is gone."""
    for supervisor in supervisors:
        os.kill(supervisor, signal.SIGCONT)


def reap(supervisors: set[int]) -> None:
    """Take leave of the supervisors that have ended, and end what one that was killed has left."""
    while True:
        for child in set(children()) - supervisors:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not ended:
            return
        supervisors.discard(ended)


def become(said: Json, descriptors: Sequence[int]) -> list[str]:
    """Make this process a supervisor, and its child what was asked for: streams, a folder and variables of its own.

    Args:
        said: The request.
        descriptors: Stdin, stdout, the log, the control socket, and those that the child keeps.
    """
    stdin, stdout, log, control, *kept = descriptors
    os.setsid()
    prints = split(control, log, said["scratch"])
    os.dup2(stdin, 0)
    os.dup2(prints if said["logged"] else stdout, 1)
    os.dup2(prints, 2)
    for descriptor in (stdin, stdout, prints):
        os.close(descriptor)
    os.chdir(said["cwd"])
    tempfile.tempdir = None  # whoever has looked for it found the server's
    os.environ.clear()
    os.environ.update(said["env"])
    numbers = dict(zip(("{read}", "{write}"), map(str, kept), strict=False))
    return [numbers.get(argument, argument) for argument in said["argv"]]


def main() -> None:
    """``supervisor.py CONTROL LOG SCRATCH LOGGED COMMAND …`` runs a command; LOGGED is ``all`` or ``errors``."""
    control, log, scratch, logged, *command = sys.argv[1:]
    prints = split(int(control), int(log), scratch or None)
    os.dup2(prints, 2)
    if logged == "all":
        os.dup2(prints, 1)
    os.close(prints)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
        os._exit(127)


if __name__ == "__main__":
    main()
