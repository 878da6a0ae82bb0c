"""Environments that show clocks and ids of their own, and environments that take a seed and drop it."""

import datetime
import itertools
import os
import random
import secrets
import time
import uuid
from typing import Any, Literal

import numpy as np
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

Harmless = Literal[
    "nothing", "epoch", "epoch_ms", "iso", "spelt", "compact", "perf", "perf_ns", "perf_text", "cpu", "elapsed", "uuid",
    "hexadecimal", "urlsafe", "number", "keys", "address", "address_text", "pid", "pid_text", "session", "session_text",
    "reprs", "counter",
]  # fmt: skip
"""Clocks and ids; the digit beside them is the seed's."""
Dropped = Literal["digit", "word", "digit_and_clock", "digit_in_text"]
"""What is drawn anew at each reset, whatever the seed."""


SERVED = itertools.count(1)


class Named:
    """An object whose text holds its address."""


def noise(kind: str) -> Any:
    """A clock or an id, as somebody would put it into an observation."""
    now, texts = datetime.datetime.now(), "At {} the task was begun by the 7 of you. "
    made: dict[str, Any] = {
        "nothing": lambda: None,
        "epoch": time.time,
        "epoch_ms": lambda: int(time.time() * 1000),
        "iso": lambda: texts.format(now.isoformat()),
        "spelt": lambda: texts.format(now.strftime("%H:%M:%S.%f on %d %B %Y")),
        "compact": lambda: f"log_{now.strftime('%Y%m%d_%H%M%S%f')}.txt",
        "perf": time.perf_counter,
        "perf_ns": time.perf_counter_ns,
        "perf_text": lambda: f"step took until t={time.perf_counter()} of 3 parts",
        "cpu": lambda: {"cpu_time": time.process_time()},
        "elapsed": lambda: {"elapsed_ms": random.random() * 3},
        "uuid": lambda: [{"rows": [{"task": "one", "ref": str(uuid.uuid4())}]}],
        "hexadecimal": lambda: f"order {secrets.token_hex(4)} of 5",
        "urlsafe": lambda: f"Token: {secrets.token_urlsafe(16)}.",
        "number": lambda: {"request_id": random.SystemRandom().randrange(10**9)},
        "keys": lambda: {uuid.uuid4().hex: {"state": "open"}, "kind": "a"},
        "address": lambda: {"address": id(Named())},
        "address_text": lambda: f"<Worker at {hex(id(Named()) ^ random.getrandbits(20) << 8)}>",
        "pid": lambda: {"pid": os.getpid() + random.randrange(1000)},
        "pid_text": lambda: f"served by pid {os.getpid() + random.randrange(1000)}",
        "session": lambda: {"session_id": f"s-{random.randrange(10**6)}"},
        "session_text": lambda: f"Welcome to session {random.randrange(10**6)}.",
        "counter": lambda: {"episodes_served": next(SERVED)},
        "reprs": lambda: [repr(Named()) + str(uuid.uuid4()), now.isoformat()],
    }  # fmt: skip
    return made[kind]()


class Guess(Action):
    """A digit."""

    n: int = Field(0, ge=0, le=9)


class Shown(Observation):
    """The digit, and something beside."""

    digit: int = 0
    beside: Any = None


