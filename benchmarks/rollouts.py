"""Episodes a second: our rollouts against TRL's own loop over an ``environment_factory``.

Both fly the same missions of flightrules with the same model of the demo's size, 16 episodes (two groups of eight) of
24 and of 64 turns, sampled at temperature 1. The model's weights make it say one decision, whatever it sees: its
embeddings outweigh everything that its layers add, and its head knows for each token of the decision the next one. So
the actions are equal without a hook in either loop, while every product is computed. TRL's loop is
``GRPOTrainer._generate_and_score_completions``: reset, generation, tool calls, reward. It gets a chat template for
tools that adds one word to a decision and nothing to an observation; ours says as many tokens. TRL's environments are
plain objects in its process, ours run behind the pipe of a worker process. TRL knows no end of an episode: it
generates once more after the last turn.

Checks that every episode saw the same texts in both. Rounds alternate and the best of each counts: the machine is
shared. Prints one line of JSON for each length; exit code 1 if a figure is missed.

    python benchmarks/rollouts.py            24 and 64 turns
    python benchmarks/rollouts.py 24         24 alone
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import warnings
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.utils import logging
from trl import GRPOConfig, GRPOTrainer

from flightrules.models import FlightAction
from flightrules.server.environment import FlightRulesEnvironment
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.models.model_policy import ModelPolicy
from gonogo.models.tokenizer import Speaker, encode, scratch_format, train_tokenizer
from gonogo.policies.named import find_policy
from gonogo.rollouts.engine import Flight, fly
from gonogo.rollouts.types import Connection
from gonogo.training.transcripts import flown, texts

ROOT = Path(__file__).resolve().parents[1]
GROUP, TASKS, CONTEXT, VOCABULARY = 8, 2, 8192, 512
REQUIRED = {24: 5.0, 64: 10.0}
"""Times as many episodes a second, by turns."""
ROUNDS = {24: 2, 64: 1}
DECISION = {"burn": "idle", "mode": "detumble", "coast_s": 56}
SAID = json.dumps(DECISION, separators=(",", ":"))
TOOL = "fly"
TEMPLATE = (
    "{%- for message in messages -%}"
    "{%- if message['role'] == 'assistant' -%}"
    "<|assistant|>{{ message['content'] }}"
    "{%- for call in message['tool_calls'] or [] -%}"
    "{{ call['function']['name'] }}{{ call['function']['arguments'] | tojson }}"
    "{%- endfor -%}<|end|>"
    "{%- else -%}<|user|>{{ message['content'] }}{%- endif -%}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}"
)
ANSWER = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|assistant|>",
    "fields": {
        "tool_calls": {
            "open_pattern": rf"(?P<name>{TOOL})(?=\{{)",
            "close_pattern": r"(?=<\|end\|>)",
            "repeats": True,
            "content": "json",
            "transform": {
                "type": "function",
                "function": {"name": "{name}", "arguments": "{content}"},
            },
        },
        "content": {"close_pattern": r"<\|end\|>|$", "content": "text"},
    },
}


class Mission:
    """A mission as TRL wants an environment: its public methods are tools."""

    def __init__(self) -> None:
        self._environment = FlightRulesEnvironment()
        self._seen: list[str] = []
        self._reward = 0.0

    def reset(self, split: str, level: str, index: int, **_: Any) -> str:
        """Begin a mission; what the model sees first."""
        self._reward = 0.0
        self._seen = [self._environment.reset(split=split, level=level, index=index).text]
        return self._seen[0]

    def fly(self, burn: str, mode: str, coast_s: int) -> str:
        """Take a decision.

        Args:
            burn: Thruster pulse.
            mode: Configuration of the spacecraft.
            coast_s: Seconds until the next decision.

        Returns:
            What the model sees next.
        """
        observation = self._environment.step(FlightAction(burn=burn, mode=mode, coast_s=coast_s))
        self._reward += observation.reward or 0.0
        self._seen.append(observation.text)
        return observation.text

    def get_reward(self) -> float:
        """The return of the episode."""
        return self._reward


def tasks() -> list[dict[str, Any]]:
    """Reset options, each as often as its group is large."""
    return [
        {"split": "train", "level": "mission_ops", "index": index}
        for index in range(TASKS)
        for _ in range(GROUP)
    ]


def trained_tokenizer(connection: Connection) -> Any:
    """The demo's kind of tokenizer, from a few flown missions, with a chat template for tools."""
    target = resolve(str(ROOT / "envs" / "flightrules"))
    named = find_policy("pd", target, connection.schemas, seed=0)
    with closing(named.policy) as policy:
        options = [{"split": "train", "level": "mission_ops", "index": 90 + i} for i in range(12)]
        flights = fly(connection, policy, options, Flight("flightrules", max_turns=64))
    words = [*texts(flights), *[f"{TOOL}{SAID}", f" {SAID}", TOOL, TOOL] * 40]
    tokenizer = train_tokenizer(words, VOCABULARY)
    tokenizer.chat_template, tokenizer.response_template = TEMPLATE, ANSWER
    return tokenizer


