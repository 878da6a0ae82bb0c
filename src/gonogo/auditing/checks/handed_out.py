"""Answers that are handed out, also where nobody is known to succeed.

:mod:`gonogo.auditing.checks.leakage` asks later whether a copy of any value is the answer. This asks early, of the few
values that are told beside the task, and it can send a choice that only holds the value among its words.

Some values are told beside the task: the state and the metadata are no part of it, and what is called the truth or the
expected answer is none that an agent should see before it answers. Each such value is sent back in the field that it
fits: the value, or the one choice whose words hold it, as ``mark_spam`` holds ``spam``. A value of the observation is
copied anew at every turn, one of the state or metadata after the reset.

It is an answer if all of this holds: the copy earns the best that is known on nearly every seed, all that does not
look earns far less, and so does the copy of another case's value. A value that is merely shown in other words is left
out: one that the observation's texts tell, or that goes one to one with another value of the observation. A value that
is shown by a name that promises nothing may be what the task asks to be copied, so it is not tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from gonogo.auditing.checks.leakage import fits_in
from gonogo.auditing.checks.paid import LEAST_GRADE, NEARLY
from gonogo.auditing.resets import Opening, at, inside, is_seen, key_of, unsteady, values_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, fly_habit, seed_of, succeeded, total
from gonogo.auditing.suspicions import EXPLAINED, MOSTLY, NOT_TRYING, Suspicion
from gonogo.exploits.panel import Habit, Kind
from gonogo.exploits.witness import actions_of
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import EACH, ActionField, choices_of
from gonogo.rollouts.types import View
from gonogo.wire import Action, JsonValue, TaskOptions

HANDED, SHIFTED = "handed out", "handed out to another"
"""Kinds of the row that copies a value, and of the one that sends another case's."""
READERS = frozenset({Kind.ECHO, Kind.OBEY, Kind.GUESS, Kind.SHOTGUN, Kind.EMPTYING})
"""Kinds of habits that may send what they saw."""
MOST_COPIES = 8
REPEATED = 3
LEAST_EPISODES = 4
LEAST_BLIND = 3
"""Policies that do not look, with which a copy has to be compared."""
WORD = re.compile(r"[a-z]+|\d+")
TRUTHS = frozenset({"truth", "groundtruth", "gold", "oracle", "solution"})
TELLING = frozenset({"expected", "correct", "true", "right", "ideal", "reference", "hidden"})
ANSWERS = frozenset({
    "answer", "action", "decision", "label", "response", "output", "class", "category", "choice", "priority", "verdict",
    "intent", "risk", "severity", "move", "result", "key", "value",
})  # fmt: skip
"""Words of names: the first promise the answer alone, the others only together, as in ``expected_answer``."""


def words_of(text: str) -> list[str]:
    """The words and numbers of a text or name, also of one in camel case."""
    return WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower())


def names_answer(path: str) -> bool:
    """Whether the last name of a path says that the answer stands there."""
    said = words_of(path.rpartition(".")[2])
    return bool(TRUTHS & set(said)) or bool(
        (said and said[0] in TELLING and ANSWERS & set(said[1:])) or said == ["answer", "key"]
    )


@dataclass(frozen=True, slots=True)
class Fit:
    """What a field of the action takes of a value.

    Attributes:
        field: The field.
        choices: Those that it names; empty where it takes anything.
    """

    field: ActionField
    choices: tuple[JsonValue, ...]

    @classmethod
    def of(cls, field: ActionField, known: Sequence[JsonValue]) -> Fit:
        """The fit of a field, with values that are known for it beside its schema."""
        said = [choice for option in field.options for choice in choices_of(option)]
        texts = [value for value in known if isinstance(value, str)]
        return cls(field, tuple(said or texts))

    def sent(self, value: JsonValue) -> JsonValue:
        """What is sent for a value: itself, or the choice whose words hold it with fewest others; None without one."""
        if value is None or isinstance(value, dict):
            return None
        if not self.choices:
            return value if fits_in(self.field)(value) else None
        for choice in self.choices:
            if key_of(choice) == key_of(value):
                return choice
        if not isinstance(value, str) or not (said := words_of(value)):
            return None
        holding = [
            (len(words), choice)
            for choice in self.choices
            if isinstance(choice, str) and holds(words := words_of(choice), said)
        ]
        fewest = min((size for size, _ in holding), default=0)
        best = [choice for size, choice in holding if size == fewest]
        return best[0] if len(best) == 1 else None


def holds(words: Sequence[str], said: Sequence[str]) -> bool:
    """Whether some words stand together in a list of words."""
    size = len(said)
    return any(list(words[n : n + size]) == list(said) for n in range(len(words) - size + 1))


