"""Episodes flown from this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.models.vllm import VllmServer
from gonogo.policies.named import NamedPolicy, find_policy
from gonogo.rollouts.episodes import Episode
from gonogo.wire import TaskOptions

__all__ = ["LocalRunner"]


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
        self._server: VllmServer | None = None
        if run.rollout.vllm is not None:
            self._server = VllmServer(run.rollout.vllm, run.rollout.timeout_s)
            self._server.check(run.model.context)
        env.open()
        self._name: str | None = None
        self._named: NamedPolicy | None = None

    def fly(
        self, policy: str, tasks: Mapping[int, TaskOptions], on_episode: Callable[[Episode], None]
    ) -> list[Episode]:
        """Fly every task once; see :class:`~gonogo.runners.open.Runner`."""
        named = self._find(policy)
        flight = self._env.flight(decoding=named.decoding, seed=named.seed, gives_up=True)
        return self._env.rollout(named.policy, tasks, flight, on_episode=on_episode)

    def close(self) -> None:
        """End the policy."""
        self._dismiss()

    def _find(self, name: str) -> NamedPolicy:
        """The policy of that name; the same one as long as it is asked for."""
        if self._named is None or self._name != name:
            self._dismiss()
            run = self._run
            self._named, self._name = (
                find_policy(
                    name,
                    self._env.target,
                    self._env.schemas,
                    seed=run.seed,
                    models=run.trained_in / "models",
                    max_reply_tokens=run.rollout.max_reply_tokens,
                    cache_mib=run.rollout.cache_mib,
                    server=self._server,
                    model=run.model,
                    given=self._env.policies,
                ),
                name,
            )
        return self._named

    def _dismiss(self) -> None:
        if self._named is not None:
            self._named.policy.close()
            self._named = None
