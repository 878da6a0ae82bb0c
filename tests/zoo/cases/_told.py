"""What some pairs add to the zoo's base: success by other names, reward breakdowns, rubrics."""

from __future__ import annotations

from typing import Any, ClassVar

from openenv.core.rubrics import Rubric

from ._base import ActT, Episodic, Json, ObsT, Tasked

__all__ = ["Episodic", "Graded", "Json", "Tasked", "Told"]


class Told(Episodic[ActT, ObsT]):
    """Says success in the metadata under a name of its own, beside the reward's parts.

    Attributes:
        SUCCESS_KEY: The metadata's key that says success.
        PARTS_KEY: The metadata's key of the reward's parts; None where they are not told.
        parts: What the episode has earned so far, by part.
    """

    SUCCESS_KEY: ClassVar[str] = "success"
    PARTS_KEY: ClassVar[str | None] = None

    def __init__(self) -> None:
        super().__init__()
        self.parts: dict[str, float] = {}

    def start(self, task: str, episode_id: str | None) -> ObsT:
        """Start the episode with nothing earned."""
        self.parts = {}
        return super().start(task, episode_id)

    def earn(self, **parts: float) -> float:
        """Book the parts of a reward; give their sum."""
        for name, amount in parts.items():
            self.parts[name] = self.parts.get(name, 0.0) + amount
        return sum(parts.values())

    def answer(self, reward: float | None) -> ObsT:
        """The observation with reward, done, success and parts."""
        seen = super().answer(reward)
        if self.SUCCESS is None:
            seen.metadata[self.SUCCESS_KEY] = seen.metadata.pop("success")
        if self.PARTS_KEY is not None:
            seen.metadata[self.PARTS_KEY] = dict(self.parts)
        return seen


class Graded(Told[ActT, ObsT]):
    """Paid by an OpenEnv rubric, which is made once for an environment and tells its last scores."""

    def __init__(self) -> None:
        super().__init__()
        self.rubric: Any = self.make_rubric()

    def make_rubric(self) -> Rubric:
        """The rubric; its parts may look at the environment."""
        raise NotImplementedError

    def grade(self, action: ActT, *, done: bool) -> float:
        """The rubric's score of an action and what it led to; the parts are its children's last scores."""
        seen = self.show()
        seen.done = done
        score = self._apply_rubric(action, seen)
        named = self.rubric.named_rubrics()
        self.parts = {name: r.last_score for name, r in named if r.last_score is not None}
        return score
