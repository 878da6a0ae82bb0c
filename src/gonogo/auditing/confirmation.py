"""From suspicions to findings: seen again on other seeds in another process, and replayed bit for bit.

A suspicion that does not come back on fresh seeds was chance; one whose witness does not replay is no proof.
Both are told as notes. It has to come back of the same policy: of many one is lucky on any seeds, and another one on
others. What stands is minimised: its witness is the shortest plan that is paid as well.

What needs no statistics and no scale is :mod:`gonogo.auditing.matching`'s. The trained policy under audit may have
become one of the exploits: its behaviour is held against every habit of the panel and every plan that the audit proved,
its return and its success against the random policy's on the same seeds. To be like a proven exploit is a finding; to
be like a habit that is not paid for nothing is none.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from gonogo.auditing.budget import BudgetSpent
from gonogo.auditing.causes import ANY_WORD, FOR_NOTHING, NUMBERS, CopiedField, Shortest
from gonogo.auditing.resets import is_seen, unsteady
from gonogo.auditing.session import After, AuditSession
from gonogo.auditing.survey import (
    CANDIDATE,
    COMPARED,
    REFERENCE,
    UNFORMED,
    Scale,
    Survey,
    SurveyRow,
    seed_of,
    total,
)
from gonogo.auditing.suspicions import NOT_TRYING, OF_ALL_ROWS, Suspicion
from gonogo.contract.reset_search import MOST_RESETS, Before, ResetSearch
from gonogo.exploits.distance import NEAR, nearest
from gonogo.exploits.panel import Habit, Kind
from gonogo.exploits.witness import Witness, actions_of, ddmin, decode, simplify, trimmed
from gonogo.records.audit import CandidatePolicy
from gonogo.records.findings import ContractWitness, EpisodeWitness, Finding, Severity
from gonogo.records.record import Estimate
from gonogo.records.success import JudgedSuccess
from gonogo.records.tables import reset_text
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import EACH, Space, free_text, put, value_at
from gonogo.statistics import paired_difference
from gonogo.wire import Action, TaskOptions

ALIKE_PAY = 0.5
"""Share of a suspicious row's pay from which a row may explain it, and is flown again beside it."""
PROVEN_BY = 3
"""Rows that succeed best, which are flown again with what is suspected: they make the scale."""
NEARLY = 0.9
TESTS = 120
ROUNDING = 1e-9
IS_AN_EXPLOIT, CYCLE = "policy_is_an_exploit", "farmable_cycle"
OF_SUCCESS = frozenset({"success_costs_nothing"})
"""Findings that an episode shows only if it succeeds."""
WEIGHED_TWICE = frozenset({
    "success_costs_nothing", "paid_without_trying", "format_outweighs_task", "refused_action_pays", "blind_plan_pays",
    "observation_echo_pays",
})  # fmt: skip
"""Findings about rows that are all flown on the fresh seeds again, so that their weight can be told there as well."""
OF_EACH_EPISODE = frozenset({
    "paid_without_trying", "content_ignored", "format_outweighs_task", "keywords_pay", "shotgun_answer_pays",
    "observation_echo_pays", "refused_action_pays", "success_costs_nothing",
})  # fmt: skip
"""Findings about what is paid whatever the episode, seen on all seeds and on all fresh ones: they hold nothing against
another flight of the same seed."""
ALONE = 0
"""In place of a try's number: in processes that flew nothing before, see :func:`come_back`."""
LOOKS = 16
"""Resets that are looked at to tell whether one seed opens different episodes: many an environment draws its task anew
at each reset, whatever the seed."""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A finding and the episode that proves it.

    Attributes:
        finding: With its witness.
        episode: The witness as an episode, for a file that ``gonogo replay`` reads; or None.
        policy: Name of the policy that showed it.
        suspected: Id of what was suspected; the finding's own unless its shortest plan shows something plainer.
        whole: Whether the audit ended before its plan was the shortest.
        shows: Whether another episode of the same plan shows the same; None where only the same episode does.
        settled: Whether it was looked for in processes that flew nothing, and its witness or words tell where it came.
    """

    finding: Finding
    episode: Episode | None
    policy: str
    suspected: str
    whole: bool = False
    shows: Callable[[Episode], bool] | None = field(default=None, compare=False, repr=False)
    settled: bool = False

    @classmethod
    def of(
        cls,
        name: str,
        task: TaskOptions,
        witness: EpisodeWitness | ContractWitness,
        said: str,
        episode: Episode | None,
        who: str,
    ) -> Confirmed:
        """A finding of some id on a task, about no component, from what proves it and what happened."""
        finding = Finding(id=name, task=task, component=None, witness=witness, explanation=said)
        return cls(finding, episode, who, name)

    def weighing(self, severity: Severity | None) -> Confirmed:
        """The same with a severity of its own; None leaves it its id's."""
        if severity is None:
            return self
        return replace(self, finding=self.finding.model_copy(update={"severity": severity}))


