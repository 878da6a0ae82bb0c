"""What a connection must tell before anything is flown over it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gonogo.env.connect import connect, told, told_tool
from gonogo.env.target import resolve
from gonogo.errors import EnvironmentFailure


def test_an_action_that_cannot_be_told_is_the_environment_s_fault(gridworld: Path) -> None:
    connection = connect(resolve(str(gridworld)), 1)
    nowhere = {"properties": {"move": {"$ref": "#/$defs/Nobody"}}}
    connection.schemas = replace(connection.schemas, action=nowhere)
    with pytest.raises(EnvironmentFailure, match=r"refers to .*Nobody.*, which holds no schema"):
        told(resolve(str(gridworld)), connection)


@pytest.mark.parametrize("takes", [None, "text", {"properties": {"n": {"type": "number-ish"}}}])
def test_a_tool_whose_arguments_have_no_schema_takes_any(takes: Any) -> None:
    assert told_tool({"name": "t", "input_schema": takes})["input_schema"] == {}
    kept = {"properties": {"n": {"type": "number"}}}
    assert told_tool({"name": "t", "input_schema": kept})["input_schema"] == kept
