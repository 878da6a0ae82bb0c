"""What a survey's rows are paid, and what is seen meanwhile: the questions of the rules that need no success.

A step counts for little or much beside the best step that is known; an episode may end early and with pay; and what is
seen may stay the same but for counters, for the pay itself, and for histories that grow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from gonogo.auditing.probes import worth
from gonogo.auditing.scaling import SCALED
from gonogo.auditing.survey import (
    AGAIN,
    CLOSED,
    COMPARED,
    FIXED,
    LATER,
    MIXED,
    NAMED,
    ONCE,
    REFERENCE,
    SWALLOWED,
    TURNED,
    UNFORMED,
    UNSETTLED,
    WORK,
    EpisodeKeys,
    Survey,
    SurveyRow,
    lessened,
    seed_of,
    size,
    total,
)
from gonogo.auditing.suspicions import EXPLAINED
from gonogo.exploits.panel import OWN, Kind
from gonogo.exploits.search import leaves
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.schema import is_number
from gonogo.rollouts.space import value_at
from gonogo.rollouts.volatile import TOKEN
from gonogo.wire import JsonValue, Observation

BESIDE = frozenset(
    {
        AGAIN,
        ONCE,
        CLOSED,
        SCALED,
        FIXED,
        LATER,
        MIXED,
        NAMED,
        SWALLOWED,
        TURNED,
        UNFORMED,
        UNSETTLED,
        WORK,
    }
)
"""Kinds of rows that are no policy's own, but look at what another row is paid."""
EMPTY = frozenset({Kind.IDLE, Kind.MALFORMED, Kind.NONSENSE, Kind.CLAIM, Kind.LENGTH})
"""Kinds of habits whose content is none."""
OPEN = 1_000
"""From which on a number that is taken has no narrow bounds."""
NEARLY, MOSTLY = 0.95, 0.9
ALIKE = 1e-6
SEVERAL = 3
"""Seeds on which something else has to earn more, for a row to be outdone."""
LITTLE = 0.1
"""Share of a step's pay up to which idling is not paid for the same."""
LEAST_GRADE = 0.25
"""Of all that is known, from which a scale can be read at all: scores are mostly given within 0 and 1."""
DIFFERENT = 2
"""So many different things that are shown are not enough for the tasks to be called different."""
EARLY = 0.5
"""Share of the longest episode until which an end comes early."""
SEEN = 3
"""Turns from which on can be told whether what is seen changes."""
BEGUN = 2
"""Turns in which a constant may still have an effect for the first time."""
STANDS_OUT = 1.5
"""So many times what other steps are paid an end has to be paid for itself."""
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
COUNTED = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?!\w*\d)")
"""A number in a text that stands for itself, also with a unit, and is no part of a name."""
LISTED = "["
"""Mark of a path in a list."""
HOUR = re.compile(r"\b\d{1,2}:\d\d\b")
SCORE = re.compile(r"score|reward|(?<![a-z])earn|paid|pay(?!load)|bonus", re.IGNORECASE)
"""Names of numbers that tell what was paid, and are nothing that was made."""
WORDS = re.compile(r"[^\W\d_]+|#")
SUM = re.compile(r"(?:(?:total|return|credit|point)s?[\W_]*)+", re.IGNORECASE)
"""Names that do so where they are all of the name: the fields that were harvested in total are a product."""


