"""A pretrained chat model with LoRA: attached from a seed, trained by SFT and GRPO, saved as factors, found again."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from tests.env.opening import opened
from tests.training.reloading import difference
from transformers import TrainingArguments

from gonogo.config import LoraConfig, ModelConfig, RunConfig
from gonogo.env.target import Target
from gonogo.errors import MissingExtra, MissingRecord, Misuse, OutOfMemory, PolicyFailure
from gonogo.models import extras
from gonogo.models import saved as models
from gonogo.models.exhaustion import FLYING, naming_what_to_lower
from gonogo.models.lora import inner
from gonogo.models.model_policy import ModelPolicy
from gonogo.models.pretrained import cast, load_trainable
from gonogo.models.speaker import Speaker, load_whole
from gonogo.models.vocabulary import train_tokenizer
from gonogo.records.training import TrainingRow
from gonogo.rollouts.codec import Codec
from gonogo.rollouts.types import Connection, View
from gonogo.training.checkpointing import on_one_gpu
from gonogo.training.curriculum import TrainingTask
from gonogo.training.rejection_sampling import best_of
from gonogo.training.trainer import Trainee, TrainingObserver, fly_teacher, new_speaker
from gonogo.wire import JsonObject as Json

CHAT = (
    "{% for m in messages %}<|{{ 'user' if m.role == 'system' else m.role }}|>{{ m.content }}<|end|>"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
TEXTS = [f"you are at ({n % 5}, {n // 5}), moves left {n}" for n in range(99)] + [
    '{"move":"north"}'
]
LORA = LoraConfig(rank=4, alpha=8)


def chat_folder(folder: Path, width: int = 32, **changes: Any) -> Path:
    """A tiny chat model from nowhere, as the hub would give it."""
    tokenizer = train_tokenizer(TEXTS, 320)
    shape = ModelConfig(hidden=width, intermediate=2 * width, layers=2, heads=2, context=4096)
    made = models.make(shape, tokenizer, 7)
    tokenizer.chat_template = CHAT
    for name, value in changes.items():
        setattr(tokenizer, name, value)
    made.model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return chat_folder(tmp_path_factory.mktemp("hub") / "chat")


@pytest.fixture(scope="module")
def told(grid: Connection) -> str:
    return Codec(grid.schemas.action, grid.schemas.observation).instructions()


def run_config(out: Path, target: Target, model: Json, train: Json, turns: int = 4) -> RunConfig:
    return RunConfig.model_validate_json(
        json.dumps(
            {
                "target": str(target), "out": str(out), "seed": 5, "model": model,
                "rollout": {"slots": 8, "max_turns": turns, "max_reply_tokens": 12},
                "train": {
                    "validation": {"tasks": {"options": {"split": "train"}, "start": 900}, "episodes": 4},
                    "curriculum": {"stages": [{"name": "all", "options": {"split": "train"}}]},
                    **train,
                },
            }
        )
    )  # fmt: skip


SFT = {"episodes": 12, "max_steps": 4, "batch": 4, "warmup_steps": 1, "validate_every": 2}
GRPO = {"steps": 4, "tasks_per_step": 2, "group_size": 4, "validate_every": 2, "save_every": 4}


class Log:
    """Rows; asks to stop after so many."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.rows: list[Json] = []
        self.stop_after = stop_after

    def observer(self) -> TrainingObserver:
        def write(row: TrainingRow) -> None:
            self.rows.append(row.line)

        return TrainingObserver(write, lambda *_: None, self.stop, lambda *_: None)

    def stop(self) -> bool:
        return self.stop_after is not None and len(self.rows) >= self.stop_after

    def curve(self) -> list[Json]:
        return [{k: v for k, v in row.items() if k != "seconds"} for row in self.rows]


def train(run: RunConfig, speaker: Speaker, grid: Connection, log: Log) -> Trainee:
    assert run.train is not None
    trainee = Trainee(run, run.train, opened(run, grid), speaker, run.out, log.observer())
    if run.train.sft is not None:
        tasks = [
            TrainingTask({"split": "train", "index": n}) for n in range(run.train.sft.episodes)
        ]
        traces = fly_teacher(
            run,
            run.train.sft,
            run.train.curriculum.stages,
            tasks,
            opened(run, grid),
            log.observer(),
        )
        trainee.sft(run.train.sft, traces)
    else:
        trainee.grpo()
    return trainee


def factors(speaker: Speaker) -> dict[str, torch.Tensor]:
    return {
        name: weight.detach().clone()
        for name, weight in speaker.model.named_parameters()
        if weight.requires_grad
    }


def frozen(speaker: Speaker) -> dict[str, torch.Tensor]:
    return {
        name: weight.detach().clone()
        for name, weight in speaker.model.named_parameters()
        if not weight.requires_grad
    }


