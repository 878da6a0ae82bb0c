"""What a training will take, before it is started: memory, tokens and time, from shapes and a few flown episodes.

The length of an episode is counted by the model's tokenizer where that is here, else by its bytes. Memory is by the
formulas of :mod:`gonogo.models.memory`. Time is a lower bound by what this machine does in a second: products of
matrices and reading weights, as measured in a moment, and the environment's own steps, as they were flown; what a
framework adds to that is in it by the number of small operations only.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from gonogo.config import Architecture, RunConfig, TrainConfig
from gonogo.models.machine import Speed
from gonogo.models.memory import (
    GB,
    OVERHEAD,
    PROGRAM_BYTES,
    cache_bytes,
    heap_bytes,
    training_bytes,
    weights_bytes,
)
from gonogo.records.tables import TextTable
from gonogo.rollouts.episodes import Episode
from gonogo.training.environments import SELF
from gonogo.wire import Action

BITS = {"fp32": 32, "bf16": 16, "4bit": 4}
CALLS = 20
"""Small operations of one block's forward pass; a round figure for the decoder's own loop."""
MARKERS = 16
"""Tokens of a chat template's markers in one turn; a round figure above those of the candidates' templates."""


@dataclass(frozen=True, slots=True)
class Length:
    """How long episodes are.

    Attributes:
        tokens: Of the longest, the instructions included.
        most: Of one that takes all decisions that the config allows, each as long as those that were flown.
        mean: Of one on average.
        said: Tokens of one on average that the model says itself.
        turns: Decisions of one on average.
        exact: Whether a tokenizer counted them; else each byte counts as a token, which no tokenizer exceeds.
        step_s: Seconds of one environment step.
    """

    tokens: int
    most: int
    mean: float
    said: float
    turns: float
    exact: bool
    step_s: float


@dataclass(frozen=True, slots=True)
class PhaseForecast:
    """One part of a training.

    Attributes:
        name: What it is called.
        episodes: That are flown.
        said: Tokens that the model says in them.
        trained: Tokens that go forward and backward.
        seconds: That it takes at least; None where this machine is not the one.
    """

    name: str
    episodes: int
    said: float
    trained: float
    seconds: float | None


@dataclass(frozen=True, slots=True)
class TrainingForecast:
    """What a training takes of a machine.

    Attributes:
        run: The config.
        train: Its training part.
        shape: The model's.
        length: Of an episode.
        speed: What the machine does in a second; None where this machine is not the one.
    """

    run: RunConfig
    train: TrainConfig
    shape: Architecture
    length: Length
    speed: Speed | None = None

    def memory_gb(self, tokens: int, *, on_cpu: bool) -> dict[str, float]:
        """GB for weights, for what is trained and its activations, and for the cache of flying; and the most at once.

        Args:
            tokens: Of the episode that is meant; what is beyond the model's context is never computed.
            on_cpu: Whether a CPU trains.
        """
        run, train, shape = self.run, self.train, self.shape
        tokens = min(tokens, run.model.context)
        # What the model says; where SFT also learns what it is shown, all of it.
        all_of = train.sft is not None and train.sft.shown_weight
        said = tokens if all_of else math.ceil(self.length.said)
        bits = BITS[run.model.precision]
        rank = None if run.model.lora is None else run.model.lora.rank
        weights = weights_bytes(shape, bits)
        kept = training_bytes(shape, bits, 0, 1, rank)
        again, rows = train.gradient_checkpointing, train.micro_batch
        training = training_bytes(shape, bits, tokens, rows, rank, checkpointing=again, said=said)
        slots = run.rollout.slots if run.rollout.vllm is None else 0  # a server has its own cache
        cache = slots * cache_bytes(shape, tokens, bits)
        heap = heap_bytes(shape, bits, tokens, rows, rank) if on_cpu else 0.0
        parts = {
            "the program": PROGRAM_BYTES,
            "weights": weights,
            "gradients, moments and factors": kept - weights,
            "activations of a pass": training - kept,
            "kept by the C library": heap,
            "cache of the slots": cache,
            "at once": PROGRAM_BYTES + OVERHEAD * max(training, kept + cache) + heap,
        }
        return {name: value / GB for name, value in parts.items()}

    def parts(self) -> Iterator[PhaseForecast]:
        """What flies and what is trained, in order."""
        sft, grpo, mean = self.train.sft, self.train.grpo, self.length.mean
        validation = self.train.validation.episodes * (1 + len(self.train.environments))
        if sft is not None:
            yield self._flown("traces", sft.episodes, by_model=sft.teacher == SELF)
            rows = sft.max_steps * sft.batch
            yield self._trained("sft", rows * mean, rows)
            count = 2 + math.ceil(sft.max_steps / sft.validate_every)
            yield self._flown("sft validation", count * validation)
        if grpo is not None:
            group = grpo.tasks_per_step * grpo.group_size
            rows = grpo.steps * group
            yield self._flown("grpo flights", rows, at_once=group)
            learned = rows + grpo.steps * grpo.imitated
            yield self._trained("grpo", learned * mean, learned)
            count = 2 + math.ceil(grpo.steps / grpo.validate_every)
            yield self._flown("grpo validation", count * validation)

    def _flown(
        self, name: str, episodes: int, *, by_model: bool = True, at_once: int | None = None
    ) -> PhaseForecast:
        """Episodes in the air: each token said reads all weights once for all rows, each token shown is multiplied."""
        length, shape, speed = self.length, self.shape, self.speed
        said = episodes * length.said if by_model else 0.0
        if speed is None:
            return PhaseForecast(name, episodes, said, 0.0, None)
        seconds = episodes * length.turns * length.step_s
        if by_model:
            rows = min(self.run.rollout.slots, at_once or episodes)
            each = max(
                weights_bytes(shape, BITS[self.run.model.precision]) / speed.bytes,
                2 * shape.parameters * rows / speed.operations,
                CALLS * shape.layers / speed.calls,
            )
            seconds += math.ceil(episodes / rows) * length.said * each
            seconds += episodes * length.mean * 2 * shape.linear_parameters / speed.operations
        return PhaseForecast(name, episodes, said, 0.0, seconds)

    def _trained(self, name: str, tokens: float, rows: int) -> PhaseForecast:
        """Tokens forward and backward: two operations a weight forward, as many again for each gradient."""
        if (speed := self.speed) is None:
            return PhaseForecast(name, 0, 0.0, tokens, None)
        # Frozen weights need no gradient of their own; checkpointing goes forward twice.
        again = 2 if self.train.gradient_checkpointing else 0
        each = (4 if self.run.model.lora is not None else 6) + again
        passes = rows / self.train.micro_batch
        seconds = each * self.shape.linear_parameters * tokens / speed.operations
        seconds += passes * each / 2 * CALLS * self.shape.layers / speed.calls
        return PhaseForecast(name, 0, 0.0, tokens, seconds)

    def parts_table(self) -> TextTable:
        """The table of tokens and time."""
        parts = list(self.parts())
        rows = [
            (
                part.name,
                f"{part.episodes:,}" if part.episodes else "",
                f"{part.said:,.0f}" if part.said else "",
                f"{part.trained:,.0f}" if part.trained else "",
                "" if part.seconds is None else duration(part.seconds),
            )
            for part in parts
        ]
        title = f"Tokens{'' if self.length.exact else ', at most one a byte,'} and time"
        if self.speed is not None:
            rows.append(("all", "", "", "", duration(math.fsum(p.seconds or 0.0 for p in parts))))
            title += ", at least, on this machine"
        return TextTable(title, ("part", "episodes", "tokens said", "tokens trained", "time"), rows)


def written(action: Action) -> str:
    """An action as a model writes it: compact JSON."""
    return json.dumps(action, ensure_ascii=False, separators=(",", ":"))


def bytes_of(episode: Episode) -> int:
    """The bytes of everything that is shown and said in an episode; an action counts as a model would write it."""
    total = 0
    for turn in episode.turns:
        said = turn.reply
        if said is None:
            said = "" if turn.action is None else written(turn.action)
        total += len(turn.text.encode()) + len(said.encode("utf-8", "surrogatepass"))
    return total


def most_tokens(episode: Episode) -> int:
    """A token for each byte, which no byte-level tokenizer exceeds, and a chat template's markers."""
    return bytes_of(episode) + MARKERS * len(episode.turns)