def scale_rows(flown: Survey) -> list[SurveyRow]:
    """The rows that succeed most: they make the scale, as in :class:`~gonogo.auditing.survey.Scale`."""
    known = [row for row in flown.agents if row.succeeded]
    known = known or [row for row in flown.rows if row.succeeded]
    return sorted(known, key=lambda row: -len(row.succeeded))[:PROVEN_BY]


def rows_to_confirm(flown: Survey, suspicion: Suspicion, *, plain: bool) -> list[SurveyRow]:
    """The rows that are flown again to confirm a suspicion: idle, its own, what may explain it, and the scale's.

    Args:
        flown: The survey.
        suspicion: It.
        plain: Whether it is about all plain rows, as what needs no scale is.
    """
    if suspicion.id in OF_ALL_ROWS:
        return [row for row in flown.rows if row.about is None]
    scale, best = Scale(flown), scale_rows(flown)
    pay = (scale.paid(suspicion.row) or 0.0) * ALIKE_PAY
    chosen = [
        row
        for row in flown.rows
        if row.kind in (Kind.IDLE, Kind.RANDOM, REFERENCE)
        or row.name == suspicion.row.name
        or row in best
        or ((plain or row.kind == UNFORMED) and row.about == suspicion.row.name)
        or (plain and row.kind == COMPARED)
        or (plain and row.context is None and row.kind in NOT_TRYING)
        or (pay > 0 and (scale.paid(row) or 0.0) >= pay and row.kind in NOT_TRYING)
    ]
    names = {n for row in [suspicion.row, *chosen] for n in (*row.needs, row.name)}
    return [row for row in flown.rows if row.name in names]


def fresh_tasks(
    suspicion: Suspicion, row: SurveyRow, tasks: Sequence[TaskOptions], number: int
) -> Sequence[TaskOptions]:
    """The fresh tasks on which a row is flown again: its own row on as many as have to show what it is suspected of.

    So are rows of the same kind that it is held against, as the same plan a little changed.

    Args:
        suspicion: It.
        row: The row.
        tasks: All fresh tasks.
        number: How many of them every row flies.
    """
    lacks = suspicion.least_seeds - len(suspicion.row.episodes)
    own = row.name == suspicion.row.name
    beside = row.about == suspicion.row.name and row.kind == suspicion.row.kind
    return tasks[: max(number, lacks)] if own or beside else tasks[:number]


