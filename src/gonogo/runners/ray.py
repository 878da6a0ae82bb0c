"""Episodes over Ray: batches of tasks, flown by workers that each have an environment and a policy of their own.

A batch comes back whole and its episodes are handed on then, to be kept; one whose worker is killed is flown again,
and alike. See :mod:`gonogo.runners.ray_pool` for the workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.policies.named import policy_hash
from gonogo.records.provenance import RunnerFingerprint, provenance
from gonogo.rollouts.episodes import Episode
from gonogo.runners.local import LocalRunner
from gonogo.runners.ray_pool import RayPool
from gonogo.wire import TaskOptions

__all__ = ["RayRunner"]

ROUNDS = 4
"""Batches for each worker: more lose less work with a worker, and wait more often for a batch's last episode."""

Batch = tuple[str, dict[int, TaskOptions]]


class RayRunner:
    """Flies a run's policies over Ray; a :class:`~gonogo.runners.open.Runner`.

    Args:
        run: The config.
        env: The environment; each worker opens one of its own.

    Raises:
        EnvironmentFailure: There is no cluster, and none could be started.
    """

    def __init__(self, run: RunConfig, env: Env) -> None:
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
