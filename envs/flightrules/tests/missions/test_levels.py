"""What the levels ask: memory, thrift, and every kind of order and of anomaly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial

import numpy as np
import pytest

from flightrules.directives.directive import Directive
from flightrules.directives.language import KINDS, SUPERSEDE
from flightrules.directives.monitor import Verdict
from flightrules.flight.command import Command
from flightrules.flight.flight import Flight
from flightrules.flight.happenings import ANOMALIES
from flightrules.missions.generator import candidate, generate
from flightrules.missions.mission import Mission
from flightrules.missions.oracle import Oracle
from flightrules.missions.splits import LEVELS, SPLITS
from flightrules.validation.policies import TUNED_PD, PdPilot

MISSIONS = 5


@pytest.fixture(scope="module")
def flagship() -> list[Mission]:
    return [generate("mission_ops", "validation", index)[0] for index in range(MISSIONS)]


def by_the_book(flight: Flight, forgotten: Directive | None = None) -> Iterator[Command]:
    """The oracle, of which an order may be kept."""
    orders = [item for item in flight.mission.directives if item is not forgotten]
    oracle = Oracle(flight.mission, orders)
    while True:
        yield oracle.decide(flight.simulation)


def wasteful_at_first(flight: Flight) -> Iterator[Command]:
    """The oracle, but while the first order is open every decision is followed by a burn and its opposite."""
    oracle = Oracle(flight.mission)
    while True:
        yield oracle.decide(flight.simulation)
        if flight._true.verdicts[0] == Verdict.OPEN:
            yield Command("roll+large", "detumble", 10)
            yield Command("roll-large", "detumble", 10)


def fly(mission: Mission, pilot: Callable[[Flight], Iterator[Command]]) -> Flight:
    flight = Flight(mission)
    commands = pilot(flight)
    while not flight.done:
        flight.execute(next(commands))
    return flight


def test_early_waste_makes_the_later_phases_impossible(flagship: list[Mission]) -> None:
    """Who spends freely in the first phase passes it, and fails the mission, however well it is flown from there."""
    for mission in flagship:
        assert fly(mission, by_the_book).success
        wasted = fly(mission, wasteful_at_first)
        assert not wasted.success
        assert wasted._true.verdicts[0] == Verdict.SATISFIED


def test_the_cameras_order_is_told_once_and_due_many_decisions_later(
    flagship: list[Mission],
) -> None:
    """Told in full at one decision; after that an id; and whoever has forgotten it fails."""
    for mission in flagship:
        order = next(item for item in mission.directives if item.kind == "hold")
        flight, oracle = Flight(mission), Oracle(mission)
        told, between = [], 0
        while not flight.done:
            telemetry = flight.telemetry()
            told.append(any(order.text in message for message in telemetry.messages))
            between += bool(order.given_s < telemetry.clock_s < order.formula.a)  # type: ignore[union-attr]
            flight.execute(oracle.decide(flight.simulation))
        assert sum(told) == 1
        assert between >= 20
        assert not fly(mission, partial(by_the_book, forgotten=order)).success


@pytest.mark.parametrize("level", LEVELS[2:])
def test_a_tuned_controller_does_not_reach_the_hard_levels(level: str) -> None:
    won = 0
    for index in range(10):
        flight, pilot = Flight(generate(level, "validation", index)[0]), PdPilot(TUNED_PD)
        while not flight.done:
            flight.execute(pilot.decide(asdict(flight.telemetry())))
        won += bool(flight.success)
    assert won <= 1


def drawn(split: str, count: int = 40) -> list[Mission]:
    return [candidate(level, split, index, 0) for level in LEVELS for index in range(count)]


def test_every_kind_of_order_and_of_anomaly_occurs() -> None:
    missions = [mission for split in SPLITS for mission in drawn(split)]
    orders = [order for mission in missions for order in mission.directives]
    kinds = {order.kind for order in orders} | {SUPERSEDE for order in orders if order.replaces}
    assert kinds == set(KINDS)
    assert {broken.kind for mission in missions for broken in mission.anomalies} == set(ANOMALIES)


def test_numbers_stay_in_the_horizon() -> None:
    for split in SPLITS:
        for mission in drawn(split, 20):
            assert all(order.end_s < mission.horizon_s for order in mission.directives)
            assert all(order.given_s <= order.end_s for order in mission.directives)
            assert np.linalg.norm(mission.q_BN) == pytest.approx(1.0)
