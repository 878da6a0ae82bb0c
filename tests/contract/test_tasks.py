"""Tasks are found where environments put them, one of each kind, and what reset needs is named."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import yaml

from gonogo.contract.literals import Literals
from gonogo.contract.source import read_source
from gonogo.contract.tasks import Discovery, as_meant, discover
from gonogo.records.inspection import (
    CodePlace,
    Description,
    EnvironmentClass,
    EnvironmentCode,
    ResetParameter,
    ResetSignature,
    TaskApi,
    TaskApiAnswers,
    TaskSplit,
)


def parameter(
    name: str, schema: dict[str, Any] | None = None, required: bool = False
) -> ResetParameter:
    return ResetParameter(name=name, json_schema=schema or {}, default=None, required=required)


def described(
    *parameters: ResetParameter, splits: Any = None, is_open: bool = False
) -> Description:
    api = None
    if splits is not None:
        told = tuple(map(TaskSplit.model_validate, splits))
        api = TaskApi(splits=told, answers=TaskApiAnswers())
    return Description(reset=ResetSignature(parameters=parameters, open=is_open), task_api=api)


LEVELS = {"anyOf": [{"$ref": "#/$defs/Level"}, {"type": "null"}],
          "$defs": {"Level": {"enum": ["easy", "hard"]}}}  # fmt: skip


def options(description: Description, manifest: Any = None, given: Any = None) -> list[Any]:
    return [t.options for t in discover(description, manifest or {}, given or {}, 99).tasks]


def test_choices_of_the_signature() -> None:
    found = described(parameter("seed"), parameter("level", LEVELS), parameter("web", {"type": "boolean"}))  # fmt: skip
    assert options(found) == [{}, {"level": "easy"}, {"level": "hard"}, {"web": False}, {"web": True}]  # fmt: skip


def test_tasks_of_the_manifest_by_the_parameter_that_selects_them() -> None:
    manifest = {"tasks": [{"id": "one", "difficulty": "easy"}, "two", {"nameless": 1}]}
    assert options(described(parameter("task_id")), manifest) == [
        {},
        {"task_id": "one"},
        {"task_id": "two"},
    ]
    both = described(parameter("task"), parameter("difficulty"))
    assert options(both, manifest)[1] == {"difficulty": "easy", "task": "one"}
    assert options(described(is_open=True), manifest)[1] == {"task_id": "one"}
    assert options(described(), manifest) == [{}], "nothing selects them"


def test_a_name_that_yaml_reads_as_something_else_is_said() -> None:
    manifest = yaml.safe_load("tasks: [idle, off, 7, {id: yes, difficulty: easy}, 1.5]")
    text = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    found = discover(described(parameter("task", text)), manifest, {}, 99)
    names = [task.options.get("task") for task in found.tasks]
    assert names == [None, "idle", "7", "1.5"]
    assert [note.split(":")[1].strip() for note in found.notes] == [
        "tasks[1] is false, which is how YAML reads off, no or false without quotes",
        "tasks[2] is the number 7, and task takes a text",
        "tasks[3] is true, which is how YAML reads on, yes or true without quotes",
        "tasks[4] is the number 1.5, and task takes a text",
    ]
    untyped = discover(described(parameter("task_id")), manifest, {}, 99)
    assert [t.options.get("task_id") for t in untyped.tasks] == [None, "idle", 7, 1.5]
    assert len(untyped.notes) == 2 and all("quote it" in note for note in untyped.notes)
    whole = discover(described(parameter("task_id", {"type": "integer"})), manifest, {}, 99)
    assert 7 in [task.options.get("task_id") for task in whole.tasks]


def test_the_task_api_gives_each_kind_of_each_split_and_begins_with_another() -> None:
    preview = [{"index": i, "level": "abc"[i % 3], "id": f"t{i}", "x": i * 0.5} for i in range(12)]
    splits = [{"name": name, "preview": preview, "num_tasks": 12} for name in ("train", "test")]
    found = discover(described(splits=splits), {}, {}, 3)
    assert [t.options for t in found.tasks] == [
        {},
        {"split": "train", "index": 0},
        {"split": "test", "index": 1},
    ]
    assert len(found.left_out) == 4
    assert all(task.indexed for task in found.tasks[1:])


def test_a_split_without_a_preview_or_with_odd_specs_has_a_first_task() -> None:
    splits = [
        {"name": "a", "preview": [], "num_tasks": None},
        {"name": "b", "preview": ["text", "other"], "num_tasks": 2},
        {"name": "c", "preview": [{"index": True, "deep": [1]}, {}], "num_tasks": 2},
    ]
    found = [(task["split"], task["index"]) for task in options(described(splits=splits))[1:]]
    assert found == [("a", 0), ("b", 1), ("c", 0), ("b", 0), ("c", 1)]


def test_of_tasks_that_nothing_tells_apart_the_third_is_flown_too() -> None:
    preview = [{"id": f"train-{index}", "index": index} for index in range(40)]
    found = options(described(splits=[{"name": "train", "preview": preview, "num_tasks": 40}]))
    assert found == [{}, *({"split": "train", "index": index} for index in range(3))]


def test_given_options_replace_what_would_be_found() -> None:
    found = described(parameter("level", LEVELS))
    assert options(found, given={"level": "odd", "index": 3}) == [{"level": "odd", "index": 3}]
    assert discover(found, {}, {"index": 3}, 9).tasks[0].indexed
    assert not discover(found, {}, {"level": "odd"}, 9).tasks[0].indexed


def test_what_reset_needs_and_nothing_gives_is_missing() -> None:
    needy = described(parameter("who", required=True), parameter("level", LEVELS))
    assert discover(needy, {}, {}, 9).missing == ("who",)
    assert discover(needy, {}, {}, 9).tasks == ()
    assert discover(needy, {}, {"who": "me"}, 9).missing == ()
    chosen = described(parameter("level", LEVELS, required=True))
    assert options(chosen) == [{"level": "easy"}, {"level": "hard"}]
    assert discover(chosen, {}, {}, 9).missing == ()


def test_over_a_url_there_is_the_default() -> None:
    assert options(Description()) == [{}]


SOURCE = """
LEVELS = {"calm": 1, "busy": 2}
class Env:
    TASKS = ["sort", "count"]
    def reset(self, seed=None, task="sort", mode=None, level=1, **kwargs):
        if task not in self.TASKS:
            raise ValueError(task)
        speed = LEVELS[mode]
        scenario = kwargs.get("scenario")
        if scenario == "night": pass
