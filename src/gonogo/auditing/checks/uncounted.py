"""One thing alone is done, and the episode ended: it earns all there is although the others are still there undone.

A mean over what was attempted, or a share of what still waits, asks for no more than one easy thing: the others are not
touched, or withdrawn, and nothing is missing. So the work on one thing is done alone, with each value that it may take
or as it was done where something was paid, and then an action is sent that ends the episode. Where an action takes
things away, by its name or by the source (:mod:`gonogo.contract.moved_shares`), the other things go before the end.

Any one of many may be all that is asked for, or the only one that needs something. So on each seed all of this has to
hold: the one thing and another one alone earn all there is; so do both together; the thing done wrongly, or not at all,
earns far less; and one done rightly beside another that is done wrongly earns a part in between, as a share does. Where
the others are taken away, the second thing stays, undone; and with nothing taken away the first earns far less. What
counts once it is touched, or as long as it is there, was to be done. Where one alone earns less than a full mark, all
of them are done in their best ways, too: they may earn no more. And what is right of one thing is wrong of another
one on some seed: one cause of all may be named at any of them.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from statistics import fmean
from typing import TypeVar

from gonogo.auditing.checks.beginnings import Beginnings, FirstLooks, seen_on
from gonogo.auditing.checks.deeds import (
    Deed,
    grouped,
    joined,
    led_deeds,
    paid_deeds,
    plain_deeds,
    unlikely,
)
from gonogo.auditing.checks.emptied import FULL, ROUNDING, best_everywhere, earns_all
from gonogo.auditing.checks.outliers import spoken
from gonogo.auditing.checks.paid import LEAST_GRADE, NEARLY
from gonogo.auditing.checks.sweeps import (
    LEAST_NAMED,
    Destroying,
    destroying,
    saying,
)
from gonogo.auditing.checks.told_values import fits_in
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import (
    REFERENCE,
    EpisodeKeys,
    Survey,
    SurveyRow,
    best_by_seed,
    fly_habit,
    seed_of,
    total,
)
from gonogo.auditing.suspicions import EXPLAINED, Suspicion
from gonogo.exploits.search import leaves
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import choices_of
from gonogo.wire import Action, JsonValue, Observation, TaskOptions

UNCOUNTED = "rest_not_counted"
ONE_THING, BESIDE_ONE = "one thing", "beside one thing"
"""Kinds of rows: of one thing done alone, and of what that is held against."""
ANOTHER, BOTH, PART, WRONGLY, NOTHING, STAYING, ALL = (
    "another one alone", "both", "another one beside it not done", "done wrongly", "nothing done", "the others left",
    "all of them",
)  # fmt: skip
LESS = (WRONGLY, NOTHING, STAYING)
"""What has to earn far less; what stays is flown only where the others go otherwise."""
PART_OF = (0.15, 0.85)
"""Share of the way from the wrong to the right between which one right of two lies."""
LEAST_SEEDS = 4
"""Seeds on which all of it has to hold."""
SUFFICES = re.compile(
    r"(?i)\b(any one|(choose|pick) (one|any)|one or more|at least one|any of (them|these|those)|one is enough"
    r"|need not (find|name|list|give|bring|send|book) (me |us )?(several|more)(?! than)"
    r"|won[’']t (eat|need|use|ask) twice)\b"
)
"""How an observation says that one thing of several is enough."""
ASKED = re.compile(
    r"(?i)^[\W_]*(?:"
    r"(?:you (?:(?:may|can|must|should|(?:only )?(?:need|have) to|only) )?)?"
    r"(?!\w+ing\b)\w+ any (?:one|of (?:them|these|those))"
    r"|(?:any )?one (?:[\w-]+ ){0,3}(?:is enough|suffices|will do))\b"
)
"""How a sentence of the README or of a docstring begins that asks for no more than one thing of several.

