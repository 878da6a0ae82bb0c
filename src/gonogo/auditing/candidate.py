"""The trained policy under audit: has it become one of the exploits?

It flies the survey's tasks as one more row. Its behaviour is held against every habit of the panel and every plan
that the audit proved; its return and its success against the random policy's on the same seeds. To be like a
proven exploit is a finding; to be like a habit that is not paid for nothing is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

import numpy as np

from gonogo.auditing.calibration import total
from gonogo.auditing.confirm import Confirmed, proven
from gonogo.auditing.plans import actions_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import CANDIDATE, Survey, SurveyRow
from gonogo.exploits.distance import NEAR, nearest
from gonogo.exploits.panel import Habit, Kind
from gonogo.exploits.witness import decode
from gonogo.records.audit import CandidatePolicy
from gonogo.records.record import Estimate
from gonogo.statistics import paired_difference
from gonogo.wire import Action

__all__ = ["fly_candidate", "prove_like"]

FINDING = "policy_is_an_exploit"


def fly_candidate(session: AuditSession, flown: Survey, name: str) -> Survey:
    """The survey with the candidate's row.

    Raises:
        Misuse: No policy has that name.
    """
    tasks = [episode.task for episode in flown.idle.episodes]
    with closing(session.candidate(name)) as policy:
        row = SurveyRow(name, CANDIDATE, session.fly(policy, tasks))
    return Survey(flown.task, [*flown.rows, row], flown.broken_off)


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
    proof = proven(session, FINDING, flown.task, best.task, actions_of(best.turns), said, row.name)
    return candidate, [] if proof is None else [proof]


def plan_of(proof: Confirmed) -> list[Action]:
    """The actions that prove a finding."""
    plan: list[Action] = decode(proof.finding.witness.sent)
    return plan


def above_random(
    flown: Survey, row: SurveyRow, rng: np.random.Generator
) -> dict[str, Estimate | None]:
    """How far return and success are above the random policy's on the same seeds."""
    (random,) = flown.of_kind(Kind.RANDOM)
    both = [
        (ours, theirs)
        for ours, theirs in zip(row.episodes, random.episodes, strict=True)
        if ours.episode_return is not None and theirs.episode_return is not None
    ]
    told = [(o, t) for o, t in both if o.success is not None and t.success is not None]
    return {
        "return": paired_difference([total(t) for _, t in both], [total(o) for o, _ in both], rng)
        if both
        else None,
        "success": paired_difference(
            [float(t.success is True) for _, t in told],
            [float(o.success is True) for o, _ in told],
            rng,
        )
        if told
        else None,
    }
