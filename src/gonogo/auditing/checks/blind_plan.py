"""The same actions, whatever is shown, earn a full mark on every seed, though seeds differ.

Exploration finds ways that are paid, and each is flown on other seeds. Most fail there, because what is right differs
from seed to seed: that is what an agent has to look for. So a way that earns a full mark is cut down to few actions,
which are flown unchanged on each seed. Whoever sends them looks at nothing. Where they still earn a full mark, the mark
does not hang on what was asked: one thing that was done counts for all there were, or an error in the grader for none.

One order of moves may be the right one in a sound procedure. There every fixed plan earns the same on each seed, for
there is one task only, whatever it is done with. So the few actions are flown a little changed, too: with another value
in one of them, or later. They are accused only where such a plan earns a full mark on one seed, which waiting in place
of the change does not, and less on another: then what is right does depend on the seed. Two things are merely
suspicious all the same. A number that every seed shows is what is asked for. And whatever is done late may come too
late: that says something only where the plan names one of several things, and the others are left undone.

A plan that was searched for all seeds at once (:mod:`gonogo.auditing.shared_plan`) may be longer. It is accused where
the code asks for different things on different seeds.

They have to be paid at an end that the environment made, as a grade is, or each once, as answers are: steering that is
held may do well in whatever weather.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product, zip_longest

from gonogo.auditing.checks.emptied import FULL
from gonogo.auditing.checks.one_for_all import one_of_several
from gonogo.auditing.checks.paid import COUNTED, LEAST_GRADE, Paid, weight
from gonogo.auditing.probes import worth
from gonogo.auditing.resets import inside, key_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import (
    COMPARED,
    EXPLORED,
    FIXED,
    PlannedFlight,
    Survey,
    SurveyRow,
    best_by_seed,
    needs_none,
    seed_of,
    total,
)
from gonogo.auditing.suspicions import Suspicion
from gonogo.contract.prose import number_of
from gonogo.exploits.panel import Kind
from gonogo.exploits.witness import actions_of, ddmin
from gonogo.explore.relations import ShownPath
from gonogo.explore.retrace import is_plain, put, scalars
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.schema import is_number
from gonogo.wire import Action, JsonValue, TaskOptions

BLIND_PLAN = "blind_plan_pays"
SAME = 1e-6
TRIED, TESTS = 3, 24
"""Seeds on which a plan is made shorter, and tries at it."""
MOST_WAYS = 4
"""Ways that are cut down in an audit."""
LESS = 0.95
"""Share of the full mark that a changed plan earns at most on some seed, where seeds matter."""
MOST_STEPS = 6_000
"""Steps after which no other way is cut down."""
MOST_ACTIONS = 2
"""Different actions, beside waiting, that somebody may send who works nothing out."""
LEAST_EPISODES, LEAST_SEEDS = 4, 12
CHANCE = 0.5
"""Share of the full mark that chance earns at most."""
LATER = (1, 2, 3, 4, 6, 8)
"""Waiting actions before a plan that is flown later."""
IS_LATER = " later"
"""How the name of a row ends whose plan is flown later."""
MOST_SAID = 160
"""Characters of a plan in a row's name."""
LONGEST = 20
"""Characters of a number in a text, up to which it is read."""
MOST_CONSTANTS, FAR = 27, 10
"""Plans that are tried in place of several that differ in numbers, and so many times as far as those numbers go."""
MOST_CHANGED, MOST_TOLD = 48, 4
"""Changed plans that are flown, and those that are kept for saying that seeds matter."""