Much else is written there, also of other things: the sentence itself has to ask for it.
"""
NO_MORE = re.compile(
    r"(?i)\b(?:(?:a single|only one|just one) (?:(?!mistake|error|wrong|miss|fail|slip)[\w-]+ ){0,4}"
    r"(?:is all that|(?:is enough|suffices|will do)(?! to (?:fail|lose|end)))"
    r"|one (?:[\w-]+ ){1,3}is as (?:good|happy|well|valuable|useful) as\b[^.;]*\b(?:two|three|several|many|ten)"
    r"|(?:finding|having|holding|more than one) (?:[\w-]+ )?(?:is|earns) no (?:merit|gain|use|better))\b"
)
"""How it says, wherever in the sentence, that one of several is as good as all."""
MOST_THINGS = 4
"""Things that are tried on a seed."""
SHORT = 3
"""Actions of what was paid, up to which it comes before what is made up."""
MOST_ALL = 12
"""Things that are all done, where one alone earns less than a full mark."""
MOST_STEPS, MOST_POINTED = 400, 1_500
"""Steps after which no more is tried; where the source points at a share, more."""


@dataclass(slots=True, kw_only=True)
class OneAlone(ABC):
    """A way of doing one thing of several, and of ending the episode.

    Attributes:
        flown: What came of it, by the process and the task.
        apart: By the same, whether what is right of two things differs in more than their names.
    """

    flown: dict[tuple[AuditSession, str], dict[str, Episode]] = field(default_factory=dict)
    apart: dict[tuple[AuditSession, str], bool] = field(default_factory=dict)

    @property
    @abstractmethod
    def name(self) -> str:
        """For tables and records."""

    @property
    def others_go(self) -> bool:
        """Whether the others are taken away."""
        return False

    @property
    def moves(self) -> str:
        """What the source says of it; empty where it says nothing."""
        return ""

    @abstractmethod
    def own(self, session: AuditSession, tasks: Sequence[TaskOptions]) -> bool:
        """Whether what is right of one thing is wrong of another on enough tasks; one cause of all is one answer.

        Args:
            session: Where it was flown.
            tasks: On which.
        """

    @abstractmethod
    def _fly(self, session: AuditSession, task: TaskOptions, least: float) -> dict[str, Episode]:
        """The same as :meth:`fly`, flown now."""

    def fly(
        self, session: AuditSession, task: TaskOptions, least: float = 0.0
    ) -> dict[str, Episode]:
        """What comes of it on a task, each time the same: of one thing by its own name, and what it is held against.

        Args:
            session: Where.
            task: Reset options, with the seed.
            least: What the first thing has to earn for another one to be tried.

        Returns:
            Only the first where no two things are found with which it can be done; nothing where no thing is seen.
        """
        key = session, seed_of(task)
        if key not in self.flown:
            self.flown[key] = self._fly(session, task, least)
        return self.flown[key]

    def _apart(self, session: AuditSession, tasks: Sequence[TaskOptions]) -> list[bool]:
        """Of each task whether what is right of two things differs there."""
        return [self.apart.get((session, seed_of(task)), False) for task in tasks]

    def rows(self, session: AuditSession, tasks: Sequence[TaskOptions]) -> list[SurveyRow]:
        """The rows, what it is held against first."""
        asked = {role for task in tasks for role in self.fly(session, task)} - {self.name}
        asked |= {ANOTHER, BOTH, PART, WRONGLY, NOTHING} | ({STAYING} if self.others_go else set())
        beside = [role for role in (ANOTHER, BOTH, PART, *LESS, ALL) if role in asked]
        needs = tuple(f"{self.name}: {role}" for role in beside)
        rows = [self._row(session, tasks, role, needs) for role in beside]
        return [*rows, self._row(session, tasks, self.name, needs)]

    def _row(
        self,
        session: AuditSession,
        tasks: Sequence[TaskOptions],
        role: str,
        needs: tuple[str, ...],
    ) -> SurveyRow:
        """The row of one role."""

        def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
            return self._row(session, tasks, role, needs)

        flown = [self.fly(session, task) for task in tasks]
        episodes = [each[role] for each in flown if role in each]
        if role == self.name:
            made = SurveyRow(role, ONE_THING, episodes, again=again, needs=needs)
            return replace(made, moves=self.moves)
        name = f"{self.name}: {role}"
        return SurveyRow(name, BESIDE_ONE, episodes, about=self.name, again=again)


WayT = TypeVar("WayT", bound=OneAlone)


@dataclass(slots=True)
class OneThing(OneAlone):
    """A way of doing one thing and ending the episode.

    Attributes:
        deed: What is done.
        ask: What is sent first, so that the things are seen; None where the reset shows them.
        end: What is sent at last.
        rest: How the others go; None where they stay.
    """

    deed: Deed
    ask: Action | None
    end: Action
    rest: Destroying | None = None

    @property
    def name(self) -> str:
        """For tables and records."""
        rest = "" if self.rest is None else f", {self.rest.name}: each other one"
        return f"{self.deed.called}: one {self.deed.among} alone{rest}, then {self.end}"

    @property
    def others_go(self) -> bool:
        """Whether the others are taken away."""
        return self.rest is not None

    @property
    def moves(self) -> str:
        """What the source says of it; empty where it says nothing."""
        return "" if self.rest is None else self.rest.moves

    def _fly(self, session: AuditSession, task: TaskOptions, least: float) -> dict[str, Episode]:
        (seen,) = seen_on(session, [task], self.ask)
        names = grouped(seen).get(self.deed.among, ())
        done = self._done(session, task, names, seen, least) if len(names) >= LEAST_NAMED else []
        found = {self.name: done[0].best} if done else {}
        if len(done) < LEAST_NAMED or not done[1].graded:
            return found
        one, other = done[:2]
        self.apart[session, seed_of(task)] = one.answer != other.answer
        both = [one.name, other.name]
        plans = [
            (BOTH, self._plan(names, [*one.right, *other.right], both)),
            (NOTHING, self._plan(names, [], [one.name])),
        ]
        if self.rest is not None:
            plans.append((STAYING, self._plan(names, one.right, names)))
        # Some ways are refused, and are as if nothing had been done: the one that costs most is a wrong one.
        lasts = other.wrong if self.rest is None else [[]]
        plans += [(PART, self._plan(names, [*one.right, *last], both)) for last in lasts]
        flown = session.plans("beside one thing", [(task, plan) for _, plan in plans])
        found |= {ANOTHER: other.best, WRONGLY: one.worst}
        for (role, _), episode in zip(plans, flown, strict=True):
            if role not in found or total(episode) < total(found[role]):
                found[role] = episode
        if as_a_share(total(done[0].best), paid_of(found), others_go=self.rest is not None) and (
            total(done[0].best) < FULL - ROUNDING
        ):
            every = self.fly_all(session, task)
            found |= {} if every is None else {ALL: every}
        return found

    def fly_all(self, session: AuditSession, task: TaskOptions) -> Episode | None:
        """All things done, each in the best way that is known; None where they are too many, or the others go."""
        (seen,) = seen_on(session, [task], self.ask)
        names = grouped(seen).get(self.deed.among, ())
        if self.rest is not None or not LEAST_NAMED <= len(names) <= MOST_ALL:
            return None
        tried = [t for name in names for t in self._tried(session, task, name, names, seen)]
        done = [action for each in tried for action in each.right]
        plan = self._plan(names, done, names)
        if len(tried) < len(names) or len(plan) > session.limit:
            return None
        (flown,) = session.plans("all of them", [(task, plan)])
        return flown

    def _done(
        self,
        session: AuditSession,
        task: TaskOptions,
        names: Sequence[JsonValue],
        seen: Observation,
        least: float,
    ) -> list[TriedThing]:
        """Some things, each done alone, those first of which it matters how they are done and that earn most."""
        done: list[TriedThing] = []
        likely = sorted(names, key=lambda name: not any(map(bool, joined(name, seen))))
        for name in likely[:MOST_THINGS]:
            done += self._tried(session, task, name, names, seen)
            good = [each.pay for each in done if each.graded]
            early = least > 0 and max(good, default=0.0) < least
            if early or (len(good) > 1 and min(good) >= max(each.pay for each in done)):
                break
        return sorted(done, key=lambda each: (not each.graded, -each.pay))

    def _tried(
        self,
        session: AuditSession,
        task: TaskOptions,
        name: JsonValue,
        names: Sequence[JsonValue],
        seen: Observation,
    ) -> Iterator[TriedThing]:
        """The best and the worst way of doing one thing alone; nothing where all were lost."""
        ways = self.deed.ways(session, name, seen)
        planned = [(way, self._plan(names, way, [name])) for way in ways]
        planned = [(way, plan) for way, plan in planned if len(plan) <= session.limit]
        plans = [(task, plan) for _, plan in planned]
        flown = session.plans("one thing alone", plans)
        pairs = [
            (way, e)
            for (way, _), e in zip(planned, flown, strict=True)
            if e.error is None and e.episode_return is not None
        ]
        if not pairs:
            return
        right, best = max(pairs, key=lambda pair: total(pair[1]))
        wrong = [way for way, e in pairs if total(e) <= EXPLAINED * total(best)]
        yield TriedThing(name, right, best, wrong, min((e for _, e in pairs), key=total))

    def _plan(
        self, names: Sequence[JsonValue], done: Sequence[Action], stay: Collection[JsonValue]
    ) -> list[Action]:
        """The actions: what is done, the others' going, and the end."""
        first = [] if self.ask is None else [self.ask]
        rest = self.rest
        going = [] if rest is None else [rest.place.put(n) for n in names if n not in stay]
        return [*first, *done, *going, self.end]

    def own(self, session: AuditSession, tasks: Sequence[TaskOptions]) -> bool:
        """Whether what is right of one thing is wrong of another on some task; one cause of all is one answer.

        Args:
            session: Where it was flown.
            tasks: On which.
        """
        return self.deed.value is None or any(self._apart(session, tasks))


