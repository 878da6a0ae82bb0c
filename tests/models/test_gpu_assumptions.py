"""What a GPU does otherwise than a CPU, tried without one: attention in other memory, tensors on another device.

On CUDA attention returns its values in another order of memory than on a CPU, so that code which takes that order for
granted runs here and dies there. Fake tensors on the device ``meta`` stand for tensors of a GPU: an operation on them
and on the CPU's together is refused as it would be there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from tests.env.opening import opened
from tests.models import tiny_models
from tests.training.small_trainings import GRPO, SFT, Log, chat_config, chat_folder
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.nn import functional as F

from gonogo.config import RunConfig
from gonogo.env.target import Target
from gonogo.models import saved as models
from gonogo.models.decoder import Decoder
from gonogo.models.forwards import LlamaForward, ModelForward, ModulesForward
from gonogo.rollouts.types import Connection
from gonogo.training import saving
from gonogo.training.curriculum import TrainingTask
from gonogo.training.environments import validation_of
from gonogo.training.grpo import TurnTrainer
from gonogo.training.saved_model_check import flown
from gonogo.training.sft import imitation_loss
from gonogo.training.teachers import fly_teacher
from gonogo.training.trainer import Trainee, new_speaker
from gonogo.wire import JsonObject as Json

Attention = Callable[..., torch.Tensor]
ORDERS = {"tokens before heads": (0, 2, 1, 3), "reversed": (3, 2, 1, 0)}
"""Orders of memory; the first is that of CUDA's kernels."""


@contextmanager
def attention_in(order: tuple[int, ...]) -> Iterator[None]:
    """Attention returns the same values, which lie in memory in another order of dimensions."""
    plain: Attention = F.scaled_dot_product_attention

    def elsewhere(*args: Any, **kwargs: Any) -> torch.Tensor:
        seen = plain(*args, **kwargs)
        back = tuple(int(place) for place in np.argsort(order))
        moved = seen.permute(order).contiguous().permute(back)
        assert torch.equal(moved, seen)
        return moved

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(F, "scaled_dot_product_attention", elsewhere)
        yield


def fly(forward: Any, temperature: float | None) -> list[Any]:
    """Replies of three rows over three turns, one row leaving and one joining."""
    decoder = tiny_models.decoder(forward, temperature)
    streams = [np.random.default_rng(row) for row in range(4)]
    for row in range(3):
        decoder.begin(row, streams[row])
    said = [decoder.reply({0: (7, 8, 9), 1: (7, 8, 9, 10), 2: (11,)})]
    decoder.end([1])
    decoder.begin(3, streams[3])
    said.append(decoder.reply({0: (12,), 2: (7, 9), 3: (13, 14)}))
    said.append(decoder.reply({row: (20, 21) for row in (0, 2, 3)}))
    return said


