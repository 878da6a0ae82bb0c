"""Draws a mission from a level, a split and an index, with the level's knobs turned or not, and proves it fair.

The same arguments give the same mission, in any process; a candidate that is not fair, or too short for
its orders, is drawn again with the next attempt number, and the share of candidates that pass is the
generator's acceptance.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import SeedSequence

from flightrules.errors import MissionError
from flightrules.missions.knobs import AS_DRAWN, Knobs, turned
from flightrules.missions.levels import DRAW, in_part
from flightrules.missions.mission import Mission
from flightrules.missions.proofs import prove
from flightrules.missions.splits import LEVELS, SPLITS, require_split

MAX_ATTEMPTS = 50
"""Candidates drawn before a mission is given up."""
_KNOBS_STREAM = 0x6B6E6F62
"""Key of the knobs' own stream beside the draw's: turning one takes nothing from the other. The knobs' values are no
part of it, so the same address with other knobs is as much the same mission as can be."""


def address(level: str, split: str, index: int, knobs: Knobs = AS_DRAWN) -> str:
    """What a mission is called: ``retarget/test/5``, or ``retarget/test/5?directives=2&tightness=0.8``."""
    turns = "&".join(f"{name}={value}" for name, value in knobs.given().items())
    return f"{level}/{split}/{index}{'?' if turns else ''}{turns}"


def generate(level: str, split: str, index: int, knobs: Knobs = AS_DRAWN) -> tuple[Mission, int]:
    """The mission at an index, proved fair, and the number of candidates that were drawn for it.

    Raises:
        IndexError: If the split is unknown or the index negative.
        MissionError: If the level is unknown or has fewer directives than are asked for, if the horizon is too short
            for a directive of every candidate, or no candidate was fair.
    """
    fitted = 0
    for attempt in range(MAX_ATTEMPTS):
        mission = candidate(level, split, index, attempt, knobs)
        last = max(mission.directives, key=lambda order: order.end_s)
        if last.end_s >= mission.horizon_s:
            continue
        fitted += 1
        proof = prove(mission)
        if proof is not None:
            return replace(mission, proof=proof), attempt + 1
    name = address(level, split, index, knobs)
    if fitted == 0:
        rule = "horizon_s must be longer than the window of every directive"
        ends = f"{last.id} of {name} ends at {last.end_s} s"
        raise MissionError(f"{rule}: {ends}, got {mission.horizon_s}")
    raise MissionError(f"no fair {level} mission in {MAX_ATTEMPTS} candidates at {name}")


def candidate(level: str, split: str, index: int, attempt: int, knobs: Knobs = AS_DRAWN) -> Mission:
    """One candidate, not proved.

    Raises:
        IndexError: If the split is unknown or the index negative.
        MissionError: If the level is unknown or has fewer directives than are asked for.
    """
    require_split(split)
    if index < 0:
        raise IndexError(f"index must be at least 0, got {index}")
    if level not in LEVELS:
        raise MissionError(f"level must be one of {', '.join(LEVELS)}, got {level!r:.60}")
    key = (SPLITS.index(split), LEVELS.index(level), index, attempt)
    rng = np.random.default_rng(SeedSequence(key))
    mission = DRAW[level](rng, split, index)
    if split == "train_compositions":
        mission = in_part(mission, rng)
    return turned(
        mission, knobs, np.random.default_rng(SeedSequence(key, spawn_key=(_KNOBS_STREAM,)))
    )
