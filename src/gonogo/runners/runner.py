"""Who flies the tasks of a run's policies: this process, or many over Ray.

Both give the same episodes for the same tasks: an episode depends on its task, its policy and the seed, and not
on who flies beside it. (A model's may, by rounding: matrix products of other shapes sum in another order.)

Over Ray, batches of tasks are flown by workers that each have an environment and a policy of their own. A batch comes
back whole and its episodes are handed on then, to be kept; one whose worker is killed is flown again, and alike. See
:mod:`gonogo.runners.ray_pool` for the workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from typing import Protocol

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.env.target import UrlTarget
from gonogo.errors import MissingExtra, Misuse
from gonogo.policies.named import ModelSettings, NamedPolicy, find_policy, policy_hash
from gonogo.records.provenance import EpisodeFingerprint, RunnerFingerprint, provenance
from gonogo.rollouts.episodes import Episode
from gonogo.wire import TaskOptions


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
        over_ray: Whether Ray's workers fly, see :mod:`gonogo.runners.runner`, instead of this process.

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


class LocalRunner:
    """One environment and one policy at a time, driven by this process.

    Args:
        run: The config.
        env: The environment; whoever opened it closes it.

    Raises:
        Misuse: The server that is to fly the models cannot.
        EnvironmentFailure: The environment could not be started.
    """

    def __init__(self, run: RunConfig, env: Env) -> None:
        self._run, self._env = run, env
        server = None
        if run.rollout.vllm is not None:
            from gonogo.models.vllm import VllmServer

            server = VllmServer(run.rollout.vllm, run.rollout.timeout_s)
            server.check(run.model.context)
        env.open()
        self._settings = ModelSettings(
            run.trained_in / "models",
            run.rollout.max_reply_tokens,
            run.model,
            run.rollout.cache_mib,
            server,
        )
        self._named: tuple[str, NamedPolicy] | None = None

    def fly(
        self, policy: str, tasks: Mapping[int, TaskOptions], on_episode: Callable[[Episode], None]
    ) -> list[Episode]:
        """Fly every task once; see :class:`~gonogo.runners.runner.Runner`."""
        named = self._find(policy)
        flight = self._env.flight(decoding=named.decoding, seed=named.seed, gives_up=True)
        return self._env.rollout(named.policy, tasks, flight, on_episode=on_episode)

    def close(self) -> None:
        """End the policy."""
        if self._named is not None:
            self._named[1].policy.close()
            self._named = None

    def _find(self, name: str) -> NamedPolicy:
        """The policy of that name; the same one as long as it is asked for."""
        if self._named is None or self._named[0] != name:
            self.close()
            target, schemas, given = self._env.target, self._env.schemas, self._env.policies
            settings, seed = self._settings, self._run.seed
            found = find_policy(name, target, schemas, seed=seed, settings=settings, given=given)
            self._named = name, found
        return self._named[1]


ROUNDS = 4
"""Batches for each worker: more lose less work with a worker, and wait more often for a batch's last episode."""

Batch = tuple[str, dict[int, TaskOptions]]


class RayRunner:
    """Flies a run's policies over Ray; a :class:`~gonogo.runners.runner.Runner`.

    Args:
        run: The config.
        env: The environment; each worker opens one of its own.

    Raises:
        EnvironmentFailure: There is no cluster, and none could be started.
    """

    def __init__(self, run: RunConfig, env: Env) -> None:
        from gonogo.runners.ray_pool import RayPool

        self._run, self._env = run, env
        self._pool: RayPool[Batch, list[str]] = RayPool(partial(BatchRunner, run))

    def fly(
        self, policy: str, tasks: Mapping[int, TaskOptions], on_episode: Callable[[Episode], None]
    ) -> list[Episode]:
        """Fly every task once.

        Args:
            policy: Its name.
            tasks: Reset options by the episodes' indices.
            on_episode: Called with each episode of a batch when the batch is back.

        Returns:
            The episodes in the order of the tasks, lost ones included.

        Raises:
            StaleRecord: A worker's files or packages are not this process's.
            PolicyFailure: The policy failed.
            EnvironmentFailure: A worker could not open the environment, or died once too often.
        """
        cut = [(policy, some) for some in batches(tasks, self._pool.size, self._run.rollout.slots)]
        flown: dict[int, Episode] = {}
        for _, lines in self._pool.work(cut, means_of(self._run, self._env, policy)):
            for line in lines:
                episode = Episode.from_json(line)
                flown[episode.index] = episode
                on_episode(episode)
        return [flown[index] for index in tasks]

    def close(self) -> None:
        """End the workers with what they started, and the cluster where it was started for this flight."""
        self._pool.close()


class BatchRunner:
    """What flies in a worker's process; a :class:`~gonogo.runners.ray_pool.WorkHandler`.

    Args:
        run: The config, with paths from the working directory.
    """

    def __init__(self, run: RunConfig) -> None:
        self._run, self._env = run, Env.of(run)
        self._runner: LocalRunner | None = None
        self._known: dict[str, RunnerFingerprint] = {}

    def means(self, part: Batch) -> RunnerFingerprint:
        """What the episodes depend on; looked up once for each policy."""
        policy, _ = part
        if policy not in self._known:
            self._known[policy] = means_of(self._run, self._env, policy)
        return self._known[policy]

    def do(self, part: Batch) -> list[str]:
        """Fly a batch; the episodes as lines of JSON, in the order of the tasks."""
        if self._runner is None:
            self._runner = LocalRunner(self._run, self._env)
        return [episode.to_json() for episode in self._runner.fly(*part, ignore)]

    def close(self) -> None:
        """End the policy and the environment."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None
        self._env.close()


def means_of(run: RunConfig, env: Env, policy: str) -> RunnerFingerprint:
    """What a policy's episodes depend on beside the config, as it is found on this machine."""
    return RunnerFingerprint(
        source=env.source,
        reward=env.reward_hash,
        model=policy_hash(policy, env.target, run.trained_in / "models", run.model),
        packages=provenance()["packages"],
    )


def batches(
    tasks: Mapping[int, TaskOptions], workers: int, slots: int
) -> Iterator[dict[int, TaskOptions]]:
    """Cut tasks into batches, in order: :data:`ROUNDS` for each worker, of no more tasks than slots."""
    listed = list(tasks.items())
    size = max(1, min(slots, -(-len(listed) // (workers * ROUNDS))))
    for start in range(0, len(listed), size):
        yield dict(listed[start : start + size])


def ignore(_: Episode) -> None:
    """Episodes are handed on by the batch."""
