"""gonogo as a library: what its main commands do, as functions that print nothing and return typed reports.

A function takes an environment that :func:`load_environment` gave, or a config. Without a folder it works in a
temporary one and leaves nothing, except :func:`plan` and :func:`train`, whose folder is ``runs/NAME`` then. With a
folder it leaves what its command leaves, and continues where an interrupted call stopped.
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
from gonogo.policies.named import untaught
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
    from gonogo.records.stations import PageReport
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
    policies: AnyPolicy | Sequence[AnyPolicy] | None = None,
    *,
    tasks: int | TaskPlan | None = None,
    seed: int | None = None,
    file: str | Path | None = None,
    ray: bool = False,
) -> Episodes:
    """Fly tasks with each of some policies.

    Args:
        env: The environment; or a config, whose ``evaluation`` says which tasks and policies.
        policies: One policy, or several; see :data:`AnyPolicy`. None for idle and random.
        tasks: How many, counted up from the first; or which, see
            :meth:`~gonogo.env.environment.Env.tasks`. None for 20.
        seed: Of the policies' draws; None for 0.
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

    fields = evaluation_of(env, policies, tasks, 20)
    with prepared(env, None, seed, fields) as (run, opened, folder):
        where = folder / "episodes.jsonl" if file is None else Path(file)
        return Episodes(tuple(flown(run, opened, where, over_ray=ray)))