@dataclass(frozen=True, slots=True)
class TriedThing:
    """One thing, done alone in several ways.

    Attributes:
        name: The thing's.
        right: What is sent in the best way.
        best: What came of that.
        wrong: What is sent in the ways that earn far less.
        worst: What came of the worst way.
    """

    name: JsonValue
    right: list[Action]
    best: Episode
    wrong: list[list[Action]]
    worst: Episode

    @property
    def pay(self) -> float:
        """What the best way earns."""
        return total(self.best)

    @property
    def answer(self) -> list[list[tuple[str, JsonValue]]]:
        """What is sent in the best way, but for the thing's name."""
        sent = [list(leaves(action)) for action in self.right]
        return [[(path, v) for path, v in each if v != self.name] for each in sent]

    @property
    def graded(self) -> bool:
        """Whether it matters how it is done."""
        return self.pay > 0 and total(self.worst) <= EXPLAINED * self.pay


def end_of(looks: FirstLooks, explored: Sequence[Episode]) -> Action | None:
    """An action that may end an episode: one that does at once, or the last one of what was explored; None without."""
    longest = max((len(e.turns) for e in explored), default=0)  # which the time may have ended
    ended = [e for e in explored if e.error is None and 0 < len(e.turns) < longest and not e.cut]
    lasts = [e.turns[-1] for e in ended]
    found = [*looks.ends, *(turn.action for turn in lasts if turn.done and turn.action)]
    return next(iter(found), None)


