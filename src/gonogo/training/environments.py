"""The environments of a run: the target, and those that a training flies beside it.

A :class:`TrainingEnvironment` is one of them, :class:`Environments` are all, opened. Tasks name the environment that
they are flown in, and their episodes come back in the tasks' order, whichever flew them. One that has a single
environment flies as if there were nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace

import numpy as np

from gonogo.config import RunConfig, SftConfig, Stage, TaskSource
from gonogo.env.environment import Env
from gonogo.env.target import Target, resolve
from gonogo.errors import Misuse, RecordError, TargetError
from gonogo.policies.named import find_policy, teacher_named
from gonogo.rollouts.engine import Flight, Progress
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.schema import rooted
from gonogo.rollouts.types import Policy, numbered
from gonogo.training.curriculum import TrainingTask

WEIGHTS, TEACHER, NOISE, ORDER, SAMPLING, VALIDATION, IMITATED = range(7)
"""Purposes of a run's random streams."""
SELF = "self"


@dataclass(frozen=True, slots=True)
class TrainingEnvironment:
    """One environment of a run.

    Attributes:
        key: What tasks call it; None for the run's target.
        name: What logs call it.
        env: The environment itself.
        teacher: Policy that SFT imitates in it, where that is not the training's.
        shipper: Who ships the teacher.
        number: Its place in the run, from 0 for the run's target; names its random streams.
    """

    key: str | None
    name: str
    env: Env
    teacher: str | None
    shipper: Target
    number: int

    @property
    def fields(self) -> list[str]:
        """Fields of its action."""
        return list(rooted(self.env.schemas.action).get("properties", {}))

    def teacher_of(self, sft: SftConfig) -> str | None:
        """Name of the policy to imitate in it; None where the model is to be its own teacher.

        Raises:
            Misuse: There is no such policy.
        """
        if sft.teacher == SELF:
            return None
        references = self.shipper.references
        declared = None if references is None else references.teacher
        found = self.teacher or sft.teacher or declared
        what = (
            "train.sft.teacher" if self.key is None else f"train.environments, {self.name}: teacher"
        )
        return teacher_named(found, self.shipper, what)

    def explorer_of(self, sft: SftConfig) -> str:
        """Name of the policy whose fields its teacher's noisy decisions take.

        Raises:
            Misuse: There is no such policy.
        """
        where = "" if self.key is None else f", in {self.name},"
        return teacher_named(sft.explorer, self.shipper, f"train.sft.explorer{where}")

    def policy(self, name: str, seed: int) -> Policy:
        """One of its shipper's policies, which flies in it.

        Args:
            name: As :func:`~gonogo.policies.named.find_policy` takes it.
            seed: Of the policy's draws.

        Raises:
            Misuse: No policy has that name.
        """
        return find_policy(name, self.shipper, self.env.schemas, seed=seed).policy

    def stream(self, *purpose: int) -> tuple[int, ...]:
        """What a random stream of this environment is made from; the first one's is the purpose alone."""
        return purpose if self.number == 0 else (*purpose, self.number)


def environments_of(run: RunConfig) -> tuple[TrainingEnvironment, ...]:
    """The environments of a run, the target first; nothing is opened.

    Raises:
        Misuse: A reward is given, which is written for one environment, and there are several; or one is called like
            the run's target.
        TargetError: There is no environment at a target.
    """
    train, own = run.train, Env.of(run)
    sft = None if train is None else train.sft
    others = () if train is None else train.environments
    if others and run.reward is not None:
        raise Misuse(
            f"reward must be null where a training has several environments, not {run.reward}: it is written for the "
            "actions and observations of one"
        )
    shipper = own.target if sft is None or sft.teacher_from is None else resolve(sft.teacher_from)
    found = [TrainingEnvironment(None, own.name, own, None, shipper, 0)]
    for number, other in enumerate(others, start=1):
        if other.name == own.name:
            raise Misuse(
                f"train.environments must not be called like the run's target, {own.name!r}"
            )
        try:
            there = Env(other.target, run.rollout.model_copy(update={"success": other.success}))
            ships = there.target if other.teacher_from is None else resolve(other.teacher_from)
        except TargetError as error:
            raise TargetError(f"train.environments, {other.name}: {error}") from None
        found.append(
            TrainingEnvironment(other.name, other.name, there, other.teacher, ships, number)
        )
    return tuple(found)


