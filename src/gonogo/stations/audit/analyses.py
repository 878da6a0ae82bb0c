"""The analyses of a task beside its panel: leaks and episodes that can be learned by heart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gonogo.rollout.protocols import Json
from gonogo.stations.audit.airfield import Airfield
from gonogo.stations.audit.distinct import distinct
from gonogo.stations.audit.judge import Suspicion
from gonogo.stations.audit.leakage import leakage
from gonogo.stations.audit.survey import Survey

__all__ = ["Analysed", "analyse"]


@dataclass(frozen=True, slots=True)
class Analysed:
    """What the analyses of one task came to.

    Attributes:
        record: What ``audit.json`` says of it, by analysis.
        suspicions: What may be wrong, by the finding's id.
    """

    record: Json
    suspicions: dict[str, Suspicion]


def analyse(field: Airfield, flown: Survey, rng: np.random.Generator) -> Analysed:
    """Fly and work out everything beside the panel.

    Args:
        field: Where.
        flown: The survey.
        rng: Source of what is drawn.
    """
    leaks, leaking = leakage(field, flown)
    episodes, memorised = distinct(field, flown, rng)
    strongest: dict[str, Suspicion] = {}
    for suspicion in sorted([*leaking, *memorised], key=lambda s: -s.worth):
        strongest.setdefault(suspicion.id, suspicion)
    return Analysed({"leakage": leaks, "distinct": episodes}, strongest)
