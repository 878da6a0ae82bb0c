"""What a GPU reaches, against its limits, and what a training takes of its memory, against what was computed before.

Work of the parts ``speed/...`` and ``memory/...`` of ``benchmarks/gpu.py``; models have random weights, so that nothing
is fetched. On a machine without a GPU each is a rehearsal, with a few tokens and two layers.

**decode**: a token step of today's decoder, and the same step as a CUDA graph: static shapes, sampling on the device,
one synchronisation a reply. The graph is a prototype that lives here alone. It runs the decoder's own forward over the
decoder's own cache, and has to give the same logits. The limit is what a step has to read, the weights and the keys and
values of all tokens, at the rate of a large copy on the same device.

**busy**: kernels of a turn of the decoder, by the profiler, over the time that the turn takes without the profiler.

**memory**: steps of SFT by gonogo's own loss, LoRA beside frozen bf16 weights, Adam; what the allocator held at most,
and what the driver says is gone, against the formula of ``gonogo train --dry-run``.

**continuous**: transformers' continuous batching, on prompts of the same lengths.

**compiled**: the graph's step through ``torch.compile`` before it is captured.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForCausalLM, LlamaConfig, Qwen2Config

from gonogo.config import Architecture, LoraConfig, RunConfig, load_candidates
from gonogo.models import memory
from gonogo.models.decoder import PASS, Decoder, Forward
from gonogo.models.forwards import forward_for
from gonogo.models.machine import device
from gonogo.models.pretrained import attach
from gonogo.training.sft import SHOWN, imitation_loss

Json = dict[str, Any]
ON_GPU = torch.cuda.is_available()
RANK = 16
CONTEXT = 2048
REPEATS = 3
TODAYS = 2
"""Repetitions of a turn of today's decoder, each 4.5 s with LoRA on an H200: ``decode`` has to end within its part."""
VOCABULARY = 30_000
"""Tokens that are drawn from."""
COLUMNS = 256
"""Of the static cache, a multiple: one graph serves as many tokens of growth."""
CLOSE = 0.05
"""Of logits in bf16, relative: the same step by kernels of other shapes."""


def candidate(name: str) -> Architecture:
    """A model's shape, as the candidates' file has it."""
    (found,) = (each.architecture for each in load_candidates() if each.name == name)
    assert found is not None
    return found


def qwen2(layers: int, hidden: int, heads: int, intermediate: int) -> Architecture:
    """One of the small models of Qwen2.5.

    Source:
        github.com/Lightning-AI/litgpt litgpt/config.py, Qwen2.5-0.5B and Qwen2.5-1.5B; the head is the embedding.
    """
    return Architecture(
        layers=layers, hidden=hidden, heads=heads, kv_heads=2, head_width=hidden // heads,
        intermediate=intermediate, vocabulary=151936, tied=True, qkv_bias=True,
    )  # fmt: skip


SHAPES: dict[str, Architecture] = {
    "smollm2-135m": candidate("SmolLM2-135M-Instruct"),
    "qwen2.5-0.5b": qwen2(24, 896, 14, 4864),
    "qwen2.5-1.5b": qwen2(28, 1536, 12, 8960),
    "qwen2.5-7b": candidate("Qwen2.5-7B-Instruct"),
}


@dataclass(frozen=True, slots=True)
class Load:
    """What is decoded.

    Attributes:
        rows: Episodes at once, each of them measured.
        history: Tokens of an episode before the turn.
        observed: New tokens of the turn.
        reply: Tokens of the reply.
        layers: Of the model; None for all.
    """

    rows: tuple[int, ...]
    history: int
    observed: int
    reply: int
    layers: int | None


LOAD = Load((64, 256), 512, 32, 64, None) if ON_GPU else Load((4, 2), 40, 4, 4, 2)
TOKENS = 2048 if ON_GPU else 64
BATCHES = (4, 1) if ON_GPU else (1,)
OWN = 0.25
"""Share of a transcript that the model said."""


def random_model(of: Architecture, layers: int | None = None) -> Any:
    """A model of this shape with random weights, in bf16, on the device."""
    words: Json = {
        "hidden_size": of.hidden, "intermediate_size": of.intermediate,
        "num_hidden_layers": layers or of.layers, "num_attention_heads": of.heads,
        "num_key_value_heads": of.kv_heads, "vocab_size": of.vocabulary,
        "max_position_embeddings": 8192, "tie_word_embeddings": of.tied,
        "bos_token_id": None, "eos_token_id": None, "pad_token_id": 0,
    }  # fmt: skip
    config = (Qwen2Config if of.qkv_bias else LlamaConfig)(**words)
    torch.manual_seed(0)
    with torch.device(device()):
        return AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).eval()


