"""The memory that a training really takes, against what ``gonogo train --dry-run`` computes from the model's shape.

A model of SmolLM2-135M's shape with random weights in fp32 and LoRA of rank 16 learns from one transcript of so many
tokens, a quarter of them its own, on the CPU: the loss of SFT, backward, and a step of Adam; then from one of half as
many, as lengths differ in a training. Each case is a process of its own, whose largest resident set is read: with
gradient checkpointing and without, and without on a glibc that is left to keep what is freed
(:func:`gonogo.adapters.machine.return_freed_memory`).

Prints a line of JSON for each case; exit code 1 where more is taken than was computed, or than 1.5 times less.

Run from the repository's root: python benchmarks/memory.py [--tokens N ...]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys

from gonogo import memory
from gonogo.config import Architecture, LoraConfig, load_candidates

MODEL, RANK, BITS, OWN = "SmolLM2-135M-Instruct", 16, 32, 0.25
CASES = ("kept", "checkpointing", "freed memory stays")
"""Activations are kept; are computed again; are kept, with glibc as it is."""
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
    """One case, in this process; prints the bytes before there is a model and the most that there were."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    from gonogo.adapters.imitation import SHOWN, imitation_loss
    from gonogo.adapters.lora import attach
    from gonogo.adapters.machine import return_freed_memory
    from gonogo.adapters.trl_sft import train_sft

    del train_sft  # imported for what a training's process holds
    if case != "freed memory stays":
        return_freed_memory()
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
        imitation_loss(model, model, ids, labels, pad=0).backward()
        adam.step()
        adam.zero_grad()
    print(json.dumps([program, peak()]))


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
            program, taken = json.loads(said.splitlines()[-1])
            needed = memory.training_bytes(
                shape(), BITS, tokens, 1, RANK,
                checkpointing=case == "checkpointing", said=int(OWN * tokens),
            )  # fmt: skip
            computed = memory.PROGRAM_BYTES + memory.OVERHEAD * needed
            figures = {"program_gb": program, "taken_gb": taken, "computed_gb": computed}
            row = {name: round(value / memory.GB, 2) for name, value in figures.items()}
            print(json.dumps({"tokens": tokens, "case": case, **row}), flush=True)
            if case != "freed memory stays":
                fits &= taken <= computed <= MOST * taken
    sys.exit(0 if fits else 1)


if __name__ == "__main__":
    main()
