"""What every environment of the zoo shares, so that a module holds its rules and its one defect only.

An episode draws its task from the seed (``begin``), is played a move at a time (``play``) and shown
(``show``). It ends when ``play`` sets ``success``, or unsuccessfully at the horizon; a step after the
end pays nothing. All randomness comes from ``rng``; a reset without a seed is the one with seed 0.
"""

from __future__ import annotations

from abc import abstractmethod
from random import Random
from typing import Any, ClassVar, Generic, TypeVar
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

Json = dict[str, Any]
ActT = TypeVar("ActT", bound=Action)
ObsT = TypeVar("ObsT", bound=Observation)


class Episodic(Environment[ActT, ObsT, State], Generic[ActT, ObsT]):
    """One episode at a time, from its seed to its declared success.

    Attributes:
        HORIZON: Steps after which the episode ends.
        SUCCESS: The observation's field that says success; None where the metadata says it.
        rng: The episode's only source of chance.
        success: None while the episode runs; what it is set to ends the episode.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True
    HORIZON: ClassVar[int] = 12
    SUCCESS: ClassVar[str | None] = None

    def __init__(self) -> None:
        super().__init__()
        self.rng = Random(0)
        self.success: bool | None = None
        self._state = State()

    @abstractmethod
    def begin(self) -> None:
        """Draw the task."""

    @abstractmethod
    def play(self, action: ActT) -> float:
        """Make a move; give its reward, and end the episode by setting ``success``."""

    @abstractmethod
    def show(self) -> ObsT:
        """What the agent sees."""

    def reset(self, seed: int | None = None, episode_id: str | None = None) -> ObsT:
        """Start the seed's episode."""
        return self.start(f"{seed or 0}", episode_id)

    def start(self, task: str, episode_id: str | None) -> ObsT:
        """Start the episode that a task's name stands for."""
        self.rng = Random(task)
        self.success = None
        self._state = State(episode_id=episode_id or str(uuid4()))
        self.begin()
        return self.answer(None)

    def step(self, action: ActT, timeout_s: float | None = None, **_: Any) -> ObsT:
        """Count the step and play it."""
        if self._state.episode_id is None:
            raise RuntimeError("reset comes before step")
        if self.success is not None:
            return self.answer(self.pay_after_done())
        self._state.step_count += 1
        reward = self.play(action)
        if self.last and self.success is None:
            self.success = False
        return self.answer(reward)

    def pay_after_done(self) -> float:
        """Nothing."""
        return 0.0

    def answer(self, reward: float | None) -> ObsT:
        """The observation with reward, done and success."""
        seen = self.show()
        seen.reward, seen.done = reward, self.success is not None
        if self.SUCCESS is None:
            seen.metadata["success"] = self.success
        else:
            setattr(seen, self.SUCCESS, self.success)
        return seen

    @property
    def turn(self) -> int:
        """Steps so far, the one that is being played included."""
        return self._state.step_count

    @property
    def last(self) -> bool:
        """Whether this step is the last."""
        return self.turn >= self.HORIZON

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state


class Tasked(Episodic[ActT, ObsT]):
    """An environment with OpenEnv's task API: numbered tasks in splits, beside the seeds.

    Attributes:
        SPLITS: How many tasks each split has.
        index: The task's number; 0 where the episode was asked for by seed alone.
    """

    SPLITS: ClassVar[dict[str, int]] = {"train": 40, "test": 20}

    def __init__(self) -> None:
        super().__init__()
        self.index = 0

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: str | None = None,
        index: int = 0,
    ) -> ObsT:
        """Start a task of a split, or the seed's episode; a task is a kind of episode, drawn by the seed."""
        self.index = 0
        if split is None:
            return super().reset(seed, episode_id)
        self.index = self.get_task(split, index)["index"]
        return self.start(f"{split}/{index}/{seed or 0}", episode_id)

    def list_splits(self) -> list[str]:
        """The splits' names."""
        return list(self.SPLITS)

    def num_tasks(self, split: str) -> int:
        """How many tasks a split has."""
        if split not in self.SPLITS:
            raise IndexError(f"no split {split!r}: {', '.join(self.SPLITS)}")
        return self.SPLITS[split]

    def get_task(self, split: str, index: int) -> Json:
        """One task's name and number."""
        if not 0 <= index < self.num_tasks(split):
            raise IndexError(f"{split} has tasks 0 to {self.num_tasks(split) - 1}, not {index}")
        return {"id": f"{split}-{index}", "index": index}

    def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None
    ) -> list[Json]:
        """A slice of a split's tasks."""
        return self.list_tasks(split)[start:stop]

    def list_tasks(self, split: str) -> list[Json]:
        """A split's tasks."""
        return [self.get_task(split, index) for index in range(self.num_tasks(split))]
