"""Where an audit flies: one process of the environment, and the policies that are meant to succeed.

Everything is flown by seeds that are passed in, so that two airfields given the same seeds see the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from gonogo.adapters.policies import shipped
from gonogo.adapters.reference import FunctionPolicy, ReferencePolicy
from gonogo.adapters.targets import FolderTarget, Target, connect
from gonogo.codec import Codec
from gonogo.config import RunConfig
from gonogo.errors import EnvironmentFailure
from gonogo.exploits.panel import Habit, panel
from gonogo.exploits.witness import fly_plans
from gonogo.rollout.engine import Flight, fly
from gonogo.rollout.episodes import Episode
from gonogo.rollout.protocols import Failure, Inspection, Json, Policy

__all__ = ["Airfield", "Guides"]


class Guides:
    """The policies that are meant to succeed: those that the target ships, and the one that was given.

    Their processes start at once and serve every airfield.

    Args:
        target: The environment.
        run: The config.
    """

    def __init__(self, target: Target, run: RunConfig) -> None:
        # An environment's own idle and random are flown as the panel's.
        names = [name for name in shipped(target) if name not in {"idle", "random"}]
        self.policies: list[Policy] = []
        if isinstance(target, FolderTarget):
            self.policies += [ReferencePolicy(target, name, seed=run.seed) for name in names]
        if run.audit.reference is not None:
            self.policies.append(FunctionPolicy(run.audit.reference))

    def close(self) -> None:
        """End their processes."""
        for policy in self.policies:
            policy.close()


class Airfield:
    """One fresh process of the environment.

    Args:
        target: The environment.
        run: The config.
        guides: The policies that are meant to succeed.

    Raises:
        TargetError: There is no environment at the target.
        EnvironmentFailure: It could not be started.
    """

    def __init__(self, target: Target, run: RunConfig, guides: Guides) -> None:
        self._run, self._guides = run, guides
        self._connection: Inspection = connect(
            target,
            run.rollout.slots,
            run.rollout,
            reward=run.reward,
        )
        schemas = self._connection.schemas
        self._codec = Codec(schemas.action, schemas.observation)
        self._flight = Flight(run.target, run.rollout.max_turns)
        self.steps = self.episodes = 0

    def close(self) -> None:
        """End the process."""
        self._connection.close()

    @property
    def action_schema(self) -> Json:
        """JSON schema of the action."""
        return self._connection.schemas.action

    def tools(self) -> tuple[Json, ...]:
        """The tools of an MCP environment; none where it cannot be asked."""
        try:
            return self._connection.describe().tools
        except EnvironmentFailure:
            return ()

    def tasks(self, task: Json, seeds: Sequence[int]) -> list[Json]:
        """The task's reset options with each seed; without one where it names an episode and takes no seed."""
        seeded = [{**task, "seed": seed} for seed in seeds]
        refused = isinstance(self._connection.reset({0: seeded[0]})[0], Failure)
        if refused and not isinstance(self._connection.reset({0: task})[0], Failure):
            return [dict(task) for _ in seeds]
        return seeded

    def panel(self) -> list[Habit]:
        """The policies that do not try, made anew."""
        schemas = self._connection.schemas
        return panel(schemas.action, schemas.observation, self.tools(), self._run.seed)

    def fly(self, policy: Policy, tasks: Sequence[Json]) -> list[Episode]:
        """Fly each task once."""
        return self._count(fly(self._connection, policy, tasks, self._flight, codec=self._codec))

    def plans(self, name: str, plans: Sequence[tuple[Json, Sequence[Json]]]) -> list[Episode]:
        """Fly open-loop plans: reset options and actions of each, the last one repeated."""
        return self._count(fly_plans(self._connection, plans, self._flight, name))

    def references(self, tasks: Sequence[Json]) -> dict[str, list[Episode]]:
        """What the policies that are meant to succeed do on these tasks, by name.

        Raises:
            PolicyFailure: One of them failed.
        """
        return {policy.name: self.fly(policy, tasks) for policy in self._guides.policies}

    def _count(self, episodes: list[Episode]) -> list[Episode]:
        self.episodes += len(episodes)
        self.steps += sum(len(episode.turns) for episode in episodes)
        return episodes
