"""What SFT and GRPO share: the best model, checkpoints that go on bit for bit, passes of a step."""

from __future__ import annotations

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import json
import os
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig, get_peft_model
from tests.training.small_trainings import (
    SFT,
    Log,
    chat_config,
    one_stage,
    train,
)
from transformers import LlamaConfig, LlamaForCausalLM, TrainingArguments

from gonogo.config import ModelConfig, SftConfig
from gonogo.env.target import Target
from gonogo.errors import MissingRecord, Misuse, StaleRecord
from gonogo.models import saved as models
from gonogo.models.checkpoints import PICKLED, finish_folder, last_checkpoint, place_for
from gonogo.models.pretrained import load_whole
from gonogo.models.tokenizer import train_tokenizer
from gonogo.records.training import Alarm, TrainingRow
from gonogo.rollouts.summary import Losses
from gonogo.rollouts.types import Connection
from gonogo.training.sft import sft_arguments
from gonogo.training.trainer import new_speaker
from gonogo.training.training_loop import (
    STATE,
    Durable,
    TrainingCallback,
    TrainingHooks,
    on_one_gpu,
    passes,
)
from gonogo.wire import JsonObject as Json

STEPS = 4


def course(
    scores: list[float], kept: list[int], rows: list[TrainingRow] | None = None
) -> TrainingCallback:
    """A course that validates every step with these scores, the first at its start."""
    written = [] if rows is None else rows
    left = iter(scores)
    step = len(scores)
    return TrainingCallback(
        TrainingHooks(
            "sft", lambda: next(left), lambda: kept.append(step), written.append, lambda: False,
            every=1,
        )
    )  # fmt: skip


def end_step(found: TrainingCallback, step: int) -> bool:
    """End a step; whether the training stops."""
    control = SimpleNamespace(should_training_stop=False, should_save=False)
    state = SimpleNamespace(global_step=step, max_steps=10)
    found.on_step_begin(None, state, control)
    found.on_step_end(None, state, control)
    return control.should_training_stop


@pytest.mark.parametrize(
    ("scores", "best_step"), [([0.5, 0.4, 0.45], 0), ([0.1, 0.2, 0.2], 1), ([0.0, 0.0, 0.1], 2)]
)
def test_the_best_is_kept(scores: list[float], best_step: int) -> None:
    kept: list[int] = []
    found = course(scores, kept)
    found.begin(None)
    assert len(kept) == 1
    assert not any(end_step(found, step) for step in (1, 2))
    assert found.best_step == best_step
    assert found.best == scores[best_step]


def test_an_alarm_that_stops_keeps_what_was_best_before_it() -> None:
    kept: list[int] = []
    rows: list[TrainingRow] = []
    found = course([0.1, 0.9], kept, rows)
    found.begin(None)
    alarm = Alarm(rule="entropy", stage="one", step=1, reason="gone")
    found.alarm([alarm], stops=False)
    assert found.halted is None
    found.alarm([alarm], stops=True)
    control = SimpleNamespace(should_training_stop=False, should_save=False)
    found.on_step_end(None, SimpleNamespace(global_step=1, max_steps=10), control)
    assert control.should_training_stop
    assert (len(kept), found.best, found.alarms) == (1, 0.1, [alarm, alarm])
    found.on_log(None, SimpleNamespace(global_step=1), control, {"loss": 0.5})
    assert rows[-1].alarm == "entropy in step 1, stage one: gone"
    assert (rows[-1].step, rows[-1].numbers["loss"]) == (1, 0.5)


@pytest.mark.parametrize("beginner", [-1.6, 0.0])
def test_a_model_that_acts_is_better_than_one_that_never_does(beginner: float) -> None:
    seen = iter([(0.0, False), (0.0, False), (beginner, True), (0.4, True), (0.9, False)])
    kept: list[float] = []
    newest = (0.0, False)

    def validate() -> float:
        nonlocal newest
        newest = next(seen)
        return newest[0]

    found = TrainingCallback(
        TrainingHooks(
            "sft", validate, lambda: kept.append(newest[0]), lambda row: None, lambda: False,
            every=1, acts=lambda: newest[1],
        )
    )  # fmt: skip
    found.begin(None)
    assert not any(end_step(found, step) for step in (1, 2, 3, 4))
    assert kept == [0.0, beginner, 0.4]
    assert (found.best, found.best_step) == (0.4, 3)


def test_freed_memory_goes_back_once_a_minute_and_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, back = [0.0], []
    monkeypatch.setattr("gonogo.training.training_loop.time.monotonic", lambda: clock[0])
    monkeypatch.setattr(
        "gonogo.training.training_loop.return_freed_memory", lambda: back.append(clock[0])
    )
    found = course([0.0] * 6, [])
    found.begin(None)
    for step, now in enumerate((30.0, 61.0, 90.0, 121.0, 122.0), 1):
        clock[0] = now
        end_step(found, step)
    assert back == [61.0, 122.0]
    found.on_train_end(None, None, None)
    assert back == [61.0, 122.0, 122.0]


