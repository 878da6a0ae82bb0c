"""What can be told of a reward where nothing says success, or nobody is known to reach it.

There is no scale then, on which a failure would be paid too much; and a game may well pay for waiting, for holding
on, or for the same move each day. So a policy that does not try is accused only for what no such game does: its pay
goes on while nothing that is seen changes and idling earns nothing, nothing but the limit of turns ever ends it, or it
earns more than all that ends an episode with pay. Where one of these is missing, the same is merely suspicious.

One rule needs success: that idling, chance or nonsense reaches it, and is paid as well as anybody.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import fmean

from gonogo.auditing.probes import A_KIND, first, period, worth
from gonogo.auditing.survey import (
    AGAIN,
    CLOSED,
    ONCE,
    REFERENCE,
    Scale,
    Survey,
    SurveyRow,
    lessened,
    seed_of,
    total,
)
from gonogo.auditing.suspicions import EXPLAINED, NOT_TRYING, Suspicion, strongest
from gonogo.exploits.panel import Kind
from gonogo.exploits.search import leaves
from gonogo.exploits.witness import actions_of
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.statistics import wilson
from gonogo.wire import JsonValue, Observation

CARELESS = frozenset({
    Kind.IDLE, Kind.RANDOM, Kind.HELD, Kind.MALFORMED, Kind.NONSENSE, Kind.CLAIM, Kind.LENGTH, Kind.NAN,
    Kind.EXTREME, Kind.WORDS,
})  # fmt: skip
"""Kinds of habits that can be right only where anything is."""
EMPTY = frozenset({Kind.IDLE, Kind.MALFORMED, Kind.NONSENSE, Kind.CLAIM, Kind.LENGTH})
"""Kinds of habits whose content is none."""
NEARLY, MOSTLY = 0.95, 0.9
ALIKE = 1e-6
LITTLE = 0.1
"""Share of a step's pay up to which idling is not paid for the same."""
MUCH = 2.0
"""So many times as much as all that ends with pay is more than a matter of taste."""
LEAST_STEPS = 6
"""Steps that have to be paid before they are called a habit of the reward."""
STUFFED: dict[str, str] = {
    Kind.WORDS: "keywords_pay",
    Kind.SHOTGUN: "shotgun_answer_pays",
    Kind.ECHO: "observation_echo_pays",
}
"""Kinds of habits that fill a field with what they found, by the finding that their pay is."""
LEAST_ROWS = 6
LEAST_TEXTS = 4
LEAST_EPISODES = 4
HALF = 0.5
"""Share of the best that is known, from which a grade for nothing is more than a mark for taking part."""
LEAST_GRADE = 0.25
"""Of all that is known, from which a scale can be read at all: scores are mostly given within 0 and 1."""
EARLY = 0.5
"""Share of the longest episode until which an end comes early."""
FOR_NOTHING = (
    "emptying_pays", "paid_without_trying", "content_ignored", "keywords_pay", "shotgun_answer_pays",
    "observation_echo_pays",
)  # fmt: skip
"""Ids of what is paid for nothing, the plainest first."""
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
OWN = frozenset({"reward", "done", "metadata"})


def without_success(survey: Survey, known: Collection[str] = ()) -> dict[str, Suspicion]:
    """The strongest suspicion of each id that needs no scale.

    Args:
        survey: What was flown, with the longer looks of :mod:`gonogo.auditing.probes`.
        known: Ids of what is suspected already.
    """
    if survey.broken_off:
        return {}
    found = [] if "early_end_success" in known else list(free_successes(survey))
    if not Scale(survey).calibrated:
        facts = Paid(survey)
        found += [
            *paid_again(facts),
            *score_again(facts),
            *content_ignored(facts),
            *paid_without_trying(facts),
            *nothing_to_win(facts),
        ]
    return plainest(strongest(found))


