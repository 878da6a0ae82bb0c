"""What a run was begun with stays with it: the next command and the board go on with it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
import typer
from tests.test_cli import called

from gonogo import config
from gonogo.cli.commands import app
from gonogo.config.kept_flags import OPTIONS, Flags
from gonogo.pipeline import poll
from gonogo.records.contract import ContractReport
from gonogo.records.stations import STATIONS, PollReport

QUICK = "rollout: {slots: 4}\nmap: {steps: 4, end_steps: 8}\naudit: {seeds: 4, search: 0}\n"


def mapped(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    return called(monkeypatch, "map", *words)


def test_a_command_goes_on_with_what_the_run_was_begun_with(
    gridworld: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "run"
    asked = [str(gridworld), "--out", str(out)]
    flown = ["--success", "steps_left == 0", "--steps", "4", "--timeout-s", "50.0"]
    assert mapped(monkeypatch, *asked, *flown) in {0, 1, 3}
    capsys.readouterr()
    assert mapped(monkeypatch, *asked, "--timeout-s", "40") in {0, 1, 3}
    said = capsys.readouterr().err
    assert f"{out} goes on with --success 'steps_left == 0' --steps 4\n" in said
    made = ContractReport.load(out).config
    assert made["rollout"]["success"] == "steps_left == 0"
    assert (made["map"]["steps"], made["rollout"]["timeout_s"]) == (4, 40.0)
    board = PollReport.path(out)
    assert called(monkeypatch, "poll", *asked, "--read") == 3
    rows = {row["station"]: row["next"] for row in json.loads(board.read_text())["board"]}
    assert (
        rows["audit"]
        == f"gonogo audit {gridworld} --out {out} --success 'steps_left == 0' --timeout-s 40.0"
    )
    assert "--success 'steps_left == 0' --file FILE" in rows["train"]


def test_an_option_that_is_given_empty_is_kept_no_more(
    gridworld: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SOME_NAME", "value")
    out = tmp_path / "run"
    asked = [str(gridworld), "--out", str(out)]
    flown = ["--success", "steps_left == 0", "--steps", "4", "--env", "SOME_NAME"]
    assert mapped(monkeypatch, *asked, *flown, "--reset", "split=train") in {0, 1, 3}
    capsys.readouterr()
    dropped = ["--success", "", "--env", "", "--reset", ""]
    assert mapped(monkeypatch, *asked, *dropped) in {0, 1, 3}
    assert f"{out} goes on with --steps 4\n" in capsys.readouterr().err
    made = ContractReport.load(out).config
    assert made["rollout"]["success"] is None and made["rollout"]["env"] == []
    assert made["map"]["reset"] == {}
    assert json.loads(Flags.path(out).read_text())["options"] == {"map.steps": 4}


def test_of_minutes_and_steps_the_one_that_is_given_goes_before_the_one_that_is_kept(
    gridworld: Path, tmp_path: Path
) -> None:
    out, target = tmp_path / "run", str(gridworld)
    out.mkdir()
    for kept, given in (("audit.budget", "audit.minutes"), ("audit.minutes", "audit.budget")):
        Flags(target=target, config=None, options={kept: 9, "seed": 3}).save(out)
        _, fields, said = config.goes_on(target, str(out), {given: 5})
        assert fields == {given: 5, "seed": 3} and "--seed 3" in said and " 9" not in said
        assert config.goes_on(target, str(out), {})[1] == {kept: 9, "seed": 3}
    file = tmp_path / "run.yaml"
    file.write_text(f"target: {target}\nout: {out}\naudit: {{budget: 9}}\n")
    assert config.load(file).audit.budget == 9
    assert config.load(file, {"audit.minutes": 5.0}).audit.budget is None


def test_where_minutes_and_steps_were_kept_the_steps_go_on(
    gridworld: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    out.mkdir()
    both = {"audit.minutes": 5.0, "audit.budget": 9}
    Flags(target=str(gridworld), config=None, options=both).save(out)
    kept, fields, said = config.goes_on(str(gridworld), str(out), {"out": str(out)})
    run = config.load(kept, {"target": str(gridworld), **fields})
    assert (run.audit.budget, said) == (9, f"{out} goes on with --budget 9")
    assert called(monkeypatch, "poll", str(gridworld), "--out", str(out), "--read") == 3


def test_a_command_speaks_of_no_end_of_an_audit_that_it_does_not_fly(
    gridworld: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "run"
    out.mkdir()
    kept = {"audit.minutes": 5.0, "audit.seeds": 4, "map.steps": 4}
    Flags(target=str(gridworld), config=None, options=kept).save(out)
    assert mapped(monkeypatch, str(gridworld), "--out", str(out)) in {0, 1, 3}
    assert f"{out} goes on with --steps 4\n" in capsys.readouterr().err
    assert Flags.load(out).options == kept
    called(monkeypatch, "poll", str(gridworld), "--out", str(out), "--read")
    assert "goes on with --minutes 5.0 --seeds 4 --steps 4\n" in capsys.readouterr().err


def test_a_proposed_command_has_no_words_for_what_was_taken_away_and_one_end(
    gridworld: Path, tmp_path: Path
) -> None:
    out, file = tmp_path / "run", tmp_path / "run.yaml"
    out.mkdir()
    file.write_text(f"target: {gridworld}\nout: {out}\naudit: {{budget: 9}}\n")
    Flags(target=str(gridworld), config=file).save(out)
    run = config.load(file, {"audit.minutes": 5.0})
    words = config.options_of(run, poll.TAKES["audit"])
    assert words[2:] == ["--minutes", "5.0"]
    file.write_text(f"target: {gridworld}\nout: {out}\naudit: {{budget: 9, minutes: 5}}\n")
    run = config.load(file)
    Flags(target=str(gridworld), config=None).save(out)
    assert config.options_of(run, poll.TAKES["audit"]) == ["--budget", "9"]


def test_a_config_begins_anew_and_is_on_the_board(
    gridworld: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out, file = tmp_path / "run", tmp_path / "run.yaml"
    file.write_text(f"target: {gridworld}\nout: {out}\n{QUICK}")
    asked = [str(gridworld), "--out", str(out)]
    assert mapped(monkeypatch, *asked, "--steps", "5") == 0
    assert mapped(monkeypatch, "--config", str(file), "--seed", "3") == 0
    capsys.readouterr()
    called(monkeypatch, "poll", *asked, "--read")
    assert f"goes on with --config {file} --seed 3" in capsys.readouterr().err
    rows = json.loads((PollReport.path(out)).read_text())["board"]
    assert rows[2]["next"] == f"gonogo audit {gridworld} --out {out} --config {file} --seed 3"
    file.unlink()
    called(monkeypatch, "poll", *asked, "--read")
    assert "goes on with --seed 3\n" in capsys.readouterr().err


def test_what_was_misuse_is_not_kept(
    gridworld: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [str(gridworld), "--out", str(tmp_path / "run")]
    assert mapped(monkeypatch, *asked, "--success", "nosuch == 1") == 2
    assert not Flags.path(tmp_path / "run").exists()
    assert mapped(monkeypatch, *asked, "--steps", "5") == 0
    kept = Flags.path(tmp_path / "run").read_text()
    assert mapped(monkeypatch, *asked, "--success", "nosuch == 1") == 2
    assert Flags.path(tmp_path / "run").read_text() == kept


def test_every_option_on_the_board_is_one_of_its_command(tmp_path: Path) -> None:
    group = typer.main.get_command(app)
    for station, fields in poll.TAKES.items():
        command = group.commands["plan" if station == "train" else station]  # type: ignore[attr-defined]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {OPTIONS[name] for name in fields} <= known, station
    assert set(poll.TAKES) < set(STATIONS)
    run = config.load(
        None,
        {
            "target": "t",
            "out": str(tmp_path),
            "rollout.env": ["A", "B"],
            "map.reset": {"level": "a b", "n": 1},
        },
    )
    words = config.options_of(run, poll.TAKES["map"])
    assert [words.pop(0) for _ in range(4)] == ["--env", "A", "--env", "B"]
    assert config.reset_options([words[1], words[3]]) == {"level": "a b", "n": 1}
    assert shlex.join(words) == "--reset 'level=a b' --reset n=1"


def test_flags_are_read_as_they_were_written(tmp_path: Path) -> None:
    flags = Flags(target="envs/x", config=tmp_path / "a.yaml", options={"map.reset": {"a": 1}})
    flags.save(tmp_path)
    assert Flags.load(tmp_path) == flags and flags.digest() == Flags.load(tmp_path).digest()
    assert json.loads(Flags.path(tmp_path).read_text()) == {
        "schema": "gonogo/flags/1",
        "target": "envs/x",
        "config": str(tmp_path / "a.yaml"),
        "options": {"map.reset": {"a": 1}},
    }


def test_a_run_without_a_config_says_so(tmp_path: Path) -> None:
    Flags(target="envs/x", config=None).save(tmp_path)
    assert json.loads((tmp_path / "flags.json").read_text())["config"] is None