MODELS: dict[str, tuple[Any, Callable[[], Any]]] = {
    "llama": (LlamaForward, tiny_models.tiny),
    "llama, as many keys as heads": (LlamaForward, lambda: tiny_models.tiny("llama", 4)),
    "llama in bf16 with LoRA": (
        LlamaForward,
        lambda: tiny_models.with_factors("llama", bits=16),
    ),
    "any model": (ModelForward, lambda: tiny_models.tiny("qwen2")),
    "a llama as any model": (ModelForward, tiny_models.tiny),
    "layers alone": (ModulesForward, lambda: tiny_models.tuned("qwen3")),
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("temperature", [None, 1.0], ids=["greedy", "sampled"])
def test_the_decoder_says_the_same_whatever_the_memory_of_attention(
    kind: str, order: tuple[int, ...], temperature: float | None
) -> None:
    forward, made = MODELS[kind]
    wanted = fly(forward(made(), 256), temperature)
    with attention_in(order):
        found = fly(forward(made(), 256), temperature)
    for ours, theirs in zip(found, wanted, strict=True):
        for row, said in theirs.items():
            assert ours[row].ids == said.ids
            assert ours[row].logprobs == pytest.approx(said.logprobs, abs=1e-5)


def everything(run: RunConfig, grid: Connection) -> tuple[list[Json], list[str | None]]:
    """Traces, SFT, GRPO, saving, the 16-bit model, reloading, validation; the curve and the reloaded model's words."""
    assert run.train is not None and run.train.sft is not None
    log, places = Log(), opened(run, grid)
    tasks = [TrainingTask({"split": "train", "index": n}) for n in range(run.train.sft.episodes)]
    stages = run.train.curriculum.stages
    traces = fly_teacher(run, run.train.sft, stages, tasks, places, log.observer())
    speaker = new_speaker(run, traces, places.first.env.instructions)
    trainee = Trainee(run, run.train, places, speaker, run.out, log.observer())
    trainee.sft(run.train.sft, traces)
    trainee.grpo(traces)
    folder = models.model_folder(run.out, "trained")
    released, _ = saving.release(folder)
    said: list[str | None] = []
    for place, most in ((folder, saving.SAME), (released, saving.NEAR)):
        again = models.load(place)
        assert saving.compare_witness(again, place).difference <= most
        episodes = flown(run, again, validation_of(run))
        said += [turn.reply for episode in episodes for turn in episode.turns]
    return log.curve(), said


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("start", ["from scratch", "pretrained with LoRA"])
def test_a_whole_training_is_the_same_whatever_the_memory_of_attention(
    start: str, tmp_path: Path, grid: Connection, target: Target
) -> None:
    model: Json = {"hidden": 32, "intermediate": 48, "layers": 2, "heads": 2, "vocabulary": 300}
    if start != "from scratch":
        model = {"pretrained": str(chat_folder(tmp_path / "chat")), "lora": {"rank": 4}}
    steps = {"sft": {**SFT, "max_steps": 2}, "grpo": {**GRPO, "steps": 2}}
    wanted = everything(chat_config(tmp_path / "plain", target, model, steps), grid)
    with attention_in(ORDERS["tokens before heads"]):
        found = everything(chat_config(tmp_path / "moved", target, model, steps), grid)
    assert found[1] == wanted[1]
    for ours, theirs in zip(found[0], wanted[0], strict=True):
        assert ours.keys() == theirs.keys()
        for name, value in theirs.items():
            assert ours[name] == (value if isinstance(value, str) else pytest.approx(value, 1e-4))


def moved(model: Any) -> Any:
    """The same model with fake weights on a device that is not the CPU's; to be called among fake tensors."""
    for module in model.modules():
        for held in (module._parameters, module._buffers):
            for name, value in held.items():
                if value is not None:
                    fake = torch.empty(value.shape, dtype=value.dtype, device="meta")
                    learns = isinstance(value, torch.nn.Parameter)
                    held[name] = torch.nn.Parameter(fake, value.requires_grad) if learns else fake
    return model


def fake_tensors() -> FakeTensorMode:
    return FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv())


class Blind(Decoder):
    """What would be sampled is not known of fake tensors: any token stands for it."""

    def _choose(self, logits: Any, draws: Any) -> tuple[list[int], list[float]]:
        chosen, scores = super()._choose(logits, draws)
        return [7] * len(chosen), [0.0] * len(scores)


@pytest.mark.parametrize("kind", MODELS)
def test_the_decoder_leaves_no_tensor_on_the_cpu(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiny_models, "Decoder", Blind)
    forward, made = MODELS[kind]
    model = made()
    with fake_tensors():
        flying = forward(moved(model), 256)
        assert flying.device.type == "meta"
        said = fly(flying, 1.0)
    assert [len(each) for each in said] == [3, 3, 3]


def test_a_tensor_that_is_left_on_the_cpu_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    class Careless(Blind):
        def _draws(self, chunks: Any) -> torch.Tensor:
            return super()._draws(chunks).to("cpu")

    monkeypatch.setattr(tiny_models, "Decoder", Careless)
    model = tiny_models.tiny()
    with fake_tensors(), pytest.raises(RuntimeError, match="same device"):
        fly(LlamaForward(moved(model), 256), 1.0)


@pytest.mark.parametrize("kind", ["bare", "with LoRA"])
def test_losses_and_log_probabilities_leave_no_tensor_on_the_cpu(kind: str) -> None:
    model = tiny_models.tiny() if kind == "bare" else tiny_models.with_factors("llama")
    with fake_tensors():
        moved(model)
        ids = torch.zeros(2, 6, dtype=torch.long, device="meta")
        loss = imitation_loss(model, model, ids, ids, pad=0, shown_weight=0.5)
        trainer: Any = SimpleNamespace(
            _spoken=torch.ones(2, 5, dtype=torch.bool, device="meta"),
            temperature=1.0,
            accelerator=SimpleNamespace(unwrap_model=lambda wrapped: wrapped),
        )
        scores, entropies, _ = TurnTrainer._get_per_token_logps_and_entropies(trainer, model, ids)
        (loss + scores.sum()).backward()
        learned = [weight for weight in model.parameters() if weight.requires_grad]
        assert {each.device.type for each in (loss, scores, entropies, learned[0].grad)} == {"meta"}
        assert saving.last_logits(model, torch.zeros(9, dtype=torch.long)).device.type == "cpu"
