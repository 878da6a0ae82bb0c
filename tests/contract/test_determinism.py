"""The first difference by step and field, and nothing that is not one; their pattern tells the cause."""

from __future__ import annotations

import typing
from pathlib import Path
from typing import Any

import pytest
from tests.zoo.noise import Dropped, Harmless

from gonogo import config
from gonogo.contract import check_env as station
from gonogo.contract.determinism import (
    Differences,
    alike_item,
    apart,
    difference,
    same_seed_differs,
    unseeded_flight,
    within_process,
)
from gonogo.contract.seeds import SeedUse
from gonogo.contract.tasks import Task
from gonogo.contract.trajectories import RESETS, HistoryPlan, Shot, Trace
from gonogo.records.contract import ContractItem, ContractReport
from gonogo.records.findings import FirstDifference
from gonogo.rollouts.types import Failure, Transition

Json = dict[str, Any]
AT_RESET, LATER = FirstDifference(step=0), FirstDifference(step=3)


def trace(*answers: Any, state: Any = None) -> Trace:
    """A flight whose observations hold the answers."""
    shots = []
    for step, answer in enumerate(answers):
        observed = answer if isinstance(answer, dict) else {"x": answer}
        shots.append(Shot({} if step else None, Transition(observed, 0.0, False), state, None))
    return Trace({}, shots)


@pytest.mark.parametrize(
    ("a", "b", "field"),
    [
        (1, 2, "observation.x"),
        (1, True, "observation.x"),
        (1, 1.0, "observation.x"),
        ({"x": [1, {"y": 2}]}, {"x": [1, {"y": 3}]}, "observation.x[1].y"),
        ({"x": [1]}, {"x": [1, 2]}, "observation.x"),
        ({"x": 1}, {"x": 1, "z": 0}, "observation.z"),
    ],
)
def test_the_first_difference_is_named(a: Any, b: Any, field: str) -> None:
    found = difference(trace(0, a), trace(0, b))
    assert found is not None
    assert (found.step, found.field) == (1, field)
    assert difference(trace(0, a), trace(0, a)) is None


def test_rewards_ends_states_and_refusals_count_and_ids_do_not() -> None:
    one = trace(0, 0, state={"episode_id": "a", "step_count": 1})
    assert difference(one, trace(0, 0, state={"episode_id": "b", "step_count": 1})) is None
    for changed, field in (
        (Transition({"x": 0}, 0.5, False), "reward"),
        (Transition({"x": 0}, 0.0, True), "done"),
        (Transition({"x": 0}, 0.0, False, refusal="no"), "refused"),
    ):
        other = trace(0, 0, state={"step_count": 1})
        other.shots[1] = Shot({}, changed, {"step_count": 1}, None)
        found = difference(one, other)
        assert found is not None
        assert found.field == field
    found = difference(one, trace(0, 0, state={"step_count": 2}))
    assert found is not None
    assert found.field == "state.step_count"


def test_integers_may_grow_where_counts_are_forgiven() -> None:
    assert difference(trace(0, 1), trace(0, 28), growing=True) is None
    for earlier, later in ((28, 1), (1.0, 28.0), (False, True), ("1", "28")):
        assert difference(trace(0, earlier), trace(0, later), growing=True) is not None


def test_a_shorter_or_a_lost_flight_is_different() -> None:
    assert difference(trace(0), trace(0, 0)) is not None
    lost = trace(0, 0)
    lost.failure = Failure("gone")
    found = difference(trace(0, 0), lost)
    assert found is not None
    assert found.values == (1, "gone")


def test_texts_that_differ_late_are_shown_where_they_begin_to() -> None:
    same = "Words that never change. " * 40
    one, two = apart(f"{same}left turn{same}", f"{same}right turn{same}")
    assert "left turn" in one
    assert "right turn" in two
    assert len(one) < 200
    assert apart("short", "shirt") == ("short", "shirt")
    found = difference(trace(f"{same}left"), trace(f"{same}right"))
    assert found is not None
    assert found.values is not None
    assert found.values[0].endswith("left")
    assert found.values[1].endswith("right")


def test_lists_that_differ_in_length_show_the_first_item_that_one_has_alone() -> None:
    found = difference(trace({"x": [1, 2]}), trace({"x": [1, 2, 3]}))
    assert found is not None
    assert found.values == ("2 items", "3 items, and then 3")