def one_track_model(tokenizer: Any, reply: list[int]) -> Any:
    """The demo's architecture, with weights that make it say one reply.

    Args:
        tokenizer: Its vocabulary and its markers.
        reply: The tokens, all different: what follows each is a matter of that token alone.
    """
    turns = scratch_format(tokenizer)
    path = [turns.before_reply[-1], *reply, turns.end]
    if len(set(path)) < len(path):
        raise RuntimeError(f"a token comes twice in {tokenizer.convert_ids_to_tokens(path)}")
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=128, intermediate_size=384, num_hidden_layers=4,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=CONTEXT,
        tie_word_embeddings=False, pad_token_id=turns.pad, eos_token_id=turns.end, bos_token_id=None,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        model = LlamaForCausalLM(config).eval()
        embedding, head = model.model.embed_tokens.weight, model.lm_head.weight
        embedding.mul_(1000.0)
        head.zero_()
        for token, following in pairwise(path):
            head[following] = 20.0 * embedding[token] / embedding[token].norm()
    return model


def trl_trainer(tokenizer: Any, turns: int, folder: str) -> Any:
    """TRL's trainer over the missions, which flies so many turns."""
    reply = tokenizer.encode(f"{TOOL}{SAID}", add_special_tokens=False)
    arguments = GRPOConfig(
        output_dir=folder, per_device_train_batch_size=GROUP * TASKS, num_generations=GROUP,
        max_completion_length=CONTEXT - 512, max_tool_calling_iterations=turns, temperature=1.0,
        bf16=False, gradient_checkpointing=False, use_cpu=True, report_to="none",
        dataloader_pin_memory=False, disable_tqdm=True,
    )  # fmt: skip
    rows = [{"prompt": [{"role": "user", "content": ""}], **options} for options in tasks()]
    return GRPOTrainer(
        one_track_model(tokenizer, reply),
        args=arguments,
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
        environment_factory=Mission,
    )


def fly_theirs(trainer: Any) -> tuple[list[list[str]], int, float]:
    """One batch by TRL's loop: the texts that each episode saw, tokens, seconds."""
    rows = [dict(row) for row in trainer.train_dataset]
    trainer.model.train()
    began = time.perf_counter()
    batch = trainer._generate_and_score_completions(rows)
    seconds = time.perf_counter() - began
    tokens = int(batch["prompt_mask"].sum() + batch["completion_mask"].sum())
    return [mission._seen for mission in trainer.environments], tokens, seconds


def fly_ours(
    speaker: Speaker, connection: Connection, turns: int
) -> tuple[list[list[str]], int, float]:
    """The same by our rollouts, transcripts for the loss included."""
    began = time.perf_counter()
    policy = ModelPolicy(speaker, "one_track", max_reply_tokens=24, temperature=1.0)
    flight = Flight("flightrules", max_turns=turns, slots=GROUP * TASKS)
    with closing(policy):
        episodes = fly(connection, policy, tasks(), flight)
        transcripts = [flown(episode) for episode in episodes]
    seconds = time.perf_counter() - began
    if wrong := [t.reply for e in episodes for t in e.turns if t.reply != f" {SAID}" or t.invalid]:
        raise RuntimeError(f"{len(wrong)} decisions were other ones: {wrong[0]!r}")
    seen = [[turn.text for turn in episode.turns] for episode in episodes]
    return seen, sum(len(transcript.ids) for transcript in transcripts), seconds


def measure(turns: int, connection: Connection, tokenizer: Any) -> bool:
    """Measure one length, print it; whether its figure is reached and both saw the same."""
    # As many tokens as TRL's reply, which names the tool.
    reply = tokenizer.encode(f" {SAID}", add_special_tokens=False)
    speaker = Speaker(
        one_track_model(tokenizer, reply), tokenizer, scratch_format(tokenizer), CONTEXT
    )
    ours, theirs = [], []
    same = True
    with tempfile.TemporaryDirectory() as folder:
        trainer = trl_trainer(tokenizer, turns, folder)
        for _ in range(ROUNDS[turns]):
            seen, tokens, seconds = fly_ours(speaker, connection, turns)
            ours.append(seconds)
            seen_there, tokens_there, seconds = fly_theirs(trainer)
            theirs.append(seconds)
            same &= seen == [one[:turns] for one in seen_there]
    episodes, ratio = GROUP * TASKS, min(theirs) / min(ours)
    report = {
        "benchmark": "rollouts",
        "turns": turns,
        "episodes": episodes,
        "ours_episodes_per_s": round(episodes / min(ours), 2),
        "trl_episodes_per_s": round(episodes / min(theirs), 3),
        "ratio": round(ratio, 1),
        "required_ratio": REQUIRED[turns],
        "ratio_by_round": [round(a / b, 1) for a, b in zip(theirs, ours, strict=True)],
        "same_texts_seen": same,
        "tokens": tokens,
        "trl_tokens": tokens_there,
        "reply_tokens": len(encode(tokenizer, f" {SAID}")) + 1,
        "threads": torch.get_num_threads(),
    }
    print(json.dumps(report), flush=True)
    return same and ratio >= REQUIRED[turns]


def main() -> int:
    """Measure the lengths that were asked for; 1 if a figure is missed."""
    logging.set_verbosity_error()
    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
    lengths = [int(word) for word in sys.argv[1:]] or list(REQUIRED)
    target = resolve(str(ROOT / "envs" / "flightrules"))
    with closing(connect(target, GROUP * TASKS)) as connection, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tokenizer = trained_tokenizer(connection)
        reached = [measure(turns, connection, tokenizer) for turns in lengths]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
