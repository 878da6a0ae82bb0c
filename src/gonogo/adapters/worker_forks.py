"""A worker that has read OpenEnv and forks: starting another one costs a fork instead of a second of imports.

Loaded by its path from :mod:`gonogo.adapters.worker_main`, and like it imports nothing of gonogo. The other end
is :mod:`gonogo.adapters.forkserver`. Nothing of any environment is ever read here, so that what a child knows of
one is its own. A request is four bytes of length, big-endian, with the descriptors (stdin, stdout, stderr, then
where to tell how the child ended, then those that it is to keep), and JSON: ``argv``, ``cwd``, ``env``. The
answer is the child's process id, eight bytes. A child's end is told as its exit status, eight bytes.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]

HEADER = struct.Struct(">I")
NUMBER = struct.Struct(">q")
MOST_DESCRIPTORS = 8


def serve(control: int) -> list[str]:
    """Fork a child for each request; returns in every child, with its arguments, and ends when gonogo hangs up.

    Args:
        control: Descriptor of the socket that requests come from.
    """
    # Without it every worker says itself what is wrong with OpenEnv here.
    with contextlib.suppress(ImportError):
        importlib.import_module("openenv.core.env_server.http_server")
    # What is read stays: neither a collection nor the end of a child has to go through it, and copy it.
    gc.freeze()
    line = socket.socket(fileno=control)
    awake, alarm = os.pipe()
    for end in (awake, alarm):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    # gonogo ends it by hanging up; Ctrl-C is for gonogo.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    graves: dict[int, int] = {}
    poll = select.poll()
    for descriptor in (awake, line.fileno()):
        poll.register(descriptor, select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poll.poll()}
        if awake in ready:
            os.read(awake, 4096)
            bury(graves)
        if line.fileno() not in ready:
            continue
        request = receive(line)
        if request is None:
            sys.exit(0)
        said, (*streams, grave), kept = request
        child = os.fork()
        if child == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            line.close()
            for descriptor in (awake, alarm, grave, *graves.values()):
                os.close(descriptor)
            return become(said, streams, kept)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.setpgid(child, child)
        graves[child] = grave
        for descriptor in (*streams, *kept):
            os.close(descriptor)
        line.sendall(NUMBER.pack(child))


def receive(line: socket.socket) -> tuple[Json, list[int], list[int]] | None:
    """One request: what was said, the three streams and the grave, and what is kept; None at the end."""
    header, descriptors, _, _ = socket.recv_fds(line, HEADER.size, MOST_DESCRIPTORS)
    if not header:
        return None
    body = b""
    length = HEADER.unpack(header)[0]
    while len(body) < length:
        body += line.recv(length - len(body))
    return json.loads(body), descriptors[:4], descriptors[4:]


def bury(graves: dict[int, int]) -> None:
    """Tell of each child that has ended how it did, on its own descriptor."""
    for child in list(graves):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            grave = graves.pop(child)
            with contextlib.suppress(BrokenPipeError):
                os.write(grave, NUMBER.pack(os.waitstatus_to_exitcode(status)))
            os.close(grave)


def become(said: Json, streams: Sequence[int], kept: Sequence[int]) -> list[str]:
    """Make this child what was asked for: a process group, streams, a folder and variables of its own.

    Args:
        said: The request.
        streams: Its stdin, stdout and stderr.
        kept: Descriptors that it keeps: those to read from and to write to, or none.
    """
    with contextlib.suppress(PermissionError):
        os.setpgid(0, 0)  # the parent does it too: whoever comes first
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(said["cwd"])
    os.environ.clear()
    os.environ.update(said["env"])
    numbers = dict(zip(("{read}", "{write}"), map(str, kept), strict=False))
    return [numbers.get(argument, argument) for argument in said["argv"]]
