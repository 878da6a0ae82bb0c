"""One flown episode as a record: what was seen, said and paid, turn by turn; and many as a sequence, a file, a table.

``rollout`` writes a line of JSON for each, ``replay`` reads them, trainers and evaluations take the objects. A
record holds what was observed and no judgement; in particular an episode that infrastructure ended,
or that its policy left, has an ``error`` and no return: what was not scored is None, never 0.

Success and reward components are read where environments put them: ``success`` and its usual
synonyms, ``components`` and its usual synonyms, first in the metadata of the last transition, then in
the observation.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, overload

from gonogo.errors import MissingRecord, StaleRecord
from gonogo.records.files import write_text
from gonogo.records.provenance import EpisodeFingerprint
from gonogo.records.record import Frame
from gonogo.rollouts.types import Tokens, Transition
from gonogo.wire import Action, Metadata, Observation, State, TaskOptions, WireObject

if TYPE_CHECKING:
    import pandas as pd


SCHEMA = "gonogo/episode/1"
LARGEST = 1e100
"""Largest number of a foreign environment that is counted: many of them, squared, are still within floats."""
ASIDE_DEPTH, ASIDE_KEYS, ASIDE_CHARS = 3, 60, 400
"""What is kept of the metadata on the way: a log holds it for each step, so nothing long."""
SUCCESS_NAMES = ("success", "is_success", "succeeded", "task_success", "solved", "won")
COMPONENT_NAMES = (
    "components", "reward_components", "reward_breakdown", "rubric_scores", "rubric",
)  # fmt: skip


@dataclass(slots=True)
class Turn:
    """One decision of a policy and what became of it.

    Attributes:
        text: What a model saw.
        observation: The observation's fields behind the text.
        action: The action that was sent; None where the reply said none.
        reply: The policy's raw text; None where it answered with an action.
        invalid: Why the reply was no action, or why the environment refused it; None if it stood.
            An environment that judges replies itself says so in ``metadata["invalid"]``.
        reward: Reward of this step; None where none was given.
        done: Whether the episode ended with it.
        potential: Progress potential after the step, in the metadata's own units; None if not given.
        tokens: Token record of a model's reply.
        counted: Tokens read and said at this turn, where a server counted them and no ids are known.
        anchor: The environment's key of the state that it was decided in; None where it offers none.
        noisy: Whether fields of the action were drawn at random instead of the policy's own.
        reached: Lines of the environment's code that were reached for the first time, at the reset before a first turn
            or by the action; empty where they are not measured.
        erred: Type and place, as ``KeyError game.py:12``, of the error that refused the action, where the environment's
            code does not raise it itself; else empty.
        aside: The short values of the metadata after a step that was not the last, where the flight looks for success;
            else empty.
    """

    text: str
    observation: Observation
    action: Action | None = None
    reply: str | None = None
    invalid: str | None = None
    reward: float | None = None
    done: bool = False
    potential: float | None = None
    tokens: Tokens | None = None
    counted: tuple[int, int] | None = None
    anchor: str | None = None
    noisy: bool = False
    reached: tuple[str, ...] = ()
    erred: str = ""
    aside: Metadata = field(default_factory=dict)


@dataclass(slots=True)
class Episode:
    """One episode, finished or lost.

    Attributes:
        index: Its place in the list of tasks.
        task: The reset options.
        target: What was flown.
        policy: Name of the policy.
        decoding: ``greedy``, ``sampled`` or None for a policy that decodes nothing.
        seed: Seed of the policy's draws; None where it draws nothing.
        turns: In order.
        episode_return: Sum of the rewards; None for a lost episode or one without any reward, but 0
            where no reply ever was an action: that policy has earned nothing.
        components: Reward components, by name.
        success: What the environment says; None where it does not. Undecided when the turns or the context ran out
            is False.
        timeout: Whether it ended by running out of turns or time instead of by an outcome.
        context_overflow: Whether it ended because it no longer fitted the model's context. It is scored by what was
            paid until then; that is neither a timeout nor a reply of the model.
        potential_at_start: Progress potential before the first decision.
        final_observation: The observation after the last step.
        final_metadata: The metadata of the last transition.
        final_state: The environment's state after it; None where the flight did not ask for it.
        error: What ended it before its end, an infrastructure failure or the policy's leaving; or None.
        flown_with: What it depends on beside its task and seed, such as a reward from outside; None where the
            station that wrote it does not say so.
        replays: What its replay shows where it is a proof: ``same``, ``other``, ``turned`` or ``lost``; or None.
        resets_before: Reset options of the resets of a fresh process that come before its own, in order, where it is a
            proof; empty where it is of the first one.
        opened: A mark of what its reset showed, equal for resets that show the same; empty where nobody took it.
        totals: The rewards as the environment answered them, where they were running totals and the turns hold what
            each step added; else empty.
    """

    index: int
    task: TaskOptions
    target: str
    policy: str
    decoding: str | None = None
    seed: int | None = None
    turns: list[Turn] = field(default_factory=list)
    episode_return: float | None = None
    components: dict[str, float] = field(default_factory=dict)
    success: bool | None = None
    timeout: bool = False
    context_overflow: bool = False
    potential_at_start: float | None = None
    final_observation: Observation = field(default_factory=dict)
    final_metadata: Metadata = field(default_factory=dict)
    final_state: State | None = None
    error: str | None = None
    flown_with: EpisodeFingerprint | None = None
    replays: str | None = None
    totals: tuple[float | None, ...] = ()
    resets_before: tuple[TaskOptions, ...] = ()
    opened: str = ""

    @property
    def rewards(self) -> tuple[float | None, ...]:
        """What the environment answered, turn by turn."""
        further = self.turns[len(self.totals) :]
        return (*self.totals[: len(self.turns)], *(turn.reward for turn in further))

    def count_by_step(self) -> None:
        """Take the rewards for running totals: each turn holds what its step added, and the return is the last total.

        What was counted so is left as it is.
        """
        if self.totals or not self.turns:
            return
        self.totals = self.rewards
        for turn, added in zip(self.turns, added_by_step(self.totals), strict=True):
            turn.reward = added
        if self.episode_return is not None:
            known = (total for total in reversed(self.totals) if total is not None)
            self.episode_return = next(known, 0.0)

    @property
    def invalid_count(self) -> int:
        """Number of turns whose reply was no valid action."""
        return sum(turn.invalid is not None for turn in self.turns)

    def after(self, number: int) -> Observation:
        """What was seen after a turn, by the turn's number from 0."""
        last = number >= len(self.turns) - 1
        return self.final_observation if last else self.turns[number + 1].observation

    @property
    def cut(self) -> bool:
        """Whether the limit of turns ended it, and not the environment."""
        return self.error is None and bool(self.turns) and not self.turns[-1].done

    @property
    def told_success(self) -> bool | None:
        """What the environment said of success, whatever was judged since; as ``success`` has it."""
        if self.error is not None:
            return None
        last = Transition(self.final_observation, None, not self.cut, self.final_metadata)
        said, undecided = read_success(last), self.cut or self.context_overflow
        return False if said is None and undecided and says_success(last) else said

    @property
    def never_acted(self) -> bool:
        """Whether not one reply was an action: the policy flew, and earned nothing."""
        return bool(self.turns) and self.invalid_count == len(self.turns)

    def close(
        self,
        last: Transition | None,
        *,
        out_of_turns: bool,
        error: str | None,
        outgrown: bool = False,
    ) -> None:
        """Fill in what is known at the end.

        Args:
            last: The last transition; None where the reset failed.
            out_of_turns: Whether the limit of turns ended it.
            outgrown: Whether the model's context ended it.
            error: What ended it before its end.
        """
        self.error = error
        if last is not None:
            self.final_observation, self.final_metadata = last.observation, last.metadata
        if error is not None or last is None:
            return
        rewards = [turn.reward for turn in self.turns if turn.reward is not None]
        scored = rewards or self.never_acted or outgrown
        self.episode_return = math.fsum(rewards) if scored else None
        self.context_overflow = outgrown
        self.success = self.told_success
        self.components = read_components(last)
        self.timeout = out_of_turns or last.metadata.get("timeout") is True

    def to_json(self) -> str:
        """One line of JSON, without the line's end; with the rewards as the environment answered them.

        A NaN that a policy sent stays Python's ``NaN``, so that it can be flown again.
        """
        record = {"schema": SCHEMA, **shallow(self)}
        del record["totals"]
        record["return"] = record.pop("episode_return")
        record["flown_with"] = {} if self.flown_with is None else shallow(self.flown_with)
        if self.replays is None:
            del record["replays"]
        if not self.resets_before:
            del record["resets_before"]
        if not self.context_overflow:
            del record["context_overflow"]
        if not self.opened:
            del record["opened"]
        if self.final_state is None:
            del record["final_state"]
        record["turns"] = turns = [shallow(turn) for turn in self.turns]
        for turn, reward in zip(turns, self.rewards, strict=True):
            turn["reward"] = reward
            tokens = turn.pop("tokens")
            if tokens is not None:
                turn["tokens"] = shallow(tokens)
            for name in ("counted", "anchor", "noisy", "reached", "erred", "aside"):
                if turn[name] in (None, False, (), "", {}):
                    del turn[name]
        return json.dumps(record)

    @classmethod
    def from_json(cls, line: str | bytes) -> Episode:
        """Read what :meth:`to_json` wrote.

        Raises:
            ValueError: The line is no JSON, or no episode.
            StaleRecord: It is an episode of another schema version.
        """
        record = json.loads(line)
        if not isinstance(record, dict) or "schema" not in record:
            raise ValueError("not an episode: a JSON object with a schema is wanted")
        if (schema := record.pop("schema")) != SCHEMA:
            raise StaleRecord(f"an episode of schema {schema!r}; this version reads {SCHEMA!r}")
        try:
            record["episode_return"] = record.pop("return")
            turns = [read_turn(turn) for turn in record.pop("turns")]
            means = record.pop("flown_with", None)
            means = EpisodeFingerprint(**means) if means else None
            before = tuple(record.pop("resets_before", ()))
            return cls(**record, turns=turns, flown_with=means, resets_before=before)
        except (KeyError, TypeError, AttributeError) as error:
            names = ", ".join(f.name for f in fields(cls))
            raise ValueError(f"not an episode ({error}); its fields are {names}") from None


