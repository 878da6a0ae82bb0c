"""What keeping one key-value cache through an episode is worth, against reading the history again each turn.

The demo's model (Llama, 0.8 M parameters, fp32) answers 16 episodes of 24 turns, 40 observation tokens and up to 8
reply tokens each, greedily: once with transformers' ``generate``, which reads the whole history each turn, once with
the decoder. Both see the same observations. Checks that the replies are the same tokens and that the decoder's
log-probabilities are within 1e-4 of one teacher-forced pass over each episode. Rounds alternate and the best of each
counts: the machine is shared. Prints one line of JSON; exit code 1 if a figure is missed.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.utils import logging

from gonogo.adapters.forwards import forward_for
from gonogo.rollout.decoder import Decoder

ROWS, TURNS, OBSERVATION, REPLY, VOCABULARY, CONTEXT = 16, 24, 40, 8, 512, 4096
STOP, PAD, FIRST = 1, 0, 4
ROUNDS = 2
REQUIRED, TOLERANCE = 4.0, 1e-4

Episodes = list[list[int]]


def demo_model() -> Any:
    """The demo's architecture with seeded weights, wide enough that its replies differ."""
    config = LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=128, intermediate_size=352, num_hidden_layers=4,
        num_attention_heads=4, num_key_value_heads=4, tie_word_embeddings=True, pad_token_id=PAD,
        eos_token_id=STOP, bos_token_id=None, max_position_embeddings=CONTEXT,
        initializer_range=0.08,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return LlamaForCausalLM(config).eval()


def reading_again(model: Any, seen: np.ndarray) -> tuple[Episodes, float]:
    """Replies by ``generate`` over the left-padded history of each episode; all tokens, seconds."""
    histories: Episodes = [[] for _ in range(ROWS)]
    began = time.perf_counter()
    for turn in range(TURNS):
        for row, history in enumerate(histories):
            history += seen[turn, row].tolist()
        width = max(map(len, histories))
        ids = torch.full((ROWS, width), PAD)
        mask = torch.zeros((ROWS, width), dtype=torch.long)
        for row, history in enumerate(histories):
            ids[row, width - len(history) :] = torch.tensor(history)
            mask[row, width - len(history) :] = 1
        with torch.inference_mode():
            out = model.generate(
                ids, attention_mask=mask, max_new_tokens=REPLY, do_sample=False,
                eos_token_id=STOP, pad_token_id=PAD,
            )[:, width:].tolist()  # fmt: skip
        for history, reply in zip(histories, out, strict=True):
            history += reply[: reply.index(STOP) + 1] if STOP in reply else reply
    return histories, time.perf_counter() - began


def keeping(model: Any, seen: np.ndarray) -> tuple[Episodes, list[dict[int, float]], float]:
    """Replies by the decoder; all tokens, log-probabilities by position, seconds."""
    histories: Episodes = [[] for _ in range(ROWS)]
    logprobs: list[dict[int, float]] = [{} for _ in range(ROWS)]
    began = time.perf_counter()
    decoder = Decoder(forward_for(model, CONTEXT), stop=STOP, pad=PAD, max_new_tokens=REPLY)
    for row in range(ROWS):
        decoder.begin(row)
    for turn in range(TURNS):
        replies = decoder.reply({row: seen[turn, row].tolist() for row in range(ROWS)})
        for row, history in enumerate(histories):
            history += seen[turn, row].tolist()
            for token, logprob in zip(replies[row].ids, replies[row].logprobs, strict=True):
                logprobs[row][len(history)] = logprob
                history.append(token)
    return histories, logprobs, time.perf_counter() - began


def largest_error(model: Any, histories: Episodes, logprobs: list[dict[int, float]]) -> float:
    """Largest distance of a recorded log-probability from teacher forcing."""
    worst = 0.0
    for history, known in zip(histories, logprobs, strict=True):
        ids = torch.tensor([history])
        with torch.inference_mode():
            scores = model(ids).logits[0].log_softmax(-1)
        for position, logprob in known.items():
            worst = max(worst, abs(float(scores[position - 1, history[position]]) - logprob))
    return worst


def main() -> int:
    """Measure, check, print; 1 if a figure is missed."""
    logging.set_verbosity_error()
    model = demo_model()
    seen = np.random.default_rng(0).integers(FIRST, VOCABULARY, (TURNS, ROWS, OBSERVATION))
    again, kept = [], []
    for _ in range(ROUNDS):
        ours, logprobs, seconds = keeping(model, seen)
        kept.append(seconds)
        theirs, seconds = reading_again(model, seen)
        again.append(seconds)
    error = largest_error(model, ours, logprobs)
    ratio = min(again) / min(kept)
    same = ours == theirs
    report = {
        "benchmark": "decoder",
        "reading_again_s": round(min(again), 2),
        "keeping_s": round(min(kept), 2),
        "ratio": round(ratio, 2),
        "required_ratio": REQUIRED,
        "same_greedy_tokens": same,
        "largest_logprob_error": error,
        "tokens": sum(map(len, ours)),
        "different_reply_tokens": len(
            {h[p] for h, k in zip(ours, logprobs, strict=True) for p in k}
        ),
        "threads": torch.get_num_threads(),
    }
    print(json.dumps(report))
    return 0 if ratio >= REQUIRED and same and error <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
