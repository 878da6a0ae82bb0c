"""Missions: the same address gives the same mission, and every mission is proved fair."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest

from flightrules.directives.formula import Eventually
from flightrules.errors import MissionError
from flightrules.flight.command import COAST_MAX_S, Command
from flightrules.flight.flight import Flight
from flightrules.missions.generator import candidate, generate
from flightrules.missions.mission import Mission
from flightrules.missions.oracle import Oracle
from flightrules.missions.proofs import prove
from flightrules.missions.splits import LEVELS, SPLITS

ADDRESSES = [(level, split, index) for level in LEVELS for split in SPLITS for index in range(4)]


def same(a: Mission, b: Mission) -> bool:
    """Whether two missions are equal to the bit."""
    left, right = repr(asdict(a)), repr(asdict(b))
    return left == right and a.q_BN.tobytes() == b.q_BN.tobytes()


@pytest.mark.parametrize(("level", "split", "index"), ADDRESSES)
def test_a_mission_is_fair(level: str, split: str, index: int) -> None:
    """The oracle succeeds; idling at each coast, and an oracle that ignores what idling fails, do not."""
    mission, _ = generate(level, split, index)
    assert same(mission, generate(level, split, index)[0])
    flight = Flight(mission)
    oracle = Oracle(mission)
    while not flight.done:
        flight.execute(oracle.decide(flight.simulation))
    assert flight.success
    for coast_s in (10, 60, 300, COAST_MAX_S):
        flight = Flight(mission)
        while not flight.done:
            flight.execute(Command("idle", "detumble", coast_s))
        assert flight.success is False


@pytest.mark.parametrize("level", LEVELS)
def test_acceptance_is_at_least_a_half(level: str) -> None:
    """Few candidates are thrown away."""
    drawn = sum(generate(level, "validation", index)[1] for index in range(20))
    assert 20 / drawn >= 0.5


def test_a_mission_that_idling_wins_is_refused() -> None:
    """Without a directive that idling fails there is nothing to prove."""
    mission = candidate("detumble", "train", 0, 0)
    kept = tuple(item for item in mission.directives if not isinstance(item.formula, Eventually))
    assert prove(replace(mission, directives=kept)) is None


def test_a_mission_that_cannot_be_flown_is_refused() -> None:
    """With two decisions not even the oracle stops a tumble."""
    assert prove(replace(candidate("detumble", "train", 0, 0), decisions=2)) is None


def test_a_mission_that_one_burn_wins_is_refused() -> None:
    """A tumble about one axis alone that one repeated small pulse stops is not fair."""
    mission = candidate("detumble", "train", 0, 0)
    vehicle = mission.vehicle
    step = vehicle.pulse_torque_B[0, 0] / vehicle.inertia[0, 0]
    easy = replace(mission, omega_BN_B=np.array([-2.0 * step, 0.0, 0.0]))
    assert prove(easy) is None


@pytest.mark.parametrize(
    ("level", "split", "index", "error", "words"),
    [
        (
            "cruise",
            "train",
            0,
            MissionError,
            "level must be one of detumble, retarget, precision_hold, mission_ops, got 'cruise'",
        ),
        ("detumble", "exam", 0, IndexError, "split must be one of"),
        ("detumble", "train", -1, IndexError, "index must be at least 0, got -1"),
    ],
)
def test_an_address_that_is_not(
    level: str, split: str, index: int, error: type[Exception], words: str
) -> None:
    """Each error names the rule and the value."""
    with pytest.raises(error, match=words):
        generate(level, split, index)
