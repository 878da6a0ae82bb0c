"""Workers as forks of a process that has read OpenEnv: a start costs a fork instead of a second of imports.

Each child is a process of its own in which no environment has been read before, so that it is as fresh as a
spawned one; what it shares with its siblings is what Python reads at its start, the hash seed and the path,
wherefore there is a server for each.
The servers start with the first child that needs them and end with this process. The other end is
:mod:`gonogo.adapters.worker_forks`, which describes the requests.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import struct
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from gonogo.adapters.child import Process, Streams

__all__ = ["ForkServer", "Forked", "fork"]

HEADER = struct.Struct(">I")
NUMBER = struct.Struct(">q")
GONE = -int(signal.SIGKILL)
"""The exit status of a child of which nobody can tell how it ended."""


class Forked:
    """A child of a fork server.

    Args:
        pid: Its process id.
        grave: Descriptor on which the server tells how it ended.
    """

    def __init__(self, pid: int, grave: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._grave = grave

    def wait(self, timeout: float | None = None) -> int | None:
        """Its exit status.

        Raises:
            subprocess.TimeoutExpired: It still runs after so many seconds.
        """
        if self.returncode is None:
            poll = select.poll()
            poll.register(self._grave, select.POLLIN)
            if not poll.poll(None if timeout is None else timeout * 1000):
                raise subprocess.TimeoutExpired(f"worker {self.pid}", timeout or 0.0)
            told = os.read(self._grave, NUMBER.size)
            os.close(self._grave)
            self.returncode = int(NUMBER.unpack(told)[0]) if told else GONE
        return self.returncode


class ForkServer:
    """A process that has read OpenEnv and forks.

    Args:
        command: What starts it; the number of its socket is added.
        env: Its environment variables.
    """

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        self._line, theirs = socket.socketpair()
        self._one_at_a_time = threading.Lock()
        with theirs:
            # What OpenEnv says while it is read is nobody's business: what is wrong with it, each child says.
            self._process = subprocess.Popen(
                [*command, str(theirs.fileno())],
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )

    def fork(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], streams: Streams
    ) -> Forked:
        """Fork a child.

        Args:
            argv: Its arguments, without the program.
            cwd: Its working directory.
            env: Its environment variables.
            streams: Its descriptors.

        Raises:
            ConnectionError: The server has ended.
        """
        said = json.dumps({"argv": list(argv), "cwd": str(cwd), "env": dict(env)}).encode()
        heard, grave = os.pipe()
        try:
            descriptors = (streams.stdin, streams.stdout, streams.stderr, grave, *streams.kept)
            with self._one_at_a_time:
                socket.send_fds(self._line, [HEADER.pack(len(said))], descriptors)
                self._line.sendall(said)
                told = self._line.recv(NUMBER.size, socket.MSG_WAITALL)
            if not told:
                raise ConnectionResetError("the process that forks workers has ended")
        except OSError:
            os.close(heard)
            raise
        finally:
            os.close(grave)
        return Forked(int(NUMBER.unpack(told)[0]), heard)

    def close(self) -> None:
        """Hang up: it ends, its children do not."""
        self._line.close()
        self._process.wait()


READ_AT_THE_START = ("PYTHONHASHSEED", "PYTHONPATH")
"""Variables that Python reads before a child is given its own: there is a server for each of their values."""

servers: dict[tuple[str, ...], ForkServer] = {}
starting = threading.Lock()


def fork(argv: Sequence[str], cwd: Path, env: Mapping[str, str], streams: Streams) -> Process:
    """Start a worker as :func:`gonogo.adapters.child.spawn` would, by a fork.

    Args:
        argv: A worker's command.
        cwd: Its working directory.
        env: Its environment variables.
        streams: Its descriptors.

    Raises:
        OSError: It cannot be started.
    """
    place = next(number for number, word in enumerate(argv) if word.endswith(".py")) + 1
    program, arguments = tuple(argv[:place]), argv[place:]
    key = (*program, *(env.get(name, "") for name in READ_AT_THE_START))
    try:
        return server(key, program, env).fork(arguments, cwd, env, streams)
    except ConnectionError:  # it was ended from outside: the next one serves
        with starting:
            servers.pop(key).close()
        return server(key, program, env).fork(arguments, cwd, env, streams)


def server(key: tuple[str, ...], program: Sequence[str], env: Mapping[str, str]) -> ForkServer:
    """The server of a program and a hash seed, started where there is none yet."""
    with starting:
        if key not in servers:
            servers[key] = ForkServer([*program, json.dumps({"kind": "forks"})], env)
        return servers[key]


@atexit.register
def close() -> None:
    """End the servers."""
    while servers:
        servers.popitem()[1].close()


# A fork of this very process has its parent's sockets: it must not speak on them.
os.register_at_fork(after_in_child=servers.clear)