def one_is_enough(start: Beginnings) -> bool:
    """Whether the environment says, where its episodes begin or in what is written beside it, that one is enough.

    Args:
        start: How its episodes begin.
    """
    shown = (text for _, seen in start.looks.shown for text in spoken(seen))
    return any(map(SUFFICES.search, shown)) or any(map(asks_for_one, start.session.spoken))


def asks_for_one(sentence: str) -> bool:
    """Whether a sentence of the README or of a docstring asks for no more than one thing of several."""
    return any(asked.search(sentence) for asked in (ASKED, NO_MORE))


def uncounted_rows(
    start: Beginnings, flown: Survey, explored: Sequence[Episode] = ()
) -> Iterator[SurveyRow]:
    """Rows of the first way of doing one thing alone that earns all there is on each task, after those beside it.

    Args:
        start: How the episodes of a row begin.
        flown: The survey.
        explored: What else was flown.
    """
    session, tasks = start.session, start.tasks
    most = MOST_POINTED if session.shares else MOST_STEPS
    way = first_shown(start, flown, explored, ways(start, explored), most)
    if way is not None:
        yield fly_habit(session, saying(session, way.end), tasks)
        yield from way.rows(session, tasks)


def first_shown(
    start: Beginnings,
    flown: Survey,
    explored: Sequence[Episode],
    tried: Iterable[WayT],
    most: int,
) -> WayT | None:
    """The first way of doing one thing alone that shows on each task that the others do not count; None without one.

    Where resets of one seed open different episodes, each flight of a way would meet other things.

    Args:
        start: How the episodes of a row begin.
        flown: The survey.
        explored: What else was flown.
        tried: The ways, made as they are asked for.
        most: Steps after which no other one is tried.
    """
    session, tasks = start.session, start.tasks
    if flown.drawn or EpisodeKeys(flown).turning or one_is_enough(start):
        return None
    known = (e for e in [*flown.episodes, *explored] if e.episode_return is not None)
    best = {seed: total(episode) for seed, episode in best_by_seed(known).items()}
    began = session.steps
    for way in tried:
        if session.steps - began >= most:
            return None
        if all(shows(session, task, way, best) for task in tasks) and way.own(session, tasks):
            return way
    return None


