"""An option is the field of the config that it replaces."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import get_args

import pytest
import typer
from pydantic import BaseModel
from tests.test_cli import called

from gonogo.api import load_environment
from gonogo.cli import options
from gonogo.cli.commands import app
from gonogo.config import RunConfig
from gonogo.errors import Misuse


def test_every_option_of_the_table_is_a_command_s_and_its_field_is_one() -> None:
    commands = [each.callback for each in app.registered_commands if each.callback]
    asked = {name for command in commands for name in inspect.signature(command).parameters}
    assert options.FIELDS.keys() <= asked
    for field in options.FIELDS.values():
        section: type[BaseModel] | None = RunConfig
        for part in field.split("."):
            assert section is not None and part in section.model_fields, field
            kind = section.model_fields[part].annotation
            models = [each for each in (kind, *get_args(kind)) if isinstance(each, type)]
            section = next((each for each in models if issubclass(each, BaseModel)), None)


def test_options_become_fields_and_what_is_not_given_none() -> None:
    given = {"seed": 3, "out": None, "split": "test", "policies": "idle,random", "reset": ["a=1"]}
    assert options.fields_of(given, "evaluation") == {
        "seed": 3,
        "evaluation.split": "test",
        "evaluation.policies": ["idle", "random"],
        "evaluation.compare": [],
        "map.reset": {"a": 1},
    }
    given = {"split": "test", "memory_gb": 4.0, "without_theme": True, "quick": False}
    assert options.fields_of(given, "probe") == {
        "probe.split": "test",
        "probe.memory_gb": 4.0,
        "theme.required": False,
    }


def test_an_environment_of_the_training_is_named_with_its_config_alone(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="goes without a TARGET"):
        options.load({"target": "x", "config_file": tmp_path / "run.yaml", "environment": "other"})


@pytest.mark.parametrize("command", ["plan", "train", "demo"])
@pytest.mark.parametrize("reason", ["", " \n", "\x1b"])
def test_a_finding_is_accepted_with_a_reason_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, reason: str
) -> None:
    assert called(monkeypatch, command, "--accept", reason) == 2
    assert "--accept takes a reason" in capsys.readouterr().err


def test_a_reason_is_one_line_that_no_terminal_obeys() -> None:
    assert options.reason("a\x1b game\n| of  patience ") == "a game | of patience"
    assert options.reason(None) is None


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "0", "-1"])
@pytest.mark.parametrize(
    "words",
    ["audit --minutes", "map --minutes", "audit --timeout-s", "map --startup-s"],
)
def test_a_number_that_must_be_above_zero_is_refused_by_its_flag_and_its_value(
    words: str,
    value: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command, flag = words.split()
    assert called(monkeypatch, command, "nowhere", f"{flag}={value}") == 2
    assert f"{flag} takes a number above 0, not {float(value)}" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["-1", "0"])
def test_a_budget_of_nothing_is_refused_by_its_flag_and_its_value(
    value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch, "audit", "nowhere", f"--budget={value}") == 2
    assert f"--budget takes a whole number above 0, not {value}" in capsys.readouterr().err


def help_of(command: str, option: str) -> str:
    """What a command's help says of an option, with the form of its value."""
    group = typer.main.get_command(app)
    known = group.commands[command].params  # type: ignore[attr-defined]
    (found,) = [each for each in known if option in each.opts]
    return f"{found.metavar}: {found.help}"


def test_help_offers_what_the_command_does() -> None:
    assert "map and audit may take together" in help_of("audit", "--minutes")
    for command in ("poll", "reward", "map"):
        assert "together" not in help_of(command, "--minutes")
    assert help_of("audit", "--accept").startswith("FINDING=REASON: ")
    for command in ("plan", "train", "demo"):
        assert help_of(command, "--accept").startswith("[FINDING=]REASON: ")
    assert "done and reward" in help_of("audit", "--success")


@pytest.mark.parametrize("file", ["src/gonogo/agents/skill.md.j2", "action.yml"])
def test_what_a_target_may_be_is_said_whole(file: str) -> None:
    forms = ("package.module:Class", "hf:owner/name", "git URL", "gym:ID")
    said = (Path(__file__).parents[2] / file).read_text()
    assert all(form in said for form in forms)
    docs = [load_environment.__doc__ or "", RunConfig.model_fields["target"].description or ""]
    assert all("hf:owner/name" in told and "gym:ID" in told for told in docs)
