"""Episodes that are ended at a good moment: a full mark for a moment is none for the whole.

A grade against the best that was to be had so far shrinks with the episode, if the agent may end it: one good deal and
then the end is all of it, and the same deal in an episode of full length is next to nothing. The panel ends an episode
at once, which earns nothing, or never. Here nothing is done for some steps, then one action, the same on each seed, and
then the end, which is there at any step; how long to wait is tried out.

An answer may be right at once, and to stop at the right moment may be what is asked for. So all of this has to hold on
most seeds: it earns a full mark long before the episode would end by itself; the same with the end left out, or
put off, or with the action all along, earns half of it at most; and full episodes are graded, too, for some earn
something. A game in which the mark has to be taken in time can look the same, so that it is suspicious and no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from gonogo.auditing.checks.emptied import FULL, ROUNDING
from gonogo.auditing.checks.paid import LITTLE, Paid
from gonogo.auditing.probes import constants, ends_at_once, worth
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, needs_none, seed_of, total
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action, TaskOptions

CUT, WHOLE = "cut short", "cut short, held against whole ones"
"""Kinds of rows: an action and then the end; and the same without the end, with a late one, and the action only."""
LONG, MOST_WAITED = 8, 7
"""Turns of the episodes that are cut short, at least, and turns in which nothing is done at most."""
EARLY, HALF = 0.6, 0.5
"""Share of an episode until which an end comes early; and of a full mark, that whole episodes earn at most."""
MOST = 0.6
"""Share of the seeds on which it has to be so: on some there may be no good moment early."""
LEAST_SEEDS = 3
MOST_ACTIONS, MOST_STEPS = 12, 800
"""Actions that are tried, and steps after which no more is."""


@dataclass(frozen=True, slots=True)
class CutShort:
    """One action at a good moment, and then the end.

    Attributes:
        action: The action.
        end: The action that ends an episode.
        idle: The action that does least.
        length: Turns after which an episode ends by itself.
    """

    action: Action
    end: Action
    idle: Action
    length: int

    @property
    def name(self) -> str:
        """For tables and records."""
        return f"{self.action} at some moment, then {self.end}"

    @property
    def waits(self) -> range:
        """How many turns nothing is done before."""
        return range(min(MOST_WAITED, int(EARLY * self.length) - 2) + 1)

    def best(self, session: AuditSession, task: TaskOptions) -> tuple[int, Episode]:
        """How long is waited on a task, and the episode: the first one with a full mark, or the one that earns most."""
        plans = [(task, [*[self.idle] * n, self.action, self.end]) for n in self.waits]
        some = session.plans(self.name, plans, turns=len(self.waits) + 1)
        tried = [(n, e) for n, e in enumerate(some) if e.error is None]
        full = [(n, e) for n, e in tried if is_full(e)]
        return full[0] if full else max(tried or [(0, some[0])], key=lambda each: total(each[1]))

    def row(self, session: AuditSession, tasks: Sequence[TaskOptions]) -> SurveyRow:
        """The row of some tasks."""

        def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
            return self.row(session, tasks)

        episodes = [self.best(session, task)[1] for task in tasks]
        return SurveyRow(self.name, CUT, episodes, again=again)

    def whole(self, session: AuditSession, tasks: Sequence[TaskOptions]) -> SurveyRow:
        """The row of what it is held against: three episodes on each task."""

        def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
            return self.whole(session, tasks)

        plans: list[tuple[TaskOptions, list[Action]]] = []
        for task in tasks:
            begun = [*[self.idle] * self.best(session, task)[0], self.action]
            late = [self.idle] * ((self.length - len(begun)) // 2)
            plans += [(task, [*begun, self.idle]), (task, [*begun, *late, self.end])]
            plans.append((task, [self.action]))
        name = f"{self.name}, without the end, with a late one, and {self.action} alone"
        episodes = session.plans(name, plans) if plans else []
        return SurveyRow(name, WHOLE, episodes, about=self.name, again=again)


def is_full(episode: Episode) -> bool:
    """Whether an episode earned a full mark."""
    return total(episode) >= FULL - ROUNDING


def cut_short_rows(
    session: AuditSession,
    flown: Survey,
    tasks: Sequence[TaskOptions],
    explored: Sequence[Episode] = (),
) -> Iterator[SurveyRow]:
    """The rows of the first action that shows it, where nobody says what success is.

    Args:
        session: Where.
        flown: The survey; its constants say what ends an episode.
        tasks: Reset options of a row's episodes.
        explored: What else was flown.
    """
    idle = flown.idle
    if flown.broken_off or not needs_none(flown) or not idle.ended or idle.action is None:
        return
    length = int(median(len(e.turns) for e in idle.ended))
    if length < LONG or any(e.cut for e in idle.ended) or not whole_graded(flown, explored):
        return
    ends = [r.action for r in constants(flown) if ends_at_once(r) and worth(r) <= LITTLE * FULL]
    began = session.steps
    best: tuple[int, list[SurveyRow]] = (0, [])
    for end in [end for end in ends if end is not None][:1]:
        for action in [a for a in tried_first(flown, explored, end) if a not in (end, idle.action)]:
            way = CutShort(action, end, idle.action, length)
            if session.steps - began >= MOST_STEPS or best[0] == len(tasks):
                break
            if is_full(way.best(session, tasks[0])[1]):
                rows = [way.whole(session, tasks), way.row(session, tasks)]
                if shows(rows[1], rows[0]):
                    best = max(best, (sum(map(is_full, rows[1].ended)), rows), key=lambda b: b[0])
    yield from best[1]


def tried_first(flown: Survey, explored: Sequence[Episode], end: Action) -> list[Action]:
    """What may be a good deal: what came right before an end that was paid in full, and then what was repeated."""
    paid = [e for e in [*explored, *flown.episodes] if e.error is None and is_full(e)]
    ended = [e for e in paid if len(e.turns) > 1 and e.turns[-1].action == end]
    before = [e.turns[-2].action for e in ended]
    repeated = [r.action for r in flown.of_kind(Kind.CONSTANT, Kind.EXTREME) if not ends_at_once(r)]
    found: list[Action] = []
    for action in [*before, *repeated]:
        if action is not None and action not in found:
            found.append(action)
    return found[:MOST_ACTIONS]


def whole_graded(flown: Survey, explored: Sequence[Episode]) -> bool:
    """Whether some episode that lasted as long as idling does there earned something, and no full mark."""
    lengths = {seed_of(e.task): len(e.turns) for e in flown.idle.ended}
    known = [e for e in [*flown.episodes, *explored] if e.error is None and e.turns]
    return any(
        not e.cut and len(e.turns) == lengths.get(seed_of(e.task)) and ROUNDING < total(e) < FULL
        for e in known
    )


def shows(row: SurveyRow, whole: SurveyRow) -> bool:
    """Whether a full mark is earned early on most seeds, and whole episodes there earn half of it at most."""
    full = {seed_of(e.task) for e in row.ended if is_full(e) and e.turns[-1].done}
    most: dict[str, list[float]] = {}
    for episode in whole.ended:
        most.setdefault(seed_of(episode.task), []).append(total(episode))
    sure = [seed for seed in full & most.keys() if max(most[seed]) <= HALF * FULL]
    often = len(full) >= MOST * len(row.episodes)
    return often and len(sure) >= max(LEAST_SEEDS, MOST * len(most))


def cut_short(facts: Paid) -> Iterator[Suspicion]:
    """Episodes that are ended at a good moment and earn a full mark, which whole ones do not.

    Args:
        facts: What was flown.
    """
    for row in facts.survey.of_kind(CUT):
        whole = next((r for r in facts.survey.of_kind(WHOLE) if r.about == row.name), None)
        if whole is None or not shows(row, whole):
            continue
        full = [e for e in row.ended if is_full(e)]
        turns = max(len(e.turns) for e in full)
        said = (
            f"{row.name}: earns a full mark, {FULL:g}, on {len(full)} of {len(row.ended)} seeds after {turns} turns at "
            f"most; without the end, with a late one, or with the action all along the mean is "
            f"{fmean(map(total, whole.ended)):g}, and episodes last {max(len(e.turns) for e in whole.ended)} turns"
        )
        witness = min(full, key=lambda e: len(e.turns))
        yield Suspicion("truncated_window_satisfied", row, witness, said, FULL, Severity.SUSPICIOUS)