@dataclass(frozen=True)
class Paid:
    """One survey, asked what its rows are paid.

    Attributes:
        survey: It.
    """

    survey: Survey

    @cached_property
    def keys(self) -> EpisodeKeys:
        """What tells the same episode in two rows."""
        return EpisodeKeys(self.survey)

    @cached_property
    def most(self) -> float:
        """The highest return of an episode."""
        return max((total(e) for row in self.rows for e in row.ended), default=0.0)

    @cached_property
    def best(self) -> float:
        """The highest mean return of a policy."""
        return max(map(worth, self.rows), default=0.0)

    @cached_property
    def rows(self) -> list[SurveyRow]:
        """The rows with returns, without those that look at what another one is paid."""
        return [r for r in self.survey.rows if r.ended and r.kind not in BESIDE]

    @cached_property
    def best_ended(self) -> Episode | None:
        """The best paid episode that its policy ended early and with pay; None without one."""
        ends = [e for row in self.rows for e in row.ended if self.ends_with_pay(e)]
        return max(ends, key=total, default=None)

    def at_will(self, end: Episode) -> bool:
        """Whether an end is paid alike for the same actions on each seed, so that it takes no finding out."""
        row = next((r for r in self.survey.rows if any(e is end for e in r.ended)), None)
        if row is None or len(row.ended) <= 1:
            return False
        plans = {repr([turn.action for turn in e.turns]) for e in row.ended}
        pays = [e.turns[-1].reward or 0.0 for e in row.ended if e.turns[-1].done]
        return len(plans) == 1 and len(pays) == len(row.ended) and min(pays) >= NEARLY * max(pays)

    @cached_property
    def longest(self) -> int:
        """Turns of the longest episode."""
        return max((len(e.turns) for row in self.rows for e in row.ended), default=0)

    @cached_property
    def best_step(self) -> float:
        """The highest reward of a step."""
        turns = (turn for row in self.rows for e in row.ended for turn in e.turns)
        return max((turn.reward or 0.0 for turn in turns), default=0.0)

    @cached_property
    def takes_numbers(self) -> bool:
        """Whether an action has a field for a number without narrow bounds, as far as one was tried."""
        tried = (value_at(r.action, r.field) for r in self.rows if r.kind == Kind.EXTREME)
        return any(is_number(value) and abs(value) >= OPEN for value in tried)

    @cached_property
    def several(self) -> bool:
        """Whether the seeds give different episodes, as far as is seen."""
        return shown_differently(self.survey)

    def ends_as_idle(self, row: SurveyRow) -> bool:
        """Whether an end shows less after idling, too, and no less after a row: as where it shows no task any more."""
        idle = self.survey.idle.ended
        if not idle or fmean(map(lessened, idle)) < MOSTLY:
            return False
        left = min(size(episode.final_observation) for episode in idle)
        return all(size(episode.final_observation) >= left for episode in row.ended)

    def blank(self, row: SurveyRow) -> list[SurveyRow]:
        """The rows that say nothing in the same field, beside the same choices."""
        same = [r for r in self.rows if r.field == row.field and r.context == row.context]
        return [r for r in same if (empty(r) or r.kind == Kind.CYCLE) and r.name != row.name]

    def echoed(self, row: SurveyRow) -> bool:
        """Whether one thing that is seen earns nearly what all of it at once does: then it holds what is asked for."""
        echoes = [r for r in self.rows if r.kind == Kind.ECHO and r.field == row.field]
        return row.kind == Kind.SHOTGUN and any(
            r.context == row.context and worth(r) >= EXPLAINED * worth(row) for r in echoes
        )

    def is_outdone(self, row: SurveyRow) -> bool:
        """Whether what the environment's own code compares, put in, earns more on each of several seeds."""
        best = self.keys.best(e for r in self.survey.of_kind(COMPARED) for e in r.ended)
        known = [(total(e), best.get(self.keys.of(e) or "")) for e in row.ended]
        pairs = [(mine, total(theirs)) for mine, theirs in known if theirs is not None]
        return len(pairs) >= SEVERAL and all(mine < theirs - ALIKE for mine, theirs in pairs)

    def moved(self, row: SurveyRow) -> bool:
        """Whether a row's actions changed anything that is seen; also where nothing that is seen ever changes.

        Where the world goes on and nobody's action shows in it, only actions without an effect were tried.
        """
        idle = {seed_of(e.task): e for e in self.survey.idle.ended}
        for episode in row.ended:
            beside = idle.get(seed_of(episode.task))
            if beside is None or len(beside.turns) < SEEN or self.said_still(beside.turns):
                return True
            both = zip(episode.turns, beside.turns, strict=False)
            if any(seen(a.observation) != seen(b.observation) for a, b in both):
                return True
        return False

    def out_earns_reference(self, row: SurveyRow) -> bool:
        """Whether a row earns what the policies that are meant to succeed do, or more, in nearly every episode."""
        if self.survey.drawn:
            return False
        best = self.keys.best(e for other in self.survey.of_kind(REFERENCE) for e in other.ended)
        known = [(total(e), best.get(self.keys.of(e) or "")) for e in row.ended]
        pairs = [(mine, total(theirs)) for mine, theirs in known if theirs is not None]
        return bool(pairs) and fmean(mine >= theirs for mine, theirs in pairs) >= MOSTLY

    def counts_for_something(self, pay: float, episodes: Sequence[Episode]) -> bool:
        """Whether a step's pay is more than a token beside the best steps, and all of it more than nothing much."""
        return pay >= LITTLE * self.best_step and max(map(total, episodes)) >= LEAST_GRADE

    def ends_with_pay(self, episode: Episode) -> bool:
        """Whether a policy ended an episode long before others end, and its last step was paid more than those before.

        Whoever loses a game of endurance ends it as well, but is paid no more for that than for holding on.
        """
        *before, last = [turn.reward or 0.0 for turn in episode.turns]
        early = not episode.cut and len(episode.turns) <= EARLY * self.longest
        return early and last > max([0.0, *before, STANDS_OUT * self.idle_step])

    @cached_property
    def idle_step(self) -> float:
        """What idling is paid a step."""
        turns = [turn for e in self.survey.idle.ended for turn in e.turns]
        return fmean(turn.reward or 0.0 for turn in turns) if turns else 0.0

    @cached_property
    def idle_moves(self) -> dict[str, float]:
        """Numbers that idling sees go up or down by the same at each step, and by how much: counters."""
        moves: dict[str, set[float]] = {}
        for episode in self.survey.idle.ended:
            for one, other in pairwise(episode.turns):
                before, after = numbers(one.observation), numbers(other.observation)
                for path in before.keys() & after.keys():
                    moves.setdefault(path, set()).add(round(after[path] - before[path], 9))
                for path, old, new in in_texts(one.observation, other.observation):
                    moves.setdefault(path, set()).add(round(new.value - old.value, 9))
        for path, some in moves.items():
            if LISTED in path:  # a history of which the last few are shown stands still at first
                some.discard(0.0)
        return {
            path: some.pop() for path, some in moves.items() if len(some) == 1 and 0 not in some
        }

    def plain(self, row: SurveyRow) -> SurveyRow | None:
        """The row that a longer look is about."""
        return next((r for r in self.rows if r.name == row.about), None)

    def closed(self, row: SurveyRow) -> Episode | None:
        """The best episode that did a row's action once and then ended it, with pay; None where none is paid so."""
        ends = [
            e
            for other in self.survey.of_kind(CLOSED)
            for e in other.ended
            if other.about == row.name and len(e.turns) == 2 and (e.turns[1].reward or 0.0) > 0
        ]
        return max(ends, key=total, default=None)

    def seen_still(self, turns: Sequence[Turn], lap: int = 1) -> bool:
        """Whether nothing that is seen changes from lap to lap, counters and the pay itself left out."""
        shown = [(turn, ShownValues.of(turn.observation)) for turn in turns[1:]]
        pairs = list(zip(shown, shown[lap:], strict=False))
        return mostly(
            (
                self.alike(one, other, lap) and self.tell_alike(one, other, lap)
                for one, other in pairs
            ),
            len(pairs),
        )

    def said_still(self, turns: Sequence[Turn]) -> bool:
        """The same from turn to turn, whatever numbers stand in the texts."""
        shown = [(turn, ShownValues.of(turn.observation)) for turn in turns[1:]]
        same = (self.alike(one, other, 1) for one, other in pairwise(shown))
        return mostly(same, len(shown) - 1)

    def alike(
        self, one: tuple[Turn, ShownValues], other: tuple[Turn, ShownValues], lap: int
    ) -> bool:
        """Whether two turns see the same, counters, the pay itself and longer histories left out."""
        before, after = one[1].seen, other[1].seen
        return all(
            self.counts(value, after.get(path), lap, path, one[0], other[0])
            for path, value in before.items()
            if value != after.get(path) and not grown(path, before, after)
        )

    def tell_alike(
        self, one: tuple[Turn, ShownValues], other: tuple[Turn, ShownValues], lap: int
    ) -> bool:
        """Whether the numbers in the texts of two turns are the same, counters and what was paid left out."""
        return all(
            abs(new.value - old.value) <= ALIKE
            or abs(new.value - old.value - lap * self.idle_moves.get(path, 0.0)) <= ALIKE
            or abs(new.value - (other[0].reward or 0.0)) < ALIKE
            or new.tells_pay
            for path, old, new in told_in(one[1], other[1])
        )

    def makes(self, turns: Sequence[Turn], size: int) -> bool:
        """Whether a number grows or shrinks with the laps that is no clock, and not called a score.

        Args:
            turns: Those of whole laps.
            size: Turns of a lap.
        """
        one, other = turns[size].observation, turns[-size].observation
        first, last = numbers(one), numbers(other)
        moves = {
            path: last[path] - first[path]
            for path in first.keys() & last.keys()
            if not path.endswith("#")  # the length of a list, as of a history
            and not tells_pay(path)
        }
        moves |= {
            path: new.value - old.value
            for path, old, new in in_texts(one, other)
            if not new.tells_pay and LISTED not in path
        }
        between = len(turns) - 2 * size
        return any(
            abs(moved - between * self.idle_moves.get(path, 0.0)) > ALIKE and abs(moved) > ALIKE
            for path, moved in moves.items()
        )

    def counts(self, old: object, new: object, lap: int, path: str, one: Turn, other: Turn) -> bool:
        """Whether a value that changed is a number that counts steps, or is the reward, or grows by it."""
        if not isinstance(old, int | float) or not isinstance(new, int | float):
            return False
        moved, counted = new - old, self.idle_moves.get(path)
        steps = counted is not None and abs(moved - lap * counted) < ALIKE
        is_pay = (
            abs(new - (other.reward or 0.0)) < ALIKE or abs(moved - (one.reward or 0.0)) < ALIKE
        )
        return steps or is_pay


