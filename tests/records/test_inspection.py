"""What an environment shows is read from what was told, and written as it was told."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from gonogo.records.inspection import Description, RawAnswer, TaskSplit

TOLD: dict[str, Any] = {
    "metadata": {"name": "mine"},
    "tools": [{"name": "look", "description": None, "input_schema": {}}],
    "task_api": {
        "splits": [{"type": "train", "name": "a", "num_tasks": None, "preview": [{"id": 1}, "x"]}],
        "answers": {"unknown_split": {"status": 500, "said": "KeyError"}},
    },
    "reset": {
        "parameters": [{"name": "seed", "schema": {}, "default": None, "required": False}],
        "open": True,
    },
    "rubric": {
        "name": "",
        "class": "Sum",
        "weight": None,
        "file": "a.py",
        "line": 3,
        "children": [
            {"name": "b", "class": "B", "weight": 1, "file": None, "line": None, "children": []}
        ],
    },
    "problems": {},
}


def as_json(value: Any) -> Any:
    """Lists for tuples."""
    if isinstance(value, dict):
        return {key: as_json(inner) for key, inner in value.items()}
    return [*map(as_json, value)] if isinstance(value, list | tuple) else value


def test_what_was_told_is_written_again() -> None:
    found = Description.model_validate(TOLD)
    assert as_json(found.model_dump()) == TOLD
    assert found.task_api is not None and found.task_api.splits[0].other == {"type": "train"}
    assert Description.model_validate(found.model_dump()) == found


def test_no_rubric_is_another_thing_than_one_that_cannot_be_seen() -> None:
    seen = Description.model_validate({"rubric": {}})
    assert seen.rubric is not None and not seen.rubric
    assert seen.model_dump()["rubric"] == {} and "rubric" not in Description().model_dump()


@pytest.mark.parametrize("split", ["train", {"name": "train"}, None])
def test_a_split_of_another_form_is_refused(split: Any) -> None:
    with pytest.raises(ValidationError):
        TaskSplit.model_validate(split)


def test_what_the_wire_does_not_show_need_not_hold_a_reward() -> None:
    refused = RawAnswer.model_validate({"refused": "invalid", "errors": ["value_error"]})
    assert (refused.reward, refused.nonfinite, refused.raised) == (None, (), None)
    with pytest.raises(ValidationError):
        RawAnswer.model_validate({"refused": "other", "errors": []})
