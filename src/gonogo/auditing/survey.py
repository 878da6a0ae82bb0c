"""A survey: every policy on the same task and the same seeds, side by side, and the scale of their returns.

Beside the panel and the reference policies there are plans made of what a succeeding policy does: its way up to a
milestone and then idle, up to the first pay and then round and round, its answer to another seed, or one that is
broken. A survey judges nothing; surveys of the same task on other seeds have the same rows under the same names.

Rows come one by one, those that promise most first, each on few seeds. A row can be flown again on other seeds, in
another process: to confirm what it showed, or where it matters, to know it better.

A return is measured between nothing and what success earns on the same seed. Only returns of episodes that fail are
measured: a policy may do well without trying where success is easy. Nothing is worth 0, what no episode at all
earns. Where even success earns no more than that, as with costs alone, nothing is what idling earns.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, islice, product
from statistics import fmean

from gonogo.auditing.plans import (
    PlanMaker,
    broken,
    endings,
    foreign,
    milestones,
    paid_cycles,
    plain_cycles,
    planned,
    texts_of,
)
from gonogo.auditing.resets import numberless
from gonogo.auditing.session import AuditSession
from gonogo.contract.documented_pay import DocumentedPay
from gonogo.exploits.panel import Habit, Kind
from gonogo.explore.addressed import decisions
from gonogo.records.contract import ContractReport
from gonogo.records.success import JudgedSuccess
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.space import ActionField, Space
from gonogo.wire import Action, TaskOptions

REFERENCE, MILESTONE, FARM = "reference", "milestone", "farm"
FOREIGN, BROKEN = "foreign", "broken"
SEARCHED, CANDIDATE, EXPLORED = "search", "candidate", "explored"
COMPARED = "compared"
"""Plans made of what the environment's own code compares (:mod:`gonogo.auditing.compared_rows`): what they earn can be
earned, but they know what no agent is told."""
AGAIN, ONCE, CLOSED = "again", "once", "closed"
"""Kinds of rows that look longer at what a plainer row is paid: the same to a later end, once and then idle, and once
and then what ends the episode."""
FIXED, MIXED, NAMED, SWALLOWED, UNSETTLED = "fixed", "mixed", "named", "swallowed", "unsettled"
TURNED, UNFORMED, WORK, LATER = "turned", "unformed", "work", "later"
"""Kinds of rows that say what another row's pay is for: what is sent whatever is shown (:mod:`blind_plan`), other
verdicts where they are right (:mod:`lopsided`), few names among others (:mod:`named_at_once`), an error that the grader
swallows (:mod:`swallowed_errors`), an end that is never sent (:mod:`unsettled`), words in another order
(:mod:`any_order`), the words of a form without it (:mod:`blank_forms`), destroying as the task (:mod:`sweeps`), and the
same after another beginning (:mod:`nearly_full`)."""
SEEN = frozenset({Kind.IDLE, Kind.CONSTANT, Kind.EMPTYING, Kind.VOID})
"""Kinds of habits whose rows are asked what was seen."""
COPIES = frozenset({Kind.ECHO, Kind.SHOTGUN, Kind.OBEY, Kind.GUESS, Kind.FILLING})
"""Kinds of habits that do the same as long as the same is seen."""
FULL_MARKS = (1.0, 10.0, 100.0)
"""What most scores are out of."""
MOST_FARMED = 10
MOST_STOPS = 6
SCREENED = 3
GARBAGE = ("((((", "1/0")
KEYS = json.JSONEncoder(sort_keys=True)
"""Writes tasks as keys: one for all, for an audit asks millions of times."""
MOST_LOST = 3
"""Rows of which every episode was lost, after which a survey is broken off: each may have taken a timeout."""
LEAST_FAILED = 2
LOOKED_AT = 400
"""Episodes whose openings are compared: where resets turn, any two policies show it."""
BY_CHANCE = frozenset({"seed_ignored", "nondeterministic"})
"""What the map finds where the same seed gives different episodes."""
FOREMOST = 2
"""Habits of each kind of the panel that are flown before the others of any."""

Again = Callable[["AuditSession", Sequence[TaskOptions], "Survey"], "SurveyRow"]
"""Flies a row on other tasks; the survey holds the rows that it needs, on these tasks too."""


@dataclass(frozen=True, slots=True)
class SurveyRow:
    """One policy's episodes, a seed each.

    Attributes:
        name: The policy's name.
        kind: A kind of the panel, ``reference``, ``milestone``, ``farm``, ``foreign``, ``broken``, ``search``,
            ``again``, ``once``, ``closed``, ``explored``, ``compared`` or ``candidate``.
        episodes: In the order of the seeds. What was seen is kept of references and of some habits only.
        field: Field of the action that carries the habit, or None.
        action: The action that is always repeated, or None.
        context: The action without what the field carries, where that is another than idle's; or None.
        begun: How many turns of each episode come before what the row is about; empty where none do.
        about: Name of the plainer row whose pay it looks at; None where it stands for itself.
        again: Flies it on other tasks; None where that cannot be.
        needs: Names of the rows that its plans are made of.
        against: What says that seeds ask for other things than it sends, for a reader; empty where nothing does.
        moves: Where the reward divides by what its actions move, for a reader; empty where that is not known.
    """

    name: str
    kind: str
    episodes: list[Episode]
    field: str | None = None
    action: Action | None = None
    context: Action | None = None
    begun: tuple[int, ...] = ()
    about: str | None = None
    again: Again | None = None
    needs: tuple[str, ...] = ()
    against: str = ""
    moves: str = ""

    def on(self, more: SurveyRow) -> SurveyRow:
        """The row with its episodes on further tasks."""
        episodes, begun = [*self.episodes, *more.episodes], (*self.begun, *more.begun)
        return replace(self, episodes=episodes, begun=begun)

    @property
    def ended(self) -> list[Episode]:
        """The episodes that were not lost and have a return, whatever is known of success."""
        return [e for e in self.episodes if e.error is None and e.episode_return is not None]

    @property
    def failed(self) -> list[Episode]:
        """The episodes that ended without success and with a return.

        Not those that never ended and in which most was refused: they cost nothing because nothing happened.
        """
        ended = [e for e in self.episodes if e.success is False and e.episode_return is not None]
        # The end is asked first, for it is seen at once.
        return [
            e
            for e in ended
            if not e.turns or e.turns[-1].done or 2 * e.invalid_count <= len(e.turns)
        ]

    @property
    def succeeded(self) -> list[Episode]:
        """The episodes that ended with success and a return."""
        return [e for e in self.episodes if e.success is True and e.episode_return is not None]

    @property
    def succeeds(self) -> bool:
        """Whether it succeeds wherever it was flown."""
        return len(self.succeeded) == len(self.episodes) > 0

    @property
    def at_once(self) -> bool:
        """Whether it did nothing but one step, beside another choice than idle's, wherever it was flown."""
        return (
            self.context is not None
            and bool(self.ended)
            and all(len(e.turns) == 1 and e.turns[0].done for e in self.ended)
        )

    @property
    def lost(self) -> bool:
        """Whether every episode was lost."""
        return all(e.error is not None for e in self.episodes)


