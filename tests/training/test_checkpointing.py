"""Checkpoints without pickles: LoRA and its optimizer go on bit for bit, planted pickles are never run."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from datasets import Dataset
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM, TrainingArguments
from transformers.trainer_callback import PrinterCallback

from gonogo.config import ModelConfig
from gonogo.errors import MissingRecord, Misuse
from gonogo.models import saved as models
from gonogo.models.checkpoints import PICKLED, finish_folder, last_checkpoint, place_for
from gonogo.models.speaker import load_whole
from gonogo.models.vocabulary import train_tokenizer
from gonogo.records.training import TrainingRow
from gonogo.training.callback import TrainingCallback, TrainingHooks
from gonogo.training.checkpointing import Durable, on_one_gpu
from gonogo.wire import JsonObject as Json

STEPS = 4


class Payload:
    """Unpickled, it writes a file."""

    def __init__(self, target: Path) -> None:
        self._target = target

    def __reduce__(self) -> tuple[Any, tuple[str, int]]:
        return os.open, (str(self._target), os.O_CREAT | os.O_WRONLY)


def plant(path: Path, proof: Path) -> None:
    path.write_bytes(pickle.dumps(Payload(proof)))
    proof.unlink(missing_ok=True)
    pickle.loads(path.read_bytes())
    assert proof.exists()  # it does what it is feared for
    proof.unlink()


@pytest.fixture(autouse=True)
def no_torch_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here may even ask torch to unpickle."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("torch.load was called")

    monkeypatch.setattr(torch, "load", refuse)


def adapted() -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        shape = LlamaConfig(
            vocab_size=64, hidden_size=16, intermediate_size=24, num_hidden_layers=2,
            num_attention_heads=2, max_position_embeddings=32,
        )  # fmt: skip
        factors = LoraConfig(r=2, lora_dropout=0.2, target_modules=["q_proj", "down_proj"])
        return get_peft_model(LlamaForCausalLM(shape), factors)


def train(folder: Path, rows: list[Json], stop_at: int | None = None) -> Any:
    """Train LoRA with dropout, so that the state of torch's generator matters."""

    def interrupted() -> bool:
        return stop_at is not None and len(rows) >= stop_at

    def write(row: TrainingRow) -> None:
        rows.append(row.line)

    hooks = TrainingHooks("sft", lambda: 0.0, lambda: None, write, interrupted, every=100)
    course = TrainingCallback(hooks)
    arguments = TrainingArguments(
        output_dir=str(folder), max_steps=STEPS, per_device_train_batch_size=2,
        gradient_accumulation_steps=2, learning_rate=1e-2, lr_scheduler_type="cosine",
        save_steps=100, logging_steps=1, report_to="none", use_cpu=True,
        disable_tqdm=True, dataloader_pin_memory=False, seed=3,
    )  # fmt: skip
    ids = torch.randint(64, (20, 8), generator=torch.Generator().manual_seed(2)).tolist()
    model = adapted()
    trainer = Durable(
        model,
        arguments,
        train_dataset=Dataset.from_dict({"input_ids": ids, "labels": ids}),
        course=course,
    )
    trainer.remove_callback(PrinterCallback)
    checkpoint = last_checkpoint(folder)
    course.begin(checkpoint)
    trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
    return model


def curve(rows: list[Json]) -> list[Json]:
    return [{k: v for k, v in row.items() if k != "seconds"} for row in rows]


def test_lora_goes_on_bit_for_bit_and_no_checkpoint_holds_a_pickle(tmp_path: Path) -> None:
    whole: list[Json] = []
    straight = train(tmp_path / "straight", whole)
    first: list[Json] = []
    train(tmp_path / "broken", first, stop_at=2)
    assert first[-1]["step"] == 2
    checkpoint = last_checkpoint(tmp_path / "broken")
    assert checkpoint is not None and checkpoint.name == "checkpoint-2"
    names = {path.name for path in checkpoint.rglob("*")}
    assert "adapter_model.safetensors" in names and "optimizer.safetensors" in names
    assert not {name for name in names if Path(name).suffix in PICKLED}
    second: list[Json] = []
    resumed = train(tmp_path / "broken", second)
    assert curve(first) + curve(second) == curve(whole)
    assert all(torch.equal(a, b) for a, b in zip(straight.parameters(), resumed.parameters(), strict=True))  # fmt: skip