def confirm(
    session: AuditSession,
    task: TaskOptions,
    first: dict[str, Suspicion],
    second: dict[str, Suspicion],
) -> tuple[list[Confirmed], list[str]]:
    """Hold suspicions against fresh seeds and a replay.

    Args:
        session: A fresh process of the environment.
        task: Reset options of the task, without a seed.
        first: Suspicions of the survey.
        second: Suspicions of a survey on other seeds.

    Returns:
        What stands, and notes about what does not.
    """
    stands, notes = [], []
    for name, strongest in first.items():
        if name not in second:
            notes.append(f"{name} was not seen again on fresh seeds ({strongest.explanation})")
            continue
        suspicion, fresh = seen_twice(name, strongest, second[name])
        seen = Witness.of(suspicion.witness)
        alike = partial(ends_alike, seen) if suspicion.rests else partial(earns_alike, name, seen)
        anew = name in OF_EACH_EPISODE and draws_anew(session, seen.task)
        again, resets, difference = come_back(session, seen, alike, anew=anew)
        if again is None:
            notes.append(f"{name} did not replay in a fresh process: {difference}")
            continue
        said = both_said(suspicion, fresh)
        if suspicion.rests:
            said = resting(said, session.judged)
        who, copied = suspicion.row.name, copied_field(suspicion)
        proof = None
        if resets == 1 and not anew:
            proof = prove_shortest(session, name, task, seen, alike, said, who, again, copied)
        elif resets == ALONE and not again.resets_before:
            with closing(session.fresh(anew=True)) as alone:
                found = prove_shortest(alone, name, task, seen, alike, said, who, again, copied)
            proof = replace(found, settled=True) if found and comes_first(session, found) else None
        if proof is None and anew:
            said += f"; one seed opens different episodes: {came_text(again, resets)}"
            proof = prove_whole(session, name, task, seen, said, who, again, copied)
            proof = replace(proof, shows=alike, settled=True)
        if proof is None:
            notes.append(f"{name}: its shortest plan did not show it when it was flown last")
        else:
            weighs = both_weigh(name, suspicion, fresh)
            if proof.finding.id != name and weighs is not Severity.SUSPICIOUS:
                weighs = None  # it was told of what the shortest plan does not do
            stands.append(replace(proof.weighing(weighs), suspected=name))
    return stands, notes


def seen_twice(name: str, first: Suspicion, second: Suspicion) -> tuple[Suspicion, Suspicion]:
    """A suspicion of one policy as two surveys show it: the strongest of those that both show, what blocks at first.

    Args:
        name: The id.
        first: The strongest of the survey, with the others.
        second: The same on fresh seeds.

    Returns:
        What each survey shows of it. Where they have no policy in common, the strongest of each.
    """
    again: dict[str, Suspicion] = {}
    for each in (second, *second.beside):
        again.setdefault(each.row.name, each)
    both = [(s, again[s.row.name]) for s in (first, *first.beside) if s.row.name in again]
    blocks = (pair for pair in both if both_weigh(name, *pair) is not Severity.SUSPICIOUS)
    return next(blocks, both[0] if both else (first, second))


def both_said(first: Suspicion, second: Suspicion) -> str:
    """What happened at first, and on fresh seeds: of the same row without its name, of another one as another's.

    Args:
        first: The suspicion.
        second: What the fresh seeds showed.
    """
    if first.row.name != second.row.name:
        return f"{first.explanation}. On fresh seeds another policy shows it: {second.explanation}"
    again = second.explanation.removeprefix(f"{second.row.name}: ")
    if first.explanation.removeprefix(f"{first.row.name}: ") == again:
        return f"{first.explanation}; the same on fresh seeds"
    return f"{first.explanation}; on fresh seeds: {again}"


def draws_anew(session: AuditSession, task: TaskOptions) -> bool:
    """Whether resets of one seed show an agent different things."""
    first, *others = session.openings([task] * LOOKS)
    return any(map(is_seen, unsteady([first] * len(others), others)))


def come_back(
    session: AuditSession, seen: Witness, alike: Callable[[Episode], bool], *, anew: bool
) -> tuple[Episode | None, int, str]:
    """Fly a witness again: once, or where resets draw anew, in processes that flew nothing, and then a few times here.

    Args:
        session: A process of the environment that did not fly it.
        seen: The witness.
        alike: Whether an episode shows the same.
        anew: Whether resets of one seed show different things.

    Returns:
        As for :func:`fly_again`; the try is :data:`ALONE` for an episode of a process that flew nothing.
    """
    search = witness_search(session, seen.task, seen.actions, alike, drawn=True)
    alone = at_some_reset(search, seen) if anew else None
    if alone is not None:
        return alone, ALONE, ""
    return fly_again(session, seen, MOST_RESETS if anew else 1)


def fly_again(session: AuditSession, seen: Witness, tries: int) -> tuple[Episode | None, int, str]:
    """Fly a witness again until its episode is the same to the bit.

    Args:
        session: A fresh process of the environment.
        seen: The witness.
        tries: How often at most.

    Returns:
        The episode, and at which try it came; or None, the last try, and what differed at the first, in words.
    """
    first = ""
    for number in range(1, tries + 1):
        again = fly_witness(session, seen.task, seen.actions, whole=True)
        if again is None:
            return None, number, first or "it was lost"
        difference = seen.differs(Witness.of(again))
        if difference is None:
            return again, number, ""
        first = first or difference
    return None, tries, first