@dataclass(frozen=True, slots=True)
class Survey:
    """All rows of one task; the first is idle's.

    Attributes:
        task: Reset options without a seed.
        rows: The policies.
        broken_off: Whether too many rows were lost for the others to be flown.
        judged: What success is, and who says so; None where that is not known yet.
        par: What a success earns on other seeds, where none is known on these; None where that is not known either.
        documented: What the environment's words say of its reward.
        drawn: Whether the same seed is known to give different episodes: then none is held against another for its
            seed without a doubt.
        answers: Whether each action is an answer: texts and numbers, and no choice of what to do.
    """

    task: TaskOptions
    rows: list[SurveyRow]
    broken_off: bool = False
    judged: JudgedSuccess | None = None
    par: float | None = None
    documented: DocumentedPay = field(default_factory=DocumentedPay)
    drawn: bool = False
    answers: bool = False

    @property
    def idle(self) -> SurveyRow:
        """Who does nothing."""
        return self.rows[0]

    @property
    def tasks(self) -> list[TaskOptions]:
        """The task with each of the survey's seeds."""
        return [episode.task for episode in self.idle.episodes]

    @property
    def episodes(self) -> list[Episode]:
        """All that was flown, row by row."""
        return [episode for row in self.rows for episode in row.episodes]

    @property
    def failed(self) -> list[Episode]:
        """All that failed and has a return, row by row."""
        return [episode for row in self.rows for episode in row.failed]

    @property
    def succeeded(self) -> list[Episode]:
        """All that succeeded and has a return, row by row."""
        return [episode for row in self.rows for episode in row.succeeded]

    @property
    def guided(self) -> list[Episode]:
        """The successes of the policies that are meant to succeed; without any, those that were found."""
        return [episode for row in self.guides for episode in row.succeeded]

    @property
    def guides(self) -> list[SurveyRow]:
        """The rows of the policies that are meant to succeed; where none does, of what was found to succeed."""
        for kind in (REFERENCE, EXPLORED, COMPARED):
            rows = [row for row in self.of_kind(kind) if row.succeeded]
            if rows:
                return rows
        return []

    @property
    def agents(self) -> list[SurveyRow]:
        """The rows of those who know no more than an agent is told."""
        return [row for row in self.rows if row.kind != COMPARED]

    @property
    def tells_success(self) -> bool:
        """Whether everything was flown, and of some episode it is known whether it succeeded."""
        return not self.broken_off and any(e.success is not None for e in self.episodes)

    @property
    def assumed(self) -> bool:
        """Whether success is only assumed."""
        return self.judged is not None and self.judged.assumed is not None

    @property
    def doubtful(self) -> bool:
        """Whether success is assumed by what is no word for it."""
        return self.judged is not None and self.judged.doubtful

    def plus(self, rows: Iterable[SurveyRow]) -> Survey:
        """The survey with more rows."""
        return replace(self, rows=[*self.rows, *rows])

    def having(self, row: SurveyRow) -> Survey:
        """The survey with a row in the place of the one of its name, or at the end."""
        names = [known.name for known in self.rows]
        if row.name not in names:
            return self.plus([row])
        place = names.index(row.name)
        return replace(self, rows=[*self.rows[:place], row, *self.rows[place + 1 :]])

    def named(self, name: str) -> SurveyRow | None:
        """The row of a name; None where there is none."""
        return next((row for row in self.rows if row.name == name), None)

    def of_kind(self, *kinds: str) -> list[SurveyRow]:
        """The rows of some kinds."""
        return [row for row in self.rows if row.kind in kinds]