@pytest.mark.long
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("phase", [{"sft": SFT}, {"grpo": GRPO}], ids=["sft", "grpo"])
def test_only_the_factors_learn_and_an_interrupt_changes_nothing(
    phase: Json, precision: str, chat: Path, tmp_path: Path, grid: Connection, target: Target, told: str
) -> None:  # fmt: skip
    model = {"pretrained": str(chat), "precision": precision, "lora": {"rank": 4, "alpha": 8}}

    def fly(folder: str, log: Log) -> Speaker:
        run = run_config(tmp_path / folder, target, model, phase)
        speaker = new_speaker(run, [], told)
        train(run, speaker, grid, log)
        return speaker

    whole, first, second = Log(), Log(stop_after=2), Log()
    straight = fly("straight", whole)
    fly("broken", first)
    resumed = fly("broken", second)
    assert first.curve() + second.curve() == whole.curve()
    assert [row["step"] for row in whole.rows] == [0, 1, 2, 3, 4]
    assert all(weight.dtype == torch.float32 for weight in factors(straight).values())
    assert all(
        torch.equal(weight, factors(resumed)[name]) for name, weight in factors(straight).items()
    )
    base = load_whole(chat, dtype=inner(straight.model).dtype)
    kept = dict(base.named_parameters())
    for name, weight in frozen(straight).items():
        plain = name.removeprefix("base_model.model.").replace(".base_layer", "")
        assert torch.equal(weight, kept[plain])
    stage = "sft" if "sft" in phase else "trained"
    back = models.load(models.model_folder(tmp_path / "straight", stage))
    assert back.turns == straight.turns and back.base == straight.base
    assert not (models.model_folder(tmp_path / "straight", stage) / "model.safetensors").exists()


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_saved_adapter_comes_back_to_the_same_logits(
    precision: str, chat: Path, tmp_path: Path, told: str
) -> None:
    config = ModelConfig.model_validate(
        {"pretrained": str(chat), "precision": precision, "lora": LORA}
    )
    speaker = load_trainable(config, told, 1)
    ids = torch.arange(40)[None]
    plain = load_whole(chat, dtype=inner(speaker.model).dtype)
    with torch.no_grad():
        assert torch.equal(speaker.model(ids).logits, plain(ids).logits)  # nothing is learned yet
        for name, weight in speaker.model.named_parameters():
            if "lora_B" in name:
                weight.normal_(generator=torch.Generator().manual_seed(3))
        assert not torch.equal(speaker.model(ids).logits, plain(ids).logits)
    models.save(speaker, tmp_path / "m")
    assert difference(speaker, tmp_path / "m") == 0.0
    other = load_trainable(config, told, 2)
    assert not all(torch.equal(w, factors(other)[n]) for n, w in factors(speaker).items())


def test_factors_follow_the_seed_and_the_global_state_stays(chat: Path, told: str) -> None:
    config = ModelConfig(pretrained=str(chat), lora=LORA)
    before = torch.random.get_rng_state()
    first, again = (factors(load_trainable(config, told, 1)) for _ in range(2))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert all(torch.equal(first[name], again[name]) for name in first)


def test_an_adapter_of_another_model_is_refused(chat: Path, tmp_path: Path, told: str) -> None:
    speaker = load_trainable(ModelConfig(pretrained=str(chat), lora=LORA), told, 1)
    models.save(speaker, tmp_path / "m")
    wide = models.make(
        ModelConfig(hidden=64, intermediate=48, layers=2, heads=2), speaker.tokenizer, 1
    )
    wide.model.save_pretrained(tmp_path / "other")
    speaker.tokenizer.save_pretrained(tmp_path / "other")
    card = tmp_path / "m" / "gonogo_model.json"
    card.write_text(card.read_text().replace(str(chat), str(tmp_path / "other")))
    with pytest.raises(MissingRecord, match="no adapter for this model"):
        models.load(tmp_path / "m")


@pytest.mark.parametrize(
    ("spoil", "model", "said"),
    [
        ({"chat_template": None}, {}, "chat: the tokenizer has no chat template"),
        ({"pad_token": "<|end|>"}, {}, "model.pad_token"),
        ({}, {"pad_token": "<|no|>"}, r"model.pad_token must be a token of .*, not '<\|no\|>'"),
        ({}, {"context": 5000}, "model.context must be at most 4096, .*, not 5000"),
        ({}, {"lora": {"targets": ["q_proj", "w1"]}}, "targets must name layers .* no w1"),
    ],
    ids=["no template", "pad is end", "no such pad", "context", "targets"],
)
def test_a_model_that_cannot_carry_an_episode_says_why(
    spoil: Json, model: Json, said: str, tmp_path: Path, told: str
) -> None:
    folder = chat_folder(tmp_path / "chat", **spoil)
    config = ModelConfig.model_validate_json(json.dumps({"pretrained": str(folder), **model}))
    with pytest.raises(Misuse, match=said):
        load_trainable(config, told, 1)


