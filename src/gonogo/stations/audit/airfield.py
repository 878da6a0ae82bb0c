"""Where an audit flies: one process of the environment, and the policies that are meant to succeed.

Everything is flown by seeds that are passed in, so that two airfields given the same seeds see the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cached_property

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
from gonogo.rollout.protocols import Failure, Inspection, Json, Policy, Transition
from gonogo.stations.audit.log import FlightLog
from gonogo.stations.audit.watch import Part

__all__ = ["Airfield", "Base"]


class Wordless(Codec):
    """Renders nothing: nobody on an airfield reads text, and rendering takes longer than a step."""

    def render(self, observation: Json, error: str | None = None) -> str:
        """No text."""
        return ""


class Base:
    """What the airfields of one task's audit have in common.

    Attributes:
        target: The environment.
        run: The config.
        log: The flights so far.
        part: The progress.
    """

    def __init__(self, target: Target, run: RunConfig, log: FlightLog, part: Part) -> None:
        self.target, self.run, self.log, self.part = target, run, log, part

    def guides(self) -> list[Policy]:
        """The policies that are meant to succeed, each a process: those that the target ships, and the given one."""
        run, target = self.run, self.target
        # An environment's own idle and random are flown as the panel's.
        names = [name for name in shipped(target) if name not in {"idle", "random"}]
        guides: list[Policy] = []
        if isinstance(target, FolderTarget):
            guides += [ReferencePolicy(target, name, seed=run.seed) for name in names]
        if run.audit.reference is not None:
            guides.append(FunctionPolicy(run.audit.reference))
        return guides


class Airfield:
    """One fresh process of the environment, with processes for the policies that are meant to succeed.

    Args:
        base: What is flown, how, and where it is written down.

    Raises:
        TargetError: There is no environment at the target.
        EnvironmentFailure: It could not be started.
    """

    def __init__(self, base: Base) -> None:
        run = base.run
        self._run, self._log, self.part = run, base.log, base.part
        with ExitStack() as stack:
            # They load while the environment does.
            self._guides = base.guides()
            for guide in self._guides:
                stack.callback(guide.close)
            self._connection: Inspection = connect(base.target, run.rollout.slots, run.rollout)
            stack.callback(self._connection.close)
            self._open = stack.pop_all()
        schemas = self._connection.schemas
        self._codec = Codec(schemas.action, schemas.observation)
        self._wordless = Wordless(schemas.action, schemas.observation)
        self._flight = Flight(run.target, run.rollout.max_turns)
        self.steps = self.episodes = 0

    def close(self) -> None:
        """End the processes."""
        self._open.close()

    @property
    def action_schema(self) -> Json:
        """JSON schema of the action."""
        return self._connection.schemas.action

    @cached_property
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
        return panel(schemas.action, schemas.observation, self.tools, self._run.seed)

    @property
    def guided(self) -> int:
        """How many policies are meant to succeed."""
        return len(self._guides)

    def fly(self, policy: Policy, tasks: Sequence[Json], *, whole: bool = True) -> list[Episode]:
        """Fly each task once.

        Args:
            policy: Who flies.
            tasks: Reset options.
            whole: Whether what was seen is kept, or only what was done and what came of it.
        """

        def now() -> list[Episode]:
            codec, check = self._codec_for(whole), self.part.check
            flight, connection = self._flight, self._connection
            return fly(connection, policy, tasks, flight, codec=codec, on_progress=check)

        return self._flown({"policy": policy.name, "tasks": list(tasks)}, now, whole)

    def plans(
        self, name: str, plans: Sequence[tuple[Json, Sequence[Json]]], *, whole: bool = False
    ) -> list[Episode]:
        """Fly open-loop plans: reset options and actions of each, the last one repeated.

        Args:
            name: Name for the record.
            plans: The plans.
            whole: As for :meth:`fly`.
        """

        def now() -> list[Episode]:
            codec, check = self._codec_for(whole), self.part.check
            flight, connection = self._flight, self._connection
            return fly_plans(connection, plans, flight, name, codec=codec, on_progress=check)

        return self._flown({"plans": name, "of": list(plans), "whole": whole}, now, whole)

    def references(self, tasks: Sequence[Json]) -> dict[str, list[Episode]]:
        """What the policies that are meant to succeed do on these tasks, by name.

        Raises:
            PolicyFailure: One of them failed.
        """
        return {policy.name: self.fly(policy, tasks) for policy in self._guides}

    def look(self, task: Json, actions: Sequence[Json]) -> tuple[Transition | Failure, Json | None]:
        """Fly some actions alone, also past the end, and look at the last answer before it was JSON.

        Returns:
            The last answer, or what lost the episode; and the answer's raw facts, None where the transport
            does not show them.
        """
        self.part.check()
        answer = self._connection.reset({0: task})[0]
        for action in actions:
            if isinstance(answer, Failure):
                break
            answer = self._connection.step({0: action})[0]
        raw = None if isinstance(answer, Failure) else self._connection.raw([0])[0]
        return answer, raw

    def _codec_for(self, whole: bool) -> Codec:
        return self._codec if whole else self._wordless

    def _flown(self, asked: Json, now: Callable[[], list[Episode]], whole: bool) -> list[Episode]:
        self.part.check()
        episodes = self._log.flown(asked, now if whole else lambda: bare(now()))
        self.episodes += len(episodes)
        self.steps += sum(len(episode.turns) for episode in episodes)
        self.part.advance()
        return episodes


def bare(episodes: list[Episode]) -> list[Episode]:
    """Episodes without what was seen on the way: a survey has thousands, and reads it of a few."""
    for episode in episodes:
        for turn in episode.turns:
            turn.observation = {}
    return episodes