def finish() -> None:
    """Wait for the device."""
    if ON_GPU:
        torch.cuda.synchronize()


def seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """The median of some repetitions; the first run does not count."""
    found = []
    for _ in range(repeats + 1):
        finish()
        began = time.perf_counter()
        work()
        finish()
        found.append(time.perf_counter() - began)
    return median(found[1:])


def limits() -> Json:
    """Bytes a second of a large copy, read and written, and operations a second of a large product in bf16."""
    size, side = (1 << 30, 8192) if ON_GPU else (1 << 24, 256)
    source = torch.randint(0, 255, (size,), dtype=torch.uint8, device=device())
    target = torch.empty_like(source)
    one, other = (torch.randn(side, side, device=device(), dtype=torch.bfloat16) for _ in range(2))
    copied = seconds(lambda: target.copy_(source), 10)
    product = seconds(lambda: one @ other, 10)
    return {"copy_tb_s": 2 * size / copied / 1e12, "bf16_tflops": 2 * side**3 / product / 1e12}


def chunks(rows: int, tokens: int, seed: int) -> dict[int, list[int]]:
    """Random tokens for each episode."""
    drawn = np.random.default_rng(seed).integers(4, VOCABULARY, (rows, tokens))
    return dict(enumerate(drawn.tolist()))


def begun(forward: Forward, rows: int, reply: int) -> Decoder:
    """Today's decoder, with the history of all episodes behind it."""
    decoder = Decoder(forward, stop=-1, pad=0, max_new_tokens=reply, temperature=1.0)
    for row in range(rows):
        decoder.begin(row, np.random.default_rng(row))
    decoder.reply(chunks(rows, LOAD.history, 0))
    return decoder


def todays(forward: Forward, rows: int) -> Json:
    """A turn and a token step of today's decoder."""
    took = {}
    for reply in (LOAD.reply, 1):
        decoder = begun(forward, rows, reply)
        observed = chunks(rows, LOAD.observed, 1)
        took[reply] = seconds(lambda d=decoder, o=observed: d.reply(o), TODAYS)  # type: ignore[misc]
    step = (took[LOAD.reply] - took[1]) / (LOAD.reply - 1)
    return {
        "turn_ms": 1e3 * took[LOAD.reply],
        "step_ms": 1e3 * step,
        "tokens_s": rows * LOAD.reply / took[LOAD.reply],
    }


