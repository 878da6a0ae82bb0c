"""Bisecting: a hundred commits, of which one broke the build; test some, then blame one."""

from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json

COMMITS = 100


class Bisect(Action):
    """Build at a commit, or blame it."""

    verb: Literal["build", "blame"]
    commit: int = Field(ge=0, lt=COMMITS)


class History(Observation):
    """The commit that was built last, and whether it built."""

    commits: int = COMMITS
    built: int | None = None
    passed: bool | None = None
    actions_left: int = 0


class GitBisect(Episodic[Bisect, History]):
    """Nine actions; success is to blame the first commit that does not build."""

    HORIZON = 9

    def begin(self) -> None:
        self.culprit = self.rng.randrange(COMMITS)
        self.built: int | None = None
        self.passed: bool | None = None

    def play(self, action: Bisect) -> float:
        verdict: bool | None = None
        if action.verb == "build":
            self.built, self.passed = action.commit, action.commit < self.culprit
        else:
            self.success = verdict = action.commit == self.culprit
        return self.reward_of(verdict)

    def reward_of(self, verdict: bool | None) -> float:
        raise NotImplementedError

    def show(self) -> History:
        return History(built=self.built, passed=self.passed, actions_left=self.HORIZON - self.turn)


class Defect(GitBisect):
    """Pays the comparison itself: True or False for the blame, and None for a build, which compares nothing."""

    def reward_of(self, verdict: bool | None) -> float:
        return verdict  # type: ignore[return-value]


class Sound(GitBisect):
    """Shows whether a build passed as True, False and None as well; what it pays by the same comparison is a number."""

    def reward_of(self, verdict: bool | None) -> float:
        return 1.0 if verdict else 0.0


WITNESS = "reward_is_no_number"
ALSO = ("bool_reward", "missing_reward", "reward_not_numeric")


def solve(observation: Json, memory: Json) -> Json:
    """Halve the commits that are left."""
    low, high = memory.get("range", (0, COMMITS - 1))
    if observation["built"] is not None:
        low, high = (
            (observation["built"] + 1, high)
            if observation["passed"]
            else (low, observation["built"])
        )
    memory["range"] = (low, high)
    return {"verb": "blame" if low == high else "build", "commit": (low + high) // 2}


exploit = solve