@dataclass(frozen=True, slots=True)
class Handed:
    """A value that is sent back as the answer.

    Attributes:
        path: Where it stands.
        fit: What is sent for it.
    """

    path: str
    fit: Fit

    @property
    def name(self) -> str:
        """For tables and records."""
        return f"{self.fit.field.name}: {self.path} sent back"

    def action(self, value: JsonValue, idle: Action) -> Action:
        """What is sent for a value; idle where it fits nothing."""
        sent = self.fit.sent(value)
        return idle if sent is None else self.fit.field.put(sent)

    def row(self, session: AuditSession, tasks: Sequence[TaskOptions]) -> SurveyRow:
        """The copy, flown: at each turn anew where the agent sees it, else what the reset tells."""
        idle = session.space.idle()
        if is_seen(self.path):

            def choose(view: View, last: Action | None) -> Action:
                return self.action(at(view.observation, self.path), idle)

            habit = Habit(self.name, Kind.ECHO, choose, self.fit.field.name)
            return self.kept(fly_habit(session, habit, tasks))
        plans = [
            (opening.task, [self.action(values_of(opening).get(self.path), idle)])
            for opening in session.openings(tasks)
            if opening is not None
        ]
        episodes = session.plans(self.name, plans) if plans else []
        return self.kept(SurveyRow(self.name, HANDED, episodes, self.fit.field.name))

    def kept(self, row: SurveyRow) -> SurveyRow:
        """The row as one of what is handed out, which is flown so again."""

        def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
            return self.row(session, tasks)

        return replace(row, kind=HANDED, again=again)


def handed_rows(
    session: AuditSession, flown: Survey, tasks: Sequence[TaskOptions]
) -> Iterator[SurveyRow]:
    """Rows that send back what is told beside the task, each that does well with one that sends another case's.

    Args:
        session: Where.
        flown: The survey.
        tasks: Reset options of a row's episodes.
    """
    if flown.broken_off or not flown.idle.ended:
        return
    chosen = list(copies(session, flown, tasks))[:MOST_COPIES]
    session.part.expect(len(chosen))
    for copy in chosen:
        row = copy.row(session, tasks)
        yield row
        if does_well(row, flown):
            yield shifted(session, row)


def copies(session: AuditSession, flown: Survey, tasks: Sequence[TaskOptions]) -> Iterator[Handed]:
    """What is told beside the task and fits a field, those first whose names promise the answer."""
    known = session.values
    fits = [
        Fit.of(leaf, known.get(leaf.name, ()))
        for leaf in session.space.leaves()
        if EACH not in leaf.path
    ]
    found = session.openings(tasks)
    dropped = unsteady(found[:REPEATED], session.openings(tasks[:REPEATED]))
    openings = [opening for opening in found if opening is not None]
    told = [*seen_values(flown), *hidden_values(openings, dropped)]
    for path, values in sorted(told, key=lambda each: not names_answer(each[0])):
        for fit in fits:
            sent = [fit.sent(value) for value in values if value is not None]
            # A text of any kind fits a field for any text: only a name tells such values apart.
            told_apart = bool(fit.choices) or names_answer(path)
            if told_apart and None not in sent and len({key_of(value) for value in sent}) > 1:
                yield Handed(path, fit)


def seen_values(flown: Survey) -> Iterator[tuple[str, list[JsonValue]]]:
    """The values that idling sees by a name that promises the answer, at whatever turn."""
    found: dict[str, list[JsonValue]] = {}
    for episode in flown.idle.ended:
        for turn in episode.turns:
            for path, value in inside(turn.observation).items():
                if names_answer(path):
                    found.setdefault(path, []).append(value)
    yield from found.items()


def hidden_values(
    openings: Sequence[Opening], dropped: set[str]
) -> Iterator[tuple[str, list[JsonValue]]]:
    """The values of state and metadata that every reset tells, and that the observation does not."""
    held = [values_of(opening) for opening in openings]
    if not held:
        return
    seen = [{p: v for p, v in values.items() if is_seen(p)} for values in held]
    for path in held[0]:
        values = [each.get(path) for each in held]
        if is_seen(path) or path in dropped or None in values:
            continue
        if not (told_in_words(values, seen) or told_one_to_one(values, seen)):
            yield path, values


def told_in_words(values: Sequence[JsonValue], seen: Sequence[dict[str, JsonValue]]) -> bool:
    """Whether the texts that are seen name each case's value, and not as well the values of the others."""
    texts = [
        words_of(" ".join(str(v) for p, v in shown.items() if not isinstance(v, dict | list)))
        for shown in seen
    ]
    own, other = [], []
    for n, value in enumerate(values):
        said = words_of(str(value))
        own.append(holds(texts[n], said))
        others = [words_of(str(v)) for v in values if key_of(v) != key_of(value)]
        other += [holds(texts[n], words) for words in others]
    return fmean(own) >= MOSTLY and (not other or fmean(other) < 1 - EXPLAINED)