class StaticReply:
    """A reply of the same forward with static shapes and sampling on the device: a prototype.

    Args:
        forward: The decoder's.
        rows: Episodes.
        sampled: Whether a step draws its token; else the same token is fed again.
        compiled: Whether ``torch.compile`` makes the step.
    """

    def __init__(
        self, forward: Forward, rows: int, *, sampled: bool = True, compiled: bool = False
    ) -> None:
        where = forward.device
        self.forward, self.rows, self.sampled = forward, rows, sampled
        most = LOAD.history + LOAD.observed + LOAD.reply
        self.columns = -(-most // COLUMNS) * COLUMNS
        self.cache = forward.new_cache()
        self.cache.reserve(rows, self.columns)
        self.observed = list(chunks(rows, LOAD.observed, 1).values())
        self.read(list(chunks(rows, LOAD.history, 0).values()), 0)
        self.ids = torch.zeros(rows, 1, dtype=torch.long, device=where)
        self.position = torch.zeros(rows, 1, dtype=torch.long, device=where)
        self.number = torch.zeros(1, dtype=torch.long, device=where)
        self.last = torch.zeros(rows, dtype=torch.long, device=where)
        self.every = torch.arange(self.columns, device=where)
        draws = torch.rand(LOAD.reply, rows, dtype=torch.float64)
        self.draws = draws.to(where)
        self.said = torch.zeros(LOAD.reply, rows, dtype=torch.long, device=where)
        self.scores = torch.zeros(LOAD.reply, rows, device=where)
        self.logits = torch.zeros(rows, 1, device=where)
        self.compute = torch.compile(self.computed, dynamic=False) if compiled else self.computed
        self.graph: Any = None
        self.start(LOAD.history)
        if ON_GPU:
            self.capture()
        else:
            self.step()

    def read(self, tokens: list[list[int]], start: int) -> torch.Tensor:
        """Feed a chunk of as many tokens to all rows, in passes as today's decoder makes them; logits after it."""
        fed = torch.tensor(tokens, device=self.forward.device)
        rows, width = fed.shape
        size, found = max(PASS // width, 1), []
        for first in range(0, rows, size):
            part = fed[first : first + size]
            where = torch.arange(start, start + width, device=fed.device).repeat(len(part), 1)
            self.cache.aim(where, start + width, first)
            hidden = torch.arange(start + width, device=fed.device) > where[:, None, :, None]
            mask = torch.zeros(hidden.shape, device=fed.device).masked_fill_(hidden, -math.inf)
            last = torch.full((len(part),), width - 1, device=fed.device)
            found.append(self.forward(part, where, mask, last, self.cache))
        return torch.cat(found)

    def start(self, length: int) -> None:
        """The next token is the one at this place."""
        self.position.fill_(length)
        self.number.zero_()

    def computed(self) -> torch.Tensor:
        """Logits after the token that is due."""
        hidden = self.every > self.position[:, None, :, None]
        mask = torch.zeros(hidden.shape, device=self.forward.device)
        mask = mask.masked_fill(hidden, -math.inf)
        return self.forward(self.ids, self.position, mask, self.last, self.cache)

    def step(self) -> None:
        """One token for each episode; nothing of it comes back from the device."""
        # Within the step: a graph reads by address, and an index that is made outside is freed by the next aim.
        self.cache.aim(self.position, self.columns)
        self.logits = self.compute()
        if self.sampled:
            self.draw(self.logits)
        self.position.add_(1)

    def draw(self, logits: torch.Tensor) -> None:
        """Inverse transform sampling, as today's decoder does it; the token is the next one to be fed."""
        scores = logits.log_softmax(-1)
        reached = scores.double().exp().cumsum(-1)
        aim = self.draws.index_select(0, self.number).T * reached[:, -1:]
        chosen = torch.searchsorted(reached, aim, right=True).clamp_(max=logits.shape[-1] - 1)
        self.said.index_copy_(0, self.number, chosen.T)
        self.scores.index_copy_(0, self.number, scores.gather(-1, chosen).T)
        self.ids.copy_(chosen)
        self.number.add_(1)

    def capture(self) -> None:
        """Make the graph of a step."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self.step()
        torch.cuda.current_stream().wait_stream(stream)
        self.start(LOAD.history)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.step()

    def go(self) -> None:
        """A step, by the graph where there is one."""
        if self.graph is None:
            self.step()
        else:
            self.graph.replay()

    def steps(self) -> None:
        """All steps of a reply, without reading the observation."""
        self.start(LOAD.history)
        for _ in range(LOAD.reply):
            self.go()

    def turn(self) -> list[list[int]]:
        """A turn as today's decoder has it: the observation, then the reply, whose ids come back at its end."""
        logits = self.read(self.observed, LOAD.history)
        self.start(LOAD.history + LOAD.observed)
        self.draw(logits)
        for _ in range(LOAD.reply - 1):
            self.go()
        said: list[list[int]] = self.said.T.tolist()
        self.scores.tolist()
        return said

    def error(self) -> float:
        """How far a step's logits are from those of the same forward over no more columns than there are tokens."""
        self.ids.fill_(7)
        self.start(LOAD.history)
        self.go()
        finish()
        found = self.logits.clone()
        place = torch.full_like(self.position, LOAD.history)
        self.cache.aim(place, LOAD.history + 1)
        mask = torch.zeros(self.rows, 1, 1, LOAD.history + 1, device=place.device)
        ids = torch.full_like(self.ids, 7)
        known = self.forward(ids, place, mask, self.last, self.cache)
        return float((found - known).norm() / known.norm())

    def checked(self) -> float:
        """The error, which has to be small.

        Raises:
            RuntimeError: It is not.
        """
        if not (error := self.error()) <= CLOSE:
            raise RuntimeError(f"{self.rows} episodes: the static step's logits are off by {error}")
        return error


def read_bytes(forward: Any, model: Any, of: Architecture, rows: int) -> float:
    """What a step has to read: each weight, and keys and values of each episode's tokens in the middle of the reply."""
    weights = sum(each.numel() * each.element_size() for each in model.parameters())
    tokens = LOAD.history + LOAD.observed + LOAD.reply // 2
    share = (LOAD.layers or of.layers) / of.layers
    return weights + share * memory.cache_bytes(of, rows * tokens)


@torch.inference_mode()
def decode(folder: Path, run: RunConfig) -> Json:
    """Today's decoder and the graph, bare and with LoRA, for some numbers of episodes."""
    of, reached = SHAPES["smollm2-135m"], limits()
    found: Json = {
        "load": {"history": LOAD.history, "observed": LOAD.observed, "reply": LOAD.reply}
    }
    found |= {"limits": reached}
    for name in ("bare", "lora"):
        model = random_model(of, LOAD.layers)
        if name == "lora":
            model = attach(model, LoraConfig(rank=RANK), 0).eval()
        forward = forward_for(model, CONTEXT)
        for rows in LOAD.rows:
            now = todays(forward, rows)
            static = StaticReply(forward, rows)
            least = read_bytes(forward, model, of, rows) / reached["copy_tb_s"] / 1e12
            error = static.checked()
            turn, step = seconds(static.turn), seconds(static.steps) / LOAD.reply
            error = max(error, static.checked())
            bare = StaticReply(forward, rows, sampled=False)
            graph = {
                "turn_ms": 1e3 * turn,
                "step_ms": 1e3 * step,
                "step_without_sampling_ms": 1e3 * seconds(bare.steps) / LOAD.reply,
                "tokens_s": rows * LOAD.reply / turn,
                "logits_error": error,
            }
            found[f"{name}, {rows} episodes"] = {
                "today": now,
                "graph": graph,
                "limit_ms": 1e3 * least,
                "tokens_s_ratio": graph["tokens_s"] / now["tokens_s"],
            }
            print(name, rows, found[f"{name}, {rows} episodes"], flush=True)
            del static, bare
    return found


@torch.inference_mode()
def busy(folder: Path, run: RunConfig) -> Json:
    """The share of a turn in which a kernel runs, with 64 episodes and LoRA."""
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile

    model = attach(random_model(SHAPES["smollm2-135m"], LOAD.layers), LoraConfig(rank=RANK), 0)
    forward, rows = forward_for(model.eval(), CONTEXT), LOAD.rows[0]
    decoder, observed = begun(forward, rows, LOAD.reply), chunks(rows, LOAD.observed, 1)
    static = StaticReply(forward, rows)
    found: Json = {"episodes": rows}
    kind = ProfilerActivity.CUDA if ON_GPU else ProfilerActivity.CPU
    for name, work in (("today", lambda: decoder.reply(observed)), ("graph", static.turn)):
        took = seconds(work)
        with profile(activities=[kind]) as seen:
            work()
            finish()
        kernels = [each for each in seen.key_averages() if each.device_type == DeviceType.CUDA]
        inside = sum(each.self_device_time_total for each in kernels) / 1e6
        longest = sorted(kernels, key=lambda each: -each.self_device_time_total)[:8]
        found[name] = {
            "turn_ms": 1e3 * took,
            "kernels_ms": 1e3 * inside,
            "busy": inside / took if ON_GPU else None,
            "kernels": sum(each.count for each in kernels),
            "longest": {
                each.key[:80]: {
                    "ms": each.self_device_time_total / 1e3,
                    "count": each.count,
                }
                for each in longest
            },
        }
    return found | {"logits_error": static.checked()}


@torch.inference_mode()
def compiled(folder: Path, run: RunConfig) -> Json:
    """The graph's step by ``torch.compile``, bare, with 64 episodes."""
    of, rows = SHAPES["smollm2-135m"], LOAD.rows[0]
    forward = forward_for(random_model(of, LOAD.layers), CONTEXT)
    plain = StaticReply(forward, rows)
    before, known = seconds(plain.steps) / LOAD.reply, plain.checked()
    began = time.perf_counter()
    static = StaticReply(forward, rows, compiled=True)
    made = time.perf_counter() - began
    after, error = seconds(static.steps) / LOAD.reply, static.checked()
    return {
        "episodes": rows,
        "compiling_s": made,
        "graph_step_ms": 1e3 * before,
        "compiled_step_ms": 1e3 * after,
        "logits_error": {"graph": known, "compiled": error},
    }


def continuous(folder: Path, run: RunConfig) -> Json:
    """Continuous batching beside today's decoder: 64 new episodes, each with its own prompt, and a reply of each."""
    from transformers import ContinuousBatchingConfig, GenerationConfig

    model, rows = random_model(SHAPES["smollm2-135m"], LOAD.layers), LOAD.rows[0]
    prompts = list(chunks(rows, LOAD.history, 0).values())
    forward = forward_for(model, CONTEXT)
    ours = seconds(lambda: begun(forward, rows, LOAD.reply), 2)
    said = GenerationConfig(
        do_sample=True, temperature=1.0, top_k=0, top_p=1.0, max_new_tokens=LOAD.reply,
        eos_token_id=-1, pad_token_id=0,
    )  # fmt: skip
    found: Json = {
        "episodes": rows,
        "decoder_s": ours,
        "decoder_tokens_s": rows * LOAD.reply / ours,
    }
    blocks = -(-(LOAD.history + LOAD.reply) // COLUMNS) * rows
    for name, graph in (("plain", False), ("with CUDA graphs", True)):
        config = ContinuousBatchingConfig(
            block_size=COLUMNS, num_blocks=2 * blocks, max_batch_tokens=PASS, use_cuda_graph=graph,
            return_logprobs=True, seed=0,
        )  # fmt: skip
        took = []
        for _ in range(2):
            finish()
            began = time.perf_counter()
            answers = model.generate_batch(
                prompts, said, config, persistent_manager=True, progress_bar=False
            )
            took.append(time.perf_counter() - began)
        model.destroy_cached_continuous_batching_manager()
        whole = [len(each.generated_tokens) for each in answers.values() if each.error is None]
        if len(whole) != rows or set(whole) != {LOAD.reply}:
            raise RuntimeError(f"{name}: replies of {whole} tokens, not {rows} of {LOAD.reply}")
        found[name] = {
            "first_s": took[0],
            "again_s": took[1],
            "tokens": sum(whole),
            "tokens_s": sum(whole) / took[1],
        }
        print(name, found[name], flush=True)
    return found


def learn(model: Any, of: Architecture, batch: int) -> float:
    """Steps of SFT on as many transcripts; the seconds of the last."""
    factors = [each for each in model.parameters() if each.requires_grad]
    adam = torch.optim.AdamW(factors)
    drawn = torch.randint(4, of.vocabulary, (batch, TOKENS))
    ids, labels = drawn.to(device()), drawn.clone().to(device())
    labels[:, : -int(OWN * TOKENS)] = SHOWN

    def step() -> None:
        loss = imitation_loss(model, model, ids, labels, pad=0)
        if not loss.isfinite():
            raise RuntimeError("the loss is not finite")
        loss.backward()
        adam.step()
        adam.zero_grad()

    return seconds(step, 2)


def memory_of(name: str) -> Callable[[Path, RunConfig], Json]:
    """The part for a shape."""

    def work(folder: Path, run: RunConfig) -> Json:
        of = SHAPES[name] if ON_GPU else SHAPES[name].model_copy(update={"layers": 2})
        model = attach(random_model(of), LoraConfig(rank=RANK), 0)
        model.train()
        room = torch.cuda.get_device_properties(0).total_memory if ON_GPU else math.inf
        rate = limits()["bf16_tflops"]
        found: Json = {
            "parameters": of.parameters,
            "tokens": TOKENS,
            "rank": RANK,
            "bf16_tflops": rate,
        }
        for again in (True, False):
            if again:
                model.gradient_checkpointing_enable({"use_reentrant": False})
            else:
                model.gradient_checkpointing_disable()
            for batch in BATCHES:
                found[f"{'checkpointing' if again else 'kept'}, {batch} of {TOKENS}"] = case = (
                    taken(model, of, batch, again, room)
                )
                if "step_s" in case:
                    # Frozen weights: a product forward, one backward, and with checkpointing the first once more.
                    products = (6 if again else 4) * of.parameters * batch * TOKENS
                    case["tokens_s"] = batch * TOKENS / case["step_s"]
                    case["share_of_bf16"] = products / case["step_s"] / 1e12 / rate
                print(name, case, flush=True)
        return found

    return work


def taken(model: Any, of: Architecture, batch: int, again: bool, room: float) -> Json:
    """One case: what was computed, what was taken, in GB."""
    formula = memory.training_bytes(
        of, 16, TOKENS, batch, RANK, checkpointing=again, said=int(OWN * TOKENS)
    )
    computed = memory.PROGRAM_BYTES + memory.OVERHEAD * formula
    case: Json = {"computed_gb": computed / memory.GB}
    if computed > room:
        return case | {"not_run": "more than the device has, by the computation"}
    gc.collect()
    if not ON_GPU:
        return case | {"step_s": learn(model, of, batch)}
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    case["step_s"] = learn(model, of, batch)
    free, total = torch.cuda.mem_get_info()
    allocated, reserved = torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()
    case |= {
        "allocated_gb": allocated / memory.GB,
        "reserved_gb": reserved / memory.GB,
        "gone_gb": (total - free) / memory.GB,
        "computed_over_allocated": computed / allocated,
        "computed_over_gone": computed / (total - free),
    }
    return case
