"""The model in training, with the environments that it flies: what SFT and GRPO share.

Owns no loss and no order of phases. Everything random is drawn from streams named by the run's seed and
a purpose, so that a phase that is repeated draws the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from gonogo.config import GrpoConfig, RunConfig, SftConfig, TrainConfig
from gonogo.errors import Misuse
from gonogo.models import saved as models
from gonogo.models.model_policy import ModelPolicy
from gonogo.models.pretrained import load_trainable
from gonogo.models.tokenizer import Speaker, TurnFormat, train_tokenizer
from gonogo.models.vllm import Served, VllmServer
from gonogo.rollouts.engine import Flight
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.summary import Losses, check_losses
from gonogo.training.curriculum import Curriculum, TrainingTask
from gonogo.training.environments import (
    IMITATED,
    ORDER,
    SAMPLING,
    SELF,
    VALIDATION,
    WEIGHTS,
    Environments,
    TrainingEnvironment,
    by_number,
    seed_of,
    validation_of,
)
from gonogo.training.grpo import GroupRollout, train_grpo
from gonogo.training.processes import Ranks
from gonogo.training.reward_hacking import HackingWatch, known_plans, watched_stages
from gonogo.training.saving import keep
from gonogo.training.sft import Imitation, train_sft
from gonogo.training.tracking import TrainingObserver, metrics_of
from gonogo.training.training_loop import TrainingCallback, TrainingHooks
from gonogo.training.transcripts import Transcript, flown, taught, texts

MOST_REFUSED = 0.5
"""Share of refused replies from which a model does not act."""


class Trainee:
    """The model and how it is flown.

    Args:
        run: The whole config.
        train: Its training part.
        environments: Where it is flown, open.
        speaker: The model.
        folder: Of the run's models and checkpoints.
        observer: Who hears of it.

    Attributes:
        losses: Of reinforcement's flights; None before it.
    """

    def __init__(
        self,
        run: RunConfig,
        train: TrainConfig,
        environments: Environments,
        speaker: Speaker,
        folder: Path,
        observer: TrainingObserver,
    ) -> None:
        self._run, self._train = run, train
        self._environments = environments
        self._folder, self._observer = folder, observer
        self._refused = 1.0
        self._figures: dict[str, float] = {}
        self._said: tuple[int, ...] = ()
        self._ranks = Ranks()
        rollout = run.rollout
        self._served = None
        if rollout.vllm is not None:
            self._served = Served(VllmServer(rollout.vllm, rollout.timeout_s))
        self.speaker = speaker
        self.losses: Losses | None = None

    def fly(
        self,
        tasks: Sequence[TrainingTask] | Mapping[int, TrainingTask],
        name: str,
        temperature: float | None,
        *purpose: int,
        on_episode: Callable[[Episode], None] | None = None,
    ) -> list[Episode]:
        """Fly tasks with the present weights; of several processes, each flies a part and has all the episodes.

        Args:
            tasks: What to fly and where; those of equal ones, a group, fall to one process. A mapping gives the
                episodes' indices.
            name: The policy's name for the record.
            temperature: Of sampling; None for greedy.
            purpose: Names the random streams, with the run's seed.
            on_episode: Takes each episode that this process flies, as it ends.

        Raises:
            Misuse: The server that flies them has other weights, or takes no adapter.
            PolicyFailure: It did not answer.
        """
        rollout, grpo = self._run.rollout, self._train.grpo or GrpoConfig()
        if self._served is not None:
            mains = (
                [self._served.send(self.speaker, self._folder / "served")]
                if self._ranks.main
                else []
            )
            (self._served.adapter,) = self._ranks.gather(mains)

        def policy(where: TrainingEnvironment) -> ModelPolicy:
            return ModelPolicy(
                self.speaker.told(where.env.instructions),
                name,
                max_reply_tokens=rollout.max_reply_tokens,
                temperature=temperature,
                seed=where.stream(self._run.seed, *purpose),
                cache_mib=rollout.cache_mib,
                served=self._served,
            )

        flight = Flight(
            self._run.target,
            max_turns=rollout.max_turns,
            potential_key=grpo.potential_key,
            anchor_key=grpo.anchor_key,
            decoding="greedy" if temperature is None else "sampled",
            slots=rollout.slots,
            gives_up=True,
        )
        wanted = list(by_number(tasks).items())
        mine = dict(wanted[number] for number in self._ranks.part(len(wanted)))
        return self._ranks.together(
            lambda: self._environments.fly(mine, policy, flight, on_episode=on_episode)
        )

    def fly_own(self, tasks: Sequence[TrainingTask] | Mapping[int, TrainingTask]) -> list[Episode]:
        """The model's own sampled episodes, the best of which are to be learned from."""
        return self.fly(tasks, SELF, 1.0, SAMPLING, 0, on_episode=self._observer.flown)

    def validate(self) -> float:
        """Mean score of the present weights on the validation tasks.

        Raises:
            EnvironmentFailure: As for :meth:`validation_episodes`.
        """
        parts = self._parts(self.validation_episodes())
        # A model that acts in one environment and not in another does not act.
        self._refused = max(metrics_of(part)["episode/invalid_rate"] for part in parts.values())
        self._figures = {}
        if len(parts) > 1:
            self._figures = {f"validation/{n}/score": mean_score(p) for n, p in parts.items()}
        episodes = [episode for part in parts.values() for episode in part]
        if lost := sum(episode.error is not None for episode in episodes):
            self._figures["validation/lost"] = lost
        return mean_score(episodes)

    def _parts(self, episodes: Sequence[Episode]) -> dict[str, Sequence[Episode]]:
        """The validation's episodes of each environment."""
        count = self._train.validation.episodes
        names = [each.name for each in self._environments]
        return {name: episodes[n * count : (n + 1) * count] for n, name in enumerate(names)}

    def validation_episodes(self) -> list[Episode]:
        """The validation tasks flown, those of one environment after the other.

        Raises:
            EnvironmentFailure: So many of one were lost that those that are left do not stand for all.
        """
        temperature = self._train.validation.temperature
        episodes = self.fly(validation_of(self._run), "validation", temperature, VALIDATION)
        for name, part in self._parts(episodes).items():
            lost = [episode.error for episode in part if episode.error is not None]
            what = "validation" if len(self._environments) == 1 else f"validation in {name}"
            check_losses(what, lost, len(part))
        whole = [episode for episode in episodes if episode.error is None]
        self._said = flown(next((e for e in whole if e.turns), whole[0])).ids
        return episodes

    def measure(self) -> dict[str, float]:
        """Score, success and the like of the present weights on the validation tasks."""
        return metrics_of(self.validation_episodes())

    def sft(self, config: SftConfig, traces: Sequence[Episode]) -> TrainingCallback:
        """Supervised training in place; the best weights are in the folder ``models/sft``.

        Raises:
            Misuse: An episode is longer than the context, or there is nothing to learn from.
        """
        course = TrainingCallback(self._watch("sft", config.validate_every, config.patience))
        speaker = self.speaker
        transcripts = [transcript for _, transcript in self._transcripts(config, traces)]
        check_transcripts(transcripts, speaker.context)
        seed = seed_of([self._run.seed, ORDER])
        train_sft(speaker, transcripts, config, course, self._folder / "sft", seed, self._train)
        return course

    def _transcripts(
        self, config: SftConfig, traces: Sequence[Episode]
    ) -> list[tuple[int, Transcript]]:
        """What was flown as tokens to learn from, each with the number of its stage."""
        tasks = Curriculum(self._train.curriculum).teaching(config.episodes)

        def learned(episode: Episode) -> Transcript:
            if config.teacher == SELF:
                return flown(episode, refused=False)
            tokenizer, turns = self.speaker.tokenizer, self._turns(episode)
            return taught(episode, tokenizer, turns, noise=config.learn_noise)

        return [
            (tasks[episode.index].stage, learned(episode))
            for episode in traces
            if episode.error is None
        ]

    def _turns(self, episode: Episode) -> TurnFormat:
        """The turn format of an episode: what was told in its environment."""
        return self.speaker.told(self._environments.flew(episode).env.instructions).turns

    def grpo(self, traces: Sequence[Episode] = ()) -> TrainingCallback:
        """Reinforcement in place; the best weights are in the folder ``models/trained``.

        Args:
            traces: What SFT learned from, for what is imitated beside it.

        Raises:
            Misuse: The config has no such part.
        """
        config = self._train.grpo
        if config is None:
            raise Misuse("train.grpo is not given")
        self._ranks.share(config.tasks_per_step, "train.grpo.tasks_per_step")
        start = 0 if self._train.sft is None else self._train.sft.episodes
        curriculum = Curriculum(self._train.curriculum, start)
        planned = config.steps * config.tasks_per_step * config.group_size
        losses = Losses("GRPO's flights", planned)
        watched = self._train.watch
        watch = None
        if watched.on_alarm != "off":
            stages = watched_stages(self._run, tuple(self._environments))
            plans = known_plans(watched, self._run.out)
            watch = HackingWatch(watched, plans, stages)
        course = TrainingCallback(
            self._watch("grpo", config.validate_every), curriculum, losses, watch
        )

        def fly_step(tasks: Sequence[TrainingTask], step: int) -> list[Episode]:
            return self.fly(tasks, "training", config.temperature, SAMPLING, step)

        rollout = GroupRollout(
            fly_step,
            curriculum,
            config,
            self._observer.show,
            course,
            losses,
            watch,
            served=self._served is not None,
        )
        seed = seed_of([self._run.seed, ORDER])
        imitation = self._imitation(config, curriculum, traces)
        folder = self._folder / "grpo"
        train_grpo(self.speaker, config, rollout, folder, seed, self._train, imitation)
        self.losses = losses
        return course

    def _imitation(
        self, config: GrpoConfig, curriculum: Curriculum, traces: Sequence[Episode]
    ) -> Imitation | None:
        """What is imitated beside reinforcement; None where that is nothing."""
        sft = self._train.sft
        if not config.imitated or sft is None:
            return None
        self._ranks.share(config.imitated, "train.grpo.imitated")
        return Imitation(
            self._transcripts(sft, traces),
            curriculum.closed,
            config.imitated,
            config.imitation_weight,
            (self._run.seed, IMITATED),
        )

    def _watch(self, stage: str, every: int, patience: int | None = None) -> TrainingHooks:
        folder = models.model_folder(self._folder, "trained" if stage == "grpo" else stage)

        def keep_best() -> None:
            if self._ranks.main:
                keep(self.speaker, folder, self._said)
            self._ranks.wait()

        return TrainingHooks(
            stage=stage,
            validate=self.validate,
            keep=keep_best,
            write=self._observer.row,
            interrupted=lambda: self._ranks.any(self._observer.interrupted()),
            every=every,
            patience=patience,
            acts=lambda: self._refused < MOST_REFUSED,
            figures=lambda: self._figures,
            best=folder,
        )