def told_one_to_one(values: Sequence[JsonValue], seen: Sequence[dict[str, JsonValue]]) -> bool:
    """Whether another value that is seen goes with it one to one, as a category's number does with its name."""
    mine = [key_of(value) for value in values]
    if len(set(mine)) == len(mine):
        return any(mine == [key_of(s.get(p)) for s in seen] for p in seen[0])
    for path in seen[0]:
        theirs = [key_of(shown.get(path)) for shown in seen]
        if len(set(theirs)) == len(set(mine)) == len(set(zip(mine, theirs, strict=True))):
            return True
    return False


def shifted(session: AuditSession, row: SurveyRow) -> SurveyRow:
    """A copy's episodes with another case's value at each turn: the next one that was sent, and differs."""

    def again(session: AuditSession, _: Sequence[TaskOptions], flown: Survey) -> SurveyRow:
        return shifted(session, flown.named(row.name) or replace(row, episodes=[]))

    sent = [action for e in row.ended for action in actions_of(e.turns)]
    plans, place = [], 0
    for episode in row.ended:
        actions = actions_of(episode.turns)
        plans.append((episode.task, [another(sent, place + n) for n in range(len(actions))]))
        place += len(actions)
    plans = [(task, plan) for task, plan in plans if plan]
    name = f"{row.name}, another case's"
    episodes = session.plans(name, plans) if plans else []
    made = SurveyRow(name, SHIFTED, episodes, row.field, about=row.name)
    return replace(made, again=again, needs=(row.name,))


def another(sent: Sequence[Action], place: int) -> Action:
    """The next action after a place, in a circle, that differs from the one there."""
    after = [*sent[place + 1 :], *sent[:place]]
    return next((action for action in after if action != sent[place]), sent[place])


def worth_of(flown: Survey) -> Callable[[Episode], float]:
    """What an episode is worth: whether it succeeds where that is known and somebody does, else what it is paid."""
    by_success = not flown.doubtful and flown.tells_success and any(map(succeeded, flown.episodes))
    return (lambda episode: float(succeeded(episode))) if by_success else total


def does_well(row: SurveyRow, flown: Survey) -> bool:
    """Whether a copy earns the best that is known on nearly every seed, and what does not look far less."""
    worth = worth_of(flown)
    mine = {seed_of(e.task): worth(e) for e in row.ended}
    if len(mine) < LEAST_EPISODES or fmean(mine.values()) < LEAST_GRADE:
        return False
    best: dict[str, float] = {}
    for other in flown.rows:
        for episode in other.ended if other.kind not in {HANDED, SHIFTED} else ():
            seed = seed_of(episode.task)
            best[seed] = max(best.get(seed, worth(episode)), worth(episode))
    as_well = [value >= NEARLY * best.get(seed, value) for seed, value in mine.items()]
    blind = [
        r
        for r in flown.of_kind(*NOT_TRYING - READERS)
        if r.context is None and any(seed_of(e.task) in mine for e in r.ended)
    ]
    if len(blind) < LEAST_BLIND or fmean(as_well) < MOSTLY:
        return False
    return all(far_less(other, mine, worth) for other in blind)


def far_less(row: SurveyRow, mine: dict[str, float], worth: Callable[[Episode], float]) -> bool:
    """Whether a row earns far less than a copy does on the seeds that both flew; not where they share none."""
    pairs = [(worth(e), mine[s]) for e in row.ended if (s := seed_of(e.task)) in mine]
    return bool(pairs) and fmean(a for a, _ in pairs) <= EXPLAINED * fmean(b for _, b in pairs)


def handed_out(flown: Survey) -> Iterator[Suspicion]:
    """Copies of what is told beside the task that are the answer.

    Args:
        flown: What was flown, with the rows of :func:`handed_rows`.
    """
    worth = worth_of(flown)
    for row in flown.of_kind(HANDED):
        control = next((r for r in flown.of_kind(SHIFTED) if r.about == row.name), None)
        if control is None or not does_well(row, flown):
            continue
        mine = {seed_of(e.task): worth(e) for e in row.ended}
        if not far_less(control, mine, worth):
            continue
        own, other, size = fmean(mine.values()), fmean(map(worth, control.ended)), len(mine)
        well = f"earns {own:g} on average over {size} seeds, at least as much as the best that is known"
        if worth is not total:
            well = f"succeeds on {own:.0%} of {size} seeds, as often as the best that is known"
        said = (
            f"{row.name}: {well}; with another case's value it is {other:g}, and far less for whoever does not read "
            "the value"
        )
        best = max(row.ended, key=worth)
        yield Suspicion("leaked_answer", row, best, said, own - other, rests=worth is not total)
