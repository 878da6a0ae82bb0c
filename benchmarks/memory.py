"""The memory that a training really takes, against what ``gonogo train --dry-run`` computes from the model's shape.

A model of SmolLM2-135M's shape with random weights in fp32 and LoRA of rank 16 learns from one transcript of so many
tokens, a quarter of them its own, on the CPU: the loss of SFT, backward, and a step of Adam; then from one of half as
many, as lengths differ in a training. Each case is a process of its own, whose largest resident set is read: with
gradient checkpointing and without, and without on a glibc that gives large tensors back to the system as soon as they
are freed (M_MMAP_THRESHOLD of mallopt(3)): less memory, and more processor time, as their pages are made anew.

Prints a line of JSON for each case, with the processor's seconds for the last step; exit code 1 where more is taken
than was computed, or than 1.5 times less.

Run from the repository's root: python benchmarks/memory.py [--tokens N ...]
"""

from __future__ import annotations

import argparse
import ctypes
import json
import resource
import subprocess
import sys
import time

from gonogo.config import Architecture, LoraConfig, load_candidates
from gonogo.models import memory

MODEL, RANK, BITS, OWN = "SmolLM2-135M-Instruct", 16, 32, 0.25
CASES = ("kept", "checkpointing", "freed memory goes back")
"""Activations are kept; are computed again; are kept, with a glibc that returns what is freed."""
M_MMAP_THRESHOLD, LARGE = -3, 1 << 20
"""The parameter's number in glibc's malloc.h, and the bytes from which an allocation is returned."""
MOST = 1.5
"""Times that the computed may be above the measured."""


def shape() -> Architecture:
    """The model's, as the candidates' file has it."""
    (found,) = (each.architecture for each in load_candidates() if each.name == MODEL)
    assert found is not None
    return found


def peak() -> float:
    """Bytes of this process's largest resident set so far."""
    return 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def learn(case: str, tokens: int) -> None:
    """One case, in this process; prints the bytes before there is a model, the most that there were, and seconds."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    from gonogo.models.pretrained import attach
    from gonogo.training.sft import SHOWN, imitation_loss, train_sft

    del train_sft  # imported for what a training's process holds
    if case == "freed memory goes back":
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE)
    program, of = peak(), shape()
    config = LlamaConfig(
        hidden_size=of.hidden,
        intermediate_size=of.intermediate,
        num_hidden_layers=of.layers,
        num_attention_heads=of.heads,
        num_key_value_heads=of.kv_heads,
        vocab_size=of.vocabulary,
        max_position_embeddings=8192,
        tie_word_embeddings=of.tied,
    )
    model = attach(LlamaForCausalLM(config), LoraConfig(rank=RANK), 0)
    if case == "checkpointing":
        model.gradient_checkpointing_enable()
        model.enable_input_require_grads()
    model.train()
    factors = [each for each in model.parameters() if each.requires_grad]
    adam = torch.optim.AdamW(factors)
    for length in (tokens, tokens // 2, tokens):
        ids = torch.randint(
            0, of.vocabulary, (1, length), generator=torch.Generator().manual_seed(length)
        )
        labels = ids.clone()
        labels[:, : -int(OWN * length)] = SHOWN
        began = time.process_time()
        imitation_loss(model, model, ids, labels, pad=0).backward()
        adam.step()
        adam.zero_grad()
    print(json.dumps([program, peak(), time.process_time() - began]))


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tokens", type=int, nargs="+", default=[1024, 2048])
    parser.add_argument("--case", choices=CASES, help=argparse.SUPPRESS)
    words = parser.parse_args()
    if words.case is not None:
        learn(words.case, *words.tokens)
        return
    fits = True
    for tokens in words.tokens:
        for case in CASES:
            asked = [sys.executable, __file__, "--case", case, "--tokens", str(tokens)]
            said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
            program, taken, seconds = json.loads(said.splitlines()[-1])
            needed = memory.training_bytes(
                shape(), BITS, tokens, 1, RANK,
                checkpointing=case == "checkpointing", said=int(OWN * tokens),
            )  # fmt: skip
            heap = memory.heap_bytes(shape(), BITS, tokens, 1, RANK)
            computed = memory.PROGRAM_BYTES + memory.OVERHEAD * needed + heap
            figures = {"program_gb": program, "taken_gb": taken, "computed_gb": computed}
            row = {name: round(value / memory.GB, 2) for name, value in figures.items()}
            row["step_cpu_s"] = round(seconds, 2)
            print(json.dumps({"tokens": tokens, "case": case, **row}), flush=True)
            if case != "freed memory goes back":
                fits &= taken <= computed <= MOST * taken
    sys.exit(0 if fits else 1)


if __name__ == "__main__":
    main()