def lost_too_often(flown: Survey) -> bool:
    """Whether so many rows were lost that the others are not flown."""
    return sum(row.lost for row in flown.rows if row.kind != REFERENCE) >= MOST_LOST


def fly_idle(session: AuditSession, tasks: Sequence[TaskOptions]) -> SurveyRow:
    """The row of the idle policy."""
    session.part.expect(1)
    return fly_habit(session, session.panel()[0], tasks)


def guide_rows(session: AuditSession, tasks: Sequence[TaskOptions]) -> Iterator[SurveyRow]:
    """Rows of the policies that are meant to succeed."""
    session.part.expect(len(session.guides))
    for name in session.guides:
        yield fly_reference(session, name, tasks)


def panel_rows(session: AuditSession, tasks: Sequence[TaskOptions]) -> Iterator[SurveyRow]:
    """Rows of the panel, but for idle's: some of each kind first."""
    _, *habits = session.panel()
    session.part.expect(len(habits))
    for habit in foremost(habits):
        yield fly_habit(session, habit, tasks)


def decision_rows(session: AuditSession, tasks: Sequence[TaskOptions]) -> Iterator[SurveyRow]:
    """Rows of each choice for each thing in turn that is seen under the name of a field."""
    habits = decisions_of(session)
    session.part.expect(len(habits))
    for habit in habits:
        yield fly_habit(session, habit, tasks)


def decisions_of(session: AuditSession) -> list[Habit]:
    """The policies of those rows; none before something was explored."""
    pool = session.learned
    return [] if pool is None else decisions(session.space, pool.observed)


def foremost(habits: Sequence[Habit]) -> list[Habit]:
    """Habits in their order, but for some of each kind, which come before the others."""
    counts: Counter[str] = Counter()
    first: list[Habit] = []
    rest: list[Habit] = []
    for habit in habits:
        (first if counts[habit.kind] < FOREMOST else rest).append(habit)
        counts[habit.kind] += 1
    return [*first, *rest]


