"""A command is a caller of the Python API: it parses, calls public functions, and shows what they answer."""

from __future__ import annotations

import ast
import inspect
import textwrap

import pytest

import gonogo
from gonogo import api
from gonogo.cli.commands import app

FACES = {"mcp", "skill"}
"""Commands that are another face of the others, for coding agents."""
COMMANDS = {
    each.callback.__name__: each.callback for each in app.registered_commands if each.callback
}


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - FACES))
def test_a_command_calls_the_api_and_only_its_public_functions(name: str) -> None:
    tree = ast.parse(textwrap.dedent(inspect.getsource(COMMANDS[name])))
    called = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "api"
    }
    assert called and called <= set(gonogo.__all__)


def test_every_public_function_of_the_api_is_found_in_the_package() -> None:
    assert set(api.__all__) - {"AnyPolicy"} <= set(gonogo.__all__)
    assert all(
        getattr(gonogo, name) is getattr(api, name) for name in set(api.__all__) - {"AnyPolicy"}
    )
