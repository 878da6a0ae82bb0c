"""Who flies the tasks of a run's policies: this process, or many over Ray.

Both give the same episodes for the same tasks: an episode depends on its task, its policy and the seed, and not
on who flies beside it. (A model's may, by rounding: matrix products of other shapes sum in another order.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Protocol

from gonogo.adapters.policies import Pilot, find_policy, policy_hash
from gonogo.adapters.sources import source_of
from gonogo.adapters.targets import Target, UrlTarget, connect, resolve
from gonogo.adapters.vllm_server import VllmServer
from gonogo.config import RunConfig
from gonogo.errors import MissingExtra, Misuse
from gonogo.records import reward_hash
from gonogo.rollout.engine import Flight, fly
from gonogo.rollout.episodes import Episode
from gonogo.rollout.protocols import Json

__all__ = ["Fleet", "Solo", "check_ray", "flown_with", "open_fleet"]


class Fleet(Protocol):
    """Flies tasks with policies by name."""

    def fly(
        self, policy: str, tasks: Mapping[int, Json], on_episode: Callable[[Episode], None]
    ) -> list[Episode]:
        """Fly every task once.

        Args:
            policy: Its name, as :func:`~gonogo.adapters.policies.find_policy` takes it.
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


def flown_with(run: RunConfig, target: Target, policy: str | None) -> Json:
    """What an episode depends on beside its task and seed.

    Args:
        run: The config.
        target: The environment.
        policy: Who flies, by name; None for a human.

    Raises:
        Misuse: No policy has that name.
    """
    models = run.trained_in / "models"
    limits = run.rollout.model_dump(
        mode="json", include={"success", "max_turns", "max_reply_tokens"}
    )
    return {
        "reward": reward_hash(run.reward),
        "model": None if policy is None else policy_hash(policy, target, models, run.model),
        "source": source_of(target),
        **limits,
    }


class Solo:
    """One environment and one policy at a time, driven by this process.

    Args:
        run: The config.

    Raises:
        Misuse: The server that is to fly the models cannot.
        TargetError: There is no environment at the target.
        EnvironmentFailure: It could not be started.
    """

    def __init__(self, run: RunConfig) -> None:
        self._run, self._target = run, resolve(run.target)
        self._server: VllmServer | None = None
        if run.rollout.vllm is not None:
            self._server = VllmServer(run.rollout.vllm, run.rollout.timeout_s)
            self._server.check(run.model.context)
        self._connection = connect(self._target, run.rollout.slots, run.rollout, reward=run.reward)
        self._name: str | None = None
        self._pilot: Pilot | None = None

    def fly(
        self, policy: str, tasks: Mapping[int, Json], on_episode: Callable[[Episode], None]
    ) -> list[Episode]:
        """Fly every task once; see :class:`Fleet`."""
        pilot, run = self._find(policy), self._run
        flight = Flight(
            run.target,
            run.rollout.max_turns,
            decoding=pilot.decoding,
            seed=pilot.seed,
            gives_up=True,
        )
        return fly(self._connection, pilot.policy, tasks, flight, on_episode=on_episode)

    def close(self) -> None:
        """End the policy and the environment."""
        self._dismiss()
        self._connection.close()

    def _find(self, name: str) -> Pilot:
        """The policy of that name; the same one as long as it is asked for."""
        if self._pilot is None or self._name != name:
            self._dismiss()
            run = self._run
            self._pilot, self._name = (
                find_policy(
                    name,
                    self._target,
                    self._connection.schemas,
                    seed=run.seed,
                    models=run.trained_in / "models",
                    max_reply_tokens=run.rollout.max_reply_tokens,
                    cache_mib=run.rollout.cache_mib,
                    server=self._server,
                    model=run.model,
                ),
                name,
            )
        return self._pilot

    def _dismiss(self) -> None:
        if self._pilot is not None:
            self._pilot.policy.close()
            self._pilot = None


def open_fleet(run: RunConfig, *, over_ray: bool = False) -> Fleet:
    """Who flies a run's policies.

    Args:
        run: The config.
        over_ray: Whether Ray's workers fly, see :mod:`gonogo.adapters.ray_fleet`, instead of this process.

    Raises:
        Misuse: The server that is to fly the models cannot, or the target is a server, which Ray's workers would
            have to share.
        MissingExtra: The ``ray`` extra is not installed.
        TargetError: There is no environment at the target.
        EnvironmentFailure: It, or the cluster, could not be started.
    """
    if not over_ray:
        return Solo(run)
    check_ray(run)
    from gonogo.adapters.ray_fleet import RayFleet

    return RayFleet(run)


def check_ray(run: RunConfig) -> None:
    """Refuse what cannot be done over Ray, before anything is started.

    Args:
        run: The config.

    Raises:
        MissingExtra: The ``ray`` extra is not installed.
        Misuse: The target is a server, which the workers would have to share.
        TargetError: There is no environment at the target.
    """
    if find_spec("ray") is None:
        raise MissingExtra("ray", "--ray")
    target = resolve(run.target)
    if isinstance(target, UrlTarget):
        raise Misuse(
            f"--ray gives every worker an environment of its own, and {target} is one server: "
            "give its folder or package.module:EnvironmentClass instead"
        )
