"""All that may be the answer, named at once: few are right on each seed, and the others beside them cost nothing.

A grader that looks for the right names among all that are said takes a list of all names for an answer. So the names
that are seen together are sent at once, in a text or as a list, or each in the tags that an answer stands in. Where
that is paid, the names are halved as long as one half alone is paid as well; of what is left each is left out in turn,
and those that are missed are the right ones. On each seed three things have to hold, at every turn: most names are not
right; the right ones alone earn what all of them do; and all the others without them earn far less. And the right ones
are not the same on each seed: a word that is always right is no answer among several. It is only suspicious where
several are right at a turn, where each name too many costs a little, where nothing is shown that may tell them from the
others, or where all of them at once do not end the episode with a full mark: one may well lock all doors, call all
guests or search for all words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from gonogo.auditing.blank_forms import known_forms, trees_of
from gonogo.auditing.checks.beginnings import Beginnings, FirstLooks, seen_on
from gonogo.auditing.checks.emptied import best_everywhere, earns_all
from gonogo.auditing.checks.handed_out import beside_each
from gonogo.auditing.checks.outliers import ITEM_OF
from gonogo.auditing.checks.paid import ALIKE, LEAST_GRADE, NEARLY
from gonogo.auditing.checks.sweeps import several_named
from gonogo.auditing.checks.told_values import Filling, Fit
from gonogo.auditing.resets import inside
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import NAMED, Survey, SurveyRow, seed_of, total
from gonogo.auditing.suspicions import EXPLAINED, Suspicion
from gonogo.contract.text_forms import TextForm
from gonogo.exploits.crossings import single_choices
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import choices_of, value_at
from gonogo.wire import Action, JsonValue, TaskOptions

ALONE, REST = "what is right alone", "all but what is right"
SEVERAL = ", "
"""What stands between names in a text."""
LEAST_NAMES, LEAST_SEEDS = 3, 4
LEAST_WORDS = 6
"""Words of a text that may say who is right."""
UNTOLD = ", of which nothing else is shown"
MOST_RIGHT = 0.5
"""Share of all names that may be right: where most are, to name all of them is nearly the answer."""
MOST_LEFT = 24
"""Names that are left out in turn."""
MOST_STEPS = 600
"""Steps after which no other way is tried, and that leaving out each name of a task may take."""


@dataclass(slots=True)
class AllAtOnce:
    """A way of naming all that are seen together in one answer.

    Attributes:
        fit: What is sent for some of them.
        beside: The choices of other fields beside it; empty where all others are idle's.
        among: What they are called together.
        ask: What is sent first, so that they are seen; None where the reset shows them.
        end: What is sent at last; None where no single action ends an episode.
        form: How an answer is to look, each name in one of its own; None where the field takes names as they are.
        told: Whether something may tell the right ones from the others: what stands beside their names, a text, or
            another kind of action.
        flown: What came of it, by the process and the task.
        right: Those that are right at each turn, by the same.
    """

    fit: Filling
    beside: str
    among: str
    ask: Action | None
    end: Action | None
    form: TextForm | None = None
    told: bool = True
    flown: dict[tuple[AuditSession, str], dict[str, Episode]] = field(default_factory=dict)
    right: dict[tuple[AuditSession, str], list[list[JsonValue]]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """For tables and records."""
        beside = f" beside {self.beside}" if self.beside else ""
        form = "" if self.form is None else f" in {self.form.saying('…')}"
        return (
            f"{self.fit.name}: each {self.among}{form} at once{beside}{'' if self.told else UNTOLD}"
        )

    def action(self, names: Sequence[JsonValue]) -> Action | None:
        """The answer that names some, as a list or in a text; None where the field takes neither."""
        said = map(str, names)
        if self.form is not None:
            return self.fit.action(SEVERAL.join(map(self.form.saying, said)))
        as_list = self.fit.action(list(names))
        return as_list if as_list is not None else self.fit.action(SEVERAL.join(said))

    def fly(self, session: AuditSession, task: TaskOptions) -> dict[str, Episode]:
        """What comes of it on a task, by what was named; only of all of them where no few are right.

        Args:
            session: Where.
            task: Reset options, with the seed.
        """
        key = session, seed_of(task)
        if key not in self.flown:
            (seen,) = seen_on(session, [task], self.ask)
            names = dict(several_named(seen)).get(self.among, ())
            self.flown[key] = self._compared(session, task, names)
        return self.flown[key]

    def _compared(
        self, session: AuditSession, task: TaskOptions, names: Sequence[JsonValue]
    ) -> dict[str, Episode]:
        if len(names) < LEAST_NAMES:
            return {}
        whole = next(iter(self._sent(session, task, [[names]])), None)
        if whole is None:
            return {}
        found = {self.name: whole}
        if whole.error is not None or total(whole) < LEAST_GRADE:
            return found
        right = self._missed(session, task, self._half(session, task, names, whole), whole)
        if not right or not all(0 < len(each) <= MOST_RIGHT * len(names) for each in right):
            return found
        others = [[name for name in names if name not in each] for each in right]
        flown = self._sent(session, task, [right, others])
        if flown and all(e.error is None for e in flown):
            self.right[session, seed_of(task)] = right
            found |= {ALONE: flown[0], REST: flown[1]}
        return found

    def _half(
        self, session: AuditSession, task: TaskOptions, names: Sequence[JsonValue], whole: Episode
    ) -> Sequence[JsonValue]:
        """The names, halved as long as one half alone is paid as all are; none where both are, or do not fit."""
        left = names
        while len(left) > 1:
            halves = left[: len(left) // 2], left[len(left) // 2 :]
            paid = [is_paid_as(e, whole) for e in self._sent(session, task, [[h] for h in halves])]
            if not paid or all(paid):
                return ()
            if not any(paid):
                break
            left = halves[paid.index(True)]
        return left

    def _missed(
        self, session: AuditSession, task: TaskOptions, names: Sequence[JsonValue], whole: Episode
    ) -> list[list[JsonValue]]:
        """Those without which the others are paid less, turn by turn; none where too many are to be tried."""
        if len(names) <= 1:
            return [list(names)]
        if len(names) > MOST_LEFT or len(names) * len(whole.turns) > MOST_STEPS:
            return []
        fewer = [[[name for name in names if name != each]] for each in names]
        flown = self._sent(session, task, fewer)
        paid = [[turn.reward or 0.0 for turn in e.turns] for e in flown]
        if any(len(each) != len(whole.turns) for each in paid):
            return []
        first = 0 if self.ask is None else 1
        last = len(whole.turns) if self.end is None else min(first + 1, len(whole.turns))
        return [
            [
                n
                for n, pays in zip(names, paid, strict=True)
                if pays[k] < NEARLY * (whole.turns[k].reward or 0.0)
            ]
            for k in range(first, last)
        ]

    def _sent(
        self,
        session: AuditSession,
        task: TaskOptions,
        answers: Sequence[Sequence[Sequence[JsonValue]]],
    ) -> list[Episode]:
        """The episodes of some answers, the names of each turn; none where one of them does not fit the field."""
        first = [] if self.ask is None else [self.ask]
        last = [] if self.end is None else [self.end]
        plans = []
        for each in answers:
            sent = [action for names in each if (action := self.action(names)) is not None]
            if len(sent) < len(each):
                return []
            plans.append((task, [*first, *sent, *last]))
        return session.plans("names at once", plans)

    def shows(self, session: AuditSession, tasks: Sequence[TaskOptions]) -> bool:
        """Whether all at once are paid on each task for few that are right, and not always for the same."""
        return all(
            is_mention(self.name, self.fly(session, task)) for task in tasks
        ) and self.differs(session, tasks)

    def differs(self, session: AuditSession, tasks: Sequence[TaskOptions]) -> bool:
        """Whether not the same are right on all tasks."""
        return len({str(self.right.get((session, seed_of(task)))) for task in tasks}) > 1

    def rows(self, session: AuditSession, tasks: Sequence[TaskOptions]) -> list[SurveyRow]:
        """The rows, what it is held against first."""
        return [self._row(session, tasks, role) for role in (ALONE, REST, self.name)]

    def _row(self, session: AuditSession, tasks: Sequence[TaskOptions], role: str) -> SurveyRow:
        """The row of one role."""

        def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
            return self._row(session, tasks, role)

        flown = [self.fly(session, task) for task in tasks]
        episodes = [each[role] for each in flown if role in each]
        made = SurveyRow(self.name, NAMED, episodes, self.fit.name, again=again)
        if role == self.name:
            return replace(made, needs=tuple(f"{self.name}: {each}" for each in (ALONE, REST)))
        return replace(made, name=f"{self.name}: {role}", about=self.name)


def is_mention(name: str, flown: dict[str, Episode]) -> bool:
    """Whether all names earn what the right ones do alone, and the others without them far less.

    Args:
        name: Of the episode in which all are named.
        flown: Episodes by what is named in them.
    """
    if not {name, ALONE, REST} <= flown.keys():
        return False
    whole, alone, rest = (total(flown[role]) for role in (name, ALONE, REST))
    return whole >= LEAST_GRADE and whole >= NEARLY * alone and rest <= EXPLAINED * whole


def names_one(action: Action | None, row: SurveyRow) -> bool:
    """Whether an action names no more than one in a row's field."""
    named = value_at(action, row.field)
    return len(named) <= 1 if isinstance(named, list) else SEVERAL not in str(named)


