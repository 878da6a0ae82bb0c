"""Whose episodes SFT learns from: a teacher's, disturbed by noise, or the best of the model's own."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from gonogo.config import RunConfig, SftConfig, Stage
from gonogo.errors import Misuse
from gonogo.rollouts.engine import Flight
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.log import key_of
from gonogo.rollouts.types import Policy, Reply, View
from gonogo.training.curriculum import TrainingTask
from gonogo.training.environments import (
    NOISE,
    TEACHER,
    Environments,
    TrainingEnvironment,
    by_number,
    seed_of,
)
from gonogo.training.tracking import TrainingObserver
from gonogo.wire import Action, TaskOptions

COUNTERS = ("index", "seed")


def best_of(episodes: Sequence[Episode], share: float) -> list[Episode]:
    """The best episodes by their score, of each stage as many; none that is not better than the stage's worst.

    Args:
        episodes: All that were flown; lost and unscored ones are never kept.
        share: Of each stage's scored episodes; rounded up.

    Returns:
        In the order that they came in.

    Raises:
        Misuse: In no stage is an episode better than another: there is nothing to choose.
    """
    stages: dict[str, list[Episode]] = defaultdict(list)
    for episode in episodes:
        if episode.error is None and episode.episode_return is not None:
            fixed = {name: v for name, v in episode.task.items() if name not in COUNTERS}
            stages[json.dumps([episode.target, fixed], sort_keys=True)].append(episode)
    kept = set()
    for flown in stages.values():
        worst = min(score_of(episode) for episode in flown)
        ranked = sorted(flown, key=score_of, reverse=True)[: math.ceil(share * len(flown))]
        kept |= {id(episode) for episode in ranked if score_of(episode) > worst}
    if not kept:
        scored = sum(map(len, stages.values()))
        raise Misuse(
            f"train.sft.teacher self: none of the model's {scored} scored episodes of {len(episodes)} is better "
            "than another of its stage, so that there is nothing to choose: give a teacher, or easier stages"
        )
    return [episode for episode in episodes if id(episode) in kept]


def score_of(episode: Episode) -> float:
    """An episode's score; only scored ones are asked for it."""
    return episode.episode_return or 0.0


class NoisyTeacher:
    """A teacher, some fields of whose actions are replaced by those of another policy, such as random ones.

    Traces then show how to recover. A neighbour of what was right is also where something better is likely to be:
    what a model never says, reinforcement never finds. :func:`~gonogo.training.transcripts.taught` decides whether
    it is learned like the rest.

    Args:
        teacher: Who is imitated.
        explorer: Whose fields stand in; it sees what the teacher sees.
        noise: For an episode's reset options, by the names of fields, the share of actions in which the field is the
            explorer's.
        rng: Decides when.
        together: Whether one draw decides for all fields of an action.
    """

    def __init__(
        self,
        teacher: Policy,
        explorer: Policy,
        noise: Callable[[TaskOptions], Mapping[str, float]],
        rng: np.random.Generator,
        *,
        together: bool = False,
    ) -> None:
        self.name = teacher.name
        self._teacher, self._explorer = teacher, explorer
        self._noise, self._rng, self._together = noise, rng, together

    def begin(self, slots: Iterable[int]) -> None:
        """New episodes start in these slots."""
        slots = list(slots)
        self._teacher.begin(slots)
        self._explorer.begin(slots)

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """The teacher's actions, some replaced."""
        taught_actions = self._teacher.act(views)
        drawn_actions = self._explorer.act(views)
        replies = {}
        for slot, reply in taught_actions.items():
            own, drawn = reply.action or {}, drawn_actions[slot].action or {}
            mixed = self._mixed(self._noise(views[slot].options), own, drawn)
            replies[slot] = Reply(action=mixed, noisy=mixed != own)
        return replies

    def _mixed(self, noise: Mapping[str, float], action: Action, drawn: Action) -> Action:
        """The action, with each noisy field replaced as often as the noise says."""
        draws = self._rng.random(1 if self._together else len(noise))
        shares = zip(noise.items(), np.broadcast_to(draws, len(noise)), strict=True)
        swapped = [name for (name, share), draw in shares if draw < share]
        return action | {name: drawn[name] for name in swapped if name in drawn}

    def end(self, slots: Iterable[int]) -> None:
        """The episodes in these slots have ended."""
        slots = list(slots)
        self._teacher.end(slots)
        self._explorer.end(slots)

    def close(self) -> None:
        """End both."""
        self._teacher.close()
        self._explorer.close()


def fly_teacher(
    run: RunConfig,
    sft: SftConfig,
    stages: Sequence[Stage],
    tasks: Sequence[TrainingTask] | Mapping[int, TrainingTask],
    environments: Environments,
    observer: TrainingObserver,
) -> list[Episode]:
    """The episodes of each environment's teacher, with some fields of its actions replaced, as each stage says.

    Args:
        run: The config.
        sft: Its part about the teacher.
        stages: Of the curriculum.
        tasks: What to fly; a mapping gives the episodes' indices.
        environments: Where.
        observer: Who hears of it.

    Raises:
        Misuse: There is no such teacher or explorer, or no action has such a field.
    """
    names = {each.key: each.teacher_of(sft) for each in environments}
    environments.check_noise(sft, stages)
    wanted = by_number(tasks)

    def teacher(where: TrainingEnvironment) -> NoisyTeacher:
        name = names[where.key]
        if name is None:
            raise Misuse("train.sft.teacher must be a policy, not the model itself")
        drawing = where.stream(run.seed, NOISE)
        explorer = where.policy(where.explorer_of(sft), seed_of(drawing))
        imitated = where.policy(name, seed_of(where.stream(run.seed, TEACHER)))
        noises = [sft.noise if stage.noise is None else stage.noise for stage in stages]
        known = [{f: noise[f] for f in noise if f in where.fields} for noise in noises]
        ours = (task for task in wanted.values() if task.environment == where.key)
        shares = {key_of(task.options): known[task.stage] for task in ours}
        rng = np.random.default_rng(drawing)
        return NoisyTeacher(
            imitated,
            explorer,
            lambda options: shares[key_of(options)],
            rng,
            together=sft.noise_together,
        )

    flight = Flight(
        run.target, max_turns=run.rollout.max_turns, slots=run.rollout.slots, gives_up=True
    )
    return environments.fly(wanted, teacher, flight, observer.progress, observer.flown)
