"""Flights as they are planned and kept, and the same environment in two processes whose hash seeds differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gonogo import config
from gonogo.contract.tasks import Task
from gonogo.contract.trajectories import ProcessPair, Shot, Trace, affordable, make_plan, recordable
from gonogo.env.environment import Env
from gonogo.errors import TargetError
from gonogo.records.inspection import Description
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import Transition

ROOT = Path(__file__).parents[2]


def trace(*answers: Any, state: Any = None) -> Trace:
    """A flight whose observations hold the answers."""
    shots = []
    for step, answer in enumerate(answers):
        observed = answer if isinstance(answer, dict) else {"x": answer}
        shots.append(Shot({} if step else None, Transition(observed, 0.0, False), state, None))
    return Trace({}, shots)


def test_what_a_record_cannot_hold_is_made_holdable() -> None:
    assert recordable({"a": [float("nan"), float("-inf"), 1.5]}) == {"a": ["nan", "-inf", 1.5]}
    assert recordable("x" * 500).endswith("… (500 characters)")


def test_a_slow_environment_gets_short_flights() -> None:
    flown = trace(*range(10))
    flown.seconds = 0.001
    assert affordable(flown, 30, 24, 2) == 24
    flown.seconds = 10.0
    assert affordable(flown, 30, 24, 2) == 4
    assert 4 < affordable(flown, 200, 24, 2) < 24


def test_plans_draw_from_the_seed_and_the_task() -> None:
    space = Space({"properties": {"x": {"type": "integer"}}})
    given = [({}, 0), ({}, 0), ({}, 1), ({"a": 1}, 0)]
    plans = [make_plan(Task(options, "given"), space, seed, 2, 8) for options, seed in given]
    assert plans[0] == plans[1]
    assert plans[0].scripts != plans[2].scripts
    assert plans[0].scripts != plans[3].scripts
    assert plans[0].options(1)["seed"] == 1
    assert "seed" not in plans[0].options(None)
    assert not make_plan(Task({"seed": 9}, "given"), space, 0, 2, 8).seeded


def test_a_record_holds_no_list_and_no_number_without_end() -> None:
    assert recordable(list(range(2000)))[1023:] == [1023, "976 more"]
    assert recordable({str(n): n for n in range(1025)})["…"] == "1 more"
    assert recordable(10**400) == "a whole number of 1329 bits"
    assert recordable([1, {"a": 2**64}]) == [1, {"a": 2**64}]


@pytest.fixture(autouse=True)
def _from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import paths are looked up from the working directory."""
    monkeypatch.chdir(ROOT)


@pytest.fixture
def pair_of(tmp_path: Path) -> Iterator[Callable[[str], ProcessPair]]:
    """Opens a pair of a target, closed at the end."""
    opened: list[ProcessPair] = []

    def start(target: str) -> ProcessPair:
        run = config.load(None, {"target": target, "out": str(tmp_path)})
        opened.append(ProcessPair(Env.of(run)))
        return opened[-1]

    yield start
    for pair in opened:
        pair.close()


def test_two_processes_are_renewed_together(pair_of: Callable[[str], ProcessPair]) -> None:
    pair = pair_of("tests.zoo.single:Careless")
    assert pair.second is not None
    pids = [pair.first.pid, pair.second.pid]  # type: ignore[attr-defined]
    assert None not in pids and len(set(pids)) == 2
    assert not pair.cut_off
    pair.uneven = True
    assert pair.renew() is None
    assert pair.second is not None and not pair.uneven
    again = [pair.first.pid, pair.second.pid]  # type: ignore[attr-defined]
    assert len({*pids, *again}) == 4
    for connection in (pair.first, pair.second):
        assert isinstance(connection.reset({0: {}, 1: {}})[1], Transition)
    assert pair.describe().reset is not None and pair.notes == []


def test_what_cannot_be_asked_is_a_note(pair_of: Callable[[str], ProcessPair]) -> None:
    pair = pair_of("tests.zoo.defects:Stillborn")
    assert pair.describe() == Description()
    (note,) = pair.notes
    assert note.startswith("the environment could not be asked what it is: ")
    assert "no instance today" in note


def test_where_one_cannot_be_started_none_is_left(pair_of: Callable[[str], ProcessPair]) -> None:
    with pytest.raises(TargetError, match="has no attribute 'Nobody'"):
        pair_of("tests.zoo.single:Nobody")


def test_a_server_is_one_process(
    serve: Callable[..., str], gridworld: Path, tmp_path: Path
) -> None:
    run = config.load(None, {"target": serve(gridworld), "out": str(tmp_path)})
    with closing(ProcessPair(Env.of(run))) as pair:
        first = pair.first
        assert pair.second is None
        assert pair.renew() is None and pair.first is first