def witness_search(
    session: AuditSession,
    task: TaskOptions,
    plan: Sequence[Action],
    shows: Callable[[Episode], bool],
    *,
    drawn: bool,
) -> ResetSearch[AuditSession, Episode]:
    """The search for a plan's episode in processes that flew nothing.

    Args:
        session: Whose environment it is.
        task: Reset options.
        plan: What is sent, the last action repeated.
        shows: Whether an episode shows the same.
        drawn: As for :class:`~gonogo.contract.reset_search.ResetSearch`.
    """

    def fly_after(fresh: AuditSession, before: Before) -> Episode | None:
        return fly_witness(fresh, task, plan, whole=True, after=before or None)

    def go_on(fresh: AuditSession, until: Callable[[int, Episode], bool]) -> list[Episode]:
        return fresh.in_turn(task, plan, until)

    def same(one: Episode, other: Episode) -> bool:
        return Witness.of(one).differs(Witness.of(other)) is None

    return ResetSearch(task, session.fresh, fly_after, shows, same, go_on, drawn)


def at_some_reset(search: ResetSearch[AuditSession, Episode], seen: Witness) -> Episode | None:
    """A witness as a process that flew nothing shows it, with the resets before it; None where none does.

    Args:
        search: The search for it.
        seen: The witness.
    """

    def comes_back(episode: Episode) -> bool:
        return search.shows(episode) or seen.differs(Witness.of(episode)) is None

    found = replace(search, shows=comes_back).find(None)
    return None if found is None else replace(found[0], resets_before=found[1])


def came_text(again: Episode, resets: int) -> str:
    """That a witness came back, and where, in words.

    Args:
        again: As it came.
        resets: At which try, see :func:`come_back`.
    """
    said = "the full witness came back"
    if resets == ALONE:
        return f"{said} {reset_text(again.resets_before)}"
    return f"{said} in the running process, at try {resets}"


def comes_first(session: AuditSession, proof: Confirmed | None) -> bool:
    """Whether a proof's episode is that of the first reset of a process."""
    if proof is None or proof.episode is None:
        return False
    shown = Witness.of(proof.episode)
    with closing(session.fresh()) as fresh:
        again = fly_witness(fresh, shown.task, shown.actions, whole=True)
    return again is not None and shown.differs(Witness.of(again)) is None


def copied_field(suspicion: Suspicion) -> CopiedField | None:
    """Where a suspected row sends back what it saw; None where that is no one field."""
    field, sent = suspicion.row.field, actions_of(suspicion.witness.turns)
    return None if field is None else CopiedField.of(field, (value_at(a, field) for a in sent))


def both_weigh(name: str, first: Suspicion, second: Suspicion) -> Severity | None:
    """How much a suspicion weighs that was seen twice: what is for nothing has to be so on the fresh seeds, too.

    What has to be seen on many different seeds counts those of both. What no policy shows twice is suspicious, unless
    all rows together show it.
    """
    doubted = second.severity is Severity.SUSPICIOUS and name in WEIGHED_TWICE
    doubted = doubted or (first.row.name != second.row.name and name not in OF_ALL_ROWS)
    rows = (each.row for each in (first, second))
    shown = (row.succeeded if name in OF_SUCCESS else row.ended for row in rows)
    seeds = {seed_of(e.task) for episodes in shown for e in episodes}
    few = len(seeds) < max(first.least_seeds, second.least_seeds)
    return Severity.SUSPICIOUS if doubted or few else first.severity


def resting(said: str, judged: JudgedSuccess) -> str:
    """What a finding says that rests on success: also under which assumption."""
    return f"{said}; {judged.under}" if judged.under else said


