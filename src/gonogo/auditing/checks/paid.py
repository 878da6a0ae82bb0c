"""What a survey's rows are paid, and what is seen meanwhile: the questions of the rules that need no success.

A step counts for little or much beside the best step that is known; an episode may end early and with pay; and what is
seen may stay the same but for counters, for the pay itself, and for histories that grow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import fmean

from gonogo.auditing.probes import worth
from gonogo.auditing.scaling import SCALED
from gonogo.auditing.survey import (
    AGAIN,
    CLOSED,
    ONCE,
    REFERENCE,
    Survey,
    SurveyRow,
    best_by_seed,
    seed_of,
    total,
)
from gonogo.auditing.suspicions import EXPLAINED
from gonogo.exploits.panel import OWN, Kind
from gonogo.exploits.search import leaves
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.volatile import TOKEN
from gonogo.wire import JsonValue, Observation

EMPTY = frozenset({Kind.IDLE, Kind.MALFORMED, Kind.NONSENSE, Kind.CLAIM, Kind.LENGTH})
"""Kinds of habits whose content is none."""
NEARLY, MOSTLY = 0.95, 0.9
ALIKE = 1e-6
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
STANDS_OUT = 1.5
"""So many times what other steps are paid an end has to be paid for itself."""
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Paid:
    """One survey, asked what its rows are paid.

    Attributes:
        survey: It.
    """

    survey: Survey

    @cached_property
    def best(self) -> float:
        """The highest mean return of a policy."""
        return max(map(worth, self.rows), default=0.0)

    @cached_property
    def rows(self) -> list[SurveyRow]:
        """The rows with returns, without the longer looks."""
        return [
            r for r in self.survey.rows if r.ended and r.kind not in {AGAIN, ONCE, CLOSED, SCALED}
        ]

    @cached_property
    def best_ended(self) -> Episode | None:
        """The best paid episode that its policy ended early and with pay; None without one."""
        ends = [e for row in self.rows for e in row.ended if self.ends_with_pay(e)]
        return max(ends, key=total, default=None)

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
    def several(self) -> bool:
        """Whether the seeds give different episodes, as far as is seen."""
        return shown_differently(self.survey)

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

    def moved(self, row: SurveyRow) -> bool:
        """Whether a row's actions changed anything that is seen; also where nothing that is seen ever changes.

        Where the world goes on and nobody's action shows in it, only actions without an effect were tried.
        """
        idle = {seed_of(e.task): e for e in self.survey.idle.ended}
        for episode in row.ended:
            beside = idle.get(seed_of(episode.task))
            if beside is None or len(beside.turns) < SEEN or self.seen_still(beside.turns):
                return True
            both = zip(episode.turns, beside.turns, strict=False)
            if any(seen(a.observation) != seen(b.observation) for a, b in both):
                return True
        return False

    def out_earns_reference(self, row: SurveyRow) -> bool:
        """Whether a row earns what the policies that are meant to succeed do, or more, on nearly every seed."""
        best = best_by_seed(e for other in self.survey.of_kind(REFERENCE) for e in other.ended)
        known = [(total(e), best.get(seed_of(e.task))) for e in row.ended]
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
        pairs = list(zip(turns[1:], turns[1 + lap :], strict=False))
        same = [self.alike(one, other, lap) for one, other in pairs]
        return bool(same) and fmean(same) >= MOSTLY

    def alike(self, one: Turn, other: Turn, lap: int) -> bool:
        """Whether two turns see the same, counters, the pay itself and longer histories left out."""
        before, after = seen(one.observation), seen(other.observation)
        changed = [
            path
            for path in before.keys() | after.keys()
            if path in before and before[path] != after.get(path) and not grown(path, before, after)
        ]
        return all(self.counts(before[p], after.get(p), lap, p, one, other) for p in changed)

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
    shown = leaves({name: value for name, value in observation.items() if name not in OWN})
    held = [(path, TOKEN.sub("#", str(value)), isinstance(value, str)) for path, value in shown]
    if words:
        held = [(path, NUMBER.sub("#", said), text) for path, said, text in held if text]
    return "\n".join(sorted(f"{path}: {said}" for path, said, _ in held))


def seen(observation: Observation) -> dict[str, JsonValue]:
    """What is seen, by its path; numbers in texts left out."""
    shown = {name: value for name, value in observation.items() if name not in OWN}
    return {
        path: NUMBER.sub("#", value) if isinstance(value, str) else value
        for path, value in leaves(shown)
    }


def numbers(observation: Observation) -> dict[str, float]:
    """The numbers that are seen, by their paths."""
    found = leaves({name: value for name, value in observation.items() if name not in OWN})
    return {
        path: value
        for path, value in found
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


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
