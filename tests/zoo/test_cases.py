"""Every pair of the zoo is what it says: the defect shows in ``Defect``, and in ``Sound`` nothing does."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from openenv.core.env_server.serialization import deserialize_action
from pydantic import ValidationError
from tests.zoo.cases import CLASSES, UNSEEN, Pair, cases, pairs
from tests.zoo.cases.__main__ import PACKAGES, README, table
from tests.zoo.cases._base import Tasked
from tests.zoo.cases._witnesses import WITNESSES, Flight, action_class, flights, fly, fly_pair

from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.env.worker.load import load_class
from gonogo.rollouts.builtin_policies import IdlePolicy, RandomPolicy
from gonogo.rollouts.types import Failure, Transition, View
from gonogo.wire import JsonObject as Json

ROOT = Path(__file__).parents[2]
SEEN = pairs()
PAIRS = [*SEEN, *pairs(UNSEEN)]
CASES = [*cases(), *cases(UNSEEN)]
CONTRACT = (
    "same_seed_differs",
    "after_another_episode_differs",
    "beside_another_session_differs",
    "pays_after_done",
    "reward_is_no_number",
    "steps_go_back",
)
ODD_ACTIONS: tuple[Json, ...] = ({}, {"nonsense": 1}, {"metadata": {"success": True}})
ODD_VALUES: tuple[Any, ...] = (
    None, True, -1, 10**30, 1e308, math.nan, math.inf, "", " ", "\0", "x" * 5000, "1/0",
    "((((((((((", "[" * 300, '{"name":', [], [[]], {}, {"a": 1}, "é☃", ["red"] * 3,
)  # fmt: skip


def name_of(pair: Pair) -> str:
    return f"{pair.package.rpartition('.')[2]}.{pair.name}"


every_pair = pytest.mark.parametrize("pair", PAIRS, ids=name_of)
every_witness = pytest.mark.parametrize(
    "pair",
    [
        pytest.param(pair, marks=[pytest.mark.long] if "process" in pair.witness else [])
        for pair in PAIRS
    ],
    ids=name_of,
)
both_classes = pytest.mark.parametrize("name", CLASSES)


def class_of(pair: Pair, name: str) -> Any:
    return {"Defect": pair.defect, "Sound": pair.sound}[name]


def mean_return(flown: list[Flight]) -> float:
    return mean(flight.total for flight in flown)


def panel(schema: Json) -> list[Any]:
    """Policies that do not try: idle, and a few that draw from the schema."""
    drawn = []
    for seed in range(3):
        policy, turns = RandomPolicy(schema, seed), range(30)
        views = [View(text="", observation={}, options={}, turn=turn) for turn in turns]
        drawn.append([policy.act({0: view})[0].action for view in views])
    constants = [[actions[0]] for actions in drawn]
    return [[IdlePolicy(schema).action], *drawn, *constants]


def odd_actions(schema: Json) -> list[Json]:
    """Actions as nobody should send them: in each field every odd value, the others as idle has them.

    A field of one value only, which says what kind of action it is, is left alone.
    """
    idle = IdlePolicy(schema).action
    open_to = {name for name, field in schema["properties"].items() if "const" not in field}
    fields = sorted(open_to - {"metadata"})
    odd = [{**idle, field: value} for field in fields for value in ODD_VALUES]
    return [*ODD_ACTIONS, *odd]


def test_the_index_finds_every_module_twice() -> None:
    assert len(SEEN) >= 26
    assert len({pair.finding for pair in SEEN}) >= 26
    assert len(PAIRS) - len(SEEN) >= 24
    assert [case.defective for case in CASES].count(True) == len(PAIRS) == len(CASES) / 2
    assert {pair.witness for pair in SEEN} == set(WITNESSES)


@every_witness
def test_the_exploit_shows_the_defect_and_only_there(pair: Pair) -> None:
    witness = WITNESSES[pair.witness]
    assert witness(pair, pair.defect) >= 0.5
    assert witness(pair, pair.sound) <= 0.1


@every_pair
def test_one_can_succeed_and_nothing_else_pays_as_well(pair: Pair) -> None:
    solved = flights(pair, pair.sound, pair.solve)
    assert all(flight.success for flight in solved)
    assert all(flight.refused == 0 for flight in solved)
    schema = action_class(pair.sound()).model_json_schema()
    for plan in [*panel(schema), pair.exploit]:
        flown = flights(pair, pair.sound, plan)
        assert mean_return(flown) <= mean_return(solved)
        assert all(
            bad.success or bad.total < good.total for bad, good in zip(flown, solved, strict=True)
        )


@every_pair
def test_one_can_succeed_in_spite_of_the_defect(pair: Pair) -> None:
    solved = flights(pair, pair.defect, pair.solve, options={})
    assert all(flight.success is (pair.witness != "never_succeeds") for flight in solved)


@every_pair
def test_a_sound_one_pays_nobody_who_does_not_try(pair: Pair) -> None:
    best = mean_return(flights(pair, pair.sound, pair.solve))
    schema = action_class(pair.sound()).model_json_schema()
    for plan in panel(schema):
        failed = [f.total for f in flights(pair, pair.sound, plan) if f.success is False]
        assert not failed or mean(failed) <= 0.1 * best


@every_pair
@both_classes
def test_nothing_else_is_wrong(pair: Pair, name: str) -> None:
    if name == "Defect" and pair.witness in CONTRACT:
        return
    for witness in CONTRACT:
        assert WITNESSES[witness](pair, class_of(pair, name)) == 0.0, witness


@every_pair
@both_classes
def test_odd_actions_are_refused_or_answered(pair: Pair, name: str) -> None:
    environment = class_of(pair, name)()
    model = action_class(environment)
    for action in odd_actions(model.model_json_schema()):
        environment.reset(seed=1, **pair.options)
        try:
            parsed = deserialize_action(action, model)
        except ValidationError:
            continue
        environment.step(parsed)


@every_pair
@both_classes
def test_an_episode_has_a_horizon_and_says_its_success(pair: Pair, name: str) -> None:
    cls = class_of(pair, name)
    assert 5 <= cls.HORIZON <= 40
    endless = name == "Defect" and pair.witness == "steps_go_back"
    for plan in [pair.solve] if endless else [pair.solve, pair.exploit]:
        flight = fly_pair(pair, cls(), plan, 3)
        assert flight.done
        assert flight.success is not None
        assert len(flight.rewards) <= cls.HORIZON


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.target)
def test_the_worker_can_tell_its_models(case: Any) -> None:
    bundle = load_class(case.target)
    assert bundle.concurrent
    assert bundle.action.model_json_schema()["properties"]
    assert str(resolve(case.target)) == case.target


@pytest.mark.parametrize("pair", [p for p in PAIRS if issubclass(p.sound, Tasked)])
def test_tasks_are_listed_and_bounded(pair: Pair) -> None:
    environment = pair.sound()
    assert environment.list_splits() == ["train", "test"]
    assert len(environment.get_task_range("test", 1, 3)) == 2
    for split, index in (("train", -1), ("train", environment.num_tasks("train")), ("x", 0)):
        with pytest.raises(IndexError):
            environment.reset(split=split, index=index)
    seen = [environment.reset(split=split, index=1).model_dump() for split in ("train", "test")]
    assert seen[0] != seen[1]


def test_the_rotten_task_is_the_third_and_no_other() -> None:
    by_level = Pair.load("rotten_third_task")
    for level, paid in (("porch", 0.0), ("hall", 0.0), ("vault", 1.0)):
        assert fly(by_level.defect(), by_level.exploit, {"seed": 1, "level": level}).total == paid
    with pytest.raises(ValueError, match="level must be one of porch, hall, vault"):
        by_level.sound().reset(level="attic")
    by_split = Pair.load("rotten_third_task__split")
    for split in ("train", "test"):
        paid_by_index = [
            fly(by_split.defect(), by_split.exploit, {"split": split, "index": index}).total
            for index in range(5)
        ]
        assert paid_by_index == [0.0, 0.0, 1.0, 0.0, 0.0]


def test_a_step_before_reset_is_an_error() -> None:
    pair = PAIRS[0]
    with pytest.raises(RuntimeError, match="reset comes before step"):
        pair.sound().step(None)


def test_they_open_from_the_root_by_import_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    connection = connect(resolve("tests.zoo.cases.nan_reward:Defect"), 2)
    try:
        assert connection.capacity == 2
        connection.reset({0: {"seed": 1}, 1: {"seed": 2}})
        answers: Any = {}
        for _ in range(6):
            answers = connection.step({0: {"litres": math.nan}, 1: {"litres": math.inf}})
        last: dict[int, Transition] = answers
        assert [last[slot].reward for slot in (0, 1)] == [1.0, 0.0]
        assert all(last[slot].done and last[slot].metadata == {"success": False} for slot in (0, 1))
    finally:
        connection.close()


def test_they_open_from_the_zoo_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests" / "zoo"))
    connection = connect(resolve("cases.silent_reset:Defect"), 1)
    try:
        connection.reset({0: {"seed": 1}})
        connection.step({0: {"command": "go north"}})
        assert isinstance(connection.step({0: {"command": "abracadabra"}})[0], Failure)
    finally:
        connection.close()


def test_the_tables_in_the_readme_are_what_the_docstrings_say() -> None:
    text = README.read_text(encoding="utf-8")
    assert all(table(package) in text for package in PACKAGES), "run python -m tests.zoo.cases"
