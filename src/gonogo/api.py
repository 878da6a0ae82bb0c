"""gonogo as a library: what its commands do, as functions that print nothing and answer typed reports.

Every function takes an environment that :func:`load_environment` gave, or a config. Without a folder it works in a
temporary one, and what it answers is all that is left; with one it leaves what its command leaves, and goes on where an
interrupted call stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeAlias

from gonogo.config import (
    ConfigFields,
    ModelConfig,
    RunConfig,
    TaskPlan,
    TrainConfig,
    load,
    run_name,
)
from gonogo.env.environment import Env
from gonogo.errors import Misuse
from gonogo.policies.given import CallablePolicy, LentPolicy, PolicyFunction
from gonogo.records.findings import Finding
from gonogo.records.terminal import Terminal
from gonogo.rollouts.collection import Episodes
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Policy
from gonogo.wire import TaskOptions

if TYPE_CHECKING:
    from gonogo.evaluation.replay import ReplayReport
    from gonogo.records.audit import AuditReport
    from gonogo.records.contract import ContractReport
    from gonogo.records.evaluation import EvaluationReport
    from gonogo.records.page import PageReport
    from gonogo.records.training import TrainingReport

__all__ = [
    "AnyPolicy",
    "audit",
    "check_env",
    "evaluate",
    "load_config",
    "load_environment",
    "plan",
    "replay",
    "report",
    "rollout",
    "show_progress",
    "train",
]

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
    given: ConfigFields = {
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
    from gonogo.evaluation.rollout import rollout as flown

    fields = evaluation_of(env, policies, tasks)
    with prepared(env, None, seed, fields) as (run, opened, folder):
        where = folder / "episodes.jsonl" if file is None else Path(file)
        return Episodes(tuple(flown(run, opened, where, over_ray=ray)))


def check_env(
    env: Env | RunConfig,
    *,
    reset: TaskOptions | None = None,
    tasks: int | None = None,
    steps: int | None = None,
    seed: int = 0,
    folder: str | Path | None = None,
) -> ContractReport:
    """Say what an environment is, and hold it against its contract by flying it, as ``gonogo map`` does.

    Args:
        env: The environment; or a config, whose ``map`` says how much is flown.
        reset: Reset options of the one task to map; None for the tasks that the environment offers.
        tasks: Tasks that are flown at most.
        steps: Steps of a flight that is flown several times to be compared.
        seed: Of what draws at random.
        folder: Where the record goes; None for nowhere.

    Raises:
        EnvironmentFailure: The environment could not be started.
    """
    from gonogo.contract.run import check_env as flown

    fields = {"map.reset": reset, "map.tasks": tasks, "map.steps": steps}
    with prepared(env, folder, seed, fields) as (run, opened, _):
        return flown(run, opened)


def audit(
    env: Env | RunConfig,
    *,
    reference: AnyPolicy | None = None,
    rewards: Sequence[str] = (),
    policy: str | Path | None = None,
    reset: TaskOptions | None = None,
    budget: int | None = None,
    seeds: int | None = None,
    jobs: int | None = None,
    seed: int = 0,
    folder: str | Path | None = None,
    ray: bool = False,
    force: bool = False,
) -> AuditReport:
    """Find exploits of an environment's reward, and prove each; maps it first.

    Args:
        env: The environment; or a config, whose ``audit`` says how much is flown.
        reference: A policy that succeeds, beside those that the environment ships.
        rewards: Reward functions outside the environment, ``module:function`` each, that are audited in its place.
        policy: A trained policy to audit too: a model's folder.
        reset: Reset options of the one task to audit; None for the tasks that the environment offers.
        budget: Environment steps of the search on each task.
        seeds: Seeds that every policy flies on each task.
        jobs: Tasks at once.
        seed: Of what draws at random.
        folder: Where the record, the witnesses and the exports go, and where an interrupted audit goes on; None for
            nowhere.
        ray: Whether Ray's workers audit the tasks.
        force: Whether it replaces a stronger audit in the folder, or one of another reward.

    Raises:
        EnvironmentFailure: The environment could not be started.
        PolicyFailure: A policy that is meant to succeed failed.
        Misuse: The folder holds a stronger audit.
    """
    from gonogo.pipeline import audit as command
    from gonogo.records.audit import AuditReport

    by_path = reference if isinstance(reference, str) else None
    guides = (
        []
        if reference is None or by_path or isinstance(env, RunConfig)
        else names_of(env, reference)
    )
    fields = {
        "audit.reference": by_path,
        "audit.rewards": list(rewards) or None,
        "audit.policy": None if policy is None else str(policy),
        "audit.budget": budget,
        "audit.seeds": seeds,
        "audit.jobs": jobs,
        "map.reset": reset,
    }
    with prepared(env, folder, seed, fields) as (run, opened, out):
        command.audit(run, opened, guides=guides, over_ray=ray, force=force)
        return AuditReport.load(out)


def evaluate(
    env: Env | RunConfig,
    policies: Sequence[AnyPolicy] = ("idle", "random"),
    *,
    tasks: int | TaskPlan = 200,
    compare: Sequence[tuple[str, str]] = (),
    seed: int = 0,
    folder: str | Path | None = None,
    ray: bool = False,
) -> EvaluationReport:
    """Fly the same held-out tasks with each of some policies, and compare them in pairs.

    Args:
        env: The environment; or a config, whose ``evaluation`` says which tasks and policies.
        policies: See :data:`AnyPolicy`.
        tasks: How many, counted up from the first; or which, see :meth:`~gonogo.env.environment.Env.tasks`.
        compare: Pairs (baseline, candidate) of their names; empty for ``trained``, else the last, against each other.
        seed: Of the policies' draws and of the intervals.
        folder: Where the record and the plots go, and what is flown is kept; None for nowhere.
        ray: Whether Ray's workers fly.

    Raises:
        Misuse: No policy has one of the names.
        EnvironmentFailure: The environment failed.
        PolicyFailure: A policy failed.
    """
    from gonogo.evaluation.run import evaluate as flown

    fields = evaluation_of(env, policies, tasks)
    fields["evaluation.compare"] = [list(pair) for pair in compare] or None
    with prepared(env, folder, seed, fields) as (run, opened, _):
        return flown(run, opened, over_ray=ray)


def plan(
    env: Env | RunConfig,
    *,
    teacher: str | None = None,
    pretrained: str | Path | None = None,
    seed: int = 0,
    folder: str | Path | None = None,
    file: str | Path | None = None,
) -> RunConfig:
    """A config to train by, from the environment's map and a few flights; maps it first.

    Args:
        env: The environment; or a config that names it.
        teacher: Policy to imitate; None for the one that the environment declares.
        pretrained: Folder or GGUF file of a pretrained model; None for a model made from scratch.
        seed: Of the run.
        folder: The run's folder; None for ``runs/NAME``.
        file: Where the config goes, each value below its reason; None for nowhere.

    Raises:
        Misuse: No policy has the teacher's name.
        EnvironmentFailure: Nothing could be flown.
        MissingExtra: The ``train`` extra is not installed.
    """
    from gonogo.pipeline.gates import ensure_map
    from gonogo.training.plan import station

    pretrained_model = None if pretrained is None else str(pretrained)
    with (
        prepared(env, home_of(env, folder), seed, {"model.pretrained": pretrained_model}) as (
            run,
            _,
            _,
        ),
        TemporaryDirectory(prefix="gonogo-") as scratch,
    ):
        ensure_map(run)
        where = Path(scratch) / "plan.yaml" if file is None else Path(file)
        station.run(run, where, teacher)
        return load(where)


def train(
    env: Env | RunConfig,
    config: TrainConfig | None = None,
    *,
    model: ModelConfig | None = None,
    seed: int = 0,
    folder: str | Path | None = None,
    push: str | None = None,
    restart: bool = False,
    accept: str | None = None,
) -> TrainingReport:
    """Train a model; a call that was interrupted goes on where it stopped.

    Args:
        env: The environment; or a config, such as :func:`plan` gave.
        config: How to train.
        model: What is trained; None for the default model made from scratch.
        seed: Of everything that draws at random.
        folder: Where the record and the models go; None for ``runs/NAME``.
        push: Repository of the Hugging Face hub for the 16-bit model of a training that is GO; None for none.
        restart: Whether what another training left in the folder is removed first.
        accept: Why findings of the audit in the folder are accepted; None where they are not.

    Raises:
        Misuse: The config does not train, or the audit in the folder forbids it.
        EnvironmentFailure: The environment failed, or the validation's tasks are copies of training's.
        MissingExtra: The ``train`` extra is not installed.
    """
    from gonogo.pipeline import train as command
    from gonogo.pipeline.gates import may_go_on
    from gonogo.records.training import TrainingReport

    fields: ConfigFields = {}
    for name, part in (("train", config), ("model", model)):
        fields[name] = None if part is None else part.model_dump(mode="json", exclude_unset=True)
    with prepared(env, home_of(env, folder), seed, fields) as (asked, _, out):
        theme = asked.theme.model_copy(update={"required": False})  # its gate is the commands'
        run = asked.model_copy(update={"theme": theme})
        if not may_go_on(run, accept):
            raise Misuse(
                f"the audit in {out} is NO-GO: fix what it found and audit again, or say why it is accepted: accept="
            )
        command.train(run, push, anew=restart, accept=accept)
        return TrainingReport.load(out)


def home_of(env: Env | RunConfig, folder: str | Path | None) -> str | Path | None:
    """The folder of a run that leaves more than its answer: the given one, else ``runs/NAME``."""
    return folder if folder or isinstance(env, RunConfig) else Path("runs") / run_name(env.address)


def report(folder: str | Path) -> PageReport:
    """Write a run's records as one page, ``report.html``, into its folder.

    Args:
        folder: The run's.

    Raises:
        MissingRecord: There is no record in it.
        StaleRecord: A record was edited, or is about another environment.
    """
    from gonogo.records.page import PageReport
    from gonogo.reporting import run as station

    station.run(Path(folder))
    return PageReport.load(Path(folder))


def show_progress(shown: bool = True) -> None:
    """Let what is called print its progress and tables, as a command does; nothing is printed before.

    Args:
        shown: Whether it prints from now on.
    """
    Terminal.speaks = shown


def load_config(file: str | Path, **fields: object) -> RunConfig:
    """A config from a YAML file.

    Args:
        file: The file.
        fields: Fields that replace the file's, by their names; a dot in a name is two underscores.

    Raises:
        ConfigError: The file cannot be read, or a field breaks a rule.
    """
    return load(Path(file), {name.replace("__", "."): value for name, value in fields.items()})


def replay(env: Env, recorded: Finding | Episodes | Episode | str | Path) -> ReplayReport:
    """Fly recorded actions again in a fresh process, and hold every reward against the recorded one, bit for bit.

    Args:
        env: The environment, with the reward and the success that it was flown with.
        recorded: A finding of an audit or of :func:`check_env`; one episode, several, or a file of them.

    Raises:
        Misuse: A finding is about no flight, such as one about the client.
        MissingRecord: The file cannot be read, or an episode has no turns.
    """
    from gonogo.evaluation.replay import proof_of, replay_in

    if isinstance(recorded, Finding):
        proof = proof_of(recorded, env.address)
        if proof is None:
            raise Misuse(f"{recorded.id} is about no flight: there is nothing to fly again")
        return replay_in(env, [proof])
    if isinstance(recorded, Episode):
        return replay_in(env, [recorded])
    return replay_in(env, recorded if isinstance(recorded, Episodes) else Episodes.load(recorded))


def evaluation_of(
    env: Env | RunConfig, policies: AnyPolicy | Sequence[AnyPolicy], tasks: int | TaskPlan
) -> ConfigFields:
    """Fields of a config that say which tasks are flown, and by whom."""
    if isinstance(env, RunConfig):
        return {}
    plan = TaskPlan(episodes=tasks) if isinstance(tasks, int) else tasks
    fields: ConfigFields = {
        f"evaluation.{name}": value for name, value in plan.model_dump(mode="json").items()
    }
    return fields | {"evaluation.policies": names_of(env, policies)}


@contextmanager
def prepared(
    env: Env | RunConfig,
    folder: str | Path | None,
    seed: int,
    fields: ConfigFields,
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
        given: ConfigFields = {
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