def proven(
    session: AuditSession,
    name: str,
    task: TaskOptions,
    options: TaskOptions,
    plan: Sequence[Action],
    said: str,
    who: str,
) -> Confirmed | None:
    """Fly the shortest plan a last time, as the proof; None where the episode was lost.

    Args:
        session: A fresh process of the environment.
        name: The finding's id.
        task: Reset options of the task.
        options: The same with the witness's seed.
        plan: What has to be sent; its last action is repeated to the end.
        said: What happened.
        who: Name of the policy that showed it.
    """
    episode = fly_witness(session, options, plan, whole=True)
    if episode is None:
        return None
    seen = Witness.of(episode)
    end = {True: "a success", False: "no success", None: "success unknown"}[seen.success]
    held = seen.record(plan)
    shown = (
        f"{said}; its witness, flown last: {held.worth(name)} in {len(held.actions)} steps, {end}"
    )
    return Confirmed.of(name, task, held, shown, episode, who)


def prove_shortest(
    session: AuditSession,
    name: str,
    task: TaskOptions,
    seen: Witness,
    shows: Callable[[Episode], bool],
    said: str,
    who: str,
    again: Episode | None = None,
    copied: CopiedField | None = None,
) -> Confirmed | None:
    """The same for what is still to be minimised: what was seen, whether an episode shows it, and its replay, if any.

    The shortest plan decides the name: a claim that it does not make is not proven. A plan that shows nothing when it
    is flown last proves nothing. Where the audit ends before the plan is the shortest, the replay is the proof.
    """
    try:
        plan = shortest(session, seen, shows)
        found = Shortest.of(plan, session.space, seen.success).name(name, copied)
        more = f"; first suspected as {name}, but the shortest plan does nothing of that kind"
        told = said if found == name else said + more
        if any(action not in seen.actions for action in plan):
            told += "; the witness sends simpler actions than those first seen, and is paid nearly as much"
        proof = proven(session, found, task, seen.task, plan, told, who)
    except BudgetSpent:
        if again is None:
            raise
        said += f"; its witness: {seen.total:g} in {len(seen.actions)} steps, not made shorter yet"
        proof = prove_whole(session, name, task, seen, said, who, again, copied)
        proof = replace(proof, whole=True)
    if proof is None or proof.episode is None or not shows(proof.episode):
        return None
    return replace(proof, shows=shows) if goes_round(proof.finding.id, proof.episode) else None


def goes_round(name: str, episode: Episode) -> bool:
    """Whether an episode does something twice, if it is to prove that a cycle is paid."""
    sent = [repr(action) for action in actions_of(episode.turns)]
    return name != CYCLE or len(set(sent)) < len(sent)


def prove_whole(
    session: AuditSession,
    name: str,
    task: TaskOptions,
    seen: Witness,
    said: str,
    who: str,
    again: Episode,
    copied: CopiedField | None,
) -> Confirmed:
    """The proof by a witness's replay, as long as it was seen."""
    plan = trimmed(seen.actions)
    found = Shortest.of(plan, session.space, seen.success).name(name, copied)
    return Confirmed.of(found, task, Witness.of(again).record(plan), said, again, who)


def fly_witness(
    session: AuditSession,
    task: TaskOptions,
    plan: Sequence[Action],
    *,
    whole: bool = False,
    after: After = None,
) -> Episode | None:
    """Fly a plan once, as for :meth:`AuditSession.plans`; None where the episode was lost."""
    (episode,) = session.plans("witness", [(task, plan)], whole=whole, after=after)
    return episode if episode.error is None else None


def ends_alike(seen: Witness, episode: Episode) -> bool:
    """Whether an episode ends as the witness does and is paid nearly as much."""
    slack = (1 - NEARLY) * abs(seen.total)
    paid = (episode.episode_return or 0.0) >= seen.total - slack
    return paid and episode.success is seen.success


def earns_alike(name: str, seen: Witness, episode: Episode) -> bool:
    """The same where nobody says success: what is paid for nothing then, or for a number, earns more than nothing.

    Beside a sum below nothing idling would earn enough, and prove that something costs.
    """
    paid = (episode.episode_return or 0.0) > 0 or name not in NUMBERS | {FOR_NOTHING}
    return paid and ends_alike(seen, episode)