def on_all(
    session: AuditSession,
    tasks: Sequence[TaskOptions],
    rows: Iterable[SurveyRow],
    flew: dict[str, int],
    few: int,
    flown: Callable[[], Survey],
) -> Iterator[SurveyRow]:
    """Rows with their episodes on the tasks that they have not flown, each after the rows that it is made of.

    Args:
        session: Where.
        tasks: Reset options.
        rows: The rows.
        flew: On how many of the tasks each was flown, by name; this is kept up.
        few: On how many those were that it does not name.
        flown: Gives the survey, as it stands when it is asked.
    """
    names = dict.fromkeys(name for row in list(rows) for name in (*row.needs, row.name))
    for name in names:
        row, done = flown().named(name), flew.get(name, few)
        if row is None or row.again is None or row.about is not None or done >= len(tasks):
            continue
        if row.kind == COMPARED:  # what a few seeds are worth is scale enough
            continue
        flew[name] = len(tasks)
        yield row.on(row.again(session, tasks[done:], flown()))


def fly_reference(session: AuditSession, name: str, tasks: Sequence[TaskOptions]) -> SurveyRow:
    """The row of a policy that is meant to succeed."""

    def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
        return fly_reference(session, name, tasks)

    return SurveyRow(name, REFERENCE, session.reference(name, tasks), again=again)


def succeeded(episode: Episode) -> bool:
    """Whether an episode succeeded."""
    return episode.success is True


def late_pay(episode: Episode, begun: int) -> float:
    """What is paid in the second half of the turns after the first few."""
    half = begun + (len(episode.turns) - begun) // 2
    return sum(turn.reward or 0.0 for turn in episode.turns[half:])


def lessened(episode: Episode) -> bool:
    """Whether less is seen at an episode's end than at its beginning."""
    return bool(episode.turns) and size(episode.final_observation) < size(
        episode.turns[0].observation
    )


def size(value: object) -> int:
    """How many items the lists and objects of a value hold."""
    if not isinstance(value, dict | list):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return len(value) + sum(map(size, inner))


def fly_habit(session: AuditSession, habit: Habit, tasks: Sequence[TaskOptions]) -> SurveyRow:
    """One habit's row."""

    def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
        return fly_habit(session, habit, tasks)

    whole, same = habit.kind in SEEN, habit.action is not None or habit.kind in COPIES
    flies = session.fly_constant if same else session.fly
    episodes = flies(habit, tasks, whole=whole)
    return SurveyRow(
        habit.name, habit.kind, episodes, habit.field, habit.action, habit.context, again=again
    )


Starts = list[tuple[TaskOptions, list[Turn]]]
"""Tasks, each with the turns that a plan is made of."""


def guide_of(flown: Survey) -> str | None:
    """Name of the policy whose successes plans are made of; None where nobody succeeds."""
    known = flown.guides
    return max(known, key=lambda row: len(row.succeeded)).name if known else None


def starts_of(guide: str | None, tasks: Sequence[TaskOptions], flown: Survey) -> Starts:
    """The successes of a guide on some tasks; without a guide each task and no turns."""
    if guide is None:
        return [(task, []) for task in tasks]
    row = flown.named(guide)
    good = [] if row is None else row.episodes
    return [(e.task, e.turns) for e in good if succeeded(e) and e.task in tasks]


PlannedFlight = tuple[TaskOptions, list[Action]]
"""Reset options, and the actions that are sent."""
Planner = Callable[[Starts, Space], list[PlannedFlight]]
"""Makes the plans of a row."""


def planner(plan: PlanMaker) -> Planner:
    """The plans of one maker."""
    return lambda starts, _: planned(plan, starts)


def made_row(
    session: AuditSession,
    name: str,
    kind: str,
    guide: str | None,
    tasks: Sequence[TaskOptions],
    flown: Survey,
    make: Planner,
    field: str | None = None,
    first: Sequence[Episode] = (),
) -> SurveyRow:
    """The row of plans.

    Args:
        session: Where they are flown.
        name: The row's.
        kind: The row's.
        guide: Whose successes they are made of; None for nobody's.
        tasks: Reset options.
        flown: The survey that holds the guide's row.
        make: Makes them.
        field: The row's.
        first: Episodes of the first of them, where they were flown before.
    """

    def again(session: AuditSession, tasks: Sequence[TaskOptions], flown: Survey) -> SurveyRow:
        return made_row(session, name, kind, guide, tasks, flown, make, field)

    plans = make(starts_of(guide, tasks, flown), session.space)[len(first) :]
    episodes = [*first, *session.plans(name, plans)]
    needs = () if guide is None else (guide,)
    return SurveyRow(name, kind, episodes, field, again=again, needs=needs)