def ways(start: Beginnings, explored: Sequence[Episode]) -> Iterator[OneThing]:
    """The ways of doing one thing alone: what was paid first, then what the source points at, then any."""
    session, looks = start.session, start.looks
    end = end_of(looks, explored)
    if end is None and not session.shares:
        return  # each episode would go on to its limit
    end = session.space.idle() if end is None else end
    gone = destroying(session.space, session.shares)
    rests = [None, *(how for how in gone if how.moves), *(how for how in gone if not how.moves)]
    tried: set[str] = set()
    found, known = list(paid_deeds(session, explored)), set[str]()
    for ask, seen in looks.shown:
        groups = grouped(seen)
        if groups.keys() <= known:
            continue  # the reset shows these already
        known |= groups.keys()
        paid = [deed for deed in found if deed.among in groups]
        # What was paid after much else is mostly a detour.
        short = [deed for deed in paid if len(deed.steps) <= SHORT]
        long = [deed for deed in paid if len(deed.steps) > SHORT]
        single = list(plain_deeds(session, seen))
        plain = [*single, *led_deeds(session, seen, single)]
        plain.sort(key=lambda deed: unlikely(deed, session))
        partners = {
            among: [next(joined(name, seen), None) for name in groups.get(among, ())]
            for among in {deed.among for deed in single if deed.value is not None}
        }
        joins = [deed for deed in single if joins_two(deed, partners.get(deed.among, ()))]
        for deed in chain(joins, short, plain, long):
            for rest in rests:
                key = repr([rest and rest.name, deed.steps, deed.among])
                if key not in tried and (rest is None or rest.place.base != deed.steps[-1].action):
                    tried.add(key)
                    yield OneThing(deed, ask, end, rest)


def joins_two(deed: Deed, partners: Sequence[JsonValue]) -> bool:
    """Whether a deed takes the names of two things of which the same text is seen, for two things at least.

    Args:
        deed: It.
        partners: Of each of its things the one of which the same text is seen; None where there is none.
    """
    if deed.value is None or any(choices_of(option) for option in deed.value.options):
        return False
    takes = fits_in(deed.value)
    return sum(each is not None and takes(each) for each in partners) >= LEAST_NAMED