def added_by_step(totals: Sequence[float | None]) -> tuple[float | None, ...]:
    """What each step added to a running total; None where it gave none.

    Args:
        totals: The total after each step, as far as it is known.
    """
    added: list[float | None] = []
    known = 0.0
    for total in totals:
        added.append(None if total is None else total - known)
        known = known if total is None else total
    return tuple(added)


def short_values(told: Metadata, depth: int = ASIDE_DEPTH) -> Metadata:
    """What of some metadata may be a verdict: truth values, numbers, short texts, and objects of them.

    Args:
        told: The metadata.
        depth: How many objects deep is looked.
    """
    kept: Metadata = {}
    for name, value in list(told.items())[:ASIDE_KEYS]:
        if isinstance(value, dict):
            if depth > 1 and (inner := short_values(value, depth - 1)):
                kept[name] = inner
        elif isinstance(value, int | float) or (
            isinstance(value, str) and len(value) < ASIDE_CHARS
        ):
            kept[name] = value
    return kept


def shallow(record: Any) -> WireObject:
    """A dataclass's fields by name, without copying what they hold."""
    return {name: getattr(record, name) for name in record.__slots__}


def read_turn(record: WireObject) -> Turn:
    """A turn from its JSON."""
    tokens = record.pop("tokens", None)
    if tokens is not None:
        tokens = Tokens(**{name: tuple(ids) for name, ids in tokens.items()})
    counted = record.pop("counted", None)
    counted = None if counted is None else (int(counted[0]), int(counted[1]))
    reached = tuple(record.pop("reached", ()))
    return Turn(**record, tokens=tokens, counted=counted, reached=reached)