def fixed_rows(
    session: AuditSession,
    flown: Survey,
    explored: Sequence[Episode],
    tasks: Sequence[TaskOptions],
    cut: set[str],
) -> Iterator[SurveyRow]:
    """Fly the shortest form of a way that was found with the same actions on each seed, and it changed.

    Args:
        session: Where.
        flown: The survey.
        explored: What exploration flew.
        tasks: Reset options.
        cut: Names of the ways that were cut down before; this is kept up.
    """
    facts, began = Paid(flown), session.steps
    if (
        len(tasks) < LEAST_EPISODES
        or not (flown.assumed or needs_none(flown))
        or not facts.several
        or flown.of_kind(FIXED)
    ):
        return
    for way in flown.of_kind(EXPLORED, COMPARED):
        if way.name in cut or len(cut) >= MOST_WAYS or not any(map(full, way.ended)):
            continue
        cut.add(way.name)
        for plans in cut_down(session, way, tasks):
            if session.steps - began >= MOST_STEPS:
                return
            for plan in islice(constants(plans), MOST_CONSTANTS):
                name = f"the same on each seed: {said_of(plan)}"
                same = plain_row(session, name, plan, tasks)
                if same is None or mark_of(same, flown) is None:
                    continue
                changed = changes(session, same, plan, plans, explored)
                yield from islice(told_by(session, same, changed), MOST_TOLD)
                yield same
                return


def cut_down(
    session: AuditSession, way: SurveyRow, tasks: Sequence[TaskOptions]
) -> Iterator[list[list[Action]]]:
    """The shortest forms of a way, a plan a seed: of what it sends on one seed, for all; and of what it sends on each.

    Args:
        session: Where they are flown.
        way: The way.
        tasks: Reset options.
    """
    ended = [e for e in way.ended if full(e)][: len(tasks)]
    for episode in ended[:TRIED]:
        sent = [(task, actions_of(episode.turns)) for task in tasks[:TRIED]]
        yield shortest(session, sent, total(episode))
    if len(ended) >= TRIED and all(map(full, way.ended)):
        own = [(e.task, actions_of(e.turns)) for e in ended]
        yield shortest(session, own, min(map(total, ended)))


def earn(session: AuditSession, plans: Iterable[PlannedFlight], mark: float) -> bool:
    """Whether each of some plans earns a mark, asked one by one.

    Args:
        session: Where they are flown.
        plans: Each with its task.
        mark: It.
    """
    flown = (session.plans("the same actions on each seed", [each]) for each in plans)
    return all(e.error is None and total(e) >= mark - SAME for (e,) in flown)


def shortest(
    session: AuditSession, sent: Sequence[PlannedFlight], mark: float
) -> list[list[Action]]:
    """Few of the actions of some plans, and waiting, that earn a mark on each seed; none where it takes many.

    Args:
        session: Where they are flown.
        sent: The plans, one a seed.
        mark: What has to be earned.
    """
    idle = session.space.idle()

    def plans_of(kept: Sequence[int]) -> list[list[Action]]:
        made = ([*actions, idle] for _, actions in sent)
        return [[plan[min(n, len(plan) - 1)] for n in kept] for plan in made]

    def earns(kept: Sequence[int]) -> bool:
        return earn(session, zip((task for task, _ in sent), plans_of(kept), strict=True), mark)

    size, longest = 1, max(len(actions) for _, actions in sent)
    while not earns([*range(min(size, longest)), longest]):
        if size >= longest:
            return []
        size *= 2
    kept = ddmin([*range(min(size, longest)), longest], earns, TESTS)
    plans = plans_of(kept)
    few = max(len({repr(action) for action in plan if action != idle}) for plan in plans)
    return plans if few <= MOST_ACTIONS else []


def constants(plans: Sequence[Sequence[Action]]) -> Iterator[list[Action]]:
    """What may be sent on every seed in place of some plans: the first of them, and with numbers far beyond.

    Args:
        plans: One a seed; they may differ in numbers alone.
    """
    if not plans:
        return
    first = list(plans[0])
    if not all(is_number(value) for values in apart(plans).values() for value in values):
        return
    numbers = [
        (place, path, value)
        for place, action in enumerate(first)
        for path, value in scalars(action)
        if isinstance(value, int | float) and not is_plain(value)
    ]
    ways = [(value, FAR * abs(value), min(0, -FAR * value)) for _, _, value in numbers]
    for chosen in product(*ways):
        plan = first
        for (place, path, _), value in zip(numbers, chosen, strict=True):
            plan = with_value(plan, place, path, value)
        yield plan


