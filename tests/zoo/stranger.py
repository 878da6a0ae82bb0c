"""An environment that answers, on demand, what no environment should: the action names what."""

import os
import random
import signal
import struct
import sys
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import uuid4

import numpy as np
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import ConfigDict


class Ask(Action):
    """What to do."""

    word: str = ""


class Shown(Observation):
    """Whatever it likes."""

    model_config = ConfigDict(extra="allow")

    shown: Any = None


def nested(depth: int) -> Any:
    """Lists in lists."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def itself() -> Any:
    """A list that holds itself."""
    value: list[Any] = []
    value.append(value)
    return value


REWARDS: dict[str, Callable[[], Any]] = {
    "huge": lambda: 10**400,
    "huge negative": lambda: -(10**400),
    "huge float": lambda: -1e308,
    "thousands of digits": lambda: 10**5000,
    "nan": lambda: float("nan"),
    "infinite": lambda: float("inf"),
    "complex": lambda: 1j,
    "text": lambda: "x",
    "list": lambda: [1],
    "object": lambda: {"a": 1},
    "decimal": lambda: Decimal("0.5"),
    "numpy": lambda: np.float32(0.5),
    "numpy integer": lambda: np.int64(3),
    "array": lambda: np.zeros(2),
    "thing": object,
}
ENDS: dict[str, Callable[[], Any]] = {
    "done text": lambda: "maybe",
    "done none": lambda: None,
    "done list": lambda: [],
    "done two": lambda: 2,
    "done number": lambda: 0.5,
    "done numpy": lambda: np.bool_(True),
}
SHOWN: dict[str, Callable[[], Any]] = {
    "deep": lambda: nested(250),
    "deeper": lambda: nested(100_000),
    "digits": lambda: 10**5000,
    "surrogate": lambda: "\ud800",
    "surrogate key": lambda: {"\udfff": 1},
    "number keys": lambda: {1: 2, (1, 2): 3, None: 4},
    "bytes": lambda: b"\xff\x00",
    "itself": itself,
    "set": lambda: {1, 2},
    "megabytes": lambda: "x" * 3_000_000,
    "array shown": lambda: np.zeros((2, 2)),
}
METADATA: dict[str, Callable[[], Any]] = {
    "metadata text": lambda: "nothing",
    "metadata list": lambda: [1],
    "metadata progress": lambda: {"progress": 10**400},
    "metadata components": lambda: {"components": {"a": 10**400, "b": 1e308}},
}


def pipe() -> int:
    """The worker's pipe to gonogo: the descriptor with the highest number."""
    return max(int(name) for name in os.listdir("/proc/self/fd") if is_pipe(name))


def is_pipe(name: str) -> bool:
    """Whether a descriptor is a pipe."""
    try:
        return os.readlink(f"/proc/self/fd/{name}").startswith("pipe:")
    except FileNotFoundError:
        return False


def forge(slot: int, body: bytes) -> None:
    """Write a frame as the worker does, before it."""
    os.write(pipe(), struct.pack(">Ii", len(body), slot) + body)


def close_pipe() -> None:
    """Close the pipe."""
    os.close(pipe())


def close_low() -> None:
    """Close what daemons close: every descriptor that they know of."""
    os.closerange(3, 256)


def use_memory() -> None:
    """Ask for more memory than there is."""
    raise MemoryError(len(bytearray(1 << 50)))


def recurse() -> None:
    """Call oneself without end."""
    recurse()


def take_signals() -> None:
    """Handle what others would."""
    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, signal.SIG_IGN)
    signal.alarm(3600)


def print_without_python() -> None:
    """Write on stdout and stderr behind Python's back what looks like an answer."""
    for descriptor in (1, 2):
        os.write(descriptor, struct.pack(">Ii", 3, 0) + b"[1]")


def replace_streams() -> None:
    """Put other objects in the place of the standard streams, and close those that were there."""
    for stream in (sys.stdout, sys.stderr, sys.stdin):
        stream.close()
    sys.stdout = sys.stderr = None  # type: ignore[assignment]


DEEDS: dict[str, Callable[[], Any]] = {
    "forge nothing": lambda: forge(0, b""),
    "forge a number": lambda: forge(0, b"7"),
    "forge a kind": lambda: forge(0, b'["gold",null,null]'),
    "forge a payload": lambda: forge(0, b'["ok",{"observation":5},null]'),
    "forge an identity": lambda: forge(0, b'["ok",{"observation":{},"reward":1,"done":true},5]'),
    "forge a slot": lambda: forge(999, b'["ok",null,null]'),
    "forge success": lambda: forge(0, b'["ok",{"observation":{},"reward":1,"done":true},null]'),
    "forge a length": lambda: os.write(pipe(), b"\xff\xff\xff\xff"),
    "forge noise": lambda: os.write(pipe(), b"print('debug')\n"),
    "close the pipe": close_pipe,
    "close low": close_low,
    "leave": lambda: os._exit(9),
    "memory": use_memory,
    "recursion": recurse,
    "signals": take_signals,
    "folder": lambda: os.chdir("/"),
    "streams": replace_streams,
    "write": print_without_python,
    "fork": lambda: os.fork() or os._exit(0),
    "interrupt": lambda: os.kill(os.getpid(), signal.SIGINT),
}


class Stranger(Environment[Ask, Shown, State]):
    """Does what the action names."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = State()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Shown:
        """Begin."""
        self._state = State(episode_id=episode_id or str(uuid4()))
        return Shown(shown=random.Random(seed).random())

    def step(self, action: Ask, timeout_s: float | None = None, **_: Any) -> Shown:
        """Answer something."""
        self._state.step_count += 1
        word = action.word
        if word in DEEDS:
            DEEDS[word]()
        given = {"reward": 0.5, "done": False, "metadata": {}, "shown": None}
        for name, some in (
            ("reward", REWARDS),
            ("done", ENDS),
            ("metadata", METADATA),
            ("shown", SHOWN),
        ):
            if word in some:
                given[name] = some[word]()
        return Shown.model_construct(**given)

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state


class Clinging(Stranger):
    """Never lets go."""

    def close(self) -> None:
        """Hang, and take no for an answer."""
        try:
            time.sleep(600)
        except Exception:  # noqa: BLE001 - as strangers write it
            time.sleep(600)


class Given(Stranger):
    """Answers every step with the same."""

    word = ""

    def step(self, action: Ask, timeout_s: float | None = None, **_: Any) -> Shown:
        """Answer the same."""
        return super().step(Ask(word=self.word))


class Huge(Given):
    """Pays more than a float holds."""

    word = "huge"


class Texts(Given):
    """Pays in words."""

    word = "text"


class Endless(Given):
    """Says neither yes nor no to the end."""

    word = "done text"


class Deep(Given):
    """Shows more than JSON is read to."""

    word = "deep"


class Digits(Given):
    """Shows a number of five thousand digits."""

    word = "digits"
