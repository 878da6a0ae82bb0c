"""What both transports share: OpenEnv's answers turned into transitions, slot by slot.

Over the pipe and over the WebSocket the same JSON arrives; a :class:`Slots` makes a
:class:`~gonogo.rollouts.types.Transition` or a :class:`~gonogo.rollouts.types.Failure` of it,
checks the episode's identity, and remembers what a refusal has to repeat. It moves no bytes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gonogo.env.worker.child import Malformed
from gonogo.env.worker.frames import shown
from gonogo.records.tables import cut
from gonogo.rollouts.episodes import adds_up
from gonogo.rollouts.schema import bounded
from gonogo.rollouts.session import Identity, Session
from gonogo.rollouts.types import Failure, Transition
from gonogo.wire import JsonObject

__all__ = ["LONGER", "Slots", "describe_errors"]

SHOWN_CHARS = 120
RULE_CHARS = 300
"""Of the rule that an action broke: one of four thousand choices names them all."""
REFUSAL_CHARS = 1000
"""Of a refusal, whoever worded it."""
LONGER = "if it needs longer to start, give --startup-s (rollout.startup_s in a config)"


def describe_errors(errors: Sequence[JsonObject]) -> str:
    """One line from pydantic's errors: each field, the rule it broke and the value.

    Args:
        errors: Objects with ``loc``, ``msg`` and ``input``, as OpenEnv sends them.
    """
    parts = []
    for error in errors:
        where = error.get("loc")
        field = ".".join(map(str, where)) if isinstance(where, list) else str(where or "")
        field = field or "action"
        value = cut(repr(error.get("input")), SHOWN_CHARS)
        said = cut(str(error.get("msg", "invalid")), RULE_CHARS)
        parts.append(f"{cut(field, SHOWN_CHARS)}: {said} (got {value})")
    return bounded(parts, "; ", REFUSAL_CHARS, len(parts)) or "the action is invalid"


class Slots:
    """The live episodes of a connection: their identity and their last transition."""

    def __init__(self) -> None:
        self._sessions: dict[int, Session] = {}
        self._last: dict[int, Transition] = {}
        self._lost: dict[int, Failure] = {}

    def lost(self, slot: int) -> Failure | None:
        """Why this slot has no episode to step any more, or None where it may be stepped."""
        return self._lost.get(slot)

    def lose(self, slot: int, failure: Failure) -> Failure:
        """The episode in this slot is gone; it stays gone until the next reset."""
        self._lost[slot] = failure
        return failure

    def lose_others(self, failure: Failure) -> None:
        """Every live episode is gone: the process that held them all ended."""
        for slot in self._sessions:
            self._lost.setdefault(slot, failure)

    def forget(self, slot: int) -> None:
        """The slot's session is a new one: nothing is known of it."""
        for known in (self._sessions, self._last, self._lost):
            known.pop(slot, None)

    def began(
        self, slot: int, answer: JsonObject, identity: Identity | None, asked: object = None
    ) -> Transition | Failure:
        """A reset was answered: a new episode lives in the slot.

        Args:
            slot: The slot.
            answer: What was answered.
            identity: What the state says.
            asked: The ``episode_id`` that the reset asked for, or None. An id that was asked for and given
                tells this episode from any that is started without asking, the one before it or not.
        """
        before = self._sessions.get(slot)
        given = identity is not None and identity[0] == asked
        self._sessions[slot] = Session(
            identity, None if before is None or given else before.episode_id
        )
        self._lost.pop(slot, None)
        return self._taken(slot, answer)

    def stepped(
        self, slot: int, answer: JsonObject, identity: Identity | None
    ) -> Transition | Failure:
        """A step was answered.

        Args:
            slot: The slot.
            answer: The ``data`` of OpenEnv's observation message.
            identity: Episode and count as the state says them; None where it cannot be read.
        """
        if (failure := self._check(slot, identity, refused=False)) is not None:
            return failure
        return self._taken(slot, answer)

    def _taken(self, slot: int, answer: JsonObject) -> Transition | Failure:
        try:
            transition = self._last[slot] = to_transition(answer)
        except Malformed as error:
            return self.lose(slot, Failure(str(error), "malformed"))
        return transition

    def refused(self, slot: int, message: str, identity: Identity | None) -> Transition | Failure:
        """A step was refused: the episode stands where it stood.

        Args:
            slot: The slot.
            message: Why.
            identity: Episode and count as the state says them; None where it cannot be read.
        """
        if (failure := self._check(slot, identity, refused=True)) is not None:
            return failure
        last, said = self._last.get(slot), cut(message, REFUSAL_CHARS)
        if last is None:
            return Transition({}, None, False, refusal=said)
        return Transition(last.observation, None, last.done, last.metadata, said)

    def _check(self, slot: int, identity: Identity | None, *, refused: bool) -> Failure | None:
        session = self._sessions.get(slot)
        if session is None:
            return None
        last = self._last.get(slot)
        ended = last is not None and last.done
        wrong = session.check(identity, refused=refused, ended=ended)
        if wrong is None:
            return None
        return self.lose(slot, Failure(f"the episode was lost: {wrong}", "identity"))


def to_transition(answer: JsonObject) -> Transition:
    """A transition from the ``data`` of OpenEnv's observation message.

    Raises:
        Malformed: It has not the form of one.
    """
    observation, done = answer.get("observation"), answer.get("done")
    if not isinstance(observation, dict):
        raise Malformed(f"an answer must hold an observation, not {shown(observation)}")
    if not isinstance(done, bool):
        raise Malformed(f"done must be true or false, not {shown(done)}")
    inner = observation.pop("metadata", None)
    metadata = answer.get("metadata") or inner or {}
    if not isinstance(metadata, dict):
        raise Malformed(f"metadata must be an object, not {shown(metadata)}")
    return Transition(observation, addable(answer.get("reward")), done, metadata)


def addable(reward: Any) -> Any:
    """A reward as it was given; a number beyond what can be added up is said in words, and is no number."""
    if isinstance(reward, int) and not adds_up(reward):
        return f"a whole number of {len(str(abs(reward)))} digits"
    if isinstance(reward, float) and math.isfinite(reward) and not adds_up(reward):
        return f"the number {reward}"
    return reward