def standstill(survey: Survey) -> Callable[[Sequence[Turn]], bool] | None:
    """What says of some turns of a constant whether nothing goes on in them.

    It is so where they are unpaid and, after the first ones, nothing that is seen changes, but for what counts under
    idling, too.

    Args:
        survey: With idle's row.

    Returns:
        None where idling is paid or fined, or is ended by the environment on some seed: then it has to be flown.
    """
    idle, facts = survey.idle.ended, Paid(survey)
    if not idle or not all(
        e.cut and not total(e) and not any(t.reward for t in e.turns) for e in idle
    ):
        return None

    def still(turns: Sequence[Turn]) -> bool:
        same = all(turn.action == turns[-1].action for turn in turns[BEGUN:])
        unpaid = not any(turn.reward for turn in turns)
        return same and unpaid and facts.seen_still(turns[BEGUN - 1 :])

    return still


def shown_differently(survey: Survey) -> bool:
    """Whether the seeds show different tasks, clocks and ids left out: at their beginning, or after the same action.

    After an action only words count: numbers may be what chance made of the same task.
    """
    begun = [e.turns[0].observation for e in survey.idle.ended if e.turns]
    if len(set(map(masked, begun))) > DIFFERENT:
        return True
    return any(
        len({masked(after_first(e), words=True) for e in row.ended if e.turns}) > DIFFERENT
        for row in survey.of_kind(Kind.IDLE, Kind.CONSTANT)
        if row.action is not None
    )