def shows(
    session: AuditSession,
    task: TaskOptions,
    way: OneAlone,
    best: dict[str, float],
) -> bool:
    """Whether a way of doing one thing alone shows on a task that the others do not count.

    Args:
        session: Where it is flown.
        task: Reset options, with the seed.
        way: The way.
        best: The best return that is known on each seed.
    """
    least = max(LEAST_GRADE, NEARLY * best.get(seed_of(task), 0.0))
    flights = way.fly(session, task, least)
    one = flights.get(way.name)
    if one is None or total(one) < least:
        return False
    return as_a_share(total(one), paid_of(flights), others_go=way.others_go)


def paid_of(flights: Mapping[str, Episode]) -> dict[str, float]:
    """What was earned, by what was done; without what was lost."""
    return {role: total(e) for role, e in flights.items() if e.error is None}


def as_a_share(one: float, paid: dict[str, float], *, others_go: bool) -> bool:
    """Whether pay is a share of what was chosen.

    Args:
        one: What one thing alone earns.
        paid: What else earns, by what was done.
        others_go: Whether the others are taken away.
    """
    asked = {ANOTHER, BOTH, PART, WRONGLY, NOTHING} | ({STAYING} if others_go else set())
    if not asked <= paid.keys():
        return False
    if min(paid[ANOTHER], paid[BOTH]) < NEARLY * one or paid[BOTH] > one / NEARLY:
        return False
    if any(paid[role] > EXPLAINED * one for role in LESS if role in asked):
        return False
    floor = paid[NOTHING] if others_go else paid[WRONGLY]
    least, most = (floor + share * (one - floor) for share in PART_OF)
    return least <= paid[PART] <= most


def uncounted(survey: Survey) -> Iterator[Suspicion]:
    """Ways of doing one thing alone that earn all there is, by all that was flown.

    Args:
        survey: What was flown, with the rows of :func:`uncounted_rows`.
    """
    for row in survey.of_kind(ONE_THING):
        others = {
            role: {seed_of(e.task): total(e) for e in known.ended}
            for name in row.needs
            if (known := survey.named(name)) is not None
            for role in [name.removeprefix(f"{row.name}: ")]
        }
        mine = {seed_of(e.task): e for e in row.ended}
        asked = [known for role, known in others.items() if role != ALL]
        common = [seed for seed in mine if all(seed in known for known in asked)]
        if len(common) < LEAST_SEEDS or not best_everywhere(row, survey):
            continue
        go = f"{row.name}: {STAYING}" in row.needs
        if not all(
            as_a_share(total(mine[s]), {r: k[s] for r, k in others.items() if s in k}, others_go=go)
            for s in common
        ):
            continue
        paid = {role: fmean(known.values()) for role, known in others.items() if known}
        beside = ", ".join(f"{pay:g} {role}" for role, pay in paid.items())
        least = min(map(total, row.ended))
        source = f"; {row.moves}" if row.moves else ""
        explained = (
            f"{row.name}: earns {least:g} or more on each of {len(row.ended)} seeds, the best that is known, "
            f"although the other things were not done; and on average {beside}{source}"
        )
        # Where nobody knows the full mark, there may be more to earn than what is known, such as for all of them.
        whole = earns_all(row) or bool(survey.of_kind(REFERENCE)) or no_more(mine, others.get(ALL))
        severity = None if whole else Severity.SUSPICIOUS
        witness = min(row.ended, key=total)
        yield Suspicion(UNCOUNTED, row, witness, explained, least + whole, severity)


def no_more(one: Mapping[str, Episode], every: Mapping[str, float] | None) -> bool:
    """Whether all things done earn what one alone does, on enough seeds: then nothing is left to be earned by more.

    Args:
        one: What came of one thing alone, by its seed.
        every: What all of them earn.
    """
    pairs = [(total(e), every[seed]) for seed, e in one.items() if every and seed in every]
    return len(pairs) >= LEAST_SEEDS and all(
        NEARLY * alone <= whole <= alone + ROUNDING for alone, whole in pairs
    )
