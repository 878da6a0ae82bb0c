"""Tickets to be given a priority: some desks can never be right, as they compare what can never be equal."""

from random import Random
from typing import Any, ClassVar, Literal
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

TICKETS = 3


class Triage(Action):
    """The priority of the first ticket: LOW, MID or TOP."""

    priority: str


class Ticket(Observation):
    """What is wrong."""

    text: str = ""
    left: int = TICKETS
    success: bool = False


class LoudDesk(Environment[Triage, Ticket, State]):
    """Makes the priority upper-case, as the labels are; all tickets have to be right, which chance hardly is."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state, self.tickets, self.right = State(), [], 0

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Ticket:
        """Tickets, by the seed."""
        rng = Random(seed)
        self.tickets = [{"label": label} for label in rng.choices(["LOW", "MID", "TOP"], k=12)]
        self.right = 0
        self._state = State(episode_id=episode_id or str(uuid4()))
        return self._ticket(None)

    def step(self, action: Triage, timeout_s: float | None = None, **_: Any) -> Ticket:
        """Hold the priority against the label."""
        said = action.priority.strip().upper()
        reward = 0.0
        if said == self.tickets[self._state.step_count]["label"]:
            self.right += 1
            reward = 0.1
        self._state.step_count += 1
        return self._ticket(reward)

    def _ticket(self, reward: float | None) -> Ticket:
        done = self._state.step_count >= len(self.tickets)
        left = len(self.tickets) - self._state.step_count
        success = done and self.right == len(self.tickets)
        return Ticket(text="It is down.", left=left, success=success, reward=reward, done=done)

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state


class QuietDesk(LoudDesk):
    """Makes it lower-case: no ticket can be right."""

    def step(self, action: Triage, timeout_s: float | None = None, **_: Any) -> Ticket:
        """Hold the priority against the label."""
        said = action.priority.strip().lower()
        reward = 0.0
        if said == self.tickets[self._state.step_count]["label"]:
            self.right += 1
            reward = 0.1
        self._state.step_count += 1
        return self._ticket(reward)


class Door(Action):
    """Which door."""

    door: Literal["a", "b", "c"]


class OpenDoor(Environment[Door, Ticket, State]):
    """One door of three is right, by the seed."""

    SUPPORTS_CONCURRENT_SESSIONS = True
    RIGHT: ClassVar[tuple[str, ...]] = ("a", "b", "c")

    def __init__(self) -> None:
        super().__init__()
        self._state, self._right = State(), ""

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Ticket:
        """A door, by the seed."""
        self._right = Random(seed).choice(self.RIGHT)
        self._state = State(episode_id=episode_id or str(uuid4()))
        return Ticket(text=f"The seed is {seed}.")

    def step(self, action: Door, timeout_s: float | None = None, **_: Any) -> Ticket:
        """Open it."""
        self._state.step_count += 1
        success = action.door == self._right
        return Ticket(text="", success=success, reward=float(success), done=True)

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state


class WalledDoor(OpenDoor):
    """The right door is none of those that can be opened."""

    RIGHT = ("d", "e")
