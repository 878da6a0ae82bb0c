"""Saved models against the witness of their training: the same, rounded, merged, tampered with, not loadable."""

from __future__ import annotations

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import json
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from tests.conftest import ZOO

from gonogo.config import ModelConfig, RunConfig
from gonogo.errors import EnvironmentFailure, Misuse, PolicyFailure, RecordError
from gonogo.models import saved as models
from gonogo.models.checkpoints import PICKLED, WITNESS, writing
from gonogo.models.pretrained import load_whole
from gonogo.models.tokenizer import Speaker, train_tokenizer
from gonogo.records.training import Alarm
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.training import saving
from gonogo.training.curriculum import TrainingTask
from gonogo.training.environments import environments_of
from gonogo.training.saving import by_environment, stopped

SHAPE = ModelConfig(hidden=32, intermediate=48, layers=2, heads=2, vocabulary=300)
SAID = '{"move":"north","stride":1} goal_east: 2 goal_north: -1 '


@pytest.fixture(scope="module")
def speaker() -> Speaker:
    return models.make(SHAPE, train_tokenizer([SAID] * 3, SHAPE.vocabulary), 0)


@pytest.fixture(scope="module")
def ids(speaker: Speaker) -> list[int]:
    return list(speaker.tokenizer(SAID * 3)["input_ids"])


def adapt(folder: Path, speaker: Speaker, layers: list[str]) -> Speaker:
    """A model on the disk with factors that say something."""
    models.save(speaker, folder)
    base = load_whole(folder)
    model: Any = get_peft_model(base, LoraConfig(r=4, target_modules=layers))
    source = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "lora_" in name and not weight.any():
                weight.copy_(0.05 * torch.randn(weight.shape, generator=source))
    return Speaker(model.eval(), speaker.tokenizer, speaker.turns, speaker.context)


@pytest.fixture
def adapted(tmp_path: Path, speaker: Speaker) -> Speaker:
    return adapt(tmp_path / "base", speaker, ["q_proj", "v_proj", "down_proj"])


def likeness(folder: Path) -> saving.LogitDifference:
    return saving.compare_witness(models.load(folder), folder)


def run_config(target: Path, out: Path) -> RunConfig:
    return RunConfig.model_validate_json(
        json.dumps({
            "target": str(target), "out": str(out),
            "rollout": {"slots": 2, "max_turns": 3, "max_reply_tokens": 8},
        })
    )  # fmt: skip


def test_a_fresh_process_finds_the_same_model_and_flies_it(
    gridworld: Path, tmp_path: Path, speaker: Speaker, ids: list[int]
) -> None:
    folder = tmp_path / "models" / "trained"
    saving.keep(speaker, folder, ids)
    tasks = [
        TrainingTask({"split": "train", "index": 4}),
        TrainingTask({"split": "train", "index": 5}),
    ]
    proof = saving.check_reload(run_config(gridworld, tmp_path), folder, tasks)
    assert proof.reason is None and proof.likeness is not None
    assert proof.likeness == saving.LogitDifference(0.0, 0.0, 1.0, "32-bit")
    assert [episode.task for episode in proof.episodes] == [task.options for task in tasks]
    assert all(len(episode.turns) == 3 for episode in proof.episodes)


def test_another_models_weights_are_no_go(
    gridworld: Path, tmp_path: Path, speaker: Speaker, ids: list[int]
) -> None:
    folder = tmp_path / "models" / "trained"
    saving.keep(speaker, folder, ids)
    other = models.make(SHAPE, speaker.tokenizer, 1)
    with writing(tmp_path / "other") as place:
        models.save(other, place)
    (tmp_path / "other" / "model.safetensors").replace(folder / "model.safetensors")
    found = likeness(folder)
    assert found.difference > 1.0
    said = saving.verdict_of(found, saving.SAME, folder)
    assert said == "model.safetensors is not what was written"
    with writing(tmp_path / "resealed") as place:  # whoever can write weights can write hashes
        for path in folder.iterdir():
            path.rename(place / path.name)
    said = saving.verdict_of(found, saving.SAME, tmp_path / "resealed")
    assert said is not None and "its logits differ from those in training" in said


@pytest.mark.long
def test_a_model_that_does_not_load_is_no_go_and_a_lost_episode_is_not(
    gridworld: Path, rogue: Path, tmp_path: Path, speaker: Speaker, ids: list[int]
) -> None:
    folder = tmp_path / "models" / "trained"
    saving.keep(speaker, folder, ids)
    with pytest.raises(EnvironmentFailure, match="it loads and does not fly"):
        saving.check_reload(
            run_config(gridworld, tmp_path), folder, [TrainingTask({"split": "moon", "index": 1})]
        )
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    proof = saving.check_reload(run_config(gridworld, tmp_path), folder, [TrainingTask({})])
    assert proof.reason is not None and "it does not load in a fresh process" in proof.reason
    assert proof.saved().logit_difference is None


def test_whole_weights_are_released_in_16_bit(
    tmp_path: Path, speaker: Speaker, ids: list[int]
) -> None:
    folder = tmp_path / "trained"
    saving.keep(speaker, folder, ids)
    target, dequantised = saving.release(folder)
    assert target == tmp_path / "trained_16bit" and dequantised is None
    saved = load_file(target / "model.safetensors")
    assert {weight.dtype for weight in saved.values()} == {torch.bfloat16}
    found = likeness(target)
    assert 0 < found.difference < saving.NEAR and found.precision == "32-bit"
    assert saving.verdict_of(found, saving.tolerance_of("32-bit", target), target) is None
    assert not {path.name for path in target.iterdir() if path.suffix in PICKLED}