def shortest(
    session: AuditSession, seen: Witness, shows: Callable[[Episode], bool]
) -> list[Action]:
    """The shortest and plainest plan whose episode still shows what the witness does."""
    left = itertools.count()

    def holds(plan: Sequence[Action]) -> bool:
        if next(left) >= TESTS:
            return False
        episode = fly_witness(session, seen.task, plan)
        return episode is not None and shows(episode)

    if not holds(seen.actions):
        return list(seen.actions)
    plan = ddmin(trimmed(seen.actions), holds, TESTS)
    idle = session.space.idle()
    for place, action in enumerate(plan):

        def plainer(other: Action, place: int = place) -> bool:
            return holds([*plan[:place], other, *plan[place + 1 :]])

        plan[place] = wordless(session.space, simplify(action, idle, plainer), plainer)
    return plan


def wordless(space: Space, action: Action, holds: Callable[[Action], bool]) -> Action:
    """An action with every free text that is not needed made one that says nothing.

    Args:
        space: The environment's actions.
        action: What the predicate holds for.
        holds: The predicate.
    """
    for leaf in space.leaves():
        said = value_at(action, leaf.name)
        if not isinstance(said, str) or len(said) <= len(ANY_WORD):
            continue
        if free_text(leaf.schema, leaf.root) is not None and EACH not in leaf.path:
            plain = put(action, leaf.path, ANY_WORD)
            action = plain if holds(plain) else action
    return action


def fly_candidate(
    session: AuditSession, flown: Survey, name: str, tasks: Sequence[TaskOptions]
) -> Survey:
    """The survey with the candidate's row.

    Args:
        session: Where.
        flown: The survey.
        name: The candidate's.
        tasks: Reset options.

    Raises:
        Misuse: No policy has that name.
    """
    with closing(session.candidate(name)) as policy:
        return flown.plus([SurveyRow(name, CANDIDATE, session.fly(policy, tasks))])


def prove_like(
    session: AuditSession, flown: Survey, proofs: Sequence[Confirmed], rng: np.random.Generator
) -> tuple[CandidatePolicy, list[Confirmed]]:
    """Hold the candidate against the exploits; what it has become is flown again as a proof.

    Args:
        session: A fresh process of the environment.
        flown: The survey, with the candidate's row.
        proofs: What the audit proved.
        rng: Source of the bootstrap's resamples.
    """
    (row,) = flown.of_kind(CANDIDATE)
    plans = {proof.finding.id: Habit.plan(proof.finding.id, plan_of(proof)) for proof in proofs}
    habits = {habit.name: habit for habit in session.panel()}
    near = nearest(row.episodes, [*plans.values(), *habits.values()])
    candidate = CandidatePolicy(
        policy=row.name, likeness=tuple(near), above_random=above_random(flown, row, rng)
    )
    # A proof's policy is the habit that showed it, whose every seed counts, not the witness's alone.
    shown = {proof.policy for proof in proofs} | plans.keys()
    like = [one for one in near if one.distance <= NEAR and one.exploit in shown]
    whole = [e for e in row.failed if len(actions_of(e.turns)) == len(e.turns)]
    if not like or not whole:
        return candidate, []
    best = max(whole, key=total)
    said = f"{row.name} is {like[0].exploit}: a distance of {like[0].distance:.2f} turn by turn"
    proof = proven(
        session, IS_AN_EXPLOIT, flown.task, best.task, actions_of(best.turns), said, row.name
    )
    return candidate, [] if proof is None else [proof]


def plan_of(proof: Confirmed) -> list[Action]:
    """The actions that prove a finding."""
    return list(decode(proof.finding.witness.sent))


def above_random(
    flown: Survey, row: SurveyRow, rng: np.random.Generator
) -> dict[str, Estimate | None]:
    """How far return and success are above the random policy's on the same seeds."""
    (random,) = flown.of_kind(Kind.RANDOM)
    both = [
        (theirs, ours)
        for ours, theirs in zip(row.episodes, random.episodes, strict=True)
        if ours.episode_return is not None and theirs.episode_return is not None
    ]
    told = [(t, o) for t, o in both if t.success is not None and o.success is not None]
    numbers = {
        "return": [(total(theirs), total(ours)) for theirs, ours in both],
        "success": [(float(t.success is True), float(o.success is True)) for t, o in told],
    }
    return {
        name: paired_difference([t for t, _ in pairs], [o for _, o in pairs], rng)
        if pairs
        else None
        for name, pairs in numbers.items()
    }
