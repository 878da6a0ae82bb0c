"""gonogo as a library: what its commands do, as functions that print nothing and answer typed reports.

Every function takes an environment that :func:`load_environment` gave, or a config. Without a folder it works in a
temporary one, and what it answers is all that is left; with one it leaves what its command leaves, and goes on where an
interrupted call stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from gonogo.config import RunConfig, TaskPlan, load
from gonogo.env.environment import Env
from gonogo.errors import Misuse
from gonogo.evaluate.replay import ReplayReport, replay_in
from gonogo.evaluate.rollout import collect
from gonogo.policies.given import CallablePolicy, LentPolicy, PolicyFunction
from gonogo.rollout.collection import Episodes
from gonogo.rollout.episodes import Episode
from gonogo.rollout.types import Policy

__all__ = ["AnyPolicy", "load_environment", "replay", "rollout"]

AnyPolicy: TypeAlias = str | Path | PolicyFunction | Policy
"""A policy: a name, a path of a model's folder, a function of (observation, memory), or an object."""


def load_environment(
    address: str | Path,
    *,
    success: str | None = None,
    reward: str | Path | None = None,
    num_envs: int | None = None,
    max_turns: int | None = None,
    timeout_s: float | None = None,
    startup_s: float | None = None,
    variables: Sequence[str] = (),
) -> Env:
    """An environment under test; it is opened by what first flies in it, and is to be closed: use ``with``.

    Args:
        address: A folder, ``package.module:EnvironmentClass``, or the URL of a running server.
        success: Expression on an observation's fields, ``metadata`` and ``done`` that is true where an episode has
            succeeded; None for the environment's own word.
        reward: Python file whose ``make_reward`` pays instead of the environment; None for its own reward.
        num_envs: Episodes at once; fewer where the environment allows fewer.
        max_turns: Decisions after which an episode ends as a timeout.
        timeout_s: Seconds that one step may take.
        startup_s: Seconds that loading the environment may take.
        variables: Names of your environment variables that it is given.

    Raises:
        TargetError: There is no environment at the address.
        ConfigError: A value breaks a rule; the message names it.
    """
    given: Mapping[str, object] = {
        "target": str(address),
        "out": ".",
        "reward": None if reward is None else str(reward),
        "rollout.success": success,
        "rollout.slots": num_envs,
        "rollout.max_turns": max_turns,
        "rollout.timeout_s": timeout_s,
        "rollout.startup_s": startup_s,
        "rollout.env": list(variables) or None,
    }
    return Env.of(load(None, {name: value for name, value in given.items() if value is not None}))


def rollout(
    env: Env | RunConfig,
    policies: AnyPolicy | Sequence[AnyPolicy] = ("idle", "random"),
    *,
    tasks: int | TaskPlan = 20,
    seed: int = 0,
    file: str | Path | None = None,
    ray: bool = False,
) -> Episodes:
    """Fly tasks with each of some policies.

    Args:
        env: The environment; or a config, whose ``evaluation`` says which tasks and policies.
        policies: One policy, or several; see :data:`AnyPolicy`.
        tasks: How many, counted up from the first; or which, see :meth:`~gonogo.env.environment.Env.tasks`.
        seed: Of the policies' draws.
        file: Where the episodes are written as they end; those that it holds are not flown again. None for nowhere.
        ray: Whether Ray's workers fly.

    Returns:
        The episodes of each policy in the order of the tasks, lost ones included.

    Raises:
        Misuse: No policy has one of the names, or the file holds other episodes.
        EnvironmentFailure: The environment failed.
        PolicyFailure: A policy failed.
    """
    fields = evaluation_of(env, policies, tasks)
    with prepared(env, None, seed, fields) as (run, opened, folder):
        where = folder / "episodes.jsonl" if file is None else Path(file)
        return Episodes(tuple(collect(run, opened, where, over_ray=ray)))


def replay(env: Env, recorded: Episodes | Episode | str | Path) -> ReplayReport:
    """Fly recorded actions again in a fresh process, and hold every reward against the recorded one, bit for bit.

    Args:
        env: The environment, with the reward and the success that it was flown with.
        recorded: One episode, several, or a file of them.

    Raises:
        MissingRecord: The file cannot be read, or an episode has no turns.
    """
    if isinstance(recorded, Episode):
        return replay_in(env, [recorded])
    return replay_in(env, recorded if isinstance(recorded, Episodes) else Episodes.load(recorded))


def evaluation_of(
    env: Env | RunConfig, policies: AnyPolicy | Sequence[AnyPolicy], tasks: int | TaskPlan
) -> dict[str, object]:
    """Fields of a config that say which tasks are flown, and by whom."""
    if isinstance(env, RunConfig):
        return {}
    plan = TaskPlan(episodes=tasks) if isinstance(tasks, int) else tasks
    fields: dict[str, object] = {
        f"evaluation.{name}": value for name, value in plan.model_dump(mode="json").items()
    }
    return fields | {"evaluation.policies": names_of(env, policies)}


@contextmanager
def prepared(
    env: Env | RunConfig,
    folder: str | Path | None,
    seed: int,
    fields: Mapping[str, object],
) -> Iterator[tuple[RunConfig, Env, Path]]:
    """A config, the environment and a folder for one call; a config that is given stays as it is.

    Args:
        env: The environment, or the config.
        folder: The folder; None for a temporary one.
        seed: Of everything that draws at random.
        fields: Further fields of the config by their dotted names; None where one is not given.
    """
    if isinstance(env, RunConfig):
        with Env.of(env) as opened:
            yield env, opened, env.out
        return
    with ExitStack() as stack:
        out = Path(folder or stack.enter_context(TemporaryDirectory(prefix="gonogo-")))
        given: dict[str, object] = {
            "target": env.address,
            "out": str(out),
            "seed": seed,
            "reward": None if env.reward is None else str(env.reward),
            "rollout": env.config.model_dump(mode="json", exclude_unset=True),
            **fields,
        }
        run = load(None, {name: value for name, value in given.items() if value is not None})
        yield run, env, out


def names_of(env: Env, policies: AnyPolicy | Sequence[AnyPolicy]) -> list[str]:
    """The names by which policies are flown in an environment; an object is known to the environment by its name."""
    several = (
        policies if isinstance(policies, Sequence) and not isinstance(policies, str) else [policies]
    )
    return [name_of(env, each) for each in several]


def name_of(env: Env, policy: AnyPolicy) -> str:
    """The name of one policy.

    Raises:
        Misuse: It is none.
    """
    if isinstance(policy, str | Path):
        return str(policy)
    if isinstance(policy, Policy):
        env.policies[policy.name] = partial(LentPolicy, policy)
        return policy.name
    if not callable(policy):
        raise Misuse(
            f"a policy must be a name, a path, a function of (observation, memory) or a policy, not {policy!r}"
        )
    name: str = getattr(policy, "__name__", type(policy).__name__)
    env.policies[name] = partial(CallablePolicy, name, policy)
    return name
