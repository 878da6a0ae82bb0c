"""A worker that has read OpenEnv and forks: starting another one costs a fork instead of a second of imports.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. The other end
is :mod:`gonogo.env.worker.forkserver`. Nothing of any environment is ever read here, so that what a child knows of
one is its own. A request is four bytes of length, big-endian, with the descriptors (stdin, stdout, the log, the
control socket, then those that it is to keep), and JSON: ``argv``, ``cwd``, ``env``, ``scratch``, ``logged``. For
each, a supervisor is forked, which forks the child and tells of it on the control socket: see
:mod:`gonogo.env.worker.supervisor`.
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
import tempfile
import typing
from collections.abc import Sequence
from typing import Any

if typing.TYPE_CHECKING or __package__:
    from gonogo.env.worker.supervisor import children, reap_orphans, split
else:
    from worker_supervisor import children, reap_orphans, split

Json = dict[str, Any]

HEADER = struct.Struct(">I")
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
