"""The rogue: at the second step it does what the reset option ``trick`` says."""

import contextlib
import os
import socket
import stat
import sys
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import State
from rogue.models import RogueAction, RogueObservation


def print_much() -> None:
    """Say on stdout and stderr, behind Python's back too, more than a pipe holds."""
    print("x" * 2**20, flush=True)
    for descriptor in (1, 2):
        os.write(descriptor, b"y" * 2**20)


def hang_up() -> None:
    """Cut what leads out of the process: the clients' sockets of a server, the pipes of a worker."""
    for name in os.listdir("/proc/self/fd"):
        descriptor = int(name)
        with contextlib.suppress(OSError):  # one that is closed by now, or a socket without a peer
            kind = os.fstat(descriptor).st_mode
            if descriptor > 2 and stat.S_ISFIFO(kind):
                os.close(descriptor)
            elif stat.S_ISSOCK(kind):
                with socket.socket(fileno=os.dup(descriptor)) as line:
                    if line.family == socket.AF_INET and line.getpeername():
                        line.shutdown(socket.SHUT_RDWR)


class RogueEnvironment(Environment):
    """Does harm on demand."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._trick = ""
        self._state = State(episode_id=str(uuid4()))

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, trick: str = "", **_: Any
    ) -> RogueObservation:
        """Start, or refuse to."""
        print("resetting on stdout", flush=True)
        if trick == "raise in reset":
            raise RuntimeError("no start today")
        self._trick = trick
        self._state = State(episode_id=self._new_id(episode_id))
        done = trick == "done at reset"
        return RogueObservation(said="ready", reward=None, done=done)

    def step(self, action: RogueAction, timeout_s: float | None = None) -> RogueObservation:
        """Repeat the word, and do the trick at the second step."""
        if self._trick == "uncounted" and action.word == "uncounted":
            return RogueObservation(said=action.word, reward=0.0)
        self._state.step_count += 1
        if self._state.step_count == 2:
            return self._do_trick(action)
        return RogueObservation(said=action.word, reward=0.5)

    def _do_trick(self, action: RogueAction) -> RogueObservation:
        tricks: dict[str, Callable[[], Any]] = {
            "exit": lambda: os._exit(7),
            "sys.exit": lambda: sys.exit("bye"),
            "hang": lambda: time.sleep(600),
            "abort": os.abort,
            "fork": os.fork,
            "print": print_much,
            "hang up": hang_up,
            "reset": self._reset_silently,
            "rewind": self._rewind,
            "double": self._count_double,
        }
        if self._trick == "raise":
            raise RuntimeError("step went wrong")
        if self._trick in tricks:
            tricks[self._trick]()
        extra: Any = {"unserializable": object(), "surrogate": "\ud800"}.get(self._trick)
        reward = {"nan": float("nan"), "bool": True, "inf": float("inf")}.get(self._trick, 0.5)
        return RogueObservation(said=action.word, extra=extra, reward=reward)

    def _new_id(self, asked: str | None) -> str | None:
        if self._trick in {"rewind", "double", "uncounted"}:
            return None
        return asked or str(uuid4())

    def _reset_silently(self) -> None:
        self._state = State(episode_id=str(uuid4()), step_count=2)

    def _rewind(self) -> None:
        self._state.step_count = 1

    def _count_double(self) -> None:
        self._state.step_count = 3

    @property
    def state(self) -> State:
        """Episode and step, unless the trick is to have none."""
        if self._trick == "no state":
            raise RuntimeError("no state")
        return self._state