"""


def test_tasks_that_only_texts_and_the_source_name_are_flown() -> None:
    text = {"type": "string", "description": "One of: sort, count, merge"}
    bounds = {"type": "integer", "minimum": 1, "maximum": 3}
    found = described(
        parameter("seed"), parameter("task", text), parameter("mode"), parameter("level", bounds),
        parameter("size", {"type": "integer", "minimum": 0, "maximum": 1000}), is_open=True,
    )  # fmt: skip
    literals = Literals([ast.parse(SOURCE)])
    told = discover(found, {}, {}, 99, literals)
    named = [{"task": "sort"}, {"task": "count"}, {"task": "merge"}]
    modes = [{"mode": "calm"}, {"mode": "busy"}]
    levels = [{"level": 1}, {"level": 2}, {"level": 3}]
    assert [t.options for t in told.tasks] == [{}, *named, *modes, *levels, {"scenario": "night"}]
    assert {t.source for t in told.tasks[1:]} == {"source"}
    assert [t.options for t in discover(found, {}, {}, 99).tasks] == [{}, *named, *levels]


def test_a_task_that_is_the_default_is_not_flown_twice() -> None:
    task = ResetParameter(name="task", json_schema={}, default="sort", required=False)
    web = ResetParameter(name="web", json_schema={"type": "boolean"}, default=False, required=False)
    manifest = {"tasks": ["sort", "count"]}
    assert options(described(task, web), manifest) == [{}, {"web": True}, {"task": "count"}]
    assert options(described(task, parameter("size", required=True)), manifest) == []


def test_a_name_that_the_resets_number_cannot_be_is_no_task() -> None:
    number = described(parameter("task", {"anyOf": [{"type": "integer"}, {"type": "null"}]}))
    manifest = {"tasks": [{"id": "task_1_easy"}, {"id": "2"}, {"id": 3}]}
    found = discover(number, manifest, {}, 8)
    assert [task.options for task in found.tasks] == [{}, {"task": 2}, {"task": 3}]
    assert any("'task_1_easy', and task takes a number" in note for note in found.notes)
    text = described(parameter("task", {"type": "string"}))
    assert {"task": "task_1_easy"} in [t.options for t in discover(text, manifest, {}, 8).tasks]


@pytest.mark.parametrize(
    ("said", "meant"), [("7", 7), ("-7", -7), ("--7", None), ("9" * 5000, None), ("easy", None)]
)
def test_a_text_that_is_no_number_is_no_level(said: str, meant: int | None) -> None:
    assert as_meant(said, "level", {"type": "integer"})[0] == meant


def choosing(
    tmp_path: Path, takes: str, body: str, manifest: Any = None, beside: str = ""
) -> Discovery:
    """What is found of an environment whose reset has some code, and whose source says something beside."""
    file = tmp_path / "environment.py"
    file.write_text(f"class Env:\n    def reset(self, seed=None{takes}):\n        {body}\n")
    place = CodePlace(name="Env.reset", file=str(file), line=2)
    cls = EnvironmentClass(name="Env", file=str(file), line=1, bases=(), classes=())
    code = EnvironmentCode(
        environment=cls, reset=place, step=place, action=place, observation=place
    )
    signature = ResetSignature(parameters=(parameter("seed"),), open=bool(takes))
    description = Description(reset=signature, code=code)
    tasks = {"tasks": [{"id": "letter"}]} if manifest is None else manifest
    literals = Literals([ast.parse(beside)])
    return discover(description, tasks, {}, 9, literals, read_source(None, [file]))


@pytest.mark.parametrize(
    "body",
    [
        "return seed",
        "return kwargs.get('level', 1), kwargs['size'] if 'size' in kwargs else 0",
        "task_id = 'letter'; return self.begin(task_id, kwargs.pop('episode', None))",
    ],
)
def test_tasks_that_the_reset_cannot_read_are_not_flown(tmp_path: Path, body: str) -> None:
    found = choosing(tmp_path, ", **kwargs", body)
    assert [task.options for task in found.tasks] == [{}]
    assert found.notes == ("openenv.yaml lists tasks, and the reset reads no task_id: they are not flown",)  # fmt: skip
    assert choosing(tmp_path, ", **kwargs", body, {}).notes == ()


@pytest.mark.parametrize(
    "body",
    [
        "return kwargs.get('task_id')",
        "return kwargs['task_id']",
        "if 'task_id' in kwargs: pass",
        "return super().reset(seed=seed, **kwargs)",
        "self.options = kwargs",
        "return self.begin(kwargs.get(self.key))",
        "return [self.take(key) for key in kwargs]",
        "return kwargs.items()",
        "return dict(locals())",
    ],
)
def test_tasks_that_the_reset_may_read_are_flown(tmp_path: Path, body: str) -> None:
    found = choosing(tmp_path, ", **kwargs", body)
    assert [task.options for task in found.tasks] == [{}, {"task_id": "letter"}]
    assert found.notes == ()


def test_what_a_script_calls_a_task_is_none_where_the_reset_cannot_read_it(tmp_path: Path) -> None:
    script = "if scenario == 'night': play()"
    night = {"scenario": "night"}
    found = choosing(tmp_path, ", **kwargs", "return kwargs.get('scenario')", {}, script)
    assert [task.options for task in found.tasks] == [{}, night]
    for body in ("return seed", "return kwargs.get('level')"):
        found = choosing(tmp_path, ", **kwargs", body, {}, script)
        assert [task.options for task in found.tasks] == [{}]


def test_a_reset_that_is_not_found_may_read_tasks(tmp_path: Path) -> None:
    found = discover(
        described(is_open=True), {"tasks": ["one"]}, {}, 9, source=read_source(None, [])
    )
    assert [task.options for task in found.tasks] == [{}, {"task_id": "one"}]
    assert [task.options for task in choosing(tmp_path, "", "return seed").tasks] == [{}]


def test_a_name_is_tried_under_each_option_that_may_take_it(tmp_path: Path) -> None:
    body = "return kwargs.get('task_id'), kwargs.get('task_type')"
    found = choosing(tmp_path, ", **kwargs", body).tasks[1]
    assert (found.options, found.instead) == ({"task_id": "letter"}, ({"task_type": "letter"},))
    said = {"tasks": [{"task_id": "letter"}]}  # it says itself which option it means
    assert choosing(tmp_path, ", **kwargs", body, said).tasks[1].instead == ()


def test_numbers_are_tried_where_nothing_says_which_tasks_there_are() -> None:
    whole, perhaps = {"type": "integer"}, {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    index = ResetParameter(name="task_index", json_schema=whole, default=0, required=False)
    assert options(described(index)) == [{}, {"task_index": 1}, {"task_index": 2}]
    level = described(parameter("level", perhaps), parameter("size", whole))
    assert options(level) == [{}, {"level": 1}, {"level": 2}, {"level": 3}]
    said = {"tasks": [{"level": 5}]}
    assert options(level, said) == [{}, {"level": 5}]
    assert options(described(parameter("level", {"type": "string"}))) == [{}]


def test_a_level_of_the_manifest_is_one_of_the_reset() -> None:
    levels = described(parameter("task_level", {"type": "integer"}))
    manifest = {"tasks": [{"id": 1}, {"id": 2}]}
    assert options(levels, manifest) == [{}, {"task_level": 1}, {"task_level": 2}]
