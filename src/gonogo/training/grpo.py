"""GRPO through TRL: our rollouts, advantages for each turn, padding kept small.

TRL asks :class:`GroupRollout` for a step's episodes. A prompt of its data set is only a number: which task it
stands for is the curriculum's business when the step comes, and what TRL calls the prompt of a row is
the episode's first token, so that rows are padded on the right only and plain causal attention is exact
without a mask. All other tokens are the row's completion, and a mask says which ones the model said.

:class:`TurnTrainer` changes some things in TRL's trainer: the advantages (by turn, see
:mod:`gonogo.training.credit`), the order of rows in micro-batches (by length, where TRL shuffles: with one
update for each generation the order does not matter), and the log-probabilities, which are computed at
the model's own tokens only; and where something is imitated beside it, its gradient is added to the step's.
Log-probabilities of sampling are not computed again, as there is one update; those of
another program that has sampled are its own, so that the ratio corrects for its rounding.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, NotRequired, TypeAlias, TypedDict

import numpy as np
import torch
from datasets import Dataset
from transformers import TrainerCallback
from trl import GRPOConfig as TrainerConfig
from trl import GRPOTrainer

from gonogo.config import GrpoConfig, TrainConfig
from gonogo.errors import EnvironmentFailure
from gonogo.models.forwards import inner
from gonogo.models.tokenizer import Speaker
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.summary import Losses
from gonogo.training.credit import Credit, advantages
from gonogo.training.curriculum import Curriculum, TrainingTask
from gonogo.training.processes import Ranks, through
from gonogo.training.reward_hacking import HackingWatch
from gonogo.training.sft import Imitation, imitation_loss, padded
from gonogo.training.tracking import group_metrics, metrics_of, sample
from gonogo.training.training_loop import Durable, TrainingCallback, passes, trainer_arguments
from gonogo.training.transcripts import flown

Batch: TypeAlias = dict[str, Any]
"""Rows of a step as TRL's trainer hands them to itself: tensors by TRL's names, and numbers beside them."""
FlyTasks = Callable[[Sequence[TrainingTask], int], list[Episode]]
"""Flies tasks with the present weights, sampled; the number is the step's, for the random streams."""


class ScheduleArguments(TypedDict):
    """Arguments of transformers' trainers that say how the learning rate falls."""

    lr_scheduler_type: str
    lr_scheduler_kwargs: NotRequired[dict[str, float]]