def losing() -> TrainingCallback:
    """A course that also counts what is lost."""
    hooks = TrainingHooks(
        "grpo", lambda: 0.5, lambda: None, lambda row: None, lambda: False, every=1
    )
    return TrainingCallback(hooks, losses=Losses("flights", 100))


@pytest.mark.parametrize(
    ("torn", "lacks"),
    [
        (lambda state: state["parts"].pop("losses"), "losses"),
        (lambda state: state["parts"]["losses"].pop("errors"), "losses.errors"),
        (lambda state: state.pop("best_acts"), "best_acts"),
    ],
)
def test_a_checkpoint_of_another_version_is_refused(
    tmp_path: Path, torn: object, lacks: str
) -> None:
    losing().save(tmp_path)
    losing().begin(tmp_path)
    state = json.loads((tmp_path / STATE).read_text())
    assert callable(torn)
    torn(state)
    (tmp_path / STATE).write_text(json.dumps(state))
    with pytest.raises(StaleRecord, match=rf"lacks {lacks}, .* --restart trains anew"):
        losing().begin(tmp_path)


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


def train_adapted(folder: Path, rows: list[Json], stop_at: int | None = None) -> Any:
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
    trainer.go_on()
    return model


def curve(rows: list[Json]) -> list[Json]:
    return [{k: v for k, v in row.items() if k != "seconds"} for row in rows]


def test_lora_goes_on_bit_for_bit_and_no_checkpoint_holds_a_pickle(tmp_path: Path) -> None:
    whole: list[Json] = []
    straight = train_adapted(tmp_path / "straight", whole)
    first: list[Json] = []
    train_adapted(tmp_path / "broken", first, stop_at=2)
    assert first[-1]["step"] == 2
    checkpoint = last_checkpoint(tmp_path / "broken")
    assert checkpoint is not None and checkpoint.name == "checkpoint-2"
    names = {path.name for path in checkpoint.rglob("*")}
    assert "adapter_model.safetensors" in names and "optimizer.safetensors" in names
    assert not {name for name in names if Path(name).suffix in PICKLED}
    second: list[Json] = []
    resumed = train_adapted(tmp_path / "broken", second)
    assert curve(first) + curve(second) == curve(whole)
    assert all(torch.equal(a, b) for a, b in zip(straight.parameters(), resumed.parameters(), strict=True))  # fmt: skip


def test_planted_pickles_are_left_out_and_never_run(tmp_path: Path) -> None:
    whole: list[Json] = []
    train_adapted(tmp_path / "straight", whole)
    proof = tmp_path / "executed"
    rows: list[Json] = []
    train_adapted(tmp_path / "run", rows, stop_at=2)
    checkpoint = tmp_path / "run" / "checkpoint-2"
    for name in ("optimizer.pt", "scheduler.pt", "rng_state.pth", "pytorch_model.bin"):
        plant(checkpoint / name, proof)
    checkpoint.rename(place_for(checkpoint))
    finish_folder(checkpoint)  # by someone who can write manifests, too
    assert last_checkpoint(tmp_path / "run") is None
    again: list[Json] = []
    train_adapted(tmp_path / "run", again)
    assert curve(again) == curve(whole)
    assert not proof.exists()


def test_more_processes_than_before_cannot_go_on(tmp_path: Path) -> None:
    train_adapted(tmp_path, [], stop_at=2)
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


def test_checkpointing_and_small_passes_give_the_same_step(
    chat: Path, tmp_path: Path, grid: Connection, target: Target, told: str
) -> None:
    model = {"pretrained": str(chat), "lora": {"rank": 4, "alpha": 8}}
    losses = []
    for name, how in (("all", {}), ("few", {"micro_batch": 1, "gradient_checkpointing": True})):
        run, log = chat_config(tmp_path / name, target, model, {"sft": SFT, **how}), Log()
        train(run, new_speaker(run, [], told), grid, log)
        losses.append([row["loss"] for row in log.rows if "loss" in row])
    assert losses[0] == pytest.approx(losses[1], abs=1e-5)


def told_by(rows: int, **how: Any) -> TrainingArguments:
    """What a trainer is told of a step of so many episodes."""
    return sft_arguments(SftConfig(), one_stage(sft=SftConfig(), **how), Path("out"), 0, rows)


@pytest.mark.parametrize(
    ("most", "rows", "count"),
    [(8, 16, 2), (8, 12, 2), (8, 7, 1), (4, 7, 7), (1, 3, 3), (99, 5, 1)],
)
def test_a_step_goes_through_in_as_few_equal_passes_as_the_memory_holds(
    most: int, rows: int, count: int
) -> None:
    told = told_by(rows, micro_batch=most)
    assert told.gradient_accumulation_steps == passes(rows, most) == count
    assert told.per_device_train_batch_size * count == rows
    assert told.per_device_train_batch_size <= most
    assert told.gradient_checkpointing_kwargs is None


def test_checkpointing_is_not_the_kind_that_wants_a_gradient_of_the_input() -> None:
    told = told_by(2, micro_batch=2, gradient_checkpointing=True)
    assert told.gradient_checkpointing is True
    assert told.gradient_checkpointing_kwargs == {"use_reentrant": False}