def read_success(last: Transition) -> bool | None:
    """Whether the episode succeeded, where the environment says it."""
    place = success_place(last.observation, last.metadata)
    if place is None:
        return None
    source = last.metadata if place[0] == "metadata" else last.observation
    return bool(source[place[1]])


def success_place(observation: Observation, metadata: Metadata) -> tuple[str, str] | None:
    """Where an environment says success, ``metadata`` or ``observation`` and the field; None where it does not."""
    for source, held in (("metadata", metadata), ("observation", observation)):
        for name in SUCCESS_NAMES:
            if isinstance(held.get(name), bool):
                return source, name
    return None


def says_success(last: Transition) -> bool:
    """Whether the environment has a place for success, even if it has not decided yet."""
    return any(
        name in source for source in (last.metadata, last.observation) for name in SUCCESS_NAMES
    )


def read_components(last: Transition) -> dict[str, float]:
    """The reward's components by name, where the environment gives them; else empty."""
    for source in (last.metadata, last.observation):
        for name in COMPONENT_NAMES:
            numbers = numbers_in(source.get(name))
            if numbers:
                return numbers
    return {}


def numbers_in(value: Any) -> dict[str, float]:
    """The entries of a mapping that are numbers."""
    if not isinstance(value, Mapping):
        return {}
    return {
        str(name): float(number)
        for name, number in value.items()
        if adds_up(number) and not isinstance(number, bool)
    }