@dataclass(slots=True)
class GroupRollout:
    """Flies a step's groups when TRL asks and remembers them for the advantages.

    Attributes:
        fly: Flies tasks.
        curriculum: Hands them out.
        config: Group size and credit.
        show: Takes a few episodes to print and to keep.
        course: Takes the step's metrics.
        losses: Takes why episodes were lost.
        watch: Against reward hacking; None where nothing is watched.
        served: Whether another program has sampled, whose log-probabilities are the old ones then.
        episodes: Of the last step, in the order of its rows; those of all processes.
        own: Which of them are this process's rows.
    """

    fly: FlyTasks
    curriculum: Curriculum
    config: GrpoConfig
    show: Callable[[int, list[Episode]], None]
    course: TrainingCallback
    losses: Losses
    watch: HackingWatch | None = None
    served: bool = False
    episodes: list[Episode] = field(default_factory=list)
    own: slice = field(default_factory=lambda: slice(None))

    def rollout(self, prompts: list[str], trainer: Any) -> dict[str, list[Any]]:
        """TRL's ``rollout_func``: prompts come repeated, a row for each is wanted, in order.

        Raises:
            EnvironmentFailure: Not one episode could be scored, or too many were lost by now.
        """
        step = trainer.state.global_step + 1
        size, ranks = self.config.group_size, Ranks()
        level = self.curriculum.level
        tasks = self.curriculum.tasks(len(prompts) * ranks.count // size)
        self.episodes = self.fly([task for task in tasks for _ in range(size)], step)
        returns = [episode.episode_return for episode in self.episodes]
        scores = []
        for number, task in enumerate(tasks):
            group = returns[number * size : (number + 1) * size]
            known = [value for value in group if value is not None]
            if known:
                scores.append((task.stage, fmean(known)))
        if not scores or not any(episode.turns for episode in self.episodes):
            why = self.episodes[0].error or "the first observation does not fit the model's context"
            raise EnvironmentFailure(f"no episode could be scored: {why}")
        self.losses.take([e.error for e in self.episodes if e.error is not None])
        self.course.level = level
        self.course.numbers |= metrics_of(self.episodes)
        self._look(step, [self.curriculum.name(task.stage) for task in tasks])
        self.curriculum.hear(step, scores)
        if step % self.config.print_every == 0 or step == 1:
            self.show(step, sample(self.episodes))
        first = len(prompts) * ranks.rank
        self.own = slice(first, first + len(prompts))
        return self._rows(returns[self.own], trainer.processing_class.pad_token_id)

    def _look(self, step: int, stages: Sequence[str]) -> None:
        """Add what is known by stage and by group, and let the watch see it before the model is changed by it."""
        size = self.config.group_size
        starts = range(0, len(self.episodes), size)
        groups = [self.episodes[start : start + size] for start in starts]
        by_stage = list(zip(stages, groups, strict=True))
        self.course.numbers |= group_metrics(by_stage)
        if self.watch is None:
            return
        alarms, figures = self.watch.see(step, by_stage)
        self.course.numbers |= figures
        if alarms:
            self.course.alarm(alarms, stops=self.watch.stops)

    def _rows(self, returns: list[float | None], pad: int) -> dict[str, list[Any]]:
        rows: dict[str, list[Any]] = {
            name: [] for name in ("prompt_ids", "completion_ids", "env_mask", "turns", "logprobs")
        }
        for episode in self.episodes[self.own]:
            transcript = flown(episode)
            # A lost episode may have no tokens at all; TRL wants one, which then teaches nothing.
            ids, turn = [*transcript.ids, pad, pad], [*transcript.turn, -1, -1]
            end = max(len(transcript.ids), 2)
            rows["prompt_ids"].append(ids[:1])
            rows["completion_ids"].append(ids[1:end])
            rows["turns"].append(turn[1:end])
            rows["env_mask"].append([int(number >= 0) for number in turn[1:end]])
            rows["logprobs"].append([*transcript.logprobs, 0.0, 0.0][1:end])
        if not self.served:
            rows["logprobs"] = None  # type: ignore[assignment]
        return {**rows, "score": returns}

    def advantages(self, turns: list[list[int]], width: int) -> torch.Tensor:
        """(own rows, width) advantage of each completion token; 0 where the model said nothing."""
        config, size = self.config, self.config.group_size
        credit = Credit(
            config.credit,
            config.invalid_penalty,
            config.potential_weight,
            config.step_weight,
            config.discount,
        )
        table = np.zeros((len(turns), width), dtype=np.float32)
        starts = range(0, len(self.episodes), size)
        groups = advantages([self.episodes[start : start + size] for start in starts], credit)
        rows = [by_turn for group in groups for by_turn in group]
        for row, by_turn in enumerate(rows[self.own]):
            for column, number in enumerate(turns[row]):
                if number >= 0:
                    table[row, column] = by_turn[number]
        return torch.from_numpy(table)


def score(completions: list[Any], score: list[float | None], **_: Any) -> list[float | None]:
    """TRL's reward function: the episode's return, None for a lost one, which is not a 0."""
    return score


class TurnTrainer(Durable, GRPOTrainer):
    """TRL's GRPO trainer with advantages by turn; see the module."""

    def __init__(
        self, *args: Any, rollout: GroupRollout, imitation: Imitation | None, **kwargs: Any
    ) -> None:
        self._group_rollout, self._imitation = rollout, imitation
        self._spoken: torch.Tensor | None = None
        self._buffered_inputs: list[Batch] | None = None
        super().__init__(*args, rollout_func=rollout.rollout, **kwargs)

    def _generate_and_score_completions(self, inputs: Any) -> Batch:
        batch: Batch = super()._generate_and_score_completions(inputs)
        turns = [row["turns"] for row in inputs]
        table = self._group_rollout.advantages(turns, batch["completion_ids"].shape[1])
        batch["advantages"] = table.to(batch["completion_ids"].device)
        if self._group_rollout.served:
            batch["old_per_token_logps"] = batch["sampling_per_token_logps"]
        return batch

    def _prepare_inputs(self, generation_batch: Any) -> Any:
        count = self.args.steps_per_generation
        if self._step % count == 0 or self._buffered_inputs is None:
            batch = self._generate_and_score_completions(generation_batch)
            self._buffered_inputs = by_length(batch, count)
        return self._buffered_inputs[self._step % count]

    def training_step(
        self, model: Any, inputs: Any, num_items_in_batch: Any = None
    ) -> torch.Tensor:
        """A pass over some of the step's episodes; after the last, those over what is imitated."""
        loss: torch.Tensor = super().training_step(model, inputs, num_items_in_batch)
        if self._imitation is not None and self._step % self.args.steps_per_generation == 0:
            self._imitate(model, self._imitation)
        return loss

    def _imitate(self, model: Any, imitation: Imitation) -> None:
        """Add the gradient of the step's transcripts; each process has the same and takes its part of them."""
        drawn, ranks = imitation.draw(self.state.global_step), Ranks()
        if not drawn:
            return
        tokens = sum(number >= 0 for each in drawn for number in each.turn)
        # Dealt out in turn, so that all processes have as long ones, and as many passes.
        own, total = drawn[ranks.rank :: ranks.count], 0.0
        most, pad = self.args.per_device_train_batch_size, self.processing_class.pad_token_id
        whole, device = self.accelerator.unwrap_model(model), self.accelerator.device
        for start in range(0, len(own), most):
            ids, labels = padded(own[start : start + most], pad)
            with self.compute_loss_context_manager():
                loss = imitation_loss(model, whole, ids.to(device), labels.to(device), pad=pad)
            total += float(loss.detach())
            # Gradients of processes are averaged and not summed.
            self.accelerator.backward(imitation.weight * ranks.count / tokens * loss)
        self._group_rollout.course.numbers["imitation/loss"] = sum(ranks.gather([total])) / tokens

    def _compute_loss(self, model: Any, inputs: Batch) -> torch.Tensor:
        self._spoken = (inputs["completion_mask"] * inputs["tool_mask"]).bool()
        return super()._compute_loss(model, inputs)

    def _get_per_token_logps_and_entropies(
        self, model: Any, input_ids: torch.Tensor, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor, None]:
        """(rows, completion) log-probabilities and entropies at the model's tokens, else 0."""
        spoken = self._spoken
        if spoken is None:
            raise RuntimeError("log-probabilities are wanted before a loss was")
        whole = self.accelerator.unwrap_model(model)
        base = inner(whole)

        def scores_of(ids: torch.Tensor) -> torch.Tensor:
            hidden = base.base_model(input_ids=ids, use_cache=False).last_hidden_state[:, :-1]
            logits = base.get_output_embeddings()(hidden[spoken]).float() / self.temperature
            return logits.log_softmax(-1)

        scores = through(model, whole, scores_of, input_ids)
        said = input_ids[:, 1:][spoken]
        empty = torch.zeros(spoken.shape, device=scores.device)
        chosen = empty.masked_scatter(spoken, scores.gather(-1, said[:, None])[:, 0])
        with torch.no_grad():
            entropy = -(scores.exp() * scores).sum(-1)
        return chosen, empty.masked_scatter(spoken, entropy), None


class EntropyCallback(TrainerCallback):
    """Tells the watch the entropy of a step, which the trainer knows after its update."""

    def __init__(self, watch: HackingWatch) -> None:
        self._watch = watch

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float], **_: Any) -> None:
        """Pass it on; a log without it is the trainer's summary."""
        if "entropy" in logs:
            self._watch.hear_entropy(state.global_step, float(logs["entropy"]))