def length_of(
    run: RunConfig,
    episodes: Sequence[Episode],
    told: Sequence[str],
    counted: Sequence[tuple[int, int]] | None,
    step_s: float,
) -> Length:
    """How long the flown episodes are.

    Args:
        run: The config.
        episodes: Of a policy that is no model.
        told: What a pretrained model is told before each of them.
        counted: Tokens of each, and how many of them are the policy's own words, by the model's own tokenizer; None
            where that is not here.
        step_s: Seconds of one environment step.
    """
    turns = [len(episode.turns) for episode in episodes]
    reply = run.rollout.max_reply_tokens
    if counted is not None:
        said = fmean(own for _, own in counted)
        tokens = [all_of for all_of, _ in counted]
    else:
        said = fmean(turns) * reply
        scratch = run.model.pretrained is None
        opening = [0 if scratch else len(system.encode()) for system in told]
        tokens = [first + most_tokens(e) for first, e in zip(opening, episodes, strict=True)]
    a_turn = max(each / max(number, 1) for each, number in zip(tokens, turns, strict=True))
    most = max(*tokens, math.ceil(a_turn * run.rollout.max_turns))
    exact, mean = counted is not None, fmean(tokens)
    return Length(max(tokens) + reply, most + reply, mean, said, fmean(turns), exact, step_s)


def memory_table(said: dict[str, float], most: dict[str, float], shape: Architecture) -> TextTable:
    """The table of memory: for the longest episode that was flown, and for the longest that there may be."""
    rows = [(name, f"{value:.3g}", f"{most[name]:.3g}") for name, value in said.items()]
    head = ("what", "GB, longest flown", "GB, all turns taken")
    return TextTable(f"Memory for {shape.parameters:,} weights, computed", head, rows)


def duration(seconds: float) -> str:
    """Seconds as a person says them."""
    for unit, size in (("days", 86_400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"