class Noisy(Environment[Guess, Shown, State]):
    """Three guesses; the digit is the seed's, and what is shown beside it is nobody's."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state, self._kind, self._digit = State(), "nothing", 0

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, kind: Harmless = "nothing"
    ) -> Shown:
        """Draw a digit."""
        self._kind, self._digit = kind, int(np.random.default_rng(seed).integers(1000))
        self._state = State(episode_id=episode_id or "noisy", step_count=0)
        return self._shown(None)

    def step(self, action: Guess, timeout_s: float | None = None, **_: Any) -> Shown:
        """Guess."""
        if self._state.step_count >= 3:
            raise RuntimeError("the episode is over: call reset")
        self._state.step_count += 1
        return self._shown(float(action.n == self._digit % 10))

    def _shown(self, reward: float | None) -> Shown:
        over = self._state.step_count >= 3
        return Shown(digit=self._digit, beside=noise(self._kind), reward=reward, done=over)

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state


class Careless(Noisy):
    """The same by a digit that no seed decides, and a state that repeats the seed."""

    def reset(  # type: ignore[override]
        self, seed: int | None = None, episode_id: str | None = None, kind: Dropped = "digit"
    ) -> Shown:
        """Draw something, whatever the seed."""
        self._draw = kind
        self._state = State(episode_id=episode_id or "careless", step_count=0, seed=seed)
        self._digit, self._word = (
            random.randrange(1000),
            random.choice(["north", "south", "east", "west"]),
        )
        return self._shown(None)

    def _shown(self, reward: float | None) -> Shown:
        beside: dict[str, Any] = {
            "word": self._word,
            "digit_and_clock": [self._digit, time.time()],
            "digit_in_text": f"At {datetime.datetime.now()} guess {self._digit}.",
        }
        over = self._state.step_count >= 3
        return Shown(beside=beside.get(self._draw, self._digit), reward=reward, done=over)


class Fixed(Noisy):
    """One task for ever: the seed is kept, told in the state, and never used."""

    def reset(  # type: ignore[override]
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> Shown:
        """Begin the task."""
        self._kept = seed
        self._digit = 7
        self._state = State(episode_id=episode_id or "fixed", step_count=0)
        return self._shown(None)


class Seedless(Noisy):
    """One task for ever, and nobody is asked for a seed."""

    def reset(self, episode_id: str | None = None) -> Shown:  # type: ignore[override]
        """Begin the task."""
        self._digit = 7
        self._state = State(episode_id=episode_id or "seedless", step_count=0)
        return self._shown(None)


class Hidden(Noisy):
    """The seed decides what nobody has guessed yet."""

    def reset(  # type: ignore[override]
        self, seed: int | None = None, episode_id: str | None = None
    ) -> Shown:
        """Hide a number."""
        self._hidden = 10 + int(np.random.default_rng(seed).integers(10**6))
        self._state = State(episode_id=episode_id or "hidden", step_count=0)
        return self._shown(None)

    def _shown(self, reward: float | None) -> Shown:
        over = self._state.step_count >= 3
        return Shown(reward=0.0 if reward is None else float(self._hidden < 0), done=over)


class Coded(Noisy):
    """The task is a code that is drawn anew at each reset: it looks like an id, and is the task."""

    def reset(  # type: ignore[override]
        self, seed: int | None = None, episode_id: str | None = None
    ) -> Shown:
        """Draw a code."""
        self._state = State(episode_id=episode_id or "coded", step_count=0)
        self._digit, self._kind = 7, "hexadecimal"
        return self._shown(None)


class Told(Noisy):
    """One task for ever: the seed is logged, shown again, and used for nothing."""

    def reset(  # type: ignore[override]
        self, seed: int | None = None, episode_id: str | None = None
    ) -> Shown:
        """Begin the task."""
        print(f"begun with {seed}")
        self._digit = 7
        self._state = State(episode_id=episode_id or "told", step_count=0, seed=seed)
        return self._shown(None)


class Dealt(Noisy):
    """One task for each seed, by a generator that the reset hands on to what deals the task."""

    def reset(  # type: ignore[override]
        self, seed: int | None = None, episode_id: str | None = None
    ) -> Shown:
        """Begin the seed's task."""
        return self._begin(f"task {seed or 0}", episode_id)

    def _begin(self, task: str, episode_id: str | None) -> Shown:
        self._chance = random.Random(task)
        self._digit = self._deal()
        self._state = State(episode_id=episode_id or "dealt", step_count=0)
        return self._shown(None)

    def _deal(self) -> int:
        return self._chance.randrange(1000)


class Overruled(Dealt):
    """One task for ever: nobody asks the generator that the seed made."""

    def _deal(self) -> int:
        return 7


class Deferred(Fixed):
    """The class above keeps the seed only; this one hides by it what nobody has guessed yet."""

    def _shown(self, reward: float | None) -> Shown:
        hidden = 10 + int(np.random.default_rng(self._kept).integers(10**6))
        over = self._state.step_count >= 3
        return Shown(reward=0.0 if reward is None else float(hidden < 0), done=over)


class Drawn(Noisy):
    """One question of two, drawn anew at each reset; its grade is paid for any digit at all."""

    def reset(  # type: ignore[override]
        self, seed: int | None = None, episode_id: str | None = None
    ) -> Shown:
        """Draw a question."""
        self._digit = random.SystemRandom().choice([60, 90])
        self._state = State(episode_id=episode_id or "drawn", step_count=0)
        return Shown(digit=self._digit)

    def step(self, action: Guess, timeout_s: float | None = None, **_: Any) -> Shown:
        """Pay the question's grade, whatever the answer."""
        self._state.step_count += 1
        return Shown(digit=self._digit, reward=self._digit / 100, done=True)
