"""Environments in one module, opened by import path."""

import asyncio
import time
from typing import Annotated, Any
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import WithJsonSchema


class CountAction(Action):
    """How much to add."""

    add: int


class CountObservation(Observation):
    """The sum, rendered by the environment itself."""

    total: int = 0
    text: str = ""


class Counter(Environment[CountAction, CountObservation, State]):
    """Adds; declares no concurrent sessions."""

    def __init__(self) -> None:
        super().__init__()
        self._total = 0
        self._state = State()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> CountObservation:
        """Start at the seed."""
        self._total = seed or 0
        self._state = State(episode_id=str(uuid4()))
        return CountObservation(total=self._total, text=f"sum {self._total}")

    def step(self, action: CountAction, timeout_s: float | None = None) -> CountObservation:
        """Add."""
        self._total += action.add
        self._state.step_count += 1
        return CountObservation(
            total=self._total, text=f"sum {self._total}", reward=float(action.add)
        )

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state


class Numbered(Counter):
    """Takes a seed or an index, not both."""

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, index: int | None = None
    ) -> CountObservation:
        """Start at either."""
        if seed is not None and index is not None:
            raise ValueError("give either seed or index")
        return super().reset(index if seed is None else seed)


class AsyncCounter(Counter):
    """Waits 50 ms a step, as an environment that asks a service does."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    async def step_async(
        self, action: CountAction, timeout_s: float | None = None, **_: Any
    ) -> CountObservation:
        """Add, after a while."""
        await asyncio.sleep(0.05)
        return self.step(action)


class AnyAction(Action):
    """Says that it is a number, and is whatever comes."""

    add: Annotated[Any, WithJsonSchema({"type": "integer"})] = 0


class Careless(Environment[AnyAction, CountObservation, State]):
    """Pays for whatever is sent, of whatever type, and ends after four steps."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> CountObservation:
        """Start at the seed."""
        self._state = State(episode_id=episode_id or str(uuid4()))
        return CountObservation(total=seed or 0)

    def step(self, action: AnyAction, timeout_s: float | None = None, **_: Any) -> CountObservation:
        """Look at nothing."""
        self._state.step_count += 1
        return CountObservation(reward=1.0, done=self._state.step_count >= 4)

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state


class WonObservation(Observation):
    """Whether it was won, once that is known."""

    won: bool | None = None


class LateWord(Environment[AnyAction, WonObservation, State]):
    """Says nothing of success before the end: then whether 1 was sent last, and still nothing where 2 was."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> WonObservation:
        """Begin."""
        self._state = State(episode_id=episode_id or str(uuid4()))
        return WonObservation(reward=0.0)

    def step(self, action: AnyAction, timeout_s: float | None = None, **_: Any) -> WonObservation:
        """End after three."""
        self._state.step_count += 1
        done = self._state.step_count >= 3
        won = action.add == 1 if done and action.add != 2 else None
        metadata = {"points": 1} if done else {}
        return WonObservation(won=won, reward=float(bool(won)), done=done, metadata=metadata)

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state


class Sleeper(Careless):
    """Takes its time before there is an instance of it, as one that loads a model does; its steps are quick."""

    SECONDS = 1.5

    def __init__(self) -> None:
        time.sleep(self.SECONDS)
        super().__init__()


class Stone(Sleeper):
    """There is hardly ever an instance of it."""

    SECONDS = 600.0


class Untyped(Environment):
    """Does not say its models."""

    def reset(self, seed=None, episode_id=None, **_):
        """Nothing."""

    def step(self, action, timeout_s=None, **_):
        """Nothing."""

    @property
    def state(self):
        """Nothing."""


NOT_A_CLASS = 3
