"""The analyses of a task beside its panel, in one go: what the record says of each, and what they suspect."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gonogo.auditing.components import Ledger
from gonogo.auditing.confirm import Confirmed
from gonogo.auditing.distinct import distinct
from gonogo.auditing.farming import farming
from gonogo.auditing.leakage import leakage
from gonogo.auditing.metamorphic import metamorphic
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey
from gonogo.auditing.suspicions import Suspicion
from gonogo.records.audit import (
    EpisodesTold,
    EpisodesWithout,
    FarmingFigures,
    LeakFigures,
    RewardComponents,
    TransformCheck,
)
from gonogo.records.contract import ContractReport
from gonogo.rollouts.volatile import volatile_in

__all__ = ["AnalysisResults", "analyse", "explained"]


@dataclass(frozen=True, slots=True)
class AnalysisResults:
    """What the analyses of one task came to.

    Attributes:
        components: Of the reward.
        farming: Whether it pays to go on.
        metamorphic: What became of the episodes in another guise.
        leakage: Whether the answer is handed out.
        distinct: How many episodes there are.
        suspicions: What may be wrong, by the finding's id.
    """

    components: RewardComponents
    farming: FarmingFigures
    metamorphic: tuple[TransformCheck, ...]
    leakage: LeakFigures
    distinct: EpisodesTold | EpisodesWithout
    suspicions: dict[str, Suspicion]


def analyse(
    session: AuditSession, flown: Survey, card: ContractReport, rng: np.random.Generator
) -> AnalysisResults:
    """Fly and work out everything beside the panel.

    Args:
        session: Where.
        flown: The survey.
        card: The map.
        rng: Source of what is drawn.
    """
    checks, moved = metamorphic(session, flown, card)
    leaks, leaking = leakage(session, flown)
    episodes, memorised = distinct(session, flown, rng, volatile_in(card, flown.task))
    strongest: dict[str, Suspicion] = {}
    for suspicion in sorted([*moved, *leaking, *memorised], key=lambda s: -s.worth):
        strongest.setdefault(suspicion.id, suspicion)
    return AnalysisResults(
        Ledger(flown, card).record(), farming(flown), checks, leaks, episodes, strongest
    )


def explained(proof: Confirmed, flown: Survey, card: ContractReport) -> Confirmed:
    """A proof whose finding names the one component that pays it, where there is one."""
    row = next((row for row in flown.rows if row.name == proof.policy), None)
    component = None if row is None else Ledger(flown, card).blamed(row)
    return replace(proof, finding=proof.finding.model_copy(update={"component": component}))