def plainest(found: dict[str, Suspicion]) -> dict[str, Suspicion]:
    """Without what only says again, in other words, why something is paid.

    What is paid again and again explains all that is paid for nothing; of those the plainer one explains the others,
    unless they are paid much more.
    """
    again = [found[name] for name in ("paid_again", "score_paid_again") if name in found]
    left = [found[name] for name in FOR_NOTHING if name in found]
    if any(s.severity is not Severity.SUSPICIOUS for s in again):
        left = []
    kept: list[Suspicion] = []
    for one in left:
        if not any(EXPLAINED * worth(one.row) <= worth(plain.row) for plain in kept):
            kept.append(one)
    dropped = {name for name in FOR_NOTHING if all(one.id != name for one in kept)}
    dropped |= {"farmable_cycle"} if "paid_again" in found else set()
    return {name: one for name, one in found.items() if name not in dropped}


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
        return [r for r in self.survey.rows if r.ended and r.kind not in {AGAIN, ONCE, CLOSED}]

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
        """Whether the seeds give different episodes, as far as idling sees."""
        shown = {str(e.turns[0].observation) for e in self.survey.idle.ended if e.turns}
        return len(shown) > A_KIND

    def blank(self, row: SurveyRow) -> list[SurveyRow]:
        """The rows that say nothing in the same field, beside the same choices."""
        same = [r for r in self.rows if r.field == row.field and r.context == row.context]
        return [r for r in same if (empty(r) or r.kind == Kind.CYCLE) and r.name != row.name]

    def out_earns_reference(self, row: SurveyRow) -> bool:
        """Whether a row earns what the policies that are meant to succeed do, or more, on nearly every seed."""
        best: dict[str, float] = {}
        for other in self.survey.of_kind(REFERENCE):
            for e in other.ended:
                best[seed_of(e.task)] = max(total(e), best.get(seed_of(e.task), total(e)))
        pairs = [(total(e), best[seed_of(e.task)]) for e in row.ended if seed_of(e.task) in best]
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
        return early and last > max([0.0, *before])

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


def free_successes(survey: Survey) -> Iterator[Suspicion]:
    """Habits that do not try, succeed on most seeds, and earn there what the best does."""
    scale = Scale(survey)
    for row in survey.of_kind(*NOT_TRYING - {Kind.CYCLE}):  # an order of moves may be the right one
        told = [e.success is True for e in row.ended if e.success is not None]
        if not told or (wilson(told).ends or (0.0, 0.0))[0] < 0.5 or not row.succeeded:
            continue
        if row is not survey.idle and (same_plan(row, survey.idle) or row.kind == Kind.ECHO):
            continue
        pay = fmean(map(total, row.succeeded))
        best = fmean(scale.best(e.task) or 0.0 for e in row.succeeded)
        if pay < best - (1 - MOSTLY) * abs(best):
            continue
        severity = Severity.EFFORTLESS if row.kind in CARELESS else Severity.SUSPICIOUS
        said = (
            f"{row.name}: succeeds in {sum(told)} of {len(told)} episodes, and is paid {pay:g} where the best is "
            f"{best:g}"
        )
        weight = fmean(told) + (1.0 if row.kind in CARELESS else 0.0)
        witness = max(row.succeeded, key=total)
        yield Suspicion("success_costs_nothing", row, witness, said, weight, severity)


def paid_again(facts: Paid) -> Iterator[Suspicion]:
    """The same action, or a few, paid again and again: without bound, or while nothing that is seen changes."""
    for row in facts.survey.of_kind(AGAIN):
        plain = facts.plain(row)
        if plain is None or not row.ended or plain.kind == Kind.RANDOM:
            continue
        looks = [Look.of(e) for e in row.ended]
        if not all(look.pays_to_the_end for look in looks):
            continue
        pay, ended = fmean(look.step for look in looks), facts.best_ended
        if not facts.counts_for_something(pay, plain.ended):
            continue
        both = zip(row.ended, looks, strict=True)
        still = all(facts.seen_still(e.turns, look.lap) for e, look in both)
        endless = all(e.cut for e in row.ended)
        explained = plain.kind != Kind.IDLE and facts.idle_step > LITTLE * pay
        richer = ended is not None and min(map(total, plain.ended)) >= MUCH * total(ended)
        if explained or not (endless or still):
            continue
        severity = Severity.SUSPICIOUS
        if richer or (endless and still and empty(plain) and plain.kind != Kind.IDLE):
            severity = Severity.EXPLOIT
        elif still and empty(plain) and plain.kind != Kind.IDLE:
            severity = Severity.EFFORTLESS
        name = "farmable_cycle" if looks[0].lap > 1 else "paid_again"
        said = f"{plain.name}: paid {pay:g} a step, at the end as at the beginning"
        said += ", while nothing that is seen changes" if still else ""
        most = max(len(e.turns) for e in row.ended)
        said += f"; nothing ended it in {most} steps" if endless else ""
        if richer and ended is not None:
            said += f"; the best that ends an episode with pay earns {total(ended):g}"
        witness = max(plain.ended, key=total)
        yield Suspicion(name, plain, witness, said, weight(severity, pay), severity)