def mean_score(episodes: Sequence[Episode]) -> float:
    """Mean score of those that were not lost; an episode that was paid for nothing counts as 0."""
    return fmean(e.episode_return or 0.0 for e in episodes if e.error is None)


def check_transcripts(transcripts: Sequence[Transcript], context: int) -> None:
    """Whether there is something to learn from, and all of it fits.

    Raises:
        Misuse: It does not.
    """
    if not any(number >= 0 for each in transcripts for number in each.turn):
        raise Misuse("train.sft: the teacher's episodes hold no action that the environment took")
    longest = max(len(each.ids) for each in transcripts)
    if longest > context:
        raise Misuse(
            f"model.context must hold an episode, and the longest of the teacher's takes {longest} tokens, not "
            f"{context}: raise it, or lower rollout.max_turns"
        )


def new_speaker(run: RunConfig, traces: Sequence[Episode], system: str) -> Speaker:
    """The model before training: pretrained, or made from scratch for the words of the traces.

    Args:
        run: The config.
        traces: Episodes of a teacher; a pretrained model does without.
        system: What a pretrained model is told before the first observation; one made from scratch cannot read.

    Raises:
        As :func:`~gonogo.models.pretrained.load_trainable`.
    """
    seed = seed_of([run.seed, WEIGHTS])
    if run.model.pretrained is not None:
        return load_trainable(run.model, system, seed)
    tokenizer = train_tokenizer(texts(traces), run.model.vocabulary)
    return models.make(run.model, tokenizer, seed)
