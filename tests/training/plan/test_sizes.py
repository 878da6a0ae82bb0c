"""How much a first training flies and learns, by the model, the machine and the environment."""

from __future__ import annotations

import pytest
from tests.training.planning import measured

from gonogo.config import GrpoConfig, SftConfig
from gonogo.training.plan.sizes import FEW, Size, size_of

SIZES = {
    (pretrained, gpu, teacher, sessions): size_of(
        measured(teacher, sessions=sessions), pretrained=pretrained, gpu=gpu
    )
    for pretrained in (False, True)
    for gpu in (False, True)
    for teacher in (None, "solver")
    for sessions in (1, FEW)
}


@pytest.mark.parametrize("size", SIZES.values(), ids=map(str, SIZES))
def test_every_size_is_one_that_a_config_takes(size: Size) -> None:
    sft = SftConfig.model_validate({"teacher": "solver", **size.sft})
    grpo = GrpoConfig.model_validate(size.grpo)
    assert size.slots >= 1 and size.validation >= 1 and size.why
    assert sft.validate_every <= sft.max_steps and grpo.validate_every <= grpo.steps
    assert grpo.learning_rate_end < grpo.learning_rate < sft.learning_rate


def test_a_cpu_makes_a_start_with_a_pretrained_model() -> None:
    start, whole = SIZES[True, False, "solver", FEW], SIZES[True, True, "solver", FEW]
    assert start.slots < whole.slots and start.validation < whole.validation
    assert start.grpo["steps"] < whole.grpo["steps"] and start.sft["batch"] < whole.sft["batch"]
    assert "there is a GPU" in start.why


def test_few_sessions_fly_less_by_reinforcement_alone() -> None:
    many, few = SIZES[False, False, "solver", FEW], SIZES[False, False, "solver", 1]
    assert few.sft == many.sft
    for name in ("steps", "tasks_per_step", "group_size", "validate_every"):
        assert few.grpo[name] == many.grpo[name] // 2
    assert few.why != many.why


def test_without_a_teacher_groups_are_larger_and_less_is_imitated() -> None:
    taught, alone = SIZES[False, False, "solver", FEW], SIZES[False, False, None, FEW]
    assert alone.grpo["group_size"] > taught.grpo["group_size"]
    assert alone.sft["max_steps"] < taught.sft["max_steps"]
