"""Recorded episodes flown again, action by action, alone in another process: what differs, and what it took."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from gonogo.rollouts.episodes import Episode, read_components, read_success
from gonogo.rollouts.types import Connection, Failure, Transition
from gonogo.rollouts.volatile import NOTHING, Volatile, calmed
from gonogo.wire import State

SLOT = 0


@dataclass(frozen=True, slots=True)
class Replay:
    """One episode flown again.

    Attributes:
        answers: The reset's answer and each step's.
        state: The state at the end; None where it cannot be read.
        lost: What lost it, or None.
        seconds: How long it took.
    """

    answers: list[Transition]
    state: State | None
    lost: str | None
    seconds: float

    def differs(self, episode: Episode, volatile: Mapping[str, Volatile] = NOTHING) -> str | None:
        """The first thing that is not as it was recorded, in words; or None.

        Args:
            episode: The record.
            volatile: Clocks and random ids of its task, which are no difference.
        """
        if self.lost is not None:
            return f"the replay was lost: {self.lost}"
        seen = [turn.observation for turn in episode.turns[1:]] + [episode.final_observation]
        for step, (before, answer) in enumerate(zip(seen, self.answers[1:], strict=False), 1):
            for name in [*before, *(n for n in answer.observation if n not in before)]:
                here, there = before.get(name), answer.observation.get(name)
                where = f"observation.{name}"
                if not same(calmed(here, where, volatile), calmed(there, where, volatile)):
                    return f"step {step}: {name} was {here!r}, in the replay {there!r}"
        return self.judged(episode)

    def judged(self, episode: Episode) -> str | None:
        """The first difference in what was paid and said of success, in words; or None."""
        if self.lost is not None:
            return f"the replay was lost: {self.lost}"
        paid = [None if a.refusal is not None else a.reward for a in self.answers[1:]]
        recorded = [turn.reward for turn in episode.turns]
        for step, (before, now) in enumerate(zip_longest(recorded, paid), 1):
            if not same(before, now):
                return f"step {step}: the reward was {before!r}, in the replay {now!r}"
        last = self.answers[-1]
        if read_success(last) is not episode.success and last.done:
            return f"success was {episode.success}, in the replay {read_success(last)}"
        if last.done and not same(read_components(last), episode.components):
            return f"components were {episode.components}, in the replay {read_components(last)}"
        return None


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same; True is not 1 here, and NaN is itself."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def replay(connection: Connection, episode: Episode) -> Replay:
    """Fly an episode's actions again, in the first slot of a connection."""
    began = time.monotonic()
    answers: list[Transition] = []
    for answer in exchange(connection, episode):
        if isinstance(answer, Failure):
            return Replay(answers, None, answer.message, time.monotonic() - began)
        answers.append(answer)
    seconds = time.monotonic() - began
    state = connection.state([SLOT])[SLOT]
    return Replay(answers, None if isinstance(state, Failure) else state, None, seconds)


def exchange(connection: Connection, episode: Episode) -> Iterator[Transition | Failure]:
    """Each answer to the episode's reset and actions, up to the first failure."""
    answer = connection.reset({SLOT: episode.task})[SLOT]
    yield answer
    for turn in episode.turns:
        if isinstance(answer, Failure):
            return
        answer = connection.step({SLOT: turn.action or {}})[SLOT]
        yield answer


def lacks(episode: Episode, again: Replay) -> str | None:
    """What a record of an episode lacks to be whole, in words; or None.

    Args:
        episode: As it was recorded.
        again: The same, flown again to its end.
    """
    if again.lost is not None:
        return f"the episode was lost: {again.lost}"
    if episode.episode_return is None:
        return "no step of the episode gave a reward"
    state = again.state or {}
    if not state.get("episode_id"):
        return "the state has no episode_id"
    accepted = sum(answer.refusal is None for answer in again.answers[1:])
    count = state.get("step_count")
    if type(count) is not int or not accepted <= count <= len(again.answers) - 1:
        return f"the state counts {count!r} steps after {accepted} were accepted"
    return None
