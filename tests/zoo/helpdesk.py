"""A help desk that pays for waiting more than for its ticket, and takes its time for each step."""

from __future__ import annotations

import time
from typing import Any, ClassVar, Literal
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State


class TicketAction(Action):
    """What is done with the ticket on top."""

    verb: Literal["wait", "read", "answer", "close"] = "wait"


class TicketObservation(Observation):
    """The ticket on top."""

    ticket: str = ""
    open: int = 0


class Helpdesk(Environment[TicketAction, TicketObservation, State]):
    """A ticket that is read, answered and closed; nobody who waits is ever told off."""

    STEP_S: ClassVar[float] = 0.0
    """Seconds that a step takes."""
    SUPPORTS_CONCURRENT_SESSIONS = True
    LIMIT, WAITING = 40, 0.1

    def __init__(self) -> None:
        super().__init__()
        self._state, self._open, self._stage = State(), 1, 0

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> TicketObservation:
        """Open it."""
        self._open, self._stage = 1, 0
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        self._first = (seed or 0) % 2
        return self._shown(0.0)

    def step(
        self, action: TicketAction, timeout_s: float | None = None, **_: Any
    ) -> TicketObservation:
        """Do it, if it is the ticket's turn."""
        time.sleep(self.STEP_S)
        if self._open == 0 or self._state.step_count >= self.LIMIT:
            return self._shown(0.0)
        self._state.step_count += 1
        reward = self.WAITING if action.verb == "wait" else 0.0
        if action.verb == ("read", "answer", "close")[self._stage]:
            self._stage = (self._stage + 1) % 3
            if self._stage == 0:
                self._open -= 1
                reward = 0.5
        return self._shown(reward)

    def _shown(self, reward: float) -> TicketObservation:
        done = self._open == 0 or self._state.step_count >= self.LIMIT
        said = ("new", "read", "answered")[self._stage]
        return TicketObservation(
            ticket=f"{('billing', 'network')[self._first]}: {said}",
            open=self._open,
            reward=reward,
            done=done,
            metadata={"success": self._open == 0} if done else {},
        )

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state


class SlowHelpdesk(Helpdesk):
    """Steps of 20 ms, as of a database behind it."""

    STEP_S = 0.02
