"""The commands as a user types them: verdicts are exit codes, misuse is one message and exit code 2."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from gonogo import cli

ROOT = Path(__file__).parents[1]
COMMANDS = (
    "map", "theme", "audit", "grade", "reward", "check", "poll", "probe", "demo", "train",
    "evaluate", "rollout", "fly", "replay", "publish", "report", "mcp", "skill",
)  # fmt: skip


def gonogo(*words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "gonogo", *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env={**os.environ, "COLUMNS": "200", "OMP_NUM_THREADS": "1"},
    )


def called(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """The exit code of a command run in this process."""
    monkeypatch.setattr(sys, "argv", ["gonogo", *words])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    return int(caught.value.code or 0)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch, command, "--help") == 0
    assert "Usage: " in capsys.readouterr().out


def test_it_says_its_version(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch, "--version") == 0
    assert capsys.readouterr().out.strip() == version("gonogo")


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (["soar"], "No such command 'soar'"),
        (["fly"], "a TARGET or a --config"),
        (["fly", "nowhere"], "'nowhere' is no target"),
        (["fly", "nowhere", "--start", "-1"], "evaluation.start: Input should be greater"),
        (["evaluate", "--episodes", "many", "x"], "Input should be a valid integer"),
        (["evaluate", "--episode", "1", "x"], "No such option"),
        (["evaluate"], "a TARGET or a --config"),
        (["train"], "a TARGET or a --config"),
        (["train", "x", "--log", "paper"], "log: Input should be 'trackio', 'tensorboard'"),
        (["map"], "a TARGET or a --config"),
        (["map", "nowhere"], "'nowhere' is no target"),
        (["map", "nowhere", "--reset", "level"], "must be NAME=VALUE, not 'level'"),
        (["map", "nowhere", "--reset", "a=1", "--reset", "a=2"], "'a' is given twice"),
        (["map", "nowhere", "--reset", "a={"], "the value is not YAML"),
        (["map", "nowhere", "--steps", "1"], "map.steps: Input should be greater than or equal"),
        (["map", "tests/zoo/gridworld", "--out", ""], "'--out': a path must not be empty"),
        (["map", "--config", ""], "'--config': a path must not be empty"),
        (["report", ""], "'RUN': a path must not be empty"),
        (["skill", "--dest", " "], "'--dest': a path must not be empty"),
        (["theme"], "a TARGET or a --config"),
        (["theme", "nowhere"], "'nowhere' is no target"),
        (["theme", "nowhere", "--draft", "scribe"], "theme.draft: String should match pattern"),
        (["demo", "--config", "none.yaml"], "none.yaml: cannot be read"),
        (["poll", "nowhere", "--reset", "split"], "must be NAME=VALUE"),
        (["poll", "nowhere", "--seeds", "1"], "audit.seeds: Input should be greater"),
        (
            ["evaluate", "nowhere", "--episodes", "0"],
            "evaluation.episodes: Input should be greater",
        ),
        (["evaluate", "nowhere", "--policies", "idle,idle"], "policies must be different"),
        (
            ["evaluate", "nowhere", "--seed", "-1"],
            "seed: Input should be greater than or equal to 0",
        ),
        (["evaluate", "nowhere", "--start", "-1"], "evaluation.start: Input should be greater"),
        (["rollout", "nowhere", "--policies", "idle"], "'nowhere' is no target"),
        (["evaluate", "nowhere", "--policies", "idle"], "'nowhere' is no target"),
        (["train", "nowhere"], "train"),
        (["probe"], "a TARGET or a --config"),
        (["probe", "nowhere"], "'nowhere' is no target"),
        (["probe", "nowhere", "--episodes", "0"], "probe.episodes: Input should be greater"),
        (["probe", "nowhere", "--memory-gb", "-1"], "probe.memory_gb: Input should be greater"),
        (["probe", "tests/zoo/gridworld", "--candidates", "no.yaml"], "candidates must be a YAML"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_misuse_names_the_rule_and_exits_with_2(
    words: list[str],
    rule: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert called(monkeypatch, *words) == 2
    captured = capsys.readouterr()
    assert rule in captured.err
    assert "Traceback" not in captured.err
    assert not [path for path in tmp_path.rglob("*") if path.is_file()], (
        "misuse is found before anything is written"
    )


def test_a_broken_config_field_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("target: x\nout: y\nsead: 3\n")
    assert called(monkeypatch, "demo", "--config", str(path)) == 2
    assert "sead: there is no such field; did you mean 'seed'?" in capsys.readouterr().err
    path.write_text("target: x\nout: ''\n")
    assert called(monkeypatch, "demo", "--config", str(path)) == 2
    assert "out: must name a folder, not ''" in capsys.readouterr().err


def test_a_missing_record_is_a_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(tmp_path), str(tmp_path / "README.md"), "--plots", str(tmp_path / "plots")]
    assert called(monkeypatch, "publish", *words) == 3
    assert "evaluation.json" in capsys.readouterr().err


def test_a_file_without_an_episode_cannot_be_replayed_and_is_misuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch, "replay", str(tmp_path / "none.jsonl")) == 2
    for held in ("", '{"no": "episode"}\n'):
        (tmp_path / "odd.jsonl").write_text(held)
        assert called(monkeypatch, "replay", str(tmp_path / "odd.jsonl")) == 2
    assert "none.jsonl" in capsys.readouterr().err


def test_episodes_are_flown_and_fly_again(gridworld: Path, tmp_path: Path) -> None:
    file = tmp_path / "episodes.jsonl"
    flown = gonogo(
        "rollout", str(gridworld), "--policies", "random", "--episodes", "3", "--file", str(file)
    )
    assert flown.returncode == 0, flown.stderr
    assert len(file.read_text().splitlines()) == 3
    again = gonogo("replay", str(file))
    assert again.returncode == 0, again.stderr + again.stdout
    file.write_text(file.read_text().replace('"reward": 0.0', '"reward": 0.5', 1))
    assert gonogo("replay", str(file)).returncode == 1


@pytest.mark.long
def test_a_theme_holds_with_a_template_and_refuses_a_broken_one(
    gridworld: Path, tmp_path: Path
) -> None:
    asked = [str(gridworld), "--out", str(tmp_path)]
    missing = gonogo("theme", *asked)
    assert (missing.returncode, "gonogo map writes it" in missing.stderr) == (3, True)
    assert gonogo("map", *asked, "--steps", "4").returncode == 0
    held = gonogo("theme", *asked)
    assert held.returncode == 3 and "HOLD: missing: " in held.stdout, held.stderr
    words = tmp_path / "theme.yaml"
    words.write_text(words.read_text().replace("theme: null", "theme: 6"))
    refused = gonogo("theme", *asked)
    assert refused.returncode == 2 and "Traceback" not in refused.stderr
    assert "theme.yaml: theme: Input should be" in refused.stderr and '"6"' in refused.stderr


def test_a_probe_without_weights_is_a_hold_with_its_table(gridworld: Path, tmp_path: Path) -> None:
    asked = ["--split", "test", "--episodes", "2", "--memory-gb", "8", "--out", str(tmp_path)]
    refused = gonogo("probe", str(gridworld), *asked)
    assert refused.returncode == 3 and "no problem statement there" in refused.stderr
    assert not any(tmp_path.iterdir())
    probed = gonogo("probe", str(gridworld), *asked, "--without-theme")
    assert probed.returncode == 3, probed.stderr
    assert "Qwen2.5-7B-Instruct" in probed.stdout and "--model NAME=WHERE" in probed.stdout
    assert (tmp_path / "probe.md").is_file() and (tmp_path / "probe.json").is_file()


def test_asking_for_help_loads_nothing_heavy() -> None:
    probe = (
        "import sys, gonogo.cli.commands; "
        "print([m for m in ('torch', 'transformers', 'trl', 'datasets', 'prompt_toolkit') if m in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=120
    )
    assert answer.stdout.strip() == "[]"
