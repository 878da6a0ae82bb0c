"""Every shipped config parses; every broken one is answered with the field, the rule and the value."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from tests.config.configs_made import write

from gonogo import config
from gonogo.config.stations import Frozen
from gonogo.errors import ConfigError

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "configs").glob("*.yaml"))
MODELS = [
    model
    for _, model in inspect.getmembers(config, inspect.isclass)
    if issubclass(model, Frozen) and model is not Frozen
]
OTHER = {"name": "two", "target": "x.y:Z", "validation": {"options": {}}}
STAGE = {"name": "s", "environment": "two", "options": {}}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_every_shipped_config_parses(path: Path) -> None:
    assert config.load(path).target


def test_the_demo_is_the_run_that_the_issue_describes() -> None:
    run = config.load(ROOT / "configs/demo.yaml")
    assert run.train is not None
    assert [stage.options["level"] for stage in run.train.curriculum.stages] == [
        "detumble",
        "retarget",
    ]
    assert (run.train.curriculum.promote_at, run.train.curriculum.demote_below) == (0.30, 0.10)
    assert run.train.curriculum.demote_after_steps == 500
    assert run.evaluation.episodes >= 200
    assert run.train.validation.tasks.options["split"] != run.evaluation.split


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_field_is_documented(model: type[Frozen]) -> None:
    undocumented = [name for name, field in model.model_fields.items() if not field.description]
    assert undocumented == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sead": 1}, "sead: there is no such field; did you mean 'seed'?"),
        ({"seed": "1"}, 'seed: Input should be a valid integer, not "1"'),
        ({"seed": True}, "seed: Input should be a valid integer, not true"),
        ({"seed": -1}, "seed: Input should be greater than or equal to 0, not -1"),
        ({"target": ""}, "target: String should have at least 1 character"),
        ({"model.architecture": "gpt"}, "model.architecture: Input should be 'llama' or 'qwen2'"),
        ({"model.hidden": 130}, "model: hidden must be a multiple of heads (4), not 130"),
        (
            {"rollout.cache_mib": 0},
            "rollout.cache_mib: Input should be greater than or equal to 1, not 0",
        ),
        ({"train.grpo.group_size": 1}, "train.grpo.group_size: Input should be greater than or"),
        ({"train.grpo.learning_rate": "fast"}, 'should be a valid number, not "fast"'),
        ({"train.curriculum.stages": []}, "train.curriculum.stages: "),
        ({"train.curriculum.demote_below": 0.5}, "must not be above promote_at (0.3), not 0.5"),
        ({"train.curriculum.open": 9}, "open must be at most the 2 stages, not 9"),
        ({"train.environments": [OTHER, OTHER]}, "environments must have different names"),
        (
            {"train.environments": [OTHER]},
            "each of environments must have a stage, and two has none",
        ),
        ({"train.curriculum.stages": [STAGE]}, "must name one of environments, [], or none"),
        (
            {
                "train.environments": [{**OTHER, "teacher": "self"}],
                "train.curriculum.stages": [STAGE],
            },
            "teacher self is said once for all environments",
        ),
        (
            {
                "train.environments": [{**OTHER, "teacher": "x"}],
                "train.curriculum.stages": [STAGE],
                "train.sft": None,
            },
            "environment two names a teacher, and sft is null",
        ),
        (
            {"train.environments": [{**OTHER, "name": "a/b"}]},
            "train.environments.0.name: String should match",
        ),
        ({"evaluation.policies": ["idle", "idle"]}, "policies must be different"),
        (
            {"evaluation.compare": [["idle", "me"]]},
            "must name policies of the evaluation, not ['me']",
        ),
        ({"train": {}}, "train.validation: Field required"),
    ],
)
def test_a_broken_field_is_named_with_its_rule_and_value(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    path = write(tmp_path, changes)
    with pytest.raises(ConfigError) as caught:
        config.load(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert caught.value.exit_code == 2


def test_all_broken_fields_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        config.load(write(tmp_path, {"seed": -1, "rollout.slots": 0}))
    assert len(str(caught.value).splitlines()) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must hold a mapping"),
        ("- 1", "must hold a mapping"),
        ("a: [", "not YAML"),
        ("seed: 1\nseed: 2", "given twice: seed"),
        ("seed: .nan", "JSON has not"),
        ("seed: 2026-11-21", "JSON has not"),
        (r'target: "\uDCFF"', "JSON has not"),
        ("x: !!python/object/apply:os.getcwd []", "not YAML"),
    ],
)
def test_a_file_that_is_no_config_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        config.load(path)


def test_options_replace_what_the_file_says_and_are_checked_like_it() -> None:
    demo = ROOT / "configs/demo.yaml"
    run = config.load(demo, {"seed": 5, "evaluation.episodes": 3})
    assert (run.seed, run.evaluation.episodes, run.evaluation.split) == (5, 3, "test")
    with pytest.raises(ConfigError, match=r"evaluation\.episodes: .* 1, not 0"):
        config.load(demo, {"evaluation.episodes": 0})
    bare = {"target": "x", "out": "y", "evaluation.policies": ["idle"]}
    assert config.load(None, bare).evaluation == config.EvaluationConfig(policies=("idle",))
    with pytest.raises(ConfigError, match="options: out: Field required"):
        config.load(None, {"target": "x"})


def test_options_do_not_hide_a_broken_section(tmp_path: Path) -> None:
    path = write(tmp_path, {"evaluation": 3})
    with pytest.raises(ConfigError, match=r"evaluation: .*not 3"):
        config.load(path, {"evaluation.episodes": 3})


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("envs/flightrules", "flightrules"),
        ("envs/flightrules/", "flightrules"),
        ("package.module:Environment", "package.module-Environment"),
        ("http://localhost:8000/", "localhost-8000"),
        ("..", "environment"),
    ],
)
def test_a_run_is_called_after_its_target(
    target: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "environment" / "inside").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "environment" / "inside")
    assert config.run_name(target) == name


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml: cannot be read"):
        config.load(tmp_path / "none.yaml")


@pytest.mark.parametrize("text", ["3e-3", "3E-3", "3.0e-3", "0.003"])
def test_numbers_are_numbers_however_they_are_written(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, {"train.sft.learning_rate": 12345.5})
    path.write_text(path.read_text().replace("12345.5", text))
    loaded = config.load(path)
    assert loaded.train is not None and loaded.train.sft is not None
    assert loaded.train.sft.learning_rate == pytest.approx(3e-3)


def test_a_config_cannot_be_changed() -> None:
    run = config.load(ROOT / "configs/demo.yaml")
    with pytest.raises(ValidationError):
        run.seed = 2  # type: ignore[misc]


def test_reset_options_of_a_command_line_are_yaml() -> None:
    words = ["level=hard", "index=3", "share=1e-3", "flag=true", "name=a=b", "none=null"]
    assert config.reset_options(words) == {
        "level": "hard",
        "index": 3,
        "share": 0.001,
        "flag": True,
        "name": "a=b",
        "none": None,
    }


def test_what_is_flown_in_a_further_environment_is_said_with_it(tmp_path: Path) -> None:
    tasks = {"start": 7, "episodes": 3}
    more = {
        "train.environments": [{**OTHER, "evaluation": tasks, "success": "won"}],
        "train.curriculum.stages": [STAGE],
    }
    file = write(tmp_path, more)
    run = config.load(file)
    beside = config.load(file, run.flown_in("two"))
    assert (beside.target, beside.out) == ("x.y:Z", run.out / "environments" / "two")
    assert (beside.trained_in, run.trained_in) == (run.out, run.out)
    assert beside.rollout.success == "won"
    assert beside.evaluation.policies == run.evaluation.policies
    assert beside.evaluation.tasks() == [{"seed": number} for number in (7, 8, 9)]
    with pytest.raises(ConfigError, match=r"one of train.environments, \['two'\], not 'three'"):
        run.flown_in("three")


def test_what_is_given_is_not_changed() -> None:
    given = {"target": "some", "out": "runs/some", "rollout": {"slots": 3}}
    assert config.load(None, {**given, "rollout.slots": 5}).rollout.slots == 5
    assert given["rollout"] == {"slots": 3}


def test_a_reset_option_is_what_json_makes_of_it() -> None:
    assert config.reset_options(["x={1: 2}", "y=[a, null]"]) == {"x": {"1": 2}, "y": ["a", None]}
    for value in ("2026-01-01", ".nan", "!!set {a, b}"):
        with pytest.raises(ConfigError, match="the value is none of JSON"):
            config.reset_options([f"x={value}"])