def test_factors_are_saved_alone_and_merged_into_the_weights_that_they_belong_to(
    tmp_path: Path, adapted: Speaker, ids: list[int]
) -> None:
    folder = tmp_path / "models" / "trained"
    saving.keep(adapted, folder, ids)
    assert not (folder / "model.safetensors").exists()
    assert likeness(folder).difference < saving.SAME
    target, dequantised = saving.release(folder)
    assert dequantised is None
    names = {path.name for path in target.iterdir()}
    assert "model.safetensors" in names and "adapter_config.json" not in names
    assert likeness(target).difference < 0.02
    forgotten = saving.compare_witness(models.load(tmp_path / "base"), target)
    assert "logits differ" in str(saving.verdict_of(forgotten, saving.NEAR, target))


def test_a_merge_that_changes_what_the_model_says_is_not_released(
    tmp_path: Path, speaker: Speaker, ids: list[int]
) -> None:
    # The head is the embedding again, and has no factors: merged, it gets those of the embedding.
    adapted = adapt(tmp_path / "base", speaker, ["embed_tokens"])
    folder = tmp_path / "trained"
    saving.keep(adapted, folder, ids)
    with pytest.raises(RecordError, match="merging changed the logits by"):
        saving.release(folder)
    assert not saving.release_folder(folder).exists()


def test_factors_on_another_model_than_theirs_are_not_released(
    tmp_path: Path, adapted: Speaker, ids: list[int]
) -> None:
    folder = tmp_path / "trained"
    saving.keep(adapted, folder, ids)
    models.save(models.make(SHAPE, adapted.tokenizer, 7), tmp_path / "base")
    with pytest.raises(RecordError, match="with the weights that it names its logits differ"):
        saving.release(folder)


def test_what_quantised_weights_were_merged_without_is_told(
    tmp_path: Path, adapted: Speaker, ids: list[int]
) -> None:
    folder = tmp_path / "trained"
    saving.keep(adapted, folder, ids)
    witness = load_file(folder / WITNESS)
    noise = torch.randn(witness["logits"].shape, generator=torch.Generator().manual_seed(3))
    witness["logits"] += 0.01 * noise
    save_file(witness, folder / WITNESS, metadata={"precision": "quantised"})
    target, dequantised = saving.release(folder)
    assert dequantised is not None and 0.001 < dequantised < 0.1
    assert likeness(target).difference < 0.02


def test_nothing_is_merged_into_quantised_weights(
    tmp_path: Path, adapted: Speaker, ids: list[int]
) -> None:
    folder = tmp_path / "trained"
    saving.keep(adapted, folder, ids)
    path = tmp_path / "base" / "config.json"
    held = {"quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": True}}
    path.write_text(json.dumps(json.loads(path.read_text()) | held))
    with pytest.raises(Misuse, match="holds quantised weights, which nothing is merged into"):
        saving.merged(folder, None, torch.tensor(ids))


def test_a_model_that_the_memory_does_not_hold_in_32_bit_is_not_merged(
    tmp_path: Path, adapted: Speaker, ids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "trained"
    saving.keep(adapted, folder, ids)
    monkeypatch.setattr(saving, "ram", lambda: (50_000.0, "RAM"))
    with pytest.raises(PolicyFailure, match=r"in 32 bit takes .* and this machine has 0\.0 GB"):
        saving.release(folder)


def test_weights_that_are_not_finite_are_not_released(
    tmp_path: Path, speaker: Speaker, ids: list[int]
) -> None:
    folder = tmp_path / "trained"
    saving.keep(speaker, folder, ids)
    path = folder / "model.safetensors"
    weights = load_file(path)
    weights["model.norm.weight"][0] = float("inf")
    save_file(weights, path, metadata={"format": "pt"})
    with pytest.raises(RecordError, match=r"model\.norm\.weight is not finite"):
        saving.release(folder)


def test_a_folder_without_a_witness_proves_nothing(tmp_path: Path, speaker: Speaker) -> None:
    models.save(speaker, tmp_path / "m")
    with pytest.raises(RecordError, match="no witness of what was trained"):
        likeness(tmp_path / "m")


def test_a_training_that_the_watch_stopped_says_where_its_best_model_is() -> None:
    said = stopped(Alarm(rule="entropy", stage="easy", step=7, reason="it fell"), Path("m/best"))
    assert "entropy in step 7, stage easy: it fell" in said and "is in m/best" in said


def test_each_of_several_environments_has_the_figures_of_its_own_episodes(
    gridworld: Path, rogue: Path, tmp_path: Path
) -> None:
    train = {
        "validation": {"tasks": {"options": {}}, "episodes": 2},
        "environments": [{"name": "two", "target": str(rogue), "validation": {"options": {}}}],
        "curriculum": {
            "stages": [
                {"name": "a", "options": {}},
                {"name": "b", "environment": "two", "options": {}},
            ]
        },
        "grpo": {},
    }
    run = RunConfig.model_validate_json(
        json.dumps({"target": str(gridworld), "out": str(tmp_path), "train": train})
    )
    flown = [
        Episode(n, {}, "x", "m", turns=[Turn("", {}, action={}, done=True)], episode_return=paid)
        for n, paid in enumerate((1.0, 0.0, 4.0, 2.0))
    ]
    found = by_environment(environments_of(run), 2, flown)
    assert list(found) == ["gridworld", "two"]
    assert found["gridworld"].target == str(ZOO / "gridworld")
    assert [each.validation["reward/overall"] for each in found.values()] == [0.5, 3.0]