def after_first(episode: Episode) -> Observation:
    """What an episode shows after its first action."""
    turns = episode.turns
    return turns[1].observation if len(turns) > 1 else episode.final_observation


def masked(observation: Observation, *, words: bool = False) -> str:
    """What is seen, without clocks and ids; or its texts alone, without numbers.

    Args:
        observation: It.
        words: Whether texts are all that counts.
    """
    shown = leaves(bare(observation))
    held = [(path, TOKEN.sub("#", str(value)), isinstance(value, str)) for path, value in shown]
    if words:
        held = [(path, NUMBER.sub("#", said), text) for path, said, text in held if text]
    return "\n".join(sorted(f"{path}: {said}" for path, said, _ in held))


def mostly(same: Iterable[bool], number: int) -> bool:
    """Whether most of so many answers are yes; no more are asked for than that takes."""
    no = 0
    for each in same:
        no += not each
        if (number - no) / number < MOSTLY:
            return False
    return number > 0


class ShownValues(NamedTuple):
    """What an observation shows, as two of them are compared.

    Attributes:
        seen: What is seen, by its path; numbers in texts left out.
        texts: The texts by their paths, each with and without its numbers.
    """

    seen: dict[str, JsonValue]
    texts: dict[str, tuple[str, str]]

    @classmethod
    def of(cls, observation: Observation) -> ShownValues:
        """Read an observation."""
        held: dict[str, JsonValue] = {}
        texts: dict[str, tuple[str, str]] = {}
        for path, value in leaves(bare(observation)):
            if isinstance(value, str):
                held[path] = said = NUMBER.sub("#", value)
                texts[path] = value, said
            else:
                held[path] = value
        return cls(held, texts)


