"""Workers as forks of a process that has read OpenEnv: a start costs a fork instead of a second of imports.

Each child is a process of its own in which no environment has been read before, so that it is as fresh as a
spawned one; what it shares with its siblings is what Python reads at its start, the hash seed and the path,
wherefore there is a server for each.
The servers start with the first child that needs them and end with this process. The other end is
:mod:`gonogo.env.worker.forks`, which describes the requests.
"""

from __future__ import annotations

import atexit
import json
import os
import socket
import struct
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gonogo.env.worker.child import Command, Streams

__all__ = ["ForkServer", "fork"]

HEADER = struct.Struct(">I")


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
        own = {
            name: value
            for name, value in env.items()
            if name not in {"HOME", "TMPDIR", "XDG_CACHE_HOME"}
        }
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


READ_AT_THE_START = ("PYTHONHASHSEED", "PYTHONPATH")
"""Variables that Python reads before a child is given its own: there is a server for each of their values."""

servers: dict[tuple[str, ...], ForkServer] = {}
starting = threading.Lock()


def fork(command: Command, streams: Streams) -> None:
    """Start a worker as :func:`gonogo.env.worker.child.spawn` would, by a fork.

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
def close() -> None:
    """End the servers."""
    while servers:
        servers.popitem()[1].close()


# A fork of this very process has its parent's sockets: it must not speak on them.
os.register_at_fork(after_in_child=servers.clear)