def validation_of(run: RunConfig, *, once: bool = False) -> list[TrainingTask]:
    """The validation tasks of a run's training: as many of each environment, one after the other.

    Args:
        run: The config.
        once: Only the first task of each kind.
    """
    if run.train is None:
        raise Misuse("train: the config must say how, and it is not given")
    sources: dict[str | None, TaskSource] = {None: run.train.validation.tasks}
    sources |= {each.name: each.validation for each in run.train.environments}
    return [
        TrainingTask(numbered(source.options_of(number), source.start + number), key)
        for key, source in sources.items()
        for number in range((len(source.in_turn) or 1) if once else run.train.validation.episodes)
    ]


class Environments:
    """The environments of a run, open.

    Args:
        found: They, the run's target first. Each is opened; if one fails, those before it are closed.

    Raises:
        As :func:`~gonogo.env.environment.connect`.
    """

    def __init__(self, found: Iterable[TrainingEnvironment]) -> None:
        self._opened = tuple(found)
        self._by_key = {each.key: each for each in self._opened}
        self._by_target = {str(each.env): each for each in self._opened}
        with ExitStack() as undo:
            undo.callback(self.close)
            for each in self._opened:
                each.env.open()
            undo.pop_all()

    def __iter__(self) -> Iterator[TrainingEnvironment]:
        return iter(self._opened)

    def __len__(self) -> int:
        return len(self._opened)

    @property
    def first(self) -> TrainingEnvironment:
        """The run's target."""
        return self._opened[0]

    def check_noise(self, sft: SftConfig, stages: Sequence[Stage]) -> None:
        """Whether each field that is to be noisy, everywhere or in a stage, is one of an action's, with an explorer.

        Raises:
            Misuse: It is not, or an environment has no such explorer.
        """
        for each in self._opened:
            each.explorer_of(sft)
        fields = list(dict.fromkeys(field for each in self._opened for field in each.fields))
        given = {"train.sft.noise": sft.noise}
        given |= {f"the noise of stage {stage.name}": stage.noise or {} for stage in stages}
        for what, noise in given.items():
            if strangers := [field for field in noise if field not in fields]:
                raise Misuse(f"{what} must name fields of the action, {fields}, not {strangers}")

    def flew(self, episode: Episode) -> TrainingEnvironment:
        """The environment that an episode was flown in.

        Raises:
            RecordError: It is none of several.
        """
        if len(self._opened) == 1:
            return self.first
        if episode.target not in self._by_target:
            raise RecordError(
                f"an episode was flown in {episode.target}, which is none of the run's environments, "
                f"{list(self._by_target)}"
            )
        return self._by_target[episode.target]

    def fly(
        self,
        tasks: Mapping[int, TrainingTask],
        policy: Callable[[TrainingEnvironment], Policy],
        flight: Flight,
        on_progress: Callable[[int, int], None] | None = None,
        on_episode: Callable[[Episode], None] | None = None,
    ) -> list[Episode]:
        """Fly every task once, in one environment after the other.

        Args:
            tasks: By the episodes' indices.
            policy: Makes who flies in an environment; closed when it has flown.
            flight: How; its target is the environment's in each.
            on_progress: Takes how many episodes of how many have been flown.
            on_episode: Takes each episode as it ends.

        Returns:
            The episodes in the order of the tasks, lost ones included.
        """
        flown: dict[int, Episode] = {}

        def tell(done: Progress) -> None:
            if on_progress is not None:
                on_progress(len(flown) + done.episodes, len(tasks))

        for key, opened in self._by_key.items():
            ours = {number: t.options for number, t in tasks.items() if t.environment == key}
            if not ours:
                continue
            here = replace(flight, target=str(opened.env))
            with closing(policy(opened)) as flier:
                episodes = opened.env.rollout(
                    flier, ours, here, on_episode=on_episode, on_progress=tell
                )
            flown |= {episode.index: episode for episode in episodes}
        return [flown[number] for number in tasks]

    def close(self) -> None:
        """End all environments. Safe to call twice."""
        for each in self._opened:
            each.env.close()


def by_number(
    tasks: Sequence[TrainingTask] | Mapping[int, TrainingTask],
) -> dict[int, TrainingTask]:
    """Tasks by the indices of their episodes."""
    return dict(tasks.items() if isinstance(tasks, Mapping) else enumerate(tasks))


def seed_of(stream: Sequence[int]) -> int:
    """A seed for libraries that take one number."""
    return int(np.random.SeedSequence(stream).generate_state(1)[0])
