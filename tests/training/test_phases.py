"""The train station on a foreign environment: it stops at an interrupt, and the same command goes on to GO."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub import ModelCard
from tests.records_made import training_report

from gonogo.config import RunConfig
from gonogo.errors import MissingExtra, MissingRecord, Misuse
from gonogo.models.checkpoints import flaw
from gonogo.models.hub import refresh_cards
from gonogo.records.files import read_lines
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode
from gonogo.training import phases

STEPS = 300
SETTINGS: dict[str, Any] = {
    "seed": 3,
    "model": {"hidden": 32, "intermediate": 48, "layers": 2, "heads": 2, "vocabulary": 300},
    "theme": {"required": False},
    "rollout": {"slots": 8, "max_turns": 4, "max_reply_tokens": 16},
    "train": {
        "validation": {"tasks": {"options": {"split": "train"}, "start": 900}, "episodes": 4},
        "curriculum": {"stages": [{"name": "all", "options": {"split": "train"}}]},
        "sft": {"episodes": 12, "max_steps": STEPS, "batch": 4, "validate_every": STEPS},
        "grpo": {"steps": 2, "tasks_per_step": 1, "group_size": 2},
    },
}


def command(config: Path) -> list[str]:
    return [sys.executable, "-m", "gonogo", "train", "--config", str(config)]


def environment() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1", "COLUMNS": "400"}


def write(settings: dict[str, Any], path: Path) -> Path:
    path.write_text(yaml.safe_dump(settings))
    return path


@pytest.mark.long
@pytest.mark.timeout(600)
def test_an_interrupt_stops_it_and_the_same_command_goes_on(
    gridworld: Path, tmp_path: Path
) -> None:
    pytest.importorskip("trl", reason="the train extra is not installed")
    out = tmp_path / "run"
    settings = {**SETTINGS, "target": str(gridworld), "out": str(out)}
    config = write(settings, tmp_path / "config.yaml")
    log = out / "training.jsonl"

    with subprocess.Popen(command(config), env=environment(), stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 200
        while process.poll() is None and time.monotonic() < deadline:
            if log.is_file() and len(list(read_lines(log))) > 3:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=150)
    assert process.returncode == 130, said.decode()
    assert f"interrupted; to go on: gonogo train --config {config}".encode() in said
    stopped_at = list(read_lines(log))[-1]["step"]
    assert 3 <= stopped_at < STEPS
    assert not (out / "train.json").exists()

    torn = out / "sft" / f"checkpoint-{stopped_at + 1}"
    shutil.copytree(out / "sft" / f"checkpoint-{stopped_at}", torn)
    (torn / "model.safetensors").write_bytes(b"half of it")

    other = write({**settings, "seed": 4}, tmp_path / "other.yaml")
    refused = subprocess.run(
        command(other), env=environment(), capture_output=True, timeout=150, check=False
    )
    assert refused.returncode == 2 and b"another config" in refused.stderr

    progress = out / "train_progress.json"
    held = progress.read_text()
    now = json.loads(held)["source_hash"]
    progress.write_text(held.replace(now, "0" * len(now)))
    stale = subprocess.run(
        command(config), env=environment(), capture_output=True, timeout=150, check=False
    )
    assert stale.returncode == 3 and b"another version of" in stale.stderr
    progress.write_text(held)

    done = subprocess.run(
        command(config), env=environment(), capture_output=True, timeout=250, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    said = " ".join(done.stderr.decode().split())
    assert f"{torn.name} is left out: model.safetensors is not what was written" in said
    check_run(out)
    check_cards(config, out)


def check_run(out: Path) -> None:
    """Every step once in the logs, every phase in the record, and models that are proven."""
    rows = list(read_lines(out / "training.jsonl"))
    sft = [row["step"] for row in rows if row["stage"] == "sft"]
    assert sft == list(range(STEPS + 1))
    assert [row["step"] for row in rows if row["stage"] == "grpo"] == [0, 1, 2]
    told = list(read_lines(out / "training_episodes.jsonl"))
    assert {(row["stage"], row["step"]) for row in told} == {("grpo", 1)}
    flown = [Episode.from_json(json.dumps(row["episode"])) for row in told]
    assert all(episode.turns[0].reply is not None for episode in flown)
    record = json.loads((out / "train.json").read_text())
    assert record["schema"] == "gonogo/train/1"
    assert record["alarm"] is None
    assert record["phases"]["grpo"]["alarms"] == []
    assert record["verdict"] == "GO"
    assert record["logit_difference"] == 0.0
    assert set(record["phases"]) == {"untrained", "sft", "grpo"}
    for name in ("untrained", "sft", "trained", "trained_16bit"):
        assert flaw(out / "models" / name) is None
    assert [Path(saved["model"]).name for saved in record["saved"]] == ["trained", "trained_16bit"]
    assert all(saved["reason"] is None for saved in record["saved"])
    assert 0 < record["saved"][1]["relative_difference"] < record["saved"][1]["tolerance"]


def check_cards(config: Path, out: Path) -> None:
    """Cards have no figures before the evaluation, and those of its record after it."""
    before = ModelCard.load(out / "models" / "trained" / "README.md")
    assert before.data.eval_results is None and "have not been evaluated" in before.text
    assert before.data.tags == ["gonogo", "openenv", "reinforcement-learning", "sft", "grpo"]
    flown = subprocess.run(
        [sys.executable, "-m", "gonogo", "evaluate", "--config", str(config), "--split", "test",
         "--episodes", "5", "--policies", "idle,untrained,trained,trained_sampled"],
        env=environment(), capture_output=True, timeout=250, check=False,
    )  # fmt: skip
    assert flown.returncode in {0, 1}, flown.stderr.decode()
    evaluation = json.loads((out / "evaluation.json").read_text())
    for name in ("trained", "trained_16bit"):
        card = ModelCard.load(out / "models" / name / "README.md")
        assert flaw(out / "models" / name) is None
        told = {(each.metric_type, each.metric_name): each for each in card.data.eval_results}
        for policy, how in (("trained", "greedy"), ("trained_sampled", "sampled")):
            for metric in ("score", "success"):
                each = told.pop((metric, f"{metric}, {how}"))
                assert each.metric_value == evaluation["policies"][policy][metric]["mean"]
                assert (each.dataset_name, each.dataset_split) == ("gridworld", "test")
                assert each.dataset_revision == evaluation["source_hash"]
        assert not told
        rounded = "The figures are of the weights before they were rounded" in card.text
        assert rounded == (name == "trained_16bit")
        assert evaluation["verdict"] != "GO"
        assert f": no improvement is shown: {evaluation['reason']}" in card.text

    other = json.loads((out / "evaluation.json").read_text())
    other["policies"]["trained"]["model_hash"] = "of other weights"
    other["policies"]["trained_sampled"]["model_hash"] = "of other weights"
    (out / "evaluation.json").write_text(json.dumps(other))
    refresh_cards(out)
    stale = ModelCard.load(out / "models" / "trained" / "README.md")
    assert stale.data.eval_results is None and "have not been evaluated" in stale.text


def test_a_tracker_that_is_not_installed_stops_before_anything_flies(
    gridworld: Path, tmp_path: Path
) -> None:
    pytest.importorskip("trl", reason="the train extra is not installed")
    if find_spec("wandb") is not None:
        pytest.skip("wandb is installed")
    out = tmp_path / "run"
    given = {**SETTINGS, "target": str(gridworld), "out": str(out), "log": "wandb"}
    with pytest.raises(MissingExtra, match=r"pip install 'gonogo\[wandb\]'"):
        phases.run(RunConfig.model_validate_json(json.dumps(given)))
    assert not out.exists()


def test_an_audit_that_is_not_there_stops_before_anything_flies(
    gridworld: Path, tmp_path: Path
) -> None:
    pytest.importorskip("trl", reason="the train extra is not installed")
    out = tmp_path / "run"
    train = {**SETTINGS["train"], "watch": {"audit": str(tmp_path)}}
    given = {**SETTINGS, "train": train, "target": str(gridworld), "out": str(out)}
    with pytest.raises(MissingRecord, match="no audit record there"):
        phases.run(RunConfig.model_validate_json(json.dumps(given)))
    assert not out.exists()


def test_a_config_that_does_not_train_is_misuse(gridworld: Path, tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="train"):
        phases.run(RunConfig(target=str(gridworld), out=tmp_path))


def test_a_training_concludes_with_what_its_model_flew_or_with_what_speaks_against_it() -> None:
    assert phases.conclusion(training_report()) == (
        "GO: models/trained reloads and flies: {'reward/overall': 0.5}"
    )
    lost = training_report(verdict=Verdict.NO_GO, reason="other logits came back")
    assert phases.conclusion(lost) == "NO-GO: other logits came back"