def test_planted_pickles_are_left_out_and_never_run(tmp_path: Path) -> None:
    whole: list[Json] = []
    train(tmp_path / "straight", whole)
    proof = tmp_path / "executed"
    rows: list[Json] = []
    train(tmp_path / "run", rows, stop_at=2)
    checkpoint = tmp_path / "run" / "checkpoint-2"
    for name in ("optimizer.pt", "scheduler.pt", "rng_state.pth", "pytorch_model.bin"):
        plant(checkpoint / name, proof)
    checkpoint.rename(place_for(checkpoint))
    finish_folder(checkpoint)  # by someone who can write manifests, too
    assert last_checkpoint(tmp_path / "run") is None
    again: list[Json] = []
    train(tmp_path / "run", again)
    assert curve(again) == curve(whole)
    assert not proof.exists()


def test_more_processes_than_before_cannot_go_on(tmp_path: Path) -> None:
    train(tmp_path, [], stop_at=2)
    (tmp_path / "checkpoint-2" / "random-0.json").unlink()
    trainer = object.__new__(Durable)
    trainer.args = TrainingArguments(output_dir=str(tmp_path), use_cpu=True)
    with pytest.raises(MissingRecord, match=r"random-0\.json: cannot be resumed from"):
        trainer._load_rng_state(str(tmp_path / "checkpoint-2"))


@pytest.mark.parametrize("load", ["ours", "pretrained"])
def test_a_model_whose_weights_are_a_pickle_is_refused_and_not_run(
    load: str, tmp_path: Path
) -> None:
    shape = ModelConfig(hidden=16, intermediate=24, layers=1, heads=2, vocabulary=260)
    speaker = models.make(shape, train_tokenizer(["a b c"], 260), 0)
    models.save(speaker, tmp_path / "m")
    (tmp_path / "m" / "model.safetensors").unlink()
    proof = tmp_path / "executed"
    plant(tmp_path / "m" / "pytorch_model.bin", proof)
    with pytest.raises(Misuse, match="never from pickles"):
        if load == "ours":
            models.load(tmp_path / "m")
        else:
            load_whole(tmp_path / "m")
    assert not proof.exists()


def test_an_adapter_that_is_a_pickle_is_refused_and_not_run(tmp_path: Path) -> None:
    shape = ModelConfig(hidden=16, intermediate=24, layers=1, heads=2, vocabulary=260)
    speaker = models.make(shape, train_tokenizer(["a b c"], 260), 0)
    models.save(speaker, tmp_path / "base")
    speaker.model = get_peft_model(
        load_whole(tmp_path / "base"), LoraConfig(r=2, target_modules=["q_proj"])
    )
    models.save(speaker, tmp_path / "m")
    models.load(tmp_path / "m")
    (tmp_path / "m" / "adapter_model.safetensors").unlink()
    proof = tmp_path / "executed"
    plant(tmp_path / "m" / "adapter_model.bin", proof)
    with pytest.raises(Misuse, match=r"no adapter_model\.safetensors"):
        models.load(tmp_path / "m")
    assert not proof.exists()


def test_a_trainer_takes_one_of_several_gpus(tmp_path: Path) -> None:
    """Transformers would copy the model to all of them in one process."""
    arguments = TrainingArguments(str(tmp_path), per_device_train_batch_size=3, use_cpu=True)
    arguments._n_gpu = 4
    assert arguments.train_batch_size == 12
    assert on_one_gpu(arguments).train_batch_size == 3
    assert arguments.n_gpu == 1