def check_env(
    env: Env | RunConfig,
    *,
    reset: TaskOptions | None = None,
    tasks: int | None = None,
    steps: int | None = None,
    seed: int | None = None,
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
    from gonogo.evaluation.replay import with_proofs

    fields = {"map.reset": reset, "map.tasks": tasks, "map.steps": steps}
    with prepared(env, folder, seed, fields) as (run, opened, _):
        report = flown(run, afresh(run, opened))
        return report.model_copy(update={"findings": with_proofs(report.findings, run.out)})


def audit(
    env: Env | RunConfig,
    *,
    reference: str | PolicyFunction | Policy | None = None,
    rewards: Sequence[str] = (),
    policy: str | Path | None = None,
    reset: TaskOptions | None = None,
    budget: int | None = None,
    seeds: int | None = None,
    jobs: int | None = None,
    seed: int | None = None,
    folder: str | Path | None = None,
    ray: bool = False,
    force: bool = False,
) -> AuditReport:
    """Find exploits of an environment's reward, and prove each; maps it first.

    Args:
        env: The environment; or a config, whose ``audit`` says how much is flown.
        reference: A policy that succeeds, beside those that the environment ships: a function's name,
            ``module:function``, a function, or an object.
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
    from gonogo.evaluation.replay import with_proofs
    from gonogo.pipeline import audit as command
    from gonogo.records.audit import AuditReport

    by_path = reference if isinstance(reference, str) else None
    guides: list[str] = []
    if reference is not None and by_path is None:
        if isinstance(env, RunConfig):
            raise Misuse("with a config a reference is named in it: audit.reference")
        guides = [name_of(env, reference)]
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
        command.audit(run, afresh(run, opened), guides=guides, over_ray=ray, force=force)
        report = AuditReport.load(out)
        return report.model_copy(update={"findings": with_proofs(report.findings, out)})


def evaluate(
    env: Env | RunConfig,
    policies: Sequence[AnyPolicy] | None = None,
    *,
    tasks: int | TaskPlan | None = None,
    compare: Sequence[tuple[str, str]] = (),
    seed: int | None = None,
    folder: str | Path | None = None,
    ray: bool = False,
) -> EvaluationReport:
    """Fly the same held-out tasks with each of some policies, and compare them in pairs.

    Args:
        env: The environment; or a config, whose ``evaluation`` says which tasks and policies.
        policies: See :data:`AnyPolicy`. None for idle and random.
        tasks: How many, counted up from the first; or which, see
            :meth:`~gonogo.env.environment.Env.tasks`. None for 200.
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

    fields = evaluation_of(env, policies, tasks, 200)
    fields["evaluation.compare"] = [list(pair) for pair in compare] or None
    with prepared(env, folder, seed, fields) as (run, opened, _):
        return flown(run, opened, over_ray=ray)


def plan(
    env: Env | RunConfig,
    *,
    teacher: str | None = None,
    pretrained: str | Path | None = None,
    seed: int | None = None,
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
    seed: int | None = None,
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
    from gonogo.records.stations import PageReport
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


def replay(
    env: Env, recorded: Finding | Episodes | Episode | Sequence[Episode] | str | Path
) -> ReplayReport:
    """Fly recorded actions again in a fresh process, and hold every reward against the recorded one, bit for bit.

    Args:
        env: The environment, with the reward and the success that it was flown with.
        recorded: A finding of an audit or of :func:`check_env`; one episode, several, or a file of them.

    Raises:
        Misuse: A finding is about no flight, such as one about the client, or was read from a file and needs the
            episodes beside it.
        MissingRecord: The file cannot be read, or an episode has no turns.
    """
    from gonogo.evaluation.replay import proof_of, replay_in

    if not isinstance(env, Env):
        raise Misuse(f"an environment is what load_environment gives, not {env!r:.80}")
    if isinstance(recorded, Finding):
        proof = proof_of(recorded, env.address)
        if proof is None:
            raise Misuse(
                f"{recorded.id}: this finding holds no flight; what proves one that was read from a file lies beside "
                "the record, in witnesses.jsonl or map_witnesses.jsonl: replay that file"
            )
        return replay_in(env, [proof])
    if isinstance(recorded, str | Path):
        return replay_in(env, Episodes.load(recorded))
    episodes = [recorded] if isinstance(recorded, Episode) else list(recorded)
    if strangers := [each for each in episodes if not isinstance(each, Episode)]:
        raise Misuse(
            f"what is replayed is a finding, episodes or a file of them, not {strangers[0]!r:.80}"
        )
    return replay_in(env, episodes)


def evaluation_of(
    env: Env | RunConfig,
    policies: AnyPolicy | Sequence[AnyPolicy] | None,
    tasks: int | TaskPlan | None,
    count: int,
) -> ConfigFields:
    """Fields of a config that say which tasks are flown, and by whom.

    Args:
        env: The environment, or a config that says it.
        policies: Who flies; None for idle and random.
        tasks: Which; None for ``count``.
        count: How many.

    Raises:
        Misuse: The tasks or a policy are none, or a config is given, which says it.
    """
    if isinstance(env, RunConfig):
        return {"policies": policies, "tasks": tasks}
    if isinstance(tasks, bool) or not isinstance(tasks, int | TaskPlan | None):
        raise Misuse(f"tasks must be a number or what env.tasks() gives, not {tasks!r:.80}")
    plan = tasks
    if not isinstance(plan, TaskPlan):
        plan = opened(env).tasks(episodes=count if plan is None else plan)
    fields: ConfigFields = {
        f"evaluation.{name}": value for name, value in plan.model_dump(mode="json").items()
    }
    return fields | {
        "evaluation.policies": names_of(env, ("idle", "random") if policies is None else policies)
    }


def opened(env: object) -> Env:
    """The environment that a caller gave.

    Raises:
        Misuse: It is none.
    """
    if not isinstance(env, Env):
        raise Misuse(f"an environment is what load_environment gives, or a config, not {env!r:.80}")
    return env


def afresh(run: RunConfig, env: Env) -> Env:
    """The environment as it is on the disk now, for what starts its own processes, with the caller's policies."""
    now = Env.of(run)
    now.policies = env.policies
    env.release()
    return now


@contextmanager
def prepared(
    env: Env | RunConfig,
    folder: str | Path | None,
    seed: int | None,
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
        given_too = {"folder": folder, "seed": seed, **fields}
        if strangers := [name for name, value in given_too.items() if value is not None]:
            raise Misuse(
                f"a config says all: put {', '.join(strangers)} into it, or give an environment"
            )
        with Env.of(env) as flown:
            yield env, flown, env.out
        return
    opened(env)
    with ExitStack() as stack:
        out = Path(folder or stack.enter_context(TemporaryDirectory(prefix="gonogo-")))
        given: ConfigFields = {
            "target": env.address,
            "out": str(out),
            "seed": seed or 0,
            "reward": None if env.reward is None else str(env.reward),
            "rollout": env.config.model_dump(mode="json", exclude_unset=True),
            **fields,
        }
        run = load(None, {name: value for name, value in given.items() if value is not None})
        yield run, env, out


def names_of(env: Env, policies: AnyPolicy | Sequence[AnyPolicy]) -> list[str]:
    """The names by which policies are flown in an environment; an object is known to the environment by its name."""
    if isinstance(policies, Sequence) and not isinstance(policies, str):
        return [name_of(env, each) for each in policies]
    return [name_of(env, policies)]


def name_of(env: Env, policy: AnyPolicy) -> str:
    """The name of one policy; of an object whose name is another's already, the name and a number.

    Raises:
        Misuse: It is none.
    """
    if isinstance(policy, str | Path):
        return str(policy)
    own: object = getattr(policy, "name", None) or getattr(
        policy, "__name__", type(policy).__name__
    )
    name, number = str(own), 1
    while name in untaught(env.target) or (
        name in env.policies and env.policies[name].args[1] != policy
    ):
        number += 1
        name = f"{own}-{number}"
    if isinstance(policy, type) or not (isinstance(policy, Policy) or callable(policy)):
        raise Misuse(
            f"a policy must be a name, a path, a function of (observation, memory) or an object, not {policy!r:.80}"
        )
    if isinstance(policy, Policy):
        env.policies[name] = partial(LentPolicy, name, policy)
    else:
        env.policies[name] = partial(CallablePolicy, name, policy)
    return name