def by_length(batch: Batch, count: int) -> list[Batch]:
    """Cut a generation batch into micro-batches of rows of similar length, without their padding."""
    lengths = batch["completion_mask"].sum(dim=1)
    order = torch.argsort(lengths, stable=True)
    tables = [k for k, v in batch.items() if isinstance(v, torch.Tensor) and v.ndim > 0]
    wide = batch["completion_ids"].shape[1]
    out = []
    for rows in order.chunk(count):
        longest = int(lengths[rows].max())
        part = dict(batch)
        for key in tables:
            rest = batch[key][rows.to(batch[key].device)]
            part[key] = rest[:, :longest] if rest.ndim > 1 and rest.shape[1] == wide else rest
        out.append(part)
    return out


def schedule(config: GrpoConfig) -> ScheduleArguments:
    """The schedule, in transformers' words: a polynomial of no difference is refused there."""
    if config.learning_rate_end == config.learning_rate:
        return {"lr_scheduler_type": "constant"}
    falling = {"lr_end": config.learning_rate_end, "power": 1.0}
    return {"lr_scheduler_type": "polynomial", "lr_scheduler_kwargs": falling}


def grpo_arguments(
    config: GrpoConfig, train: TrainConfig, folder: Path, seed: int, rows: int
) -> TrainerConfig:
    """What TRL's trainer is told; from the same as :func:`~gonogo.training.training_loop.trainer_arguments`."""
    return trainer_arguments(
        TrainerConfig,
        config,
        train,
        folder,
        seed,
        rows,
        max_steps=config.steps,
        steps_per_generation=passes(rows, train.micro_batch),
        num_generations=config.group_size,
        num_iterations=1,
        loss_type="dapo",
        beta=0.0,
        epsilon=config.clip_low,
        epsilon_high=config.clip_high,
        temperature=config.temperature,
        mask_truncated_completions=False,
        **schedule(config),
        disable_dropout=True,
    )


