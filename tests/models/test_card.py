"""A saved model's card: figures only of these weights or those they were rounded from, all read from the records."""

from __future__ import annotations

from pathlib import Path

import pytest
from huggingface_hub import ModelCard
from tests.records_made import (
    estimate,
    evaluation_report,
    policy_result,
    saved_model,
    training_report,
)

from gonogo.errors import MissingRecord
from gonogo.models.card import refresh_cards, write_card
from gonogo.records.provenance import tree_hash
from gonogo.records.record import Verdict

CONFIG = {
    "model": {"pretrained": None},
    "rollout": {"slots": 8},
    "train": {"micro_batch": 4},
    "reward": None,
    "seed": 7,
}


def run_of(folder: Path, *names: str, pretrained: str | None = None, **given: object) -> Path:
    """A run whose training has ended, with a model's folder of each name."""
    for name in names:
        model = folder / "models" / name
        model.mkdir(parents=True)
        (model / "model.safetensors").write_text(name)
    saved = tuple(saved_model(model=f"models/{name}") for name in names)
    config = {**CONFIG, "model": {"pretrained": pretrained}}
    training_report(config=config, saved=saved, **given).save(folder)
    return folder


def card(run: Path, name: str) -> ModelCard:
    return ModelCard.load(run / "models" / name / "README.md")


def test_a_model_that_was_not_evaluated_says_so(tmp_path: Path) -> None:
    run = run_of(tmp_path, "trained")
    write_card(run, run / "models" / "trained")
    said = card(run, "trained")
    assert said.data.eval_results is None and "have not been evaluated" in said.text
    assert said.data.tags == ["gonogo", "openenv", "reinforcement-learning", "grpo"]
    assert (said.data.library_name, said.data.base_model) == ("transformers", None)
    assert "made from scratch" in said.text and "micro_batch: 4" in said.text
    assert "differ from those in training by 1e-07 of their spread" in said.text


def test_figures_are_those_of_the_evaluation_that_flew_these_weights(tmp_path: Path) -> None:
    run = run_of(tmp_path, "trained", "trained_16bit")
    policies = {
        "idle": policy_result(estimate(0.1)),
        "trained": policy_result(
            estimate(0.75),
            model_hash=tree_hash(run / "models" / "trained"),
            decoding="greedy",
        ),
    }
    evaluation_report(policies, verdict=Verdict.NO_GO, reason="too close").save(run)
    refresh_cards(run)
    for name in ("trained", "trained_16bit"):
        said = card(run, name)
        told = {each.metric_name: each.metric_value for each in said.data.eval_results}
        assert told == {"score, greedy": 0.75, "success, greedy": 0.75}
        assert "| **trained** |" in said.text and "| idle |" in said.text
        assert ": no improvement is shown: too close." in said.text
        rounded = "weights before they were rounded to 16 bit" in said.text
        assert rounded == (name == "trained_16bit")
    (run / "models" / "trained" / "model.safetensors").write_text("other weights")
    refresh_cards(run)
    assert card(run, "trained").data.eval_results is None


def test_an_adapter_says_what_it_belongs_to_and_under_which_licence(tmp_path: Path) -> None:
    run = run_of(tmp_path, "trained", pretrained="Qwen/Qwen2.5-7B-Instruct")
    (run / "models" / "trained" / "adapter_config.json").write_text("{}")
    write_card(run, run / "models" / "trained")
    said = card(run, "trained").data
    assert (said.base_model, said.library_name) == ("Qwen/Qwen2.5-7B-Instruct", "peft")
    assert said.license == "apache-2.0"
    base = tmp_path / "base"
    base.mkdir()
    (base / "README.md").write_text("---\nlicense: mit\n---\nHello.\n")
    local = run_of(tmp_path / "local", "trained", pretrained=str(base))
    write_card(local, local / "models" / "trained")
    told = card(local, "trained").data
    assert (told.base_model, told.license) == (None, "mit")  # a folder is nobody else's


def test_without_a_training_there_is_no_card(tmp_path: Path) -> None:
    refresh_cards(tmp_path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(MissingRecord):
        write_card(tmp_path, tmp_path)
