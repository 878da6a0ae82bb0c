"""When the star tracker has stars."""

from __future__ import annotations

import math

import numpy as np
import pytest

from flightrules.missions.generator import generate
from flightrules.physics.coast import tracker_sees

MISSION = generate("retarget", "train", 0)[0]
SUN, EARTH, RATE = 47, 48, 49
"""Where the packed vehicle holds the tracker's limits."""


def sees(share_of: dict[int, float], rate_B: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> float:
    """Share of evenly drawn attitudes at which the tracker has stars, with some limits replaced."""
    params = MISSION.vehicle.packed()
    for place, value in share_of.items():
        params[place] = value
    attitudes = np.random.default_rng(0).normal(size=(2000, 4))
    attitudes /= np.linalg.norm(attitudes, axis=1)[:, None]
    return float(np.mean([tracker_sees(q, np.array(rate_B), 0.0, params) for q in attitudes]))


def test_the_earth_alone_never_blinds_both_heads() -> None:
    """It covers less than a half of the sky, and the heads look opposite ways."""
    never = 2.0  # a cosine that nothing exceeds
    assert sees({SUN: never}) == 1.0
    assert 0.75 < sees({}) < 1.0
    assert sees({SUN: never, EARTH: math.cos(math.radians(100.0))}) < 1.0


def test_one_head_is_blind_near_the_sun_only() -> None:
    """With no Earth, both heads would have to look at the Sun at once."""
    assert sees({EARTH: 2.0}) == 1.0


@pytest.mark.parametrize("axis", range(3))
def test_a_fast_turn_blurs_the_stars(axis: int) -> None:
    limit = MISSION.vehicle.packed()[RATE]
    rate = [0.0, 0.0, 0.0]
    rate[axis] = 1.01 * limit
    assert sees({}, tuple(rate)) == 0.0  # type: ignore[arg-type]