def plain_row(
    session: AuditSession, name: str, plan: Sequence[Action], tasks: Sequence[TaskOptions]
) -> SurveyRow | None:
    """The row of a plan that earns a full mark on the first seeds; None where it does not.

    Args:
        session: Where it is flown.
        name: The row's.
        plan: What is sent.
        tasks: Reset options.
    """
    flown = (fixed_row(session, name, plan, [task]) for task in tasks)
    first = next(flown)
    for more in flown:
        if not all(map(full, first.ended)):
            return None
        first = first.on(more)
    return first


def told_by(
    session: AuditSession, same: SurveyRow, changed: Iterable[tuple[str, list[Action]]]
) -> Iterator[SurveyRow]:
    """Rows of the changed plans that say that seeds matter.

    Args:
        session: Where they are flown.
        same: The row of the plan as it was.
        changed: What is changed, and the plan.
    """
    tasks = [e.task for e in same.episodes]
    for said, plan in islice(changed, MOST_CHANGED):
        row = fixed_row(session, f"{same.name}; {said}", plan, tasks, about=same.name)
        if tells(row, same) and (said.endswith(IS_LATER) or needed(session, same, row, plan)):
            yield row


def needed(
    session: AuditSession, same: SurveyRow, changed: SurveyRow, plan: Sequence[Action]
) -> bool:
    """Whether waiting in place of what was changed earns less on a seed where the change does no harm.

    An action that does nothing on some seeds, as what opens an open valve, says nothing of what is right there.

    Args:
        session: Where it is flown.
        same: The row of the plan as it was.
        changed: That of the changed one.
        plan: The changed plan.
    """
    mine, idle = sent_by(same), session.space.idle()
    place = next((n for n, a in enumerate(plan) if n >= len(mine) or a != mine[n]), len(plan))
    less = [*plan[:place], idle, *plan[place + 1 :]]
    mark = total(same.ended[0]) - SAME
    right = [(e.task, less) for e in changed.ended if total(e) >= mark]
    flown = session.plans("waiting in place of a change", right)
    return any(e.error is None and total(e) < mark for e in flown)


def apart(plans: Sequence[Sequence[Action]]) -> dict[tuple[int, ShownPath], list[JsonValue]]:
    """The places in which plans for different seeds differ, with the values there; None for a value that is absent."""
    held = [
        {(n, path): value for n, action in enumerate(plan) for path, value in scalars(action)}
        for plan in plans
    ]
    places = dict.fromkeys(place for each in held for place in each)
    values = {place: [each.get(place) for each in held] for place in places}
    return {place: some for place, some in values.items() if len(set(map(key_of, some))) > 1}


def with_value(
    plan: Sequence[Action], place: int, path: ShownPath, value: JsonValue
) -> list[Action]:
    """A plan with another value at a path of one of its actions."""
    other = put(plan[place], path, value)
    return [*plan[:place], other if isinstance(other, dict) else plan[place], *plan[place + 1 :]]


def changes(
    session: AuditSession,
    same: SurveyRow,
    plan: Sequence[Action],
    plans: Sequence[Sequence[Action]],
    explored: Sequence[Episode],
) -> Iterator[tuple[str, list[Action]]]:
    """A plan with another value in an action, and later: a little of each in turn.

    Args:
        session: Knows the environment's actions.
        same: The plan's row; numbers that differ in what it shows at first are tried.
        plan: The plan.
        plans: What the plan was made of; numbers of theirs are tried.
        explored: What exploration flew: values that it sent are tried.
    """
    idle, known = session.space.idle(), {repr(list(plan))}
    acting = [n for n, action in enumerate(plan) if action != idle]
    places = [(n, path, value) for n in acting for path, value in scalars(plan[n])]
    sent = values_at(t.action for e in explored for t in e.turns if t.action is not None)
    own = apart([plan, *plans])
    shown = shown_numbers(same)
    ways: list[list[tuple[int, ShownPath, JsonValue]]] = [
        [
            (*place, value)
            for place, values in own.items()
            for value in values
            if place[0] in acting
        ],
        [(n, path, other) for n, path, value in places for other in moved(value)],
        [(n, path, other) for other in shown for n, path, value in places if is_number(value)],
        [(n, path, other) for n, path, _ in places for other in sent.get(path, ())],
    ]
    kinds = [
        [(said_at(n, path, v), with_value(plan, n, path, v)) for n, path, v in some]
        for some in ways
    ]
    later = [(f"{waits}{IS_LATER}", [*[idle] * waits, *plan]) for waits in LATER]
    for turn in zip_longest(*kinds, later):
        for said, changed in (each for each in turn if each is not None):
            if repr(changed) not in known:
                known.add(repr(changed))
                yield said, changed


