"""Environments in one module, opened by import path."""

import asyncio
import os
import random
import time
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, WithJsonSchema


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


class Fallible(Counter):
    """Fails in its step by what is added, each number in a way of its own."""

    def step(self, action: CountAction, timeout_s: float | None = None) -> CountObservation:
        """Add, or fail."""
        if action.add == 1:
            error = ValueError("no such number")
            error.place = 7  # type: ignore[attr-defined]
            raise error
        if action.add == 2:
            return CountObservation(total=None, text="")  # type: ignore[arg-type]
        if action.add == 3:
            raise KeyError("x")
        if action.add in {4, 5}:
            self._total = {}[str(action.add)]
        return super().step(action, timeout_s)


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


class Unpaid(Careless):
    """Counts what is sent to four steps, and gives no reward."""

    def step(self, action: AnyAction, timeout_s: float | None = None, **_: Any) -> CountObservation:
        """Count."""
        self._state.step_count += 1
        return CountObservation(total=3, done=self._state.step_count >= 4)


class LockAction(Action):
    """A number, and whether the door is closed behind it."""

    number: int = 0
    close: bool = False


class LockObservation(Observation):
    """What is to be worked out, and how often it was."""

    shown: int = 0
    right: int = 0


class UnpaidLock(Environment[LockAction, LockObservation, State]):
    """Pays for four right numbers; success is to close the door after them, which is paid nothing."""

    SUPPORTS_CONCURRENT_SESSIONS = True
    CLOSED = 0.0

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> LockObservation:
        """Begin with a number."""
        self._state = State(episode_id=episode_id or str(uuid4()))
        self._draw, self._right, self._over = random.Random(seed), 0, False
        self._shown = self._draw.randrange(97)
        return LockObservation(shown=self._shown, reward=0.0)

    def step(self, action: LockAction, timeout_s: float | None = None, **_: Any) -> LockObservation:
        """Take a number, or the door."""
        if self._over:
            return LockObservation(done=True, reward=0.0)
        self._state.step_count += 1
        closed = action.close and self._right == 4
        right = self._right < 4 and action.number == unlock(self._shown)
        self._right += right
        self._shown = self._draw.randrange(97)
        self._over = done = closed or self._state.step_count >= 10
        return LockObservation(
            shown=self._shown,
            right=self._right,
            reward=0.25 * right + self.CLOSED * closed,
            done=done,
            metadata={"success": closed} if done else {},
        )

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state


class PaidLock(UnpaidLock):
    """Pays for closing the door, too."""

    CLOSED = 0.25


def unlock(shown: int) -> int:
    """The right number."""
    return (31 * shown + 17) % 97


def lock(observation: dict[str, Any], memory: dict[str, Any]) -> dict[str, Any]:
    """Work out four numbers, then close the door."""
    return {"number": unlock(observation["shown"]), "close": observation["right"] == 4}


class DeskAction(Action):
    """What to do, and what to say with it."""

    do: Literal["wait", "open", "take", "stamp", "report", "leave"]
    text: str = ""


class DeskObservation(Observation):
    """The drawer."""

    drawer: str = "shut"