def adds_up(value: Any) -> bool:
    """Whether a foreign value is a number of which many can be added, squared and recorded: finite, and no monster."""
    return isinstance(value, int | float) and abs(value) <= LARGEST


def read_episodes(path: Path) -> Iterator[Episode]:
    """Read a file of episodes, one a line; a last line that a crash tore is left out.

    Raises:
        MissingRecord: The file cannot be read, or a whole line is no episode.
        StaleRecord: A line is of another schema version.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MissingRecord(f"{path} cannot be read: {error}") from None
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        try:
            yield Episode.from_json(line)
        except ValueError as error:
            raise MissingRecord(f"{path}, line {number}: {error}") from None


@dataclass(frozen=True, slots=True)
class Episodes(Sequence[Episode]):
    """Episodes in the order in which they were flown.

    Attributes:
        episodes: They; those that were lost have an ``error`` and no return.
    """

    episodes: tuple[Episode, ...]

    def __len__(self) -> int:
        return len(self.episodes)

    def __iter__(self) -> Iterator[Episode]:
        return iter(self.episodes)

    @overload
    def __getitem__(self, place: int) -> Episode: ...
    @overload
    def __getitem__(self, place: slice) -> Episodes: ...
    def __getitem__(self, place: int | slice) -> Episode | Episodes:
        """One episode, or some of them."""
        if isinstance(place, slice):
            return Episodes(self.episodes[place])
        return self.episodes[place]

    def by(self, policy: str) -> Episodes:
        """Those of one policy."""
        return Episodes(tuple(episode for episode in self.episodes if episode.policy == policy))

    @property
    def lost(self) -> Episodes:
        """Those that infrastructure lost."""
        return Episodes(tuple(episode for episode in self.episodes if episode.error is not None))

    def save(self, file: Path | str) -> None:
        """Write them into a file, one JSON object a line, as ``gonogo rollout`` does."""
        write_text(Path(file), "".join(f"{episode.to_json()}\n" for episode in self.episodes))

    @classmethod
    def load(cls, file: Path | str) -> Self:
        """Read what :meth:`save`, ``gonogo rollout``, ``map`` or ``audit`` wrote.

        Raises:
            MissingRecord: The file cannot be read, or holds something else.
            StaleRecord: An episode is of another version of gonogo.
        """
        return cls(tuple(read_episodes(Path(file))))

    @property
    def frame(self) -> Frame:
        """A row an episode."""
        columns = {
            "policy": [e.policy for e in self.episodes],
            "task": [e.task for e in self.episodes],
            "return": [e.episode_return for e in self.episodes],
            "success": [e.success for e in self.episodes],
            "turns": [len(e.turns) for e in self.episodes],
            "invalid_turns": [e.invalid_count for e in self.episodes],
            "timeout": [e.timeout for e in self.episodes],
            "error": [e.error for e in self.episodes],
        }
        return Frame(tuple(columns), list(zip(*columns.values(), strict=True)))

    def to_frame(self) -> pd.DataFrame:
        """A row an episode, with a column for each component of the reward."""
        frame = self.frame.to_frame()
        names = dict.fromkeys(name for episode in self.episodes for name in episode.components)
        for name in names:
            frame[f"component.{name}"] = [each.components.get(name) for each in self.episodes]
        return frame

    def _repr_html_(self) -> str:
        """A table for a notebook."""
        return self.frame.html()
