"""Anomalies in the telemetry: as large as they are drawn, and cured by `recover` where the gyro is at fault."""

from __future__ import annotations

import math

import pytest

from flightrules.flight.happenings import ANOMALIES, GAUGE, GYRO_BIAS, THRUSTER_WEAK, TRACKER_BLIND
from flightrules.missions.store import MissionStore
from flightrules.validation.symptoms import Symptom, in_words, symptoms


@pytest.fixture(scope="module")
def found() -> dict[str, Symptom]:
    return {item.kind: item for item in symptoms(MissionStore())}


def test_every_kind_is_flown(found: dict[str, Symptom]) -> None:
    """On a mission of that kind, and told with its size."""
    assert tuple(found) == ANOMALIES
    assert all(item.anomaly.kind == kind for kind, item in found.items())
    assert len({in_words(item.anomaly) for item in found.values()}) == len(ANOMALIES)


def test_a_gyro_jumps_by_its_size_and_is_recalibrated(found: dict[str, Symptom]) -> None:
    """Within its noise of 0.004 deg/s a reading."""
    item = found[GYRO_BIAS]
    jump = math.degrees(item.anomaly.size)
    assert item.after - item.before == pytest.approx(jump, abs=0.02)
    assert abs(item.recovered) < 0.02
    assert (item.answer, item.cured) == ("gyro recalibrated", True)


def test_a_blind_tracker_lets_the_attitude_drift(found: dict[str, Symptom]) -> None:
    """A tenth of a degree of noise before; then it grows, and a recalibration has no stars."""
    item = found[TRACKER_BLIND]
    assert abs(item.before) < 0.1 < abs(item.after) < abs(item.recovered)
    assert (item.answer, item.cured) == ("not recalibrated, too few stars seen", False)


def test_a_weak_thruster_turns_by_its_share(found: dict[str, Symptom]) -> None:
    item = found[THRUSTER_WEAK]
    assert item.before == pytest.approx(1.0, abs=0.15)
    assert item.after == pytest.approx(item.anomaly.size, abs=0.1)
    assert item.recovered == pytest.approx(item.anomaly.size, abs=0.1)
    assert not item.cured


def test_a_gauge_is_off_by_its_size(found: dict[str, Symptom]) -> None:
    """Not hidden by a full tank."""
    item = found[GAUGE]
    assert item.before == pytest.approx(0.0, abs=0.001)
    assert item.after == pytest.approx(item.anomaly.size, abs=0.001)
    assert item.recovered == pytest.approx(item.anomaly.size, abs=0.001)
    assert not item.cured
