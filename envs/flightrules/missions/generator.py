"""Draws a mission from a level, a split and an index, and proves it fair.

The same arguments give the same mission, in any process; a candidate that is not fair is drawn
again with the next attempt number, and the share of candidates that pass is the generator's acceptance.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import SeedSequence

from flightrules.errors import MissionError
from flightrules.missions.levels import DRAW
from flightrules.missions.mission import Mission
from flightrules.missions.proofs import prove
from flightrules.missions.splits import LEVELS, SPLITS, require_split

MAX_ATTEMPTS = 50
"""Candidates drawn before a mission is given up."""


def generate(level: str, split: str, index: int) -> tuple[Mission, int]:
    """The mission at an index, proved fair, and the number of candidates that were drawn for it.

    Raises:
        IndexError: If the split is unknown or the index negative.
        MissionError: If the level is unknown, or no candidate was fair.
    """
    for attempt in range(MAX_ATTEMPTS):
        mission = candidate(level, split, index, attempt)
        proof = prove(mission)
        if proof is not None:
            return replace(mission, proof=proof), attempt + 1
    raise MissionError(f"no fair {level} mission in {MAX_ATTEMPTS} candidates at {split} {index}")


def candidate(level: str, split: str, index: int, attempt: int) -> Mission:
    """One candidate, not proved.

    Raises:
        IndexError: If the split is unknown or the index negative.
        MissionError: If the level is unknown.
    """
    require_split(split)
    if index < 0:
        raise IndexError(f"index must be at least 0, got {index}")
    if level not in LEVELS:
        raise MissionError(f"level must be one of {', '.join(LEVELS)}, got {level!r:.60}")
    key = (SPLITS.index(split), LEVELS.index(level), index, attempt)
    rng = np.random.default_rng(SeedSequence(key))
    return DRAW[level](rng, split, index)
