"""From measurements to a config that holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as drawn
from hypothesis import strategies as st
from tests.training.planning import IDLE, SOLVER, measured, planned_run

from gonogo import config
from gonogo.config import GrpoConfig, SftConfig
from gonogo.config.kept_flags import flat
from gonogo.records.inspection import TaskSplit
from gonogo.training.plan.config_choices import FEW, ConfigChoice, Size, choose, size_of
from gonogo.training.plan.config_file import advice, text_of
from gonogo.training.plan.measurements import MOST_TURNS, PlanMeasurements, PolicyMeasurements
from gonogo.training.plan.task_splits import Level, tasks_of

PLACES = [
    TaskSplit(name=name, num_tasks=100, preview=()) for name in ("train", "validation", "test")
]
FLOWN = st.builds(
    PolicyMeasurements,
    st.one_of(st.none(), st.floats(-100, 100)),
    st.one_of(st.none(), st.floats(-100, 100)),
    st.one_of(st.none(), st.floats(0, 1)),
    st.lists(st.integers(1, MOST_TURNS), min_size=1, max_size=4).map(tuple),
) | st.just(PolicyMeasurements(None, None, None, ()))
SIZES = {
    (pretrained, gpu, teacher, sessions): size_of(
        measured(teacher, sessions=sessions), pretrained=pretrained, gpu=gpu
    )
    for pretrained in (False, True)
    for gpu in (False, True)
    for teacher in (None, "solver")
    for sessions in (1, FEW)
}


def chosen(
    found: PlanMeasurements, noisy: Sequence[str] = (), splits: Any = None, **given: Any
) -> dict[str, Any]:
    choices = choose(planned_run(**given), found, tasks_of(splits), noisy, gpu=False)
    assert all(choice.why for choice in choices)
    return {choice.field: choice.value for choice in choices}


def loaded(choices: list[ConfigChoice], folder: Path) -> config.RunConfig:
    file = folder / "plan.yaml"
    file.write_text(text_of(choices, file), encoding="utf-8")
    return config.load(file)


def test_what_a_run_was_begun_with_stands_in_its_config(tmp_path: Path) -> None:
    """So that neither the next command nor the board forgets it where the config takes its place."""
    said = {
        "rollout.success": "done", "rollout.timeout_s": 7.0, "map.reset": {"level": "hard"}, "map.steps": 9,
        "audit.reference": "mine:solve", "audit.budget": 300, "audit.seeds": 5,
    }  # fmt: skip
    for teacher in ("solver", "other:teach"):
        found = chosen(measured(teacher), **said)
        assert {name: found[name] for name in said} == said
        choices = choose(planned_run(**said), measured(teacher), tasks_of(None), [], gpu=False)
        made = flat(loaded(choices, tmp_path))
        assert {name: made[name] for name in said} == said
    alone = chosen(measured("other:teach"), **{"audit.budget": 300})
    assert (alone["audit.reference"], alone["audit.budget"]) == ("other:teach", 300)
    assert not {"map.steps", "audit.seeds", "audit.reference"} & set(chosen(measured("solver")))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@drawn(
    teacher=st.sampled_from([None, "solver", "mine:solve"]),
    flown=st.tuples(FLOWN, FLOWN, FLOWN),
    names=st.lists(st.sampled_from(["easy", "hard: yes", "#3"]), unique=True),
    ended=st.one_of(st.none(), st.integers(1, MOST_TURNS - 1)),
    tokens=st.tuples(
        st.integers(1, 5000), st.integers(1, 5000), st.integers(0, 5000), st.integers(1, 600)
    ),
    splits=st.one_of(
        st.none(), st.just(PLACES), st.just([TaskSplit(name="train", num_tasks=None, preview=())])
    ),
    noisy=st.sampled_from([(), ("move",), ("a", "b")]),
    pretrained=st.sampled_from([None, "some/model"]),
    held=st.one_of(st.none(), st.integers(64, 9000)),
    gpu=st.booleans(),
)
def test_whatever_was_measured_gives_a_config_that_holds_an_episode(
    tmp_path: Path,
    teacher: str | None,
    flown: tuple[PolicyMeasurements, PolicyMeasurements, PolicyMeasurements],
    names: list[str],
    ended: int | None,
    tokens: tuple[int, int, int, int],
    splits: Any,
    noisy: tuple[str, ...],
    pretrained: str | None,
    held: int | None,
    gpu: bool,
) -> None:
    policies = dict(zip([*([teacher] if teacher else []), "idle", "random"], flown, strict=False))
    found = PlanMeasurements(
        3, policies, teacher, tuple(Level("level", name) for name in names), ended, *tokens, held
    )
    given = {} if pretrained is None else {"model.pretrained": pretrained}
    choices = choose(planned_run(**given), found, tasks_of(splits), noisy, gpu=gpu)
    plan = loaded(choices, tmp_path)
    turn, refused, first, reply = tokens
    assert plan.rollout.max_reply_tokens >= reply
    least = (
        first + turn + plan.rollout.max_reply_tokens
    )  # a context that holds no decision is the dry run's matter
    if held is None or held >= least:
        assert plan.model.context >= first + plan.rollout.max_turns * turn + reply
    if held is None:
        assert plan.model.context >= first + plan.rollout.max_turns * (refused + reply)
    assert held is None or plan.model.context <= held
    assert plan.rollout.slots == 3
    assert plan.train is not None and plan.train.sft is not None
    assert (plan.train.sft.teacher or "") == (teacher or "random")
    assert set(plan.evaluation.policies) >= {*policies, "untrained", "sft", "trained"}
    for note in advice(found):
        assert note


def test_an_episode_is_as_long_as_the_environment_makes_it_or_twice_what_a_solver_takes() -> None:
    assert chosen(measured(ended=8))["rollout.max_turns"] == 10
    assert chosen(measured(ended=None))["rollout.max_turns"] == 10  # twice the solver's 5
    assert chosen(measured(teacher=None, ended=None))["rollout.max_turns"] == 64
    assert chosen(measured(ended=480))["rollout.max_turns"] == 600  # no end that was seen is cut


def test_an_episode_fits_a_pretrained_model_s_context() -> None:
    found = chosen(
        measured(ended=60, turn_tokens=200, first_tokens=400, context=8192),
        **{"model.pretrained": "some/model"},
    )
    assert found["rollout.max_turns"] == (8192 - 400 - 12) // 200 == 38
    assert found["model.context"] == 8192
    assert chosen(measured(ended=60, turn_tokens=200))["rollout.max_turns"] == 75


def test_levels_are_stages_and_all_of_them_are_validated_and_judged() -> None:
    levels = (Level("level", "easy"), Level("level", "hard"), Level("level", "worst"))
    found = chosen(measured(levels=levels), splits=PLACES)
    easy, hard, _ = found["train.curriculum.stages"]
    assert easy == {
        "name": "easy",
        "options": {"split": "train", "level": "easy"},
        "tasks": 100,
        "taught": 2,
    }
    assert hard == {"name": "hard", "options": {"split": "train", "level": "hard"}, "tasks": 100}
    each = [{"level": name} for name in ("easy", "hard", "worst")]
    assert found["train.validation.tasks"] == {
        "options": {"split": "validation"},
        "in_turn": each,
        "start": 0,
    }
    assert (found["evaluation.split"], found["evaluation.in_turn"]) == ("test", each)
    assert "evaluation.level" not in found
    other = chosen(measured(levels=(Level("difficulty", "easy"),)))
    assert other["evaluation.options.difficulty"] == "easy"
    assert other["train.validation.tasks"]["options"] == {"difficulty": "easy"}


def test_a_few_tasks_are_flown_again_and_many_are_not_counted() -> None:
    (stage,) = chosen(measured(), splits=PLACES)["train.curriculum.stages"]
    assert stage["tasks"] == 100
    many = [split.model_copy(update={"num_tasks": 10**6}) for split in PLACES]
    (stage,) = chosen(measured(), splits=many)["train.curriculum.stages"]
    assert "tasks" not in stage


def test_a_function_is_also_the_audit_s_reference_and_noise_is_for_a_teacher_alone() -> None:
    found = chosen(measured(teacher="mine:solve"), noisy=["move"])
    assert found["audit.reference"] == "mine:solve" == found["train.sft.teacher"]
    assert found["train.sft.noise"] == {"move": 0.1}
    frail = chosen(measured(undisturbed="it died of it"), noisy=["move"])
    assert frail["train.sft.noise"] == {}
    nobody = chosen(measured(teacher=None), noisy=["move"])
    assert nobody["train.sft.teacher"] == "random"
    assert not {"audit.reference", "train.sft.noise"} & nobody.keys()


def test_to_be_refused_is_not_worth_more_than_the_worst_of_whom_the_model_may_act_like() -> None:
    losing = PolicyMeasurements(-3.0, -5.4, 0.0, (8,))
    for teacher, others in (
        ("solver", {"solver": losing, "random": SOLVER}),
        ("solver", {"solver": SOLVER, "random": losing}),
        (None, {"random": losing}),
    ):
        found = chosen(measured(teacher, policies={**others, "idle": IDLE}))
        assert found["train.grpo.invalid_penalty"] == 7
    assert "train.grpo.invalid_penalty" not in chosen(measured())


def test_where_an_episode_is_one_reply_it_is_sampled() -> None:
    single = PolicyMeasurements(0.2, 0.2, None, (1, 1, 1, 1))
    found = chosen(measured(None, policies={"idle": single, "random": single}, ended=1))
    assert found["train.validation.decoding"] == "sampled"
    assert "trained_sampled" in found["evaluation.policies"]
    assert "train.validation.decoding" not in chosen(measured())


def test_a_machine_without_a_gpu_makes_a_start_with_a_pretrained_model() -> None:
    sizes = []
    for gpu in (False, True):
        choices = choose(
            planned_run(**{"model.pretrained": "some/model"}),
            measured(),
            tasks_of(None),
            (),
            gpu=gpu,
        )
        values = {choice.field: choice.value for choice in choices}
        sizes.append(
            (
                values["model.precision"],
                values["train.grpo.steps"],
                values["train.gradient_checkpointing"],
            )
        )
    assert sizes == [("fp32", 3, True), ("bf16", 40, True)]


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
