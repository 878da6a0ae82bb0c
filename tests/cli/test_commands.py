"""A command is a caller of the Python API: it parses, calls public functions, and shows what they answer."""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path

import pytest
from tests.test_cli import gonogo as run_command

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


TRAINS = """\
target: {target}
out: {out}
train:
  validation: {{tasks: {{options: {{split: train}}, start: 0}}, episodes: 2}}
  curriculum: {{stages: [{{name: all, options: {{split: train}}, tasks: 2}}]}}
  sft: {{teacher: random}}
"""


@pytest.mark.parametrize("command", ["train", "demo", "probe"])
def test_what_costs_much_asks_for_a_confirmed_statement(
    command: str, gridworld: Path, tmp_path: Path
) -> None:
    config = tmp_path / "trains.yaml"
    config.write_text(TRAINS.format(target=gridworld, out=tmp_path / "run"))
    done = run_command(command, "--config", str(config))
    assert done.returncode == 3
    assert "no problem statement there; see gonogo theme" in done.stderr
    assert not [each for each in (tmp_path / "run").glob("*.json*") if each.name != "flags.json"]
