"""The reading pilot reads every training phrasing to the last number, no held-out one, and flies accordingly."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from flightrules.directives.directive import Directive
from flightrules.directives.formula import Always
from flightrules.directives.language import HOLD, KINDS, ONLY_IF, SUPERSEDE, phrase, phrasings
from flightrules.flight.command import COAST_MIN_S, Command
from flightrules.flight.flight import Flight
from flightrules.missions.generator import candidate
from flightrules.missions.splits import LEVELS
from flightrules.missions.store import MissionStore
from flightrules.validation.reader import CONTACT_S, FRESH_S, NEWS_S, Reader, read


def orders(split: str) -> list[Directive]:
    """Orders of all kinds."""
    splits = (split, "test_compositions")
    missions = [
        candidate(level, each, k, 0) for level in LEVELS for each in splits for k in range(40)
    ]
    found = [directive for mission in missions for directive in mission.directives]
    assert {directive.kind for directive in found} == set(KINDS) - {SUPERSEDE}
    assert any(directive.replaces for directive in found)
    return found


def test_a_training_phrasing_is_read_to_the_last_number() -> None:
    """In every phrasing of its kind, with and without the words that replace another order."""
    for order in orders("train"):
        for phrasing in phrasings(order.kind, held_out=False):
            found = read(order.id, phrase(order.formula, phrasing, order.replaces))
            assert found is not None
            assert found.formula == order.formula


def test_a_held_out_phrasing_is_not_read() -> None:
    for order in orders("train"):
        for phrasing in phrasings(order.kind, held_out=True):
            assert read(order.id, phrase(order.formula, phrasing, order.replaces)) is None


def success(level: str, split: str, count: int) -> float:
    """Share of the first missions of a split that the reader flies to success; every command must be legal."""
    store, won = MissionStore(), 0
    for index in range(count):
        flight, pilot = Flight(store.task(split, index, level)), Reader()
        while not flight.done:
            flight.execute(pilot.decide(asdict(flight.telemetry())))
        assert flight.refused == 0
        won += bool(flight.success)
    return won / count


@pytest.mark.parametrize("level", ["detumble", "retarget"])
def test_reading_by_pattern_flies_what_training_showed_and_nothing_else(level: str) -> None:
    """It is a rival where it can read, and does not solve ``test_phrasings``."""
    assert success(level, "validation", 20) > 0.4
    assert success(level, "test_phrasings", 20) == 0.0


@pytest.mark.long
@pytest.mark.parametrize("level", ["precision_hold", "mission_ops"])
def test_the_hard_levels_are_not_solved_by_reading_alone(level: str) -> None:
    """What breaks is told to nobody, and recalibrating the gyro by the clock does not save half of the missions.

    Flown are as many as decide it: on the hardest level it is not far from half.
    """
    assert success(level, "test", 300) < 0.5
    assert success(level, "test_phrasings", 5) == 0.0


def test_a_gyro_is_recalibrated_first_and_before_a_hold_that_starts_at_a_fixed_time() -> None:
    """When the camera opens, the calibration is no older than it may be, whatever was done before."""
    store = MissionStore()
    for index in range(10):
        mission = store.task("validation", index, "mission_ops")
        (start_s,) = [order.formula.a for order in mission.directives if order.kind == HOLD]
        flight, pilot, ends = Flight(mission), Reader(), []
        while not flight.done:
            command = pilot.decide(asdict(flight.telemetry()))
            flight.execute(command)
            if command.mode == "recover":
                ends.append(flight.simulation.clock_s)
        assert ends[0] == 120
        assert any(start_s - FRESH_S <= end_s <= start_s for end_s in ends)


def test_contact_is_waited_for_in_short_coasts_only_where_an_order_asks_for_it() -> None:
    """It is known long before, and short coasts all the way would use the decisions up."""
    store, far = MissionStore(), set()
    for index in range(3):
        mission = store.task("test_compositions", index, "mission_ops")
        (asked,) = [order for order in mission.directives if order.kind == ONLY_IF]
        assert isinstance(asked.formula, Always)
        flight, pilot = Flight(mission), Reader()
        while not flight.done:
            now, told = flight.simulation.clock_s, asdict(flight.telemetry())
            command = pilot.decide(told)
            flight.execute(command)
            is_open = {"id": asked.id, "status": "open"}.items()
            if asked.formula.a <= now and any(
                is_open <= item.items() for item in told["directives"]
            ):
                assert command.coast_s <= CONTACT_S or command.mode == "recover"
            elif now < asked.formula.a - NEWS_S:
                far.add(command.coast_s)
    assert max(far) == NEWS_S


def test_a_mission_is_flown_to_its_end_however_few_decisions_are_left() -> None:
    for index in range(10):
        flight, pilot = Flight(MissionStore().task("validation", index, "precision_hold")), Reader()
        for _ in range(40):  # it is told everything, and ten seconds are flown without it
            pilot.decide(asdict(flight.telemetry()))
            flight.execute(Command("idle", "trim", COAST_MIN_S))
        while not flight.done:
            flight.execute(pilot.decide(asdict(flight.telemetry())))
        assert flight.simulation.clock_s == flight.simulation.horizon_s