@pytest.mark.parametrize(
    ("again", "after_other", "new_session", "beside", "new_process", "cause"),
    [
        (AT_RESET, AT_RESET, AT_RESET, AT_RESET, AT_RESET, "seed_ignored"),
        (LATER, LATER, LATER, LATER, LATER, "nondeterministic"),
        (None, None, None, None, AT_RESET, "process_dependent"),
        (None, None, None, None, LATER, "process_dependent"),
        (AT_RESET, AT_RESET, None, None, None, "episode_state_leak"),
        (None, LATER, None, None, None, "episode_state_leak"),
        (AT_RESET, AT_RESET, AT_RESET, None, None, "session_state_leak"),
        (None, None, AT_RESET, None, None, "session_state_leak"),
        (None, None, None, LATER, None, "session_state_leak"),
    ],
)
def test_the_cause(again, after_other, new_session, beside, new_process, cause) -> None:  # type: ignore[no-untyped-def]
    assert Differences(again, after_other, new_session, beside, new_process).cause() == cause


def test_a_difference_that_each_process_has_alike_is_no_matter_of_the_process() -> None:
    """Each reset of an instance goes on to the next task; a clock does not differ in the same way twice."""

    def told(one: Any, other: Any) -> str:
        first, second = ({"reference": trace(a), "again": trace(b)} for a, b in (one, other))
        return within_process("again", first, second, "process_dependent", {})

    assert told(("easy", "hard"), ("easy", "hard")) == "episode_state_leak"
    assert told((1, 2), (3, 4)) == "process_dependent"


def test_a_coin_that_falls_alike_a_few_times_is_no_matter_of_the_process() -> None:
    coin = Differences(None, AT_RESET, None, None, AT_RESET, resets=AT_RESET)
    assert coin.vary()
    assert coin.cause() == coin.cause_unseen() == "seed_ignored"
    counted = Differences(AT_RESET, AT_RESET, AT_RESET, AT_RESET, None, resets=AT_RESET)
    assert counted.cause() == "session_state_leak"


def test_a_coin_that_falls_alike_all_over_one_process_is_seen_in_the_other() -> None:
    def tossed(face: str) -> Trace:
        return Trace({}, [Shot(None, Transition({"face": face}, None, False), None, None)])

    names = ("reference", "again", "after other", "new session", "beside", *RESETS)
    first = {name: tossed("heads") for name in names}
    second = {name: tossed("tails" if name == RESETS[-1] else "heads") for name in names}
    found = Differences.of(first, second, {})
    assert found.resets is not None and found.cause() == "seed_ignored"
    elsewhere = {name: tossed("tails") for name in names}
    assert Differences.of(first, elsewhere, {}).cause() == "process_dependent"


def test_without_a_second_process_chance_comes_before_a_leak() -> None:
    everywhere = Differences(AT_RESET, AT_RESET, AT_RESET, None, None)
    assert everywhere.cause_unseen() == "seed_ignored"
    assert Differences(LATER, LATER, LATER, None, None).cause_unseen() == "nondeterministic"
    assert Differences(LATER, LATER, None, None, None).cause_unseen() == "episode_state_leak"


def test_a_seed_decides_nothing_where_all_open_alike_and_the_same_goes_on_otherwise() -> None:
    chance = Differences(LATER, LATER, LATER, LATER, LATER)
    told = same_seed_differs(chance, "nondeterministic", [LATER, None])
    assert told is not None and "3 seeds open alike" in told
    assert same_seed_differs(chance, "nondeterministic", [AT_RESET, LATER]) is None
    assert same_seed_differs(chance, "nondeterministic", []) is None
    same = Differences(None, None, None, None, None)
    assert same_seed_differs(same, "session_state_leak", [None]) is None


def mapped(name: str, out: Path) -> tuple[ContractReport, dict[str, ContractItem]]:
    """The map of one of the zoo's noisy environments, and its items on seeds by task."""
    given = {"target": f"tests.zoo.noise:{name}", "out": str(out), "map.tasks": 40}
    station.run(config.load(None, {**given, "map.steps": 4, "map.seeds": 2}))
    record = ContractReport.load(out)
    items = (item for item in record.items if item.id == "seed_control")
    return record, {(item.task or {}).get("kind", "default"): item for item in items}