def empty(row: SurveyRow) -> bool:
    """Whether what a row says has no content."""
    return row.kind in EMPTY


def weight(severity: Severity, pay: float) -> float:
    """What orders suspicions of one id: the severity, then the pay."""
    rank = {Severity.EXPLOIT: 2.0, Severity.EFFORTLESS: 1.0}.get(severity, 0.0)
    return rank + pay / (1.0 + abs(pay))


@dataclass(frozen=True, slots=True)
class Look:
    """How an episode of something repeated is paid.

    Attributes:
        lap: Actions that are repeated.
        step: Pay a step.
        pays_to_the_end: Whether nearly all laps are paid, the later ones as the earlier ones.
    """

    lap: int
    step: float
    pays_to_the_end: bool

    @classmethod
    def of(cls, episode: Episode) -> Look:
        """Look at an episode."""
        rewards = [turn.reward or 0.0 for turn in episode.turns]
        lap = period(actions_of(episode.turns))
        laps = [sum(rewards[n : n + lap]) for n in range(0, len(rewards) - lap + 1, lap)]
        half = len(laps) // 2
        early, late = sum(laps[:half]), sum(laps[len(laps) - half :])
        lasting = len(laps) >= LEAST_STEPS and fmean(pay > 0 for pay in laps) >= MOSTLY
        step = sum(rewards) / len(rewards) if rewards else 0.0
        return cls(lap, step, lasting and late >= MOSTLY * early > 0)


def score_again(facts: Paid) -> Iterator[Suspicion]:
    """An action that was paid once, and whose pay comes again at each step that does nothing."""
    for row in facts.survey.of_kind(ONCE):
        plain = facts.plain(row)
        if plain is None or not row.ended:
            continue
        told = [repaid(e) for e in row.ended]
        if not facts.counts_for_something(max(map(first, row.ended)), row.ended):
            continue
        if not all(told) or facts.idle_step > LITTLE * fmean(
            e.turns[0].reward or 0.0 for e in row.ended
        ):
            continue
        if not all(facts.seen_still(e.turns) for e in row.ended):
            continue
        ended = facts.closed(plain)
        richer = ended is not None and min(map(total, row.ended)) >= MUCH * total(ended)
        severity = Severity.EXPLOIT if richer else Severity.SUSPICIOUS
        best = max(row.ended, key=total)
        said = (
            f"{row.name}: paid {best.turns[0].reward:g} for the first step and as much for each of "
            f"{len(best.turns) - 1} idle ones, although nothing that is seen changes and idling alone earns "
            f"{facts.idle_step:g} a step"
        )
        if richer and ended is not None:
            said += f"; the best that ends an episode with pay earns {total(ended):g}"
        yield Suspicion(
            "score_paid_again", row, best, said, weight(severity, total(best)), severity
        )


def repaid(episode: Episode) -> bool:
    """Whether the steps after the first are paid what the first was."""
    once, *later = [turn.reward or 0.0 for turn in episode.turns]
    if len(later) < LEAST_STEPS - 1 or once <= 0:
        return False
    return fmean(abs(pay - once) <= (1 - NEARLY) * once for pay in later[:-1]) >= MOSTLY


def content_ignored(facts: Paid) -> Iterator[Suspicion]:
    """Texts that say different things in one field, or nothing, and are all paid the same, more than idling."""
    texts: dict[str, list[SurveyRow]] = {}
    for row in facts.rows:
        value = None if row.action is None else row.kind in EMPTY | {Kind.SHOTGUN}
        if value and row.field is not None and row.kind != Kind.IDLE:
            texts.setdefault(f"{row.field} {row.context}", []).append(row)
    for rows in texts.values():
        returns = [total(e) for row in rows for e in row.ended]
        pay, idle = fmean(returns), worth(facts.survey.idle)
        blank = next((row for row in rows if row.kind == Kind.NONSENSE), None)
        if len(rows) < LEAST_TEXTS or blank is None or pay <= max(0.0, idle + LITTLE * abs(pay)):
            continue
        if max(returns) - min(returns) > (1 - NEARLY) * pay:
            continue
        best = facts.best
        severity = (
            Severity.EFFORTLESS if pay >= NEARLY * best and facts.several else Severity.SUSPICIOUS
        )
        said = (
            f"{blank.name}: nonsense, nothing, a claim and lists of everything in {blank.field} all earn {pay:g}; "
            f"the best that is known is {best:g}"
        )
        witness = max(blank.ended, key=total)
        yield Suspicion("content_ignored", blank, witness, said, weight(severity, pay), severity)