def continuations(
    session: AuditSession, tasks: Sequence[TaskOptions], flown: Survey
) -> Iterator[SurveyRow]:
    """Rows of the plans that are made of what the guide did where it succeeded, and of cycles from the start."""
    space, guide = session.space, guide_of(flown)
    constants = space.constants(MOST_FARMED)
    good = [] if guide is None else starts_of(guide, tasks, flown)
    stops = list(milestones(space.idle())) if good else []
    ends = list(endings(constants[1 : MOST_STOPS + 1])) if good else []
    paid = list(paid_cycles(constants, space.leaves())) if good else []
    plain = list(plain_cycles(constants))
    session.part.expect(len(stops) + len(ends) + len(paid) + len(plain) + 1)
    for name, plan in stops:
        row = made_row(session, name, MILESTONE, guide, tasks, flown, planner(plan))
        if row.episodes:
            yield row
    for kind, leader, ways, promises in (
        (FARM, guide, paid, is_paid),
        (MILESTONE, guide, ends, out_earns(good)),
        (FARM, None, plain, is_paid),
    ):
        for name, plan in ways:
            make = planner(plan)
            first = make(starts_of(leader, tasks, flown), space)[:SCREENED]
            episodes = session.plans(name, first)
            if any(e.success is not True and promises(e) for e in episodes):
                yield made_row(session, name, kind, leader, tasks, flown, make, first=episodes)
    if good:
        yield from in_words(session, tasks, flown, guide)


def in_words(
    session: AuditSession, tasks: Sequence[TaskOptions], flown: Survey, guide: str | None
) -> Iterator[SurveyRow]:
    """Rows of what the guide said, where it said something: on another seed, and broken."""
    name = "the answer to another seed, repeated"
    row = made_row(session, name, FOREIGN, guide, tasks, flown, foreign)
    if row.episodes:
        yield row
    for leaf, garbage in product(texts_of(session.space), GARBAGE):

        def make(
            starts: Starts, _: Space, leaf: ActionField = leaf, garbage: str = garbage
        ) -> list[PlannedFlight]:
            plans = [(task, broken(turns, leaf, garbage)) for task, turns in starts]
            return plans if all(plan for _, plan in plans) else []

        name = f"{leaf.name}: its first character and {garbage!r}"
        row = made_row(session, name, BROKEN, guide, tasks, flown, make, leaf.name)
        if row.episodes:
            yield row


def is_paid(episode: Episode) -> bool:
    """Whether an episode earned anything."""
    return (episode.episode_return or 0.0) > 0


def out_earns(good: Sequence[tuple[TaskOptions, Sequence[Turn]]]) -> Callable[[Episode], bool]:
    """Whether an episode earned more than the guide on its seed."""
    earned = {json.dumps(task): sum(turn.reward or 0.0 for turn in turns) for task, turns in good}
    return lambda e: (e.episode_return or 0.0) > earned[json.dumps(e.task)]


class Scale:
    """The scale of one survey.

    Args:
        survey: What was flown.

    Attributes:
        keys: What tells the same episode in two rows.
    """

    def __init__(self, survey: Survey) -> None:
        self.keys = EpisodeKeys(survey)
        # Who knows the answers may farm before succeeding: the scale is made of others, where they succeed.
        agents = [episode for row in survey.agents for episode in row.succeeded]
        best = self.keys.best(agents or survey.succeeded)
        self._best = {key: total(episode) for key, episode in best.items()}
        self.par = fmean(self._best.values()) if self._best else survey.par
        idle = [total(e) for e in survey.idle.failed]
        self.floor = 0.0 if self.par is None or self.par > 0 or not idle else fmean(idle)

    @property
    def calibrated(self) -> bool:
        """Whether a success is known that is worth more than nothing."""
        return self.par is not None and self.par > self.floor

    def best(self, episode: Episode) -> float | None:
        """What success earns in an episode, as far as is known; the mean where it is not."""
        return self._best.get(self.keys.of(episode) or "", self.par)

    def paid(self, row: SurveyRow) -> float | None:
        """The mean worth of a row's failures; None where there are too few, or no scale."""
        worths = self.worths(row.failed)
        return fmean(worths) if len(worths) >= LEAST_FAILED else None

    def worths(self, episodes: Iterable[Episode]) -> list[float]:
        """What each of some episodes is worth; empty without a scale."""
        if self.par is None or not self.calibrated:
            return []
        size = self.par - self.floor
        # The seed's own success decides where zero and one lie only through the mean: a seed on which
        # success earns next to nothing must not make its failures look rich.
        return [(total(episode) - self.floor) / size for episode in episodes]

    def out_earns(self, row: SurveyRow) -> float | None:
        """Share of a row's failures that earn more than the success in the same episode; None without enough."""
        known = self._best
        elsewhere = None if known else self.par
        bests = [(total(e), known.get(self.keys.of(e) or "", elsewhere)) for e in row.failed]
        pairs = [(failed, best) for failed, best in bests if best is not None]
        if len(pairs) < LEAST_FAILED:
            return None
        return fmean(float(failed > best) for failed, best in pairs)


