"""Are held-out tasks new ones? Measured on environments in which tasks differ, in part, in nothing, or in a clock."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gonogo import config
from gonogo.env.environment import Env
from gonogo.evaluation.held_out import (
    count_copies,
    held_out_criterion,
    hold_apart,
    judge_apart,
    places_of,
    training_tasks,
)
from gonogo.records.evaluation import HeldOutComparison
from gonogo.records.record import Verdict

Json = dict[str, Any]


def run_of(target: Path, tmp_path: Path) -> config.RunConfig:
    return config.load(None, {"target": str(target), "out": str(tmp_path), "rollout.slots": 8})


def compared(
    target: Path, tmp_path: Path, trained: list[Json], held: list[Json]
) -> HeldOutComparison:
    run = run_of(target, tmp_path)
    with Env.of(run) as env:
        return hold_apart(run, env, trained, held)


def seeds(*numbers: int) -> list[Json]:
    return [{"seed": number} for number in numbers]


def test_where_nothing_varies_every_held_out_task_is_a_copy(echo: Path, tmp_path: Path) -> None:
    found = compared(echo, tmp_path, seeds(0, 1, 2), seeds(900, 901))
    assert (found.looked_at, found.trained, found.copies) == (2, 3, 2)
    verdict, said = judge_apart(found)
    assert verdict is Verdict.HOLD
    assert said.startswith("this measures memorisation: 2 of 2 held-out tasks are copies")
    assert "such as seed=900 of seed=0" in said


def test_tasks_that_differ_are_held_out_and_the_same_ones_are_not(
    gridworld: Path, tmp_path: Path
) -> None:
    trained = [{"split": "train", "index": i} for i in range(4)]
    apart = compared(
        gridworld, tmp_path, trained, [{"split": "test", "index": i} for i in (1, 2, 3)]
    )
    assert (apart.looked_at, apart.trained) == (3, 4)
    same = compared(gridworld, tmp_path, trained, trained[:3])
    assert same.copies == 3 > apart.copies
    assert judge_apart(same)[0] is Verdict.HOLD


def shown(secret: int, *, clock: int = 0, number: int = 0) -> list[tuple[str, Any]]:
    """What a task shows: a text with a clock in it, and the number that it was asked for by."""
    text = f"it is 12:{clock:02d}, {secret} apples are in the box"
    seen = {"observation": {"text": text, "task": number}, "reward": None, "done": False}
    return list(places_of(seen, "0"))


@pytest.mark.parametrize(("secrets", "copies"), [((1, 2), 0), ((7, 7), 2)])
def test_a_clock_in_a_text_and_an_own_number_make_no_task_another(
    secrets: tuple[int, int], copies: int
) -> None:
    again = [shown(7, clock=1), shown(7, clock=2)]
    known = [({"seed": i}, shown(7, clock=10 + i, number=i)) for i in range(3)]
    new = [({"seed": 50 + i}, shown(s, clock=30 + i, number=50 + i)) for i, s in enumerate(secrets)]
    found = count_copies(again, known, new)
    assert found.copies == copies
    if copies:
        assert (
            "what differs when a task is reset again (0.observation.text" in judge_apart(found)[1]
        )


@pytest.mark.parametrize(
    ("copies", "verdict", "said"),
    [
        (0, Verdict.GO, "0 of 20"),
        (2, Verdict.GO, "2 of 20"),
        (3, Verdict.HOLD, "in part, this measures memorisation"),
        (20, Verdict.HOLD, "this measures memorisation"),
    ],
)
def test_a_tenth_of_copies_is_borne_and_no_more(copies: int, verdict: Verdict, said: str) -> None:
    answered = judge_apart(
        HeldOutComparison(
            looked_at=20,
            trained=32,
            copies=copies,
            varies=(),
            example=({"seed": 1}, {"seed": 0}),
        )
    )
    assert answered[0] is verdict and said in answered[1]


def test_where_training_flies_no_task_of_the_environment_nothing_can_be_a_copy(
    echo: Path, tmp_path: Path
) -> None:
    found = compared(echo, tmp_path, [], seeds(900))
    assert judge_apart(found)[0] is Verdict.GO


def test_what_could_not_be_flown_or_is_not_known_is_held(rogue: Path, tmp_path: Path) -> None:
    found = compared(rogue, tmp_path, [{"trick": "exit"}], [{"trick": "exit"}])
    assert judge_apart(found)[0] is Verdict.HOLD
    assert held_out_criterion(None).verdict is Verdict.HOLD


def test_tasks_of_a_training_are_those_of_its_stages_in_turn() -> None:
    stages = [
        {"name": "few", "options": {"level": "a"}, "tasks": 2},
        {"name": "many", "options": {"level": "b"}},
    ]
    given = {
        "validation": {"tasks": {"options": {}}},
        "curriculum": {"stages": stages},
        "sft": {"teacher": "random"},
    }
    tasks = training_tasks(config.TrainConfig.model_validate_json(json.dumps(given)))
    assert tasks[:3] == [
        {"level": "a", "seed": 0},
        {"level": "b", "seed": 0},
        {"level": "a", "seed": 1},
    ]
    assert [task["level"] for task in tasks].count("a") == 2