@pytest.fixture
def _from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import paths are looked up from the working directory."""
    monkeypatch.chdir(Path(__file__).parents[2])


@pytest.mark.usefixtures("_from_the_root")
def test_a_clock_or_an_id_is_noted_and_is_no_dropped_seed(tmp_path: Path) -> None:
    record, items = mapped("Noisy", tmp_path)
    kinds = set(typing.get_args(Harmless))
    assert record.findings == ()
    assert {name: item.verdict for name, item in items.items() if item.verdict != "pass"} == {}
    noted = {note.partition(":")[0].removeprefix("kind=") for note in record.notes}
    assert noted == kinds - {"nothing"}
    assert all(" holds " in note for note in record.notes)


@pytest.mark.usefixtures("_from_the_root")
def test_what_is_drawn_anew_whatever_the_seed_is_found_also_beside_a_clock(tmp_path: Path) -> None:
    record, items = mapped("Careless", tmp_path)
    assert {name for name, item in items.items() if item.verdict == "fail"} == {
        *typing.get_args(Dropped)[1:],
        "default",  # the first of them
    }
    assert {finding.id for finding in record.findings} == {"seed_ignored"}


@pytest.mark.usefixtures("_from_the_root")
@pytest.mark.parametrize(
    ("name", "verdict", "said"),
    [
        ("Fixed", "na", "one fixed task"),
        ("Coded", "fail", "takes a seed and drops it"),
        ("Told", "fail", "takes a seed and drops it"),
        ("Overruled", "na", "one fixed task"),
        ("Dealt", "pass", "different between them"),
        ("Seedless", "na", "one task only: its reset takes no seed"),
        ("Hidden", "na", "its code uses the seed"),
        ("Deferred", "na", "its code uses the seed"),
    ],
)
def test_a_seed_that_changes_nothing(name: str, verdict: str, said: str, tmp_path: Path) -> None:
    record, items = mapped(name, tmp_path)
    assert items["default"].verdict == verdict
    assert said in items["default"].said
    assert ("its code uses the seed" in record.reason) is (name in {"Hidden", "Deferred"})
    assert {f.id for f in record.findings} == ({"seed_ignored"} if verdict == "fail" else set())


@pytest.mark.usefixtures("_from_the_root")
def test_what_another_session_resets_is_a_leak_between_them_and_no_silent_reset(
    tmp_path: Path,
) -> None:
    station.run(config.load(None, {"target": "tests.zoo.turns:crowded", "out": str(tmp_path)}))
    record = ContractReport.load(tmp_path)
    found = {finding.id: finding for finding in record.findings}
    assert "silent_reset" not in found
    (item,) = [i for i in record.contract if i.id == "isolation_sessions"]
    assert item.finding == "session_state_leak"
    assert "while another session of the process was reset after it" in item.said
    assert {i.id for i in record.items if i.verdict != "na"} > {"after_done", "malformed_actions"}


def test_resets_that_differ_are_shown_before_what_follows_them() -> None:
    flown = {"reference": trace(1, 2), "new session": trace(1, 3), "again": trace(1, 4)}
    found = Differences(None, None, LATER, None, None, AT_RESET)
    assert unseeded_flight((flown, None), found, {}) == (flown["new session"], AT_RESET)
    later = Differences(LATER, None, LATER, None, None)
    assert unseeded_flight((flown, None), later, {}) == (flown["new session"], LATER)
    alone = Differences(LATER, None, None, None, None)
    assert unseeded_flight((flown, None), alone, {}) == (flown["again"], LATER)


def test_where_no_action_was_accepted_only_what_opened_was_compared() -> None:
    plan = HistoryPlan(Task({}, "default"), (0, 1), True, ((), ()))
    nothing = alike_item(plan, trace(0, {"error": "unknown task"}), SeedUse(True, ""), "")
    assert "no action that was sent was accepted" in nothing.checked.said
    assert nothing.checked.verdict == "fail"
    assert nothing.proof is not None and nothing.proof.upto == 0
    something = alike_item(plan, trace(0, {"error": "unknown"}, 1), SeedUse(True, ""), "")
    assert "nothing varies" in something.checked.said
    assert something.proof is not None and something.proof.upto is None