def needs_none(survey: Survey) -> bool:
    """Whether what needs no success is looked for: no scale is known, or only an assumed one that is doubtful."""
    return survey.doubtful or not Scale(survey).calibrated


def may_be_clumsy(survey: Survey) -> bool:
    """Whether success is only assumed, and nobody who is meant to succeed shows how good one may be."""
    return survey.assumed and not any(row.succeeded for row in survey.of_kind(REFERENCE))


def total(episode: Episode) -> float:
    """An episode's return, which it is known to have."""
    return episode.episode_return or 0.0


def best_by_seed(episodes: Iterable[Episode]) -> dict[str, Episode]:
    """The first of the best episodes on each seed."""
    return best_by((seed_of(episode.task), episode) for episode in episodes)


def best_by(keyed: Iterable[tuple[str, Episode]]) -> dict[str, Episode]:
    """The first of the best episodes of each key.

    Args:
        keyed: The episodes, each after its key.
    """
    best: dict[str, Episode] = {}
    for key, episode in keyed:
        if total(episode) > total(best.setdefault(key, episode)):
            best[key] = episode
    return best


def seed_of(task: TaskOptions) -> str:
    """A task as a key."""
    return KEYS.encode(task)


class EpisodeKeys:
    """By what episodes of a survey are known to be the same one, so that their returns may be held against each other.

    That is the seed. Where resets of one seed open different episodes, since levels turn with each reset or are drawn
    anew, it is the seed and what the reset shows.

    A number that differs from reset to reset opens no other episode: an environment may count its episodes under any
    name, or show its best score so far. Such numbers only go on. So it takes more than numbers: other words, a map
    that saw the same seed give different episodes, or an opening that comes back after another one.

    Args:
        survey: What was flown.

    Attributes:
        turning: Whether resets of one seed open different episodes.
    """

    def __init__(self, survey: Survey) -> None:
        flown = (e for row in survey.rows for e in row.episodes if e.opened)
        shown: dict[str, list[str]] = {}
        for episode in islice(flown, LOOKED_AT):
            shown.setdefault(seed_of(episode.task), []).append(episode.opened)
        self.turning = any(
            len(set(marks)) > 1
            and (survey.drawn or len(set(map(numberless, marks))) > 1 or comes_back(marks))
            for marks in shown.values()
        )

    def of(self, episode: Episode) -> str | None:
        """An episode's key; None where it is not known which one it is."""
        seed = seed_of(episode.task)
        if not self.turning:
            return seed
        return f"{seed} {episode.opened}" if episode.opened else None

    def best(self, episodes: Iterable[Episode]) -> dict[str, Episode]:
        """The first of the best by their keys, without those that have none."""
        return best_by((key, e) for e in episodes if (key := self.of(e)) is not None)

    def last(self, episodes: Iterable[Episode]) -> dict[str, Episode]:
        """The last episode of each key, without those that have none."""
        return {key: some[-1] for key, some in self.grouped(episodes).items()}

    def grouped(self, episodes: Iterable[Episode]) -> dict[str, list[Episode]]:
        """All episodes of each key, without those that have none."""
        found: dict[str, list[Episode]] = {}
        for episode in episodes:
            if (key := self.of(episode)) is not None:
                found.setdefault(key, []).append(episode)
        return found


def comes_back(marks: Sequence[str]) -> bool:
    """Whether one of some marks stands again after another one."""
    runs = [mark for mark, _ in groupby(marks)]
    return len(runs) > len(set(runs))


def is_drawn(card: ContractReport, task: TaskOptions) -> bool:
    """Whether a map saw that the same seed gives different episodes of a task.

    Args:
        card: The map.
        task: Reset options without a seed.
    """
    return any(
        item.finding in BY_CHANCE
        and item.evidence.difference is not None
        and {name: value for name, value in (item.task or {}).items() if name != "seed"} == task
        for item in card.items
    )