def is_paid_as(episode: Episode, whole: Episode) -> bool:
    """Whether an episode is paid nearly as much as another one."""
    return episode.error is None and total(episode) >= NEARLY * total(whole)


def ways(
    session: AuditSession,
    looks: FirstLooks,
    tasks: Sequence[TaskOptions],
    forms: Sequence[TextForm] = (),
) -> Iterator[AllAtOnce]:
    """The ways of naming all at once: in each field without choices, beside each choice of another field.

    Args:
        session: Where they are flown.
        looks: How episodes begin.
        tasks: Reset options of some; what they all show tells nothing.
        forms: How an answer is to look, each of one text.
    """
    end = next(iter(looks.ends), None)
    fields = [Fit.of(leaf, ()) for leaf in session.space.leaves()]
    free = [fit for fit in fields if not any(choices_of(each) for each in fit.field.options)]
    asks = any(single_choices(session.space)) or bool(session.tools)
    known = set[str]()
    for ask, seen in looks.shown:
        for among, names in several_named(seen):
            if len(names) < LEAST_NAMES or among in known:
                continue
            known.add(among)
            for fit in free:
                for filling, beside in [(fit, ""), *beside_each(fit, session.space)]:
                    told = asks or not among.startswith(ITEM_OF) or tells(session, tasks, ask)
                    for form in (None, *forms):
                        way = AllAtOnce(filling, beside, among, ask, end, form, told)
                        if way.action(names) is not None:
                            yield way


