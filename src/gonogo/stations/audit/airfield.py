"""Where an audit flies: one process of the environment, and the policies that are meant to succeed.

Everything is flown by seeds that are passed in, so that two airfields given the same seeds see the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace

from gonogo.adapters.policies import shipped
from gonogo.adapters.reference import FunctionPolicy, ReferencePolicy
from gonogo.adapters.targets import FolderTarget, Target, connect
from gonogo.codec import Codec
from gonogo.config import RunConfig
from gonogo.errors import EnvironmentFailure, PolicyFailure
from gonogo.exploits.panel import Habit, panel
from gonogo.exploits.witness import fly_plans
from gonogo.rollout.engine import Flight, fly
from gonogo.rollout.episodes import Episode
from gonogo.rollout.protocols import (
    Failure,
    Inspection,
    Json,
    Policy,
    Reply,
    Transition,
    View,
)
from gonogo.stations.audit.openings import Opening

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


class Misled:
    """A policy that is shown another observation than the environment's.

    Args:
        policy: Who decides.
        shows: What it sees instead.
    """

    def __init__(self, policy: Policy, shows: Callable[[View], Json]) -> None:
        self.name = f"{policy.name}, misled"
        self.begin, self.end, self.close = policy.begin, policy.end, policy.close
        self._policy, self._shows = policy, shows

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """What the policy replies to what it is shown."""
        return self._policy.act(
            {slot: replace(view, observation=self._shows(view)) for slot, view in views.items()}
        )


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
        self._target, self._run, self._guides = target, run, guides
        self._connection: Inspection = connect(
            target,
            run.rollout.slots,
            run.rollout,
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

    def misled(
        self, tasks: Sequence[Json], shows: Callable[[View], Json]
    ) -> dict[str, list[Episode]]:
        """What the same policies do when they are shown something else, by name.

        Each flies in a process of its own, since it may break on what it sees then: it is left out in that case.

        Args:
            tasks: Reset options of each episode.
            shows: The observation that takes the place of a view's.
        """
        flown = {}
        with closing(Guides(self._target, self._run)) as guides:
            for policy in guides.policies:
                with suppress(PolicyFailure):
                    flown[policy.name] = self.fly(Misled(policy, shows), tasks)
        return flown

    def openings(self, tasks: Sequence[Json]) -> list[Opening | None]:
        """What each task's reset shows; None where it failed."""
        found: list[Opening | None] = []
        for start in range(0, len(tasks), self._connection.capacity):
            some = dict(enumerate(tasks[start : start + self._connection.capacity]))
            answers = self._connection.reset(some)
            states = self._connection.state(answers)
            found += [opening(some[slot], answers[slot], states.get(slot)) for slot in some]
        return found

    def _count(self, episodes: list[Episode]) -> list[Episode]:
        self.episodes += len(episodes)
        self.steps += sum(len(episode.turns) for episode in episodes)
        return episodes


def opening(
    task: Json, answer: Transition | Failure, state: Json | Failure | None
) -> Opening | None:
    """What a reset and the state after it show; None where the reset failed, no state where that did."""
    if isinstance(answer, Failure):
        return None
    shown = state if isinstance(state, dict) else {}
    return Opening(task, answer.observation, answer.metadata, shown)
