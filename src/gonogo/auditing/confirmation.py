"""From suspicions to findings: seen again on other seeds in another process, and replayed bit for bit.

A suspicion that does not come back on fresh seeds was chance; one whose witness does not replay is no proof.
Both are told as notes. What stands is minimised: its witness is the shortest plan that is paid as well.

Two findings need no statistics and no scale. A failure that earns what a success on the same seed does is enough
alone, since both are flown again side by side. The trained policy under audit may have become one of the exploits:
its behaviour is held against every habit of the panel and every plan that the audit proved, its return and its
success against the random policy's on the same seeds. To be like a proven exploit is a finding; to be like a habit
that is not paid for nothing is none.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import CANDIDATE, Survey, SurveyRow, seed_of, total
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.distance import NEAR, nearest
from gonogo.exploits.panel import Habit, Kind
from gonogo.exploits.witness import Witness, actions_of, ddmin, decode, simplify, trimmed
from gonogo.records.audit import CandidatePolicy
from gonogo.records.findings import ContractWitness, EpisodeWitness, Finding, Severity
from gonogo.records.record import Estimate
from gonogo.rollouts.episodes import Episode
from gonogo.statistics import paired_difference
from gonogo.wire import Action, TaskOptions

NEARLY = 0.9
TESTS = 120
EARNS_AS_MUCH = "failure_earns_as_much"
ROUNDING = 1e-9
IS_AN_EXPLOIT = "policy_is_an_exploit"


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A finding and the episode that proves it.

    Attributes:
        finding: With its witness.
        episode: The witness as an episode, for a file that ``gonogo replay`` reads; or None.
        policy: Name of the policy that showed it.
    """

    finding: Finding
    episode: Episode | None
    policy: str

    @classmethod
    def of(
        cls,
        name: str,
        task: TaskOptions,
        witness: EpisodeWitness | ContractWitness,
        said: str,
        episode: Episode,
        who: str,
    ) -> Confirmed:
        """A finding of some id on a task, about no component, from what proves it and what happened."""
        finding = Finding(id=name, task=task, component=None, witness=witness, explanation=said)
        return cls(finding, episode, who)

    def weighing(self, severity: Severity | None) -> Confirmed:
        """The same with a severity of its own; None leaves it its id's."""
        if severity is None:
            return self
        return replace(self, finding=self.finding.model_copy(update={"severity": severity}))


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
    for name, suspicion in first.items():
        if name not in second:
            notes.append(f"{name} was not seen again on fresh seeds ({suspicion.explanation})")
            continue
        seen = Witness.of(suspicion.witness)
        again = fly_witness(session, seen.task, seen.actions)
        difference = "it was lost" if again is None else seen.differs(Witness.of(again))
        if difference is not None:
            notes.append(f"{name} did not replay in a fresh process: {difference}")
            continue
        said = f"{suspicion.explanation}; on fresh seeds {second[name].explanation}"
        alike = partial(ends_alike, seen)
        proof = prove_shortest(session, name, task, seen, alike, said, suspicion.row.name)
        if proof is None:
            notes.append(f"{name}: the environment failed on its shortest plan")
        else:
            stands.append(proof.weighing(suspicion.severity))
    return stands, notes


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
    return Confirmed.of(name, task, Witness.of(episode).record(plan), said, episode, who)


def prove_shortest(
    session: AuditSession,
    name: str,
    task: TaskOptions,
    seen: Witness,
    shows: Callable[[Episode], bool],
    said: str,
    who: str,
) -> Confirmed | None:
    """The same for what is still to be minimised: what was seen, and whether an episode shows it."""
    plan = shortest(session, seen, shows)
    return proven(session, name, task, seen.task, plan, said, who)


def fly_witness(
    session: AuditSession, task: TaskOptions, plan: Sequence[Action], *, whole: bool = False
) -> Episode | None:
    """Fly a plan once; None where the episode was lost."""
    (episode,) = session.plans("witness", [(task, plan)], whole=whole)
    return episode if episode.error is None else None


def ends_alike(seen: Witness, episode: Episode) -> bool:
    """Whether an episode ends as the witness does and is paid nearly as much."""
    slack = (1 - NEARLY) * abs(seen.total)
    paid = (episode.episode_return or 0.0) >= seen.total - slack
    return paid and episode.success is seen.success


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

        plan[place] = simplify(action, idle, plainer)
    return plan


@dataclass(frozen=True, slots=True)
class Match:
    """A failure and the best success on the same seed.

    Attributes:
        row: Who failed.
        failure: How.
        guide: Who succeeded.
        success: How.
    """

    row: SurveyRow
    failure: Episode
    guide: SurveyRow
    success: Episode

    @property
    def short_by(self) -> float:
        """How much less the failure earns; a rounding error is nothing."""
        best = total(self.success)
        short = best - total(self.failure)
        return 0.0 if abs(short) <= ROUNDING * max(1.0, abs(best)) else short


def nearest_failure(flown: Survey) -> Match | None:
    """The failure that comes nearest to a success on its seed, or goes furthest beyond; None without both."""
    best: dict[str, tuple[SurveyRow, Episode]] = {}
    for row in flown.rows:
        for episode in row.succeeded:
            known = best.get(seed_of(episode.task))
            if known is None or total(episode) > total(known[1]):
                best[seed_of(episode.task)] = row, episode
    pairs = (
        Match(row, episode, *best[seed_of(episode.task)])
        for row in flown.rows
        for episode in row.failed
        if seed_of(episode.task) in best
    )
    return min(pairs, key=lambda match: match.short_by, default=None)


def prove_match(session: AuditSession, task: TaskOptions, match: Match) -> Confirmed | str:
    """Fly a failure and the success that it matches again, in a fresh process.

    Args:
        session: The fresh process.
        task: Reset options of the task, without a seed.
        match: What was flown.

    Returns:
        The finding; or why it could not be told, as a sentence.
    """
    options = match.failure.task
    again = fly_witness(session, options, actions_of(match.success.turns))
    if again is None or again.success is not True:
        return f"a success of {match.guide.name} did not succeed again in a fresh process"
    earned = total(again)

    def matches(episode: Episode) -> bool:
        replayed = replace(match, failure=episode, success=again)
        return episode.success is False and replayed.short_by <= 0

    failed = fly_witness(session, options, actions_of(match.failure.turns))
    if failed is None or not matches(failed):
        return (
            f"{match.row.name} failed and earned {total(match.failure):g}, as much as a success on its seed, "
            "and did not so again in a fresh process"
        )
    said = (
        f"{match.row.name}: a failure earns {total(failed):g} on a seed on which the best known success, "
        f"of {match.guide.name}, earns {earned:g}"
    )
    seen, who = Witness.of(match.failure), match.row.name
    proof = prove_shortest(session, EARNS_AS_MUCH, task, seen, matches, said, who)
    return proof or f"the environment failed on a failure of {match.row.name}"


def fly_candidate(session: AuditSession, flown: Survey, name: str) -> Survey:
    """The survey with the candidate's row.

    Raises:
        Misuse: No policy has that name.
    """
    with closing(session.candidate(name)) as policy:
        return flown.plus([SurveyRow(name, CANDIDATE, session.fly(policy, flown.tasks))])


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
