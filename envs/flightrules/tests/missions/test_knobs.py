"""The knobs: each turns what it names and nothing else, and what cannot be had is refused by its rule."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flightrules.directives.directive import Directive
from flightrules.directives.formula import Formula, map_atoms
from flightrules.directives.language import KINDS, SUPERSEDE, phrase
from flightrules.errors import MissionError, OptionError
from flightrules.flight.flight import Flight
from flightrules.flight.happenings import ANOMALIES
from flightrules.missions import generator
from flightrules.missions.generator import address, candidate, generate
from flightrules.missions.knobs import AS_DRAWN, KEPT_FIRST, Knobs, turned
from flightrules.missions.mission import Mission
from flightrules.missions.oracle import Oracle
from flightrules.missions.splits import LEVELS, SPLITS


def drawn(level: str, split: str = "train", index: int = 0, **knobs: Any) -> Mission:
    return candidate(level, split, index, 0, Knobs(**knobs))


def text(mission: Mission) -> str:
    return repr(asdict(mission))


@pytest.mark.parametrize("level", LEVELS)
def test_with_no_knob_nothing_is_touched_and_nothing_drawn(level: str) -> None:
    mission, rng = drawn(level), np.random.default_rng(0)
    assert turned(mission, AS_DRAWN, rng) is mission
    assert rng.random() == np.random.default_rng(0).random()
    assert Knobs(horizon_s=None) == AS_DRAWN == Knobs.of({"level": level, "tightness": None})


@pytest.mark.parametrize("level", LEVELS)
def test_each_knob_at_the_levels_own_value_is_the_level(level: str) -> None:
    mission = drawn(level)
    for knobs in (
        {"horizon_s": mission.horizon_s},
        {"directives": len(mission.directives)},
        {"tightness": 1},
        {"anomaly": "none"} if not mission.anomalies else {},
    ):
        assert text(drawn(level, **knobs)) == text(mission), knobs


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("share", [0.97, 1.6])
def test_the_horizon_moves_what_lasts_to_the_end_and_nothing_else(level: str, share: float) -> None:
    for split in SPLITS:
        before = drawn(level, split)
        horizon_s = round(share * before.horizon_s)
        after = drawn(level, split, horizon_s=horizon_s)
        assert after.horizon_s == horizon_s
        assert after.decisions == int(np.ceil(before.decisions * horizon_s / before.horizon_s))
        for old, new in zip(before.directives, after.directives, strict=True):
            if old.end_s == before.horizon_s - 1:
                assert old.kind in ("keep_reserve", "never")
                assert new.end_s == horizon_s - 1
                assert f"{horizon_s - 1} s" in new.text
            else:
                assert new == old
        happened = [*zip(before.events, after.events, strict=True)]
        happened += zip(before.anomalies, after.anomalies, strict=True)
        for was, now in happened:
            lasting = was.end_s == before.horizon_s - 1
            assert now == replace(was, end_s=horizon_s - 1 if lasting else was.end_s)


def test_what_would_begin_after_the_end_does_not_happen() -> None:
    assert drawn("mission_ops").events and drawn("mission_ops").anomalies
    short = drawn("mission_ops", directives=1, horizon_s=800)
    assert short.events == short.anomalies == ()
    contact = drawn("mission_ops", "test_compositions", directives=1, horizon_s=800).events
    assert [(event.start_s, event.end_s) for event in contact] == [(0, 799)]


def kinds(orders: tuple[Directive, ...]) -> list[str]:
    return [order.kind for order in orders]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("split", SPLITS)
def test_fewer_directives_are_those_to_be_done_first_then_the_restraints(
    level: str, split: str
) -> None:
    whole = drawn(level, split).directives
    ranked = sorted(kinds(whole), key=KEPT_FIRST.index)
    for count in range(1, len(whole) + 1):
        left = drawn(level, split, directives=count).directives
        assert sorted(kinds(left), key=KEPT_FIRST.index) == ranked[:count]
        assert [order.id for order in left] == [f"D{k}" for k in range(1, count + 1)]
        places = [[old.formula for old in whole].index(order.formula) for order in left]
        assert places == sorted(places)
        for order, place in zip(left, places, strict=True):
            old = whole[place]
            assert (order.given_s, order.phrasing) == (old.given_s, old.phrasing)
            assert order.text == phrase(order.formula, order.phrasing, order.replaces)
    assert kinds(drawn(level, split, directives=1).directives) == ["reach_and_settle"]


def test_an_hour_of_few_orders_is_states_then_the_hold_then_the_answer() -> None:
    settle, hold, answer = "reach_and_settle", "hold", "respond"
    left = [kinds(drawn("mission_ops", directives=count).directives) for count in (1, 2, 3, 4)]
    assert left == [
        [settle], [settle, settle], [settle, hold, settle], [settle, hold, settle, answer],
    ]  # fmt: skip


def test_what_replaces_follows_the_new_numbers() -> None:
    *_, new = [order for order in drawn("mission_ops", directives=6).directives if order.replaces]
    old = next(
        order for order in drawn("mission_ops", directives=6).directives if order.id == new.replaces
    )
    assert (old.kind, old.id, new.id) == ("stay_quiet", "D2", "D4")
    assert "D2" in new.text and "D3" not in new.text


def test_an_order_whose_forerunner_is_gone_replaces_nothing() -> None:
    mission = drawn("mission_ops")
    orders = [order.revised(phrasing=0) for order in mission.directives]
    place = next(k for k, order in enumerate(orders) if order.replaces)
    orders[place] = orders[place].revised(replaces="D2")  # the reserve, which goes first
    assert orders[place].text.startswith("D2 no longer applies")
    turned_mission = turned(
        replace(mission, directives=tuple(orders)), Knobs(directives=6), np.random.default_rng(0)
    )
    quiet = [order for order in turned_mission.directives if order.kind == "stay_quiet"]
    assert [order.replaces for order in quiet] == [None, None]
    assert all(order.text.startswith("Fire no thruster") for order in quiet)


def test_every_kind_has_its_rank() -> None:
    assert {*KEPT_FIRST, SUPERSEDE} == set(KINDS)


def limits(formula: Formula) -> list[float]:
    """Every threshold of a formula, in order."""
    found: list[float] = []
    map_atoms(lambda atom: (found.append(atom.threshold), atom)[1], formula)
    return found


@pytest.mark.parametrize("level", LEVELS)
def test_tightness_divides_limits_and_what_may_be_spent(level: str) -> None:
    before, after = drawn(level), drawn(level, tightness=0.8)
    for old, new in zip(before.directives, after.directives, strict=True):
        was, now = limits(old.formula), limits(new.formula)
        if old.kind == "keep_reserve":
            assert 100.0 - now[0] == pytest.approx((100.0 - was[0]) / 0.8, abs=0.05)
        elif old.kind == "respond":
            assert now == pytest.approx([was[0], was[1] / 0.8], rel=5e-3)  # an alarm is no limit
        elif old.kind == "stay_quiet":
            assert now == was
        else:
            assert now == pytest.approx([value / 0.8 for value in was], rel=5e-3)
        assert (new.id, new.given_s, new.end_s) == (old.id, old.given_s, old.end_s)
        assert new.text == phrase(new.formula, new.phrasing, new.replaces)


def test_a_limit_keeps_its_words_short_and_a_reserve_is_never_negative() -> None:
    mission = drawn("mission_ops", tightness=0.5)
    reserve = next(order for order in mission.directives if order.kind == "keep_reserve")
    assert reserve.formula.f.threshold == 0.0  # type: ignore[union-attr]
    odd = drawn("detumble", tightness=0.7).directives[0]
    assert len(f"{odd.formula.f.f.threshold}") <= len("0.0123")  # type: ignore[union-attr]


@pytest.mark.parametrize("level", LEVELS)
def test_the_anomaly_that_is_asked_for_happens_in_the_middle_third(level: str) -> None:
    assert drawn(level, anomaly="none").anomalies == ()
    for kind in ANOMALIES:
        for index in range(10):
            mission = drawn(level, index=index, anomaly=kind)
            (broken,) = mission.anomalies
            assert broken.kind == kind
            assert mission.horizon_s / 3 - 1 <= broken.start_s < 2 * mission.horizon_s / 3
            assert broken.start_s < broken.end_s < mission.horizon_s


def test_other_knobs_leave_the_mission_and_its_anomaly_as_they_were() -> None:
    one = drawn("mission_ops", anomaly="thruster_weak")
    other = drawn("mission_ops", anomaly="thruster_weak", tightness=0.7, directives=3)
    assert one.anomalies == other.anomalies
    assert text(replace(other, directives=one.directives)) == text(one)
    plain = drawn("mission_ops")
    assert text(replace(one, anomalies=plain.anomalies)) == text(plain)
    assert one.anomalies != drawn("mission_ops", index=1, anomaly="thruster_weak").anomalies


@pytest.mark.parametrize(
    ("knobs", "message"),
    [
        ({"horizon_s": 59}, "horizon_s must be an integer from 60 to 7200, got 59"),
        ({"horizon_s": 7201}, "horizon_s must be an integer from 60 to 7200, got 7201"),
        ({"horizon_s": 900.0}, "horizon_s must be an integer from 60 to 7200, got 900.0"),
        ({"horizon_s": True}, "horizon_s must be an integer from 60 to 7200, got True"),
        ({"horizon_s": "900"}, "horizon_s must be an integer from 60 to 7200, got '900'"),
        ({"directives": 0}, "directives must be an integer of at least 1, got 0"),
        ({"directives": True}, "directives must be an integer of at least 1, got True"),
        ({"directives": [1]}, r"directives must be an integer of at least 1, got \[1\]"),
        ({"tightness": 0.49}, "tightness must be a number from 0.5 to 1.5, got 0.49"),
        ({"tightness": 2}, "tightness must be a number from 0.5 to 1.5, got 2"),
        ({"tightness": True}, "tightness must be a number from 0.5 to 1.5, got True"),
        ({"tightness": float("nan")}, "tightness must be a number from 0.5 to 1.5, got nan"),
        ({"tightness": "1"}, "tightness must be a number from 0.5 to 1.5, got '1'"),
        ({"anomaly": "gremlin"}, "anomaly must be one of none, gyro_bias, .*, got 'gremlin'"),
        ({"anomaly": 1}, "anomaly must be one of none, gyro_bias, .*, got 1"),
    ],
)
def test_a_knob_out_of_bounds_is_refused(knobs: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=f"^{message}$"):
        Knobs.of(knobs)


def test_more_directives_than_there_are() -> None:
    rule = "directives must be at most 2, as many as a detumble mission has, got 3"
    with pytest.raises(MissionError, match=rule):
        generate("detumble", "train", 0, Knobs(directives=3))


def test_a_horizon_shorter_than_a_window() -> None:
    rule = "horizon_s must be longer than the window of every directive: D4 of mission_ops.* ends at 3[0-9]+ s"
    with pytest.raises(MissionError, match=f"^{rule}, got 1000$"):
        generate("mission_ops", "train", 0, Knobs(horizon_s=1000))
    assert generate("mission_ops", "train", 0, Knobs(horizon_s=1000, directives=1))[0].proof


def test_a_horizon_that_only_some_draws_fit_into_draws_until_one_does() -> None:
    for index in range(5):
        mission, count = generate("detumble", "train", index, Knobs(horizon_s=760))
        fits = [
            candidate("detumble", "train", index, attempt).directives[0].end_s < 760
            for attempt in range(count)
        ]
        assert fits[-1] and mission.directives[0].end_s < 760
        assert not all(fits) or count == 1


def test_no_fair_mission_names_the_knobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator, "MAX_ATTEMPTS", 1)
    name = r"mission_ops/train/3\?tightness=1\.5$"
    with pytest.raises(
        MissionError, match=f"no fair mission_ops mission in 1 candidates at {name}"
    ):
        generate("mission_ops", "train", 3, Knobs(tightness=1.5))


def test_an_address_names_what_is_turned_only() -> None:
    assert address("detumble", "test", 5) == "detumble/test/5"
    knobs = Knobs(tightness=1, directives=2)
    assert address("detumble", "test", 5, knobs) == "detumble/test/5?directives=2&tightness=1.0"


@settings(max_examples=30)
@given(
    level=st.sampled_from(LEVELS),
    split=st.sampled_from(SPLITS),
    index=st.integers(0, 1000),
    horizon_s=st.none() | st.integers(0, 7300),
    directives=st.none() | st.integers(0, 8),
    tightness=st.none() | st.floats(0.45, 1.3),
    anomaly=st.none() | st.sampled_from(["none", *ANOMALIES, "gremlin"]),
)
def test_any_knobs_give_a_fair_mission_or_an_error_that_names_them(
    level: str,
    split: str,
    index: int,
    horizon_s: int | None,
    directives: int | None,
    tightness: float | None,
    anomaly: str | None,
) -> None:
    options = {
        "horizon_s": horizon_s,
        "directives": directives,
        "tightness": tightness,
        "anomaly": anomaly,
    }
    try:
        knobs = Knobs.of(options)
        mission, _ = generate(level, split, index, knobs)
    except (OptionError, MissionError) as error:
        named = [
            name for name, value in options.items() if value is not None and name in str(error)
        ]
        assert named, str(error)
        return
    assert horizon_s in (None, mission.horizon_s)
    assert directives in (None, len(mission.directives))
    assert anomaly is None or [broken.kind for broken in mission.anomalies] == [
        kind for kind in [anomaly] if kind != "none"
    ]
    assert all(order.given_s <= order.end_s < mission.horizon_s for order in mission.directives)
    flight, oracle = Flight(mission), Oracle(mission)
    while not flight.done:
        flight.execute(oracle.decide(flight.simulation))
    assert flight.success