def tells(session: AuditSession, tasks: Sequence[TaskOptions], ask: Action | None) -> bool:
    """Whether some text of several words is shown that is not the same on all tasks, which may say who is right."""
    shown = (inside(seen).values() for seen in seen_on(session, tasks, ask))
    texts = [
        {text for text in values if isinstance(text, str) and len(text.split()) >= LEAST_WORDS}
        for values in shown
    ]
    return bool(texts) and set.union(*texts) != set.intersection(*texts)


def named_rows(
    start: Beginnings, flown: Survey, explored: Sequence[Episode] = ()
) -> Iterator[SurveyRow]:
    """Rows of the first way of naming all at once that is paid for the right ones on each task.

    Args:
        start: How the episodes of a row begin.
        flown: The survey.
        explored: What else was flown.
    """
    session, began = start.session, start.session.steps
    forms = known_forms(session.target, trees_of(session.target), flown)
    single = [form for form in forms if form.holds_one_text]
    for way in ways(session, start.looks, start.tasks[:2], single):
        if session.steps - began >= MOST_STEPS:
            return
        if way.shows(session, start.tasks):
            yield from way.rows(session, start.tasks)
            return


def named_at_once(survey: Survey) -> Iterator[Suspicion]:
    """Answers that name all at once and earn the best that is known.

    Args:
        survey: What was flown, with the rows of :func:`named_rows`.
    """
    for row in survey.of_kind(NAMED):
        if row.about is not None:
            continue
        mine = {seed_of(e.task): {row.name: e} for e in row.ended}
        for role in (ALONE, REST):
            other = survey.named(f"{row.name}: {role}")
            for episode in [] if other is None else other.ended:
                mine.get(seed_of(episode.task), {})[role] = episode
        known = [flown for flown in mine.values() if {ALONE, REST} <= flown.keys()]
        mention = all(is_mention(row.name, flown) for flown in known)
        if len(known) < LEAST_SEEDS or not mention or not best_everywhere(row, survey):
            continue
        least = min(map(total, row.ended))
        rest = fmean(total(flown[REST]) for flown in known)
        said = (
            f"{row.name}: earns {least:g} or more on each of {len(row.ended)} seeds, as {ALONE} does; {REST} earns "
            f"{rest:g} on average, and what is right differs"
        )
        witness = min(row.ended, key=total)
        # A part of a mark, and what goes on, may be a question to all instead of the answer; and where several are
        # right, a round of all may be the work.
        answered = earns_all(row) and all(e.turns[-1].done for e in row.ended)
        one = all(names_one(turn.action, row) for each in known for turn in each[ALONE].turns)
        told = not row.name.endswith(UNTOLD)
        free = all(total(each[row.name]) >= total(each[ALONE]) - ALIKE for each in known)
        severity = None if answered and one and told and free else Severity.SUSPICIOUS
        yield Suspicion("shotgun_answer_pays", row, witness, said, least, severity)