def train_grpo(
    speaker: Speaker,
    config: GrpoConfig,
    rollout: GroupRollout,
    folder: Path,
    seed: int,
    train: TrainConfig,
    imitation: Imitation | None = None,
) -> None:
    """Train in place, from the newest checkpoint in the folder if there is one.

    Args:
        speaker: The model.
        config: How long and how fast.
        rollout: Flies; its course watches.
        folder: For checkpoints.
        seed: Passed to TRL; episodes draw from streams of their own.
        train: How a step's episodes go through the model.
        imitation: What is learned from a teacher beside it; None for nothing.
    """
    groups = Ranks().share(config.tasks_per_step, "train.grpo.tasks_per_step")
    rows = groups * config.group_size
    numbers = [str(number) for number in range(config.steps * config.tasks_per_step)]
    with warnings.catch_warnings():
        # TRL warns that rollout_func may change; its version is pinned for that reason.
        warnings.filterwarnings("ignore", message=".*rollout_func", category=UserWarning)
        trainer = TurnTrainer(
            speaker.model,
            reward_funcs=[score],
            args=grpo_arguments(config, train, folder, seed, rows),
            train_dataset=Dataset.from_dict({"prompt": numbers}),
            processing_class=speaker.tokenizer,
            course=rollout.course,
            callbacks=[] if rollout.watch is None else [EntropyCallback(rollout.watch)],
            rollout=rollout,
            imitation=imitation,
        )
    trainer.go_on()
    speaker.model.eval()