class Desk(Environment[DeskAction, DeskObservation, State]):
    """Open, take, stamp, leave: a fifth for each, once; sound."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> DeskObservation:
        """Begin."""
        self._state = State(episode_id=episode_id or str(uuid4()))
        self._drawer, self._paid, self._over = "shut", set[str](), False
        return DeskObservation(reward=0.0)

    def step(self, action: DeskAction, timeout_s: float | None = None, **_: Any) -> DeskObservation:
        """Each thing only after the one before it; whoever opens or takes again puts all back."""
        if self._over:
            return DeskObservation(done=True, reward=0.0)
        self._state.step_count += 1
        order = {"open": "shut", "take": "open", "stamp": "taken", "leave": "stamped"}
        now = "taken" if self._drawer == "stamped" and action.do == "stamp" else self._drawer
        fits = order.get(action.do) == now
        after = {"open": "open", "take": "taken", "stamp": "stamped", "leave": "left"}
        if fits:
            self._drawer = after[action.do]
        elif action.do in {"open", "take"}:
            self._drawer = "shut"
        reward = self.pay(action, fits)
        left = self._drawer == "left"
        self._over = left or self._state.step_count >= 12
        metadata = {"success": left} if self._over else {}
        return DeskObservation(
            drawer=self._drawer, reward=reward, done=self._over, metadata=metadata
        )

    def pay(self, action: DeskAction, fits: bool) -> float:
        """What an action is paid."""
        fresh = fits and action.do not in self._paid
        self._paid |= {action.do} if fits else set()
        return 0.2 * fresh + 0.4 * (fits and action.do == "leave")

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state


class StampingDesk(Desk):
    """Pays for every stamp, which is the third thing to do."""

    def pay(self, action: DeskAction, fits: bool) -> float:
        """What an action is paid."""
        return 0.2 if fits and action.do == "stamp" else super().pay(action, fits)


class ReportingDesk(Desk):
    """Pays for every report that says anything."""

    def pay(self, action: DeskAction, fits: bool) -> float:
        """What an action is paid."""
        said = action.do == "report" and bool(action.text)
        return 0.2 if said else super().pay(action, fits)


def clerk(observation: dict[str, Any], memory: dict[str, Any]) -> dict[str, Any]:
    """Do one thing after the other."""
    after = {"shut": "open", "open": "take", "taken": "stamp", "stamped": "leave"}
    return {"do": after[observation["drawer"]]}


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


class Prize(BaseModel):
    """What a success brings."""

    prize: int
    medals: list["Medal"] = []


class Medal(BaseModel):
    """One of a prize."""

    medal: int


class LateObservation(Observation):
    """A total, and what may be said of it."""

    total: int = 0
    prizes: Prize | None = None


class Laureate(Environment[AnyAction, LateObservation, State]):
    """Shows what it calls a success at a success alone: in the metadata, whose names other places know."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> LateObservation:
        """Begin."""
        self._state = State(episode_id=episode_id or str(uuid4()), titles={"title": None})
        return LateObservation(reward=0.0)

    def step(self, action: AnyAction, timeout_s: float | None = None, **_: Any) -> LateObservation:
        """End after three."""
        self._state.step_count += 1
        done = self._state.step_count >= 3
        metadata = {"hint": 0} if not done else {}
        return LateObservation(total=3, reward=0.0, done=done, metadata=metadata)

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state


class Stamped(Careless):
    """One of three rooms, said behind the time of day."""

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> CountObservation:
        """Choose the room."""
        self._state = State(episode_id=episode_id or str(uuid4()))
        self._room = random.Random(seed).randrange(3)
        return CountObservation(text=self._said())

    def step(self, action: AnyAction, timeout_s: float | None = None, **_: Any) -> CountObservation:
        """Pay for the room's number."""
        self._state.step_count += 1
        done, found = self._state.step_count >= 2, action.add == self._room
        metadata = {"success": found} if done else {}
        return CountObservation(
            text=self._said(), reward=float(done and found), done=done, metadata=metadata
        )

    def _said(self) -> str:
        return f"{datetime.now().isoformat()}: you are in room {self._room}"


class Sleeper(Careless):
    """Takes its time before there is an instance of it, as one that loads a model does; its steps are quick."""

    SECONDS = 1.5

    def __init__(self) -> None:
        time.sleep(self.SECONDS)
        super().__init__()


class Stone(Sleeper):
    """There is hardly ever an instance of it."""

    SECONDS = 600.0


class Mortal(Careless):
    """Its process ends at the reset of every seed but two."""

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> CountObservation:
        """Start at the seed, or die."""
        if seed not in (0, 1):
            os._exit(3)
        return super().reset(seed, episode_id)


class Fragile(Careless):
    """Its process ends at the first step after a reset with any seed but two."""

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> CountObservation:
        """Start at the seed."""
        self._whole = seed in (0, 1)
        return super().reset(seed, episode_id)

    def step(self, action: AnyAction, timeout_s: float | None = None, **_: Any) -> CountObservation:
        """Look at nothing, or die."""
        if not self._whole:
            os._exit(3)
        return super().step(action)


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