def test_another_pad_token_mends_a_tokenizer_that_pads_with_its_end(
    tmp_path: Path, told: str
) -> None:
    folder = chat_folder(tmp_path / "chat", pad_token="<|end|>")
    speaker = load_trainable(ModelConfig(pretrained=str(folder), pad_token="<|pad|>"), told, 1)
    assert speaker.turns.pad == speaker.tokenizer.pad_token_id != speaker.turns.end


def test_what_is_no_model_is_a_failure_with_its_reason(tmp_path: Path, told: str) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(Misuse, match=r"no model\.safetensors"):
        load_trainable(ModelConfig(pretrained=str(tmp_path)), told, 1)
    (tmp_path / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(PolicyFailure, match="cannot be loaded"):
        load_trainable(ModelConfig(pretrained=str(tmp_path)), told, 1)


@pytest.mark.parametrize(
    ("model", "gone", "said"),
    [
        (
            {"precision": "4bit", "lora": {}},
            "bitsandbytes",
            r"model.precision 4bit .*gonogo\[4bit\]",
        ),
        (
            {"loader": "unsloth", "precision": "bf16", "lora": {}},
            "unsloth",
            r"training .*gonogo\[unsloth\]",
        ),
        ({"pretrained": "x.gguf"}, "gguf", r"the file x.gguf .*gonogo\[gguf\]"),
        ({}, "peft", r"training .*gonogo\[train\]"),
    ],
    ids=["4bit", "unsloth", "gguf", "train"],
)
def test_a_missing_extra_names_the_command_that_installs_it(
    model: Json, gone: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == gone else name)
    config = ModelConfig.model_validate_json(json.dumps({"pretrained": "a/b", **model}))
    with pytest.raises(MissingExtra, match=said):
        extras.prepare(config)


@pytest.mark.skipif(find_spec("bitsandbytes") is None, reason="the 4bit extra is not installed")
def test_four_bit_weights_are_trained_beside(
    tmp_path: Path, grid: Connection, target: Target, told: str
) -> None:
    chat = chat_folder(tmp_path / "chat", width=64)  # a block of bitsandbytes
    model = {"pretrained": str(chat), "precision": "4bit", "lora": {"rank": 4, "alpha": 8}}
    run = run_config(tmp_path, target, model, {"sft": SFT})
    speaker = new_speaker(run, [], told)
    assert (
        type(inner(speaker.model).model.layers[0].mlp.up_proj.base_layer).__name__ == "Linear4bit"
    )
    log = Log()
    train(run, speaker, grid, log)
    losses = [row["loss"] for row in log.rows if "loss" in row]
    assert len(losses) == SFT["max_steps"] and losses[-1] < losses[0]


def test_checkpointing_and_small_passes_give_the_same_step(
    chat: Path, tmp_path: Path, grid: Connection, target: Target, told: str
) -> None:
    model = {"pretrained": str(chat), "lora": {"rank": 4, "alpha": 8}}
    losses = []
    for name, how in (("all", {}), ("few", {"micro_batch": 1, "gradient_checkpointing": True})):
        run, log = run_config(tmp_path / name, target, model, {"sft": SFT, **how}), Log()
        train(run, new_speaker(run, [], told), grid, log)
        losses.append([row["loss"] for row in log.rows if "loss" in row])
    assert losses[0] == pytest.approx(losses[1], abs=1e-5)


@pytest.mark.long
def test_a_model_learns_from_the_best_of_its_own_episodes(
    chat: Path, tmp_path: Path, grid: Connection, target: Target, told: str
) -> None:
    taught = {**SFT, "max_steps": 120, "learning_rate": 1e-2, "validate_every": 120}
    model = {"pretrained": str(chat)}
    first = run_config(tmp_path / "first", target, model, {"sft": taught}, turns=12)
    speaker = new_speaker(first, [], told)
    train(first, speaker, grid, Log())  # else it says nothing that is an action
    itself = {"sft": {**SFT, "teacher": "self", "keep": 0.5}}
    own = run_config(tmp_path / "own", target, model, itself, turns=12)
    assert own.train is not None and own.train.sft is not None
    log = Log()
    trainee = Trainee(own, own.train, opened(own, grid), speaker, own.out, log.observer())
    own_flown = trainee.fly_own([TrainingTask({"split": "train", "index": n}) for n in range(12)])
    best = best_of(own_flown, own.train.sft.keep)
    assert 0 < len(best) <= 6
    assert all(turn.tokens is not None for episode in best for turn in episode.turns)
    trainee.sft(own.train.sft, best)
    assert [row["step"] for row in log.rows] == [0, 1, 2, 3, 4]


def test_an_episode_that_is_longer_than_the_context_is_misuse(
    chat: Path, tmp_path: Path, grid: Connection, target: Target, told: str
) -> None:
    model = {"pretrained": str(chat), "context": 64, "lora": {"rank": 4}}
    run = run_config(tmp_path, target, model, {"sft": SFT})
    with pytest.raises(Misuse, match=r"model.context must hold an episode, .* not 64"):
        train(run, new_speaker(run, [], told), grid, Log())


def test_memory_that_runs_out_names_what_to_lower() -> None:
    lower = pytest.raises(OutOfMemory, match=r"lower train.micro_batch, rollout.slots")
    with lower as caught, naming_what_to_lower():
        torch.empty(2**60, dtype=torch.uint8)
    assert caught.value.exit_code == 3  # a machine too small says nothing about an agent
    first_line = pytest.raises(OutOfMemory, match=r"CUDA out of memory. Tried to allocate 2 GiB")
    with first_line, naming_what_to_lower():
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB\nand more")
    with pytest.raises(RuntimeError, match="another matter"), naming_what_to_lower():
        raise RuntimeError("another matter")


@pytest.mark.parametrize(
    "error",
    [
        torch.AcceleratorError("CUDA error: out of memory\nCUDA kernel errors might be reported"),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
        RuntimeError("cuDNN error: CUDNN_STATUS_ALLOC_FAILED"),
        MemoryError(),
    ],
    ids=["CUDA itself", "cuBLAS", "cuDNN", "Python"],
)
def test_each_way_in_which_memory_runs_out_is_said_so(error: Exception) -> None:
    lower = pytest.raises(OutOfMemory, match=r"memory ran out .*lower rollout.slots")
    with lower as caught, naming_what_to_lower(FLYING):
        raise error
    assert "\n" not in str(caught.value)


def test_another_fault_of_the_gpu_is_no_memory_that_ran_out() -> None:
    with pytest.raises(torch.AcceleratorError), naming_what_to_lower():
        raise torch.AcceleratorError("CUDA error: an illegal memory access was encountered")


def test_a_flight_that_the_memory_does_not_hold_says_what_to_lower(chat: Path) -> None:
    """Any command that flies a model: the cache of keys and values cannot be made."""
    speaker = models.load_pretrained(str(chat), 4096, None)
    flying = ModelPolicy(speaker, "it", max_reply_tokens=4)
    flying._decoder._cache._width = 2**50  # type: ignore[attr-defined]
    lower = pytest.raises(OutOfMemory, match=r"lower rollout.slots")
    with lower:
        flying.act({0: View("east", {}, {}, 0)})
    speaker.context = 2**50
    with lower:
        ModelPolicy(speaker, "it", max_reply_tokens=4)


def test_memory_that_runs_out_while_a_model_is_loaded_is_no_broken_model(
    chat: Path, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    def full(*_: Any, **__: Any) -> None:
        torch.empty(2**60, dtype=torch.uint8)

    monkeypatch.setattr("gonogo.models.pretrained.load_whole", full)
    with pytest.raises(RuntimeError, match="DefaultCPUAllocator"):
        load_trainable(ModelConfig(pretrained=str(chat)), told, 0)


def test_weights_in_16_bit_keep_the_frequencies_of_their_positions(tmp_path: Path) -> None:
    """A GGUF file's are cast after they are read: what its model says far into an episode is what it would say."""
    folder = chat_folder(tmp_path / "chat")
    wanted = load_whole(folder, torch.bfloat16)
    found = cast(load_whole(folder), torch.bfloat16)
    ids = torch.arange(3000)[None] % 200
    with torch.no_grad():
        assert torch.equal(found(ids).logits, wanted(ids).logits)
    assert found.dtype == torch.bfloat16
    assert {weight.dtype for weight in found.parameters()} == {torch.bfloat16}


def test_models_are_made_and_loaded_where_the_machine_trains(
    chat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = train_tokenizer(TEXTS, 320)
    shape = ModelConfig(hidden=32, intermediate=48, layers=2, heads=2, context=512)
    models.save(models.make(shape, tokenizer, 0), tmp_path / "made")
    monkeypatch.setattr(models, "device", lambda: "meta")  # there is no GPU here
    assert models.load(tmp_path / "made").model.device.type == "meta"
    assert models.make(shape, tokenizer, 0).model.device.type == "meta"


def test_a_trainer_takes_one_of_several_gpus(tmp_path: Path) -> None:
    """Transformers would copy the model to all of them in one process."""
    arguments = TrainingArguments(str(tmp_path), per_device_train_batch_size=3, use_cpu=True)
    arguments._n_gpu = 4
    assert arguments.train_batch_size == 12
    assert on_one_gpu(arguments).train_batch_size == 3
    assert arguments.n_gpu == 1