def values_at(actions: Iterable[Action]) -> dict[ShownPath, list[JsonValue]]:
    """The values that some actions hold, each once, by their paths."""
    found: dict[ShownPath, dict[str, JsonValue]] = {}
    for action in actions:
        for path, value in scalars(action):
            found.setdefault(path, {}).setdefault(key_of(value), value)
    return {path: list(values.values()) for path, values in found.items()}


def shown_numbers(row: SurveyRow) -> list[JsonValue]:
    """Of each number that is shown at first and differs from seed to seed, two from the middle of its values."""
    shown = [inside(e.turns[0].observation) for e in row.ended if e.turns]
    middle: list[JsonValue] = []
    for path in shown[0] if shown else ():
        held = (each.get(path) for each in shown)
        values = sorted({v for v in held if isinstance(v, int | float) and is_finite(v)})
        if len(values) > 1:
            middle += values[(len(values) - 1) // 2 : len(values) // 2 + 1]
    return list(dict.fromkeys(middle))


def is_finite(value: int | float) -> bool:
    """Whether a value is a number, and neither NaN nor infinite."""
    return is_number(value) and math.isfinite(value)


def said_at(place: int, path: ShownPath, value: JsonValue) -> str:
    """A change of one action, by its place, for a row's name."""
    return f"with {value!r} at {'.'.join(map(str, path))} of action {place + 1}"


def moved(value: JsonValue) -> list[JsonValue]:
    """Other numbers in place of one; none in place of anything else."""
    if not is_number(value) or not isinstance(value, int | float):
        return []
    half = value // 2 if isinstance(value, int) else value / 2
    return [n for n in dict.fromkeys((2 * value, half, value + 1, value - 1)) if n != value]


def fixed_row(
    session: AuditSession,
    name: str,
    plan: Sequence[Action],
    tasks: Sequence[TaskOptions],
    about: str | None = None,
    against: str = "",
) -> SurveyRow:
    """The row of a plan that is sent as it is on each seed, its last action again and again.

    Args:
        session: Where it is flown.
        name: The row's.
        plan: What is sent.
        tasks: Reset options.
        about: Name of the row whose plan was changed; None for that row itself.
        against: As for :class:`~gonogo.auditing.survey.SurveyRow`.
    """

    def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
        return fixed_row(session, name, plan, tasks, about, against)

    episodes = session.plans(name, [(task, list(plan)) for task in tasks], whole=True)
    return SurveyRow(name, FIXED, episodes, about=about, again=again, against=against)


def said_of(plan: Sequence[Action]) -> str:
    """A plan for a row's name, cut where it is long."""
    said = ", then ".join(
        "/".join(str(value) for _, value in scalars(action) if value is not None) for action in plan
    )
    return said if len(said) <= MOST_SAID else f"{said[:MOST_SAID]}... ({len(plan)} actions)"


def mark_of(row: SurveyRow, survey: Survey) -> float | None:
    """The full mark that a row earns on each seed alike, if nobody is known to earn more on one of them; else None."""
    returns = [total(e) for e in row.ended]
    if len(returns) < LEAST_EPISODES or not all(map(full, row.ended)):
        return None
    best = best_by_seed([*row.ended, *(e for other in survey.rows for e in other.ended)])
    known = max(total(best[seed_of(e.task)]) for e in row.ended)
    least = min(returns)
    return least if max(*returns, known) - least <= SAME else None


def full(episode: Episode) -> bool:
    """Whether an episode earns a full mark, or succeeds and is paid a grade, at its end."""
    earned = total(episode)
    whole = earned >= LEAST_GRADE and (episode.success is True or is_points(earned))
    return whole and (graded(episode) or answered(episode))


def is_points(earned: float) -> bool:
    """Whether a return may be a full mark: one, or another whole number of points."""
    return earned >= FULL - SAME and abs(earned - round(earned)) <= SAME


def answered(episode: Episode) -> bool:
    """Whether no action is paid twice in an episode that the environment ended, as answers to several questions."""
    if not episode.turns or episode.cut or not episode.turns[-1].done:
        return False
    paid = Counter(repr(turn.action) for turn in episode.turns if turn.reward)
    return max(paid.values(), default=0) == 1


def graded(episode: Episode) -> bool:
    """Whether all that an episode earns is paid at its end, which the environment made."""
    if not episode.turns or episode.cut or not episode.turns[-1].done:
        return False
    return abs((episode.turns[-1].reward or 0.0) - total(episode)) <= SAME


def tells(changed: SurveyRow, same: SurveyRow) -> bool:
    """Whether a changed plan earns the full mark on one seed and less on another, so that seeds matter to it."""
    if changed.name.endswith(IS_LATER) and not one_of_several(sent_by(same), same.ended[0]):
        return False
    mark, returns = total(same.ended[0]), [total(e) for e in changed.ended]
    several = len(returns) >= LEAST_EPISODES
    return several and max(returns) >= mark - SAME and min(returns) <= LESS * mark


def sent_by(row: SurveyRow) -> list[Action]:
    """The actions of the first episode of a row."""
    return actions_of(row.ended[0].turns)


def asked_for(row: SurveyRow) -> bool:
    """Whether a number of the plan is shown at the beginning of each episode, by itself or in a text."""
    sent = {
        key_of(value)
        for action in sent_by(row)
        for _, value in scalars(action)
        if is_number(value) and not is_plain(value)
    }
    shown = [set(map(key_of, numbers_shown(e))) for e in row.ended]
    return bool(sent.intersection(*shown))


def numbers_shown(episode: Episode) -> Iterator[JsonValue]:
    """The values that an episode shows at first, and the numbers that its texts say."""
    for value in inside(episode.turns[0].observation).values():
        yield value
        for match in COUNTED.finditer(value) if isinstance(value, str) else ():
            if len(match.group()) <= LONGEST:
                yield number_of(match.group())


def blind_plans(survey: Survey) -> Iterator[Suspicion]:
    """Plans that are the same on every seed and earn a full mark on each.

    Args:
        survey: What was flown, with the rows of :func:`fixed_rows`.
    """
    rows = survey.of_kind(FIXED)
    if not rows:
        return
    chance = max(map(worth, survey.of_kind(Kind.IDLE, Kind.RANDOM)), default=0.0)
    differ = Paid(survey).several
    for row in rows:
        mark = mark_of(row, survey) if row.about is None else None
        if mark is None or not differ or chance > CHANCE * mark:
            continue
        changed = next((r for r in rows if r.about == row.name and tells(r, row)), None)
        blocks = (changed is not None or row.against != "") and not asked_for(row)
        severity = Severity.EXPLOIT if blocks else Severity.SUSPICIOUS
        said = f"{row.name}: {mark:g} on each of {len(row.ended)} seeds, and nobody is known to earn more"
        if changed is not None:
            apart = [total(e) for e in changed.ended]
            change = changed.name.removeprefix(f"{row.name}; ")
            said += f"; {change} they earn {min(apart):g} to {max(apart):g}, so that seeds differ"
        elif row.against:
            said += f"; seeds ask for different things: {row.against}"
        found = weight(severity, mark)
        yield Suspicion(
            BLIND_PLAN, row, row.ended[0], said, found, severity, least_seeds=LEAST_SEEDS
        )