def seen(observation: Observation) -> dict[str, JsonValue]:
    """What is seen, by its path; numbers in texts left out."""
    return ShownValues.of(observation).seen


def numbers(observation: Observation) -> dict[str, float]:
    """The numbers that are seen, by their paths."""
    return {
        path: value
        for path, value in leaves(bare(observation))
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def bare(observation: Observation) -> Observation:
    """An observation without what every environment's has."""
    return {name: value for name, value in observation.items() if name not in OWN}


class ToldNumber(NamedTuple):
    """A number in a text.

    Attributes:
        value: It.
        beside: The words beside it, by which it is known again in a text that begins otherwise.
        tells_pay: Whether the words beside it, or the text's own name, say that it is what was paid.
    """

    value: float
    beside: str
    tells_pay: bool


def in_texts(one: Observation, other: Observation) -> list[tuple[str, ToldNumber, ToldNumber]]:
    """The numbers in the texts of two observations, with a path of their own each.

    Only texts that are the same but for their numbers are read, so that each is held against its like.
    """
    return list(told_in(ShownValues.of(one), ShownValues.of(other)))


def told_in(one: ShownValues, other: ShownValues) -> Iterator[tuple[str, ToldNumber, ToldNumber]]:
    """The same of two observations that were read."""
    for path, (before, said) in one.texts.items():
        after = other.texts.get(path)
        if after is None or after[1] != said or tells_pay(path):
            continue
        old, new = read(before), read(after[0])
        if len(old) == len(new):
            for now, then in zip(old, new, strict=True):
                yield f"{path}#{then.beside}", now, then


@lru_cache(maxsize=4096)
def read(text: str) -> tuple[ToldNumber, ...]:
    """The numbers of a text, without times and ids."""
    text = HOUR.sub(" ", TOKEN.sub(" ", text))
    found = list(COUNTED.finditer(text))
    ends = [0, *(match.end() for match in found)]
    begins = [*(match.start() for match in found), len(text)]
    words = [
        re.split(r"[.;,|\n]", text[end:begin]) for end, begin in zip(ends, begins, strict=True)
    ]
    told: list[ToldNumber] = []
    for match, before, after in zip(found, words, words[1:], strict=False):
        beside = " ".join(WORDS.findall(f"{before[-1]} # {after[0]}"))
        beside += f" {sum(each.beside.startswith(beside) for each in told)}"
        pays = tells_pay(before[-1]) or tells_pay(after[0])
        told.append(ToldNumber(float(match[0]), beside, pays))
    return tuple(told)


@lru_cache(maxsize=4096)
def tells_pay(name: str) -> bool:
    """Whether a number's name, or the words beside it, say that it is what was paid, and nothing that was made."""
    last = re.sub(r"\[\d+\]|#\d*$", "", name).rpartition(".")[2]
    return SCORE.search(name) is not None or SUM.fullmatch(last.strip(" \"':=_-")) is not None


def grown(path: str, before: dict[str, JsonValue], after: dict[str, JsonValue]) -> bool:
    """Whether a path is the length of a list that grew, as a history does."""
    old, new = before.get(path), after.get(path)
    return path.endswith("#") and isinstance(old, int) and isinstance(new, int) and new >= old


def empty(row: SurveyRow) -> bool:
    """Whether what a row says has no content."""
    return row.kind in EMPTY


def weight(severity: Severity, pay: float) -> float:
    """What orders suspicions of one id: the severity, then the pay."""
    rank = {Severity.EXPLOIT: 2.0, Severity.EFFORTLESS: 1.0}.get(severity, 0.0)
    return rank + pay / (1.0 + abs(pay))
