"""Who flies the tasks of a run's policies: this process, or many over Ray.

Both give the same episodes for the same tasks: an episode depends on its task, its policy and the seed, and not
on who flies beside it. (A model's may, by rounding: matrix products of other shapes sum in another order.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Protocol

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.env.target import UrlTarget
from gonogo.errors import MissingExtra, Misuse
from gonogo.policies.named import policy_hash
from gonogo.records.provenance import EpisodeFingerprint
from gonogo.rollouts.episodes import Episode
from gonogo.runners.local import LocalRunner
from gonogo.wire import TaskOptions

__all__ = ["Runner", "check_ray", "flown_with", "open_runner"]


class Runner(Protocol):
    """Flies tasks with policies by name."""

    def fly(
        self, policy: str, tasks: Mapping[int, TaskOptions], on_episode: Callable[[Episode], None]
    ) -> list[Episode]:
        """Fly every task once.

        Args:
            policy: Its name, as :func:`~gonogo.policies.named.find_policy` takes it.
            tasks: Reset options by the episodes' indices.
            on_episode: Called with each episode when it is known.

        Returns:
            The episodes in the order of the tasks, lost ones included.

        Raises:
            PolicyFailure: The policy failed.
            EnvironmentFailure: What flies them failed.
        """
        ...

    def close(self) -> None:
        """End the processes. Safe to call twice."""
        ...


def flown_with(run: RunConfig, env: Env, policy: str | None) -> EpisodeFingerprint:
    """What an episode depends on beside its task and seed.

    Args:
        run: The config.
        env: The environment.
        policy: Who flies, by name; None for a human.

    Raises:
        Misuse: No policy has that name.
    """
    models = run.trained_in / "models"
    return EpisodeFingerprint(
        reward=env.reward_hash,
        model=None
        if policy is None
        else policy_hash(policy, env.target, models, run.model, env.policies),
        source=env.source,
        success=run.rollout.success,
        max_turns=run.rollout.max_turns,
        max_reply_tokens=run.rollout.max_reply_tokens,
    )


def open_runner(run: RunConfig, env: Env, *, over_ray: bool = False) -> Runner:
    """Who flies a run's policies.

    Args:
        run: The config.
        env: The environment; whoever opened it closes it.
        over_ray: Whether Ray's workers fly, see :mod:`gonogo.runners.ray`, instead of this process.

    Raises:
        Misuse: The server that is to fly the models cannot, or the target is a server, which Ray's workers would
            have to share.
        MissingExtra: The ``ray`` extra is not installed.
        TargetError: There is no environment at the target.
        EnvironmentFailure: It, or the cluster, could not be started.
    """
    if not over_ray:
        return LocalRunner(run, env)
    check_ray(env)
    from gonogo.runners.ray import RayRunner

    return RayRunner(run, env)


def check_ray(env: Env) -> None:
    """Refuse what cannot be done over Ray, before anything is started.

    Args:
        env: The environment that each worker would have one of.

    Raises:
        MissingExtra: The ``ray`` extra is not installed.
        Misuse: The target is a server, which the workers would have to share.
    """
    if find_spec("ray") is None:
        raise MissingExtra("ray", "--ray")
    if isinstance(env.target, UrlTarget):
        raise Misuse(
            f"--ray gives every worker an environment of its own, and {env} is one server: "
            "give its folder or package.module:EnvironmentClass instead"
        )