def paid_without_trying(facts: Paid) -> Iterator[Suspicion]:
    """What does not try and earns half of the best that is known, or more, on every seed.

    A score that is paid at an end is a grade, of which nobody should have half for nothing; what is paid all along may
    be for holding on, and is suspicious only where nothing else is paid as well.
    """
    best, idle = facts.best, worth(facts.survey.idle)
    if len(facts.rows) < LEAST_ROWS or best < LEAST_GRADE:
        return
    for row in facts.rows:
        name = what_pays(row, facts)
        mean, least = worth(row), min(map(total, row.ended))
        others = [r for r in facts.rows if r.name != row.name and not same_plan(r, row)]
        if name is None or (row is not facts.survey.idle and idle >= NEARLY * mean):
            continue
        if name != "paid_without_trying" and any(worth(r) >= HALF * mean for r in facts.blank(row)):
            continue
        graded = fmean(map(graded_at_end, row.ended)) >= MOSTLY
        every = least >= HALF * best and len(row.ended) >= LEAST_EPISODES
        behind = [r for r in others if worth(r) < NEARLY * mean]
        if every and facts.out_earns_reference(row):
            severity = Severity.EXPLOIT
        elif every and graded:
            may_be_asked = row.kind == Kind.ECHO
            severity = Severity.SUSPICIOUS if may_be_asked else Severity.EFFORTLESS
        elif mean >= best - ALIKE and len(behind) >= HALF * len(others) and empty(row):
            severity = Severity.SUSPICIOUS
        else:
            continue
        said = (
            f"{row.name}: earns {least:g} or more on each of {len(row.ended)} seeds, where the best that is known "
            f"is {best:g}"
        )
        plainness = 0.5 if empty(row) else 0.0
        witness = min(row.ended, key=total)
        yield Suspicion(name, row, witness, said, weight(severity, mean) + plainness, severity)


def what_pays(row: SurveyRow, facts: Paid) -> str | None:
    """What a row that does not try would be paid for, as a finding's id; None of a row that may be trying."""
    if empty(row):
        return "paid_without_trying"
    if row.kind == Kind.EMPTYING:
        return "emptying_pays" if fmean(map(lessened, row.ended)) >= MOSTLY else None
    if row.kind == Kind.CONSTANT and fmean(map(lessened, row.ended)) >= MOSTLY:
        return "emptying_pays"
    if row.kind in {Kind.CONSTANT, Kind.EXTREME, Kind.NAN}:
        return "paid_without_trying" if facts.several else None
    return STUFFED.get(row.kind)


def graded_at_end(episode: Episode) -> bool:
    """Whether nearly all that an episode earns is paid at its end, which the environment made."""
    last = (episode.turns[-1].reward or 0.0) if episode.turns else 0.0
    return not episode.cut and last > 0 and last >= MOSTLY * total(episode)


def same_plan(one: SurveyRow, other: SurveyRow) -> bool:
    """Whether two rows repeat the same action."""
    return one.action is not None and one.action == other.action


def nothing_to_win(facts: Paid) -> Iterator[Suspicion]:
    """All that was flown earns the same."""
    returns = [total(e) for row in facts.rows for e in row.ended]
    refused = [
        fmean(t.invalid is not None for t in e.turns)
        for r in facts.rows
        for e in r.ended
        if e.turns
    ]
    same = len(facts.rows) >= LEAST_ROWS and max(returns) - min(returns) < ALIKE
    if not same or fmean(refused) > HALF:
        return
    # Of texts and of numbers without bounds no number of tries is all of them: one that wins may be left.
    if abs(returns[0]) < ALIKE and facts.survey.of_kind(Kind.NONSENSE, Kind.EXTREME):
        return
    random = next(iter(facts.survey.of_kind(Kind.RANDOM)), facts.survey.idle)
    if not random.ended:
        return
    said = f"each of {len(returns)} episodes of {len(facts.rows)} policies earns {returns[0]:g}, whatever was done"
    yield Suspicion("nothing_to_win", random, random.ended[0], said, 0.0, Severity.SUSPICIOUS)
