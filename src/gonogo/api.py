"""gonogo as a library: what its commands do, as functions that print nothing and return typed reports.

A function takes an environment that :func:`load_environment` gave, or a config. :func:`check_env`, :func:`audit`,
:func:`rollout`, :func:`replay` and :func:`evaluate` work in a temporary folder and leave nothing, unless a folder or a
file is named; the others leave what their commands leave, in ``runs/NAME`` unless a folder is named. With a folder a
function continues where an interrupted call stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

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
from gonogo.errors import MissingRecord, Misuse
from gonogo.policies.external import CallablePolicy, LentPolicy, PolicyFunction
from gonogo.policies.named import untaught
from gonogo.records.findings import Finding
from gonogo.records.record import Verdict
from gonogo.records.terminal import Terminal
from gonogo.rollouts.episodes import Episode, Episodes
from gonogo.rollouts.types import Policy
from gonogo.wire import TaskOptions

if TYPE_CHECKING:
    from gonogo.evaluation.replay import ReplayReport
    from gonogo.models.tokenizer import Speaker
    from gonogo.records.audit import AuditReport
    from gonogo.records.contract import ContractReport
    from gonogo.records.evaluation import EvaluationReport
    from gonogo.records.probe import ProbeReport
    from gonogo.records.reward import RewardReport
    from gonogo.records.stations import PageReport, PollReport
    from gonogo.records.submission import CheckReport, ThemeReport
    from gonogo.records.training import TrainingReport

__all__ = [
    "AnyPolicy",
    "TrainingPlan",
    "audit",
    "check_env",
    "check_statement",
    "check_submission",
    "demo",
    "dry_run",
    "evaluate",
    "fly",
    "grade",
    "join_training",
    "load_config",
    "load_environment",
    "load_model",
    "missing_before",
    "plan",
    "poll",
    "probe",
    "publish",
    "replay",
    "replay_file",
    "report",
    "rollout",
    "show_progress",
    "theme",
    "train",
    "write_reward",
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
    variables: str | Sequence[str] = (),
) -> Env:
    """An environment under test; it is opened by what first flies in it, and is to be closed: use ``with``.

    Args:
        address: A folder, ``package.module:EnvironmentClass``, the URL of a running server, a Space
            (``hf:owner/name``), a git URL or ``gym:ID``.
        success: Expression on an observation's fields, ``metadata``, ``state``, ``done`` and ``reward`` that is true
            where an episode has succeeded; None for the environment's own word.
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
        "rollout.env": [*listed(variables)] or None,
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
    minutes: float | None = None,
    seed: int | None = None,
    folder: str | Path | None = None,
) -> ContractReport:
    """Say what an environment is, and hold it against its contract by flying it, as ``gonogo map`` does.

    Args:
        env: The environment; or a config, whose ``map`` says how much is flown.
        reset: Reset options of the one task to map; None for the tasks that the environment offers.
        tasks: Tasks that are flown at most.
        steps: Steps of a flight that is flown several times to be compared.
        minutes: How long it may take.
        seed: Of what draws at random.
        folder: Where the record goes; None for nowhere.

    Raises:
        EnvironmentFailure: The environment could not be started.
    """
    from gonogo.contract.check_env import check_env as flown
    from gonogo.evaluation.replay import with_proofs

    fields: ConfigFields = {
        "map.reset": reset,
        "map.tasks": tasks,
        "map.steps": steps,
        "map.minutes": minutes,
    }
    with prepared(env, folder, seed, fields) as (run, opened, _):
        report = flown(run, afresh(run, opened))
        return report.model_copy(update={"findings": with_proofs(report.findings, run.out)})


def audit(
    env: Env | RunConfig,
    *,
    reference: str | PolicyFunction | Policy | None = None,
    rewards: str | Sequence[str] = (),
    policy: str | Path | None = None,
    reset: TaskOptions | None = None,
    minutes: float | None = None,
    budget: int | None = None,
    seeds: int | None = None,
    jobs: int | None = None,
    seed: int | None = None,
    folder: str | Path | None = None,
    ray: bool = False,
    force: bool = False,
    accept: str | None = None,
) -> AuditReport:
    """Find exploits of an environment's reward, and prove each; maps it first.

    Args:
        env: The environment; or a config, whose ``audit`` says how much is flown.
        reference: A policy that succeeds, beside those that the environment ships: a function's name,
            ``module:function``, a function, or an object.
        rewards: Reward functions outside the environment, ``module:function`` each, that are audited in its place.
        policy: A trained policy to audit too: a model's folder.
        reset: Reset options of the one task to audit; None for the tasks that the environment offers.
        minutes: How long it may take, its map included; None for 2.
        budget: Steps and resets of the whole audit in place of minutes: what ``budget.spent`` of a record names
            repeats its audit to the bit.
        seeds: Seeds that every policy flies on each task at most.
        jobs: Tasks at once.
        seed: Of what draws at random.
        folder: Where the record, the witnesses and the exports go, and where an interrupted audit goes on; None for
            nowhere.
        ray: Whether Ray's workers audit the tasks.
        force: Whether it replaces a stronger audit in the folder, or one of another reward.
        accept: A finding and why it is accepted, ``FINDING=REASON``, which goes into ``gonogo.yaml`` beside the
            environment; None where none is.

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
    fields: ConfigFields = {
        "audit.reference": by_path,
        "audit.rewards": [*listed(rewards)] or None,
        "audit.policy": None if policy is None else str(policy),
        "audit.minutes": minutes,
        "audit.budget": budget,
        "audit.seeds": seeds,
        "audit.jobs": jobs,
        "map.reset": reset,
    }
    with prepared(env, folder, seed, fields) as (run, opened, out):
        command.audit(
            run, afresh(run, opened), guides=guides, over_ray=ray, force=force, accept=accept
        )
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
    from gonogo.evaluation.evaluate import evaluate as flown

    fields = evaluation_of(env, policies, tasks, 200)
    if any(isinstance(pair, str) for pair in compare):
        raise Misuse(f"compare is a list of pairs of names, not {compare!r:.80}")
    fields["evaluation.compare"] = [list(pair) for pair in compare] or None
    with prepared(env, folder, seed, fields) as (run, opened, _):
        return flown(run, opened, over_ray=ray)


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """A config to train by.

    Attributes:
        config: The config.
        verdict: The dry run's; HOLD also if so many flights were lost that those that are left do not stand for all.
    """

    config: RunConfig
    verdict: Verdict


def plan(
    env: Env | RunConfig,
    *,
    teacher: str | None = None,
    pretrained: str | Path | None = None,
    seed: int | None = None,
    folder: str | Path | None = None,
    file: str | Path | None = None,
    overwrite: bool = False,
    accept: str | None = None,
) -> TrainingPlan:
    """A config to train by, from the environment's map and a few flights; maps it first.

    Args:
        env: The environment; or a config that names it.
        teacher: Policy to imitate; None for the one that the environment declares.
        pretrained: Folder or GGUF file of a pretrained model; None for a model made from scratch.
        seed: Of the run.
        folder: The run's folder; None for ``runs/NAME``.
        file: Where the config goes, each value below its reason; None for ``plan.yaml`` of the folder, written over.
        overwrite: Whether a file that is there is written over.
        accept: Why findings of the audit in the folder are accepted; None where they are not.

    Raises:
        Misuse: No policy has the teacher's name, or the file is there.
        Forbidden: The audit in the folder forbids to train.
        EnvironmentFailure: Nothing could be flown.
        MissingExtra: The ``train`` extra is not installed.
    """
    from gonogo.pipeline import train as command

    pretrained_model = None if pretrained is None else str(pretrained)
    with in_folder(env, folder, seed, {"model.pretrained": pretrained_model}) as run:
        where = run.out / "plan.yaml" if file is None else Path(file)
        overwrite = overwrite or file is None
        verdict = command.plan(run, where, teacher, overwrite=overwrite, accept=accept)
        return TrainingPlan(load(where), verdict)


def dry_run(
    run: RunConfig, *, memory_gb: float | None = None, accept: str | None = None
) -> Verdict:
    """Check everything of a training except its weights; :func:`show_progress` lets it print what that takes.

    Args:
        run: The config.
        memory_gb: Memory of the machine that is meant; None for this one.
        accept: Why findings of the audit in the run's folder would be accepted; None where they would not be.

    Returns:
        GO; NO_GO if something is wrong, does not fit or the audit forbids to train; HOLD if that cannot be told.

    Raises:
        Misuse: The config does not train, or no policy has its teacher's name.
        EnvironmentFailure: The environment failed.
        PolicyFailure: A model's folder does not say what it holds, or a policy failed.
    """
    from gonogo.pipeline import train as command

    check_config(run)
    return command.dry_run(run, memory_gb, accept)


def load_model(run: RunConfig) -> Speaker:
    """The model that a config trains, as it is before the training; one made from scratch knows no words yet.

    Args:
        run: The config.

    Raises:
        MissingExtra: What loads it is not installed.
        OutOfMemory: The machine's memory does not hold it.
    """
    from gonogo.models.failures import naming_what_to_lower
    from gonogo.models.machine import prepare

    check_config(run)
    prepare(run.model)  # before anything imports what Unsloth patches
    from gonogo.training.trainer import new_speaker

    with naming_what_to_lower():
        return new_speaker(run, [], "")


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

    In a training of several processes the first one calls it, and the others :func:`join_training`.

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
        Misuse: The config does not train.
        Forbidden: The audit in the folder forbids to train.
        EnvironmentFailure: The environment failed, or the validation's tasks are copies of training's.
        MissingExtra: The ``train`` extra is not installed.
        MissingRecord: There is no audit in the folder that the watch is given.
    """
    from gonogo.pipeline import train as command
    from gonogo.records.training import TrainingReport

    if not isinstance(config, TrainConfig | None):
        raise Misuse(f"config must be a TrainConfig, not {config!r:.80}")
    if not isinstance(model, ModelConfig | None):
        raise Misuse(f"model must be a ModelConfig, not {model!r:.80}")
    fields: ConfigFields = {
        name: None if part is None else part.model_dump(mode="json", exclude_unset=True)
        for name, part in (("train", config), ("model", model))
    }
    with in_folder(env, folder, seed, fields) as run:
        command.train(run, push, anew=restart, accept=accept)
        return TrainingReport.load(run.out)


def join_training(
    run: RunConfig, *, push: str | None = None, restart: bool = False, accept: str | None = None
) -> None:
    """Take part in a training of several processes that :func:`train` leads in the first one, which alone answers.

    Args:
        run: The config.
        push: As of :func:`train`.
        restart: As of :func:`train`.
        accept: As of :func:`train`.
    """
    from gonogo.pipeline import train as command

    check_config(run)
    command.train(run, push, anew=restart, accept=accept)


def probe(
    env: Env | RunConfig,
    models: str | Path | Sequence[str | Path] = (),
    *,
    tasks: int | TaskPlan | None = None,
    memory_gb: float | None = None,
    seed: int | None = None,
    folder: str | Path | None = None,
) -> ProbeReport:
    """Compare models to train: what they need, what this machine has, and some zero-shot episodes of each that fits.

    Args:
        env: The environment; or a config, whose ``probe`` says which models and tasks.
        models: Models whose weights can be had: a folder, a GGUF file or ``http://host:port/v1#name`` each.
        tasks: How many, counted up from the first; or which, see
            :meth:`~gonogo.env.environment.Env.tasks`. None for 10.
        memory_gb: Memory for training; None for this machine's.
        seed: Of the draws.
        folder: Where the record and the page go; None for ``runs/NAME``.

    Raises:
        EnvironmentFailure: The environment failed.
        MissingExtra: What loads a model is not installed.
    """
    from gonogo.records.probe import ProbeReport
    from gonogo.training.probe import report as probe_report

    fields: ConfigFields = {"probe.models": [*listed(models)] or None, "probe.memory_gb": memory_gb}
    fields |= tasks_of(env, tasks, "probe")
    with in_folder(env, folder, seed, fields) as run:
        probe_report.run(run)
        return ProbeReport.load(run.out)


def write_reward(
    env: Env | RunConfig,
    *,
    reference: str | None = None,
    reset: TaskOptions | None = None,
    minutes: float | None = None,
    budget: int | None = None,
    seeds: int | None = None,
    overwrite: bool = False,
    seed: int | None = None,
    folder: str | Path | None = None,
) -> RewardReport:
    """Write a reward that resists the exploits that an audit found, with tests, and audit it; audits first.

    Args:
        env: The environment; or a config, whose ``audit`` says how much is flown.
        reference: A policy that succeeds, ``module:function``, beside those that the environment ships.
        reset: Reset options of the one task to audit; None for the tasks that the environment offers.
        minutes: How long each audit may take, of the environment's reward and of the new one; None for 2.
        budget: Steps and resets of each audit in place of minutes: what ``budget.spent`` of a record names repeats
            its audit to the bit.
        seeds: Seeds that every policy flies on each task at most.
        overwrite: Whether a ``reward.py`` that was edited is replaced.
        seed: Of what draws at random.
        folder: Where all of it goes; None for ``runs/NAME``.

    Raises:
        EnvironmentFailure: The environment could not be started.
        Misuse: The reward was edited, or the audit in the folder is of another reward.
    """
    from gonogo.pipeline import audit as command
    from gonogo.records.reward import RewardReport

    fields: ConfigFields = {
        "audit.reference": reference,
        "audit.minutes": minutes,
        "audit.budget": budget,
        "audit.seeds": seeds,
        "map.reset": reset,
    }
    with in_folder(env, folder, seed, fields) as run:
        command.upgrade(run, overwrite=overwrite)
        return RewardReport.load(run.out)


def demo(run: RunConfig, *, restart: bool = False, accept: str | None = None) -> Verdict:
    """Map, audit, train, evaluate and report; a call that was interrupted goes on where it stopped.

    Args:
        run: The config.
        restart: Whether what another training left in the folder is removed first.
        accept: Why findings of the audit are accepted; None where they are not.

    Returns:
        NO_GO if a station's answer is, else HOLD if one's is, else GO; the records in the folder say why.

    Raises:
        Misuse: The config does not train, or the folder holds another run.
        EnvironmentFailure: The environment failed.
    """
    from gonogo.pipeline import demo as command

    check_config(run)
    return command.demo(run, anew=restart, accept=accept)


def theme(
    env: Env | RunConfig,
    *,
    words: str | Path | None = None,
    draft: str | None = None,
    seed: int | None = None,
    folder: str | Path | None = None,
) -> ThemeReport:
    """Score an environment against the hackathon's themes, from its map and a few flights.

    Args:
        env: The environment; or a config, whose ``theme`` says where the words are.
        words: YAML file of the author's words, written as a template if there is none; None for ``theme.yaml`` of the
            folder.
        draft: Server whose model drafts the words, ``http://host:port/v1#name``; None for nobody.
        seed: Of what draws at random.
        folder: The run's, which holds the map; None for ``runs/NAME``.

    Raises:
        ConfigError: The file of the words broke a rule.
        MissingRecord: There is no map in the folder.
        EnvironmentFailure: The environment could not be started.
    """
    from gonogo.records.submission import ThemeReport
    from gonogo.submission.theme import report as station

    fields: ConfigFields = {
        "theme.words": None if words is None else str(words),
        "theme.draft": draft,
    }
    with in_folder(env, folder, seed, fields) as run:
        station.run(run)
        return ThemeReport.load(run.out)


def check_statement(run: RunConfig) -> None:
    """Raise unless the author has finished and confirmed the problem statement that a submission needs.

    Args:
        run: The config; with ``theme.required: false`` nothing is asked.

    Raises:
        TargetError: There is no environment at the target.
        ConfigError: The file of the author's words broke a rule.
        RecordError: There is no statement, or it is not finished or not confirmed.
    """
    from gonogo.pipeline import gates

    check_config(run)
    gates.check_statement(run)


def grade(
    env: Env | RunConfig, *, seed: int | None = None, folder: str | Path | None = None
) -> Verdict:
    """Grade the checks that OpenEnv names and does not grade; the report is ``openenv_report.json`` in the folder.

    Args:
        env: The environment, a folder; or a config that names it.
        seed: Of what draws at random.
        folder: The run's, which holds the map and the audit; None for ``runs/NAME``.

    Returns:
        GO if every check that applies passes, NO_GO if one fails, else HOLD.

    Raises:
        Misuse: The environment is no folder, or the records are about another reward than its own.
        RecordError: The map or the audit is missing, or of another version of the source.
        EnvironmentFailure: The environment could not be started.
    """
    from gonogo.submission.grade import report as station

    with in_folder(env, folder, seed, {}) as run:
        return station.run(run)


def check_submission(
    env: Env | RunConfig,
    *,
    space: str | None = None,
    submission: str | None = None,
    notebook: str | Path | None = None,
    quick: bool = False,
    seed: int | None = None,
    folder: str | Path | None = None,
) -> CheckReport:
    """Go through the hackathon's submission list: each box GO, NO-GO or NEEDS YOU, with its evidence.

    Args:
        env: The environment, a folder; or a config, whose ``check`` says the rest.
        space: The Space, by its page or its server.
        submission: The URL that is submitted.
        notebook: The notebook; None for the one that the README links.
        quick: Whether what takes minutes is left out: the notebook and the image.
        seed: Of the run.
        folder: The run's, which holds the records; None for ``runs/NAME``.

    Raises:
        Misuse: The environment is no folder.
    """
    from gonogo.records.submission import CheckReport
    from gonogo.submission.check import checklist as station

    fields: ConfigFields = {
        "check.space": space,
        "check.submission": submission,
        "check.notebook": None if notebook is None else str(notebook),
        "check.quick": quick or None,
    }
    with in_folder(env, folder, seed, fields) as run:
        station.run(run)
        return CheckReport.load(run.out)


def poll(
    env: Env | RunConfig,
    *,
    only_read: bool = False,
    seed: int | None = None,
    folder: str | Path | None = None,
) -> PollReport:
    """Ask every station, on one board: GO, NO-GO or HOLD, the evidence, and what to do next.

    Args:
        env: The environment; or a config.
        only_read: Whether no station is run and only records are read.
        seed: Of what draws at random.
        folder: The run's; None for ``runs/NAME``.

    Raises:
        TargetError: There is no environment at the address.
    """
    from gonogo.pipeline import poll as command

    with in_folder(env, folder, seed, {}) as run:
        return command.poll(run, only_read=only_read)


def missing_before(run: RunConfig, station: str) -> list[str]:
    """What a station needs and the run's folder lacks, each with the command that makes it.

    Args:
        run: The config.
        station: The station's name, as its command.

    Raises:
        Misuse: There is no such station.
    """
    from gonogo.pipeline import poll as command
    from gonogo.records.stations import STATIONS

    check_config(run)
    if station not in STATIONS:
        raise Misuse(f"no station {station!r}: {', '.join(STATIONS)}")
    return command.lacks(run, station)


def fly(
    env: Env | RunConfig,
    file: str | Path,
    *,
    tasks: int | TaskPlan | None = None,
) -> Verdict:
    """Let a human fly one episode, in the terminal or by lines on stdin; it shows what the human has to see.

    Args:
        env: The environment; or a config, whose ``evaluation`` says which task.
        file: Where the episode goes, after those in it.
        tasks: Whose first is flown, see :meth:`~gonogo.env.environment.Env.tasks`; None for the first of all.

    Returns:
        GO if the episode was flown to its end, HOLD if it was left or lost.

    Raises:
        Misuse: The file holds something else than episodes.
        EnvironmentFailure: The environment could not be started.
    """
    from gonogo.play import human as station

    fields = tasks_of(env, tasks, "evaluation")
    folder = None if isinstance(env, RunConfig) else Path(file).parent
    with in_folder(env, folder, None, fields) as run:
        return station.run(run, Path(file))


@contextmanager
def in_folder(
    env: Env | RunConfig, folder: str | Path | None, seed: int | None, fields: ConfigFields
) -> Iterator[RunConfig]:
    """The config of a call that leaves more than its answer, in ``runs/NAME`` if no folder is given.

    What is open of the environment is released: the call starts its own processes. As :func:`prepared`.
    """
    if isinstance(env, RunConfig):
        check_alone(folder=folder, seed=seed, **fields)
        yield env
        return
    home = folder or Path("runs") / run_name(opened(env).address)
    with prepared(env, home, seed, fields) as (run, flown, _):
        flown.release()
        yield run


def report(
    folder: str | Path,
    *,
    readme: str | Path | None = None,
    writeup: str | Path | None = None,
    words: str | Path | None = None,
    plots: str | Path | None = None,
    video: bool = False,
) -> PageReport:
    """Write a run's records as one page, ``report.html``, into its folder.

    Args:
        folder: The run's.
        readme: The environment's README, whose sections are written too; None for none.
        writeup: Where the mini-blog goes; None for nowhere.
        words: File of the author's words, confirmed; None for the folder's ``theme.yaml``, for the README alone.
        plots: Folder of the published record and plots; None for ``plots`` beside the README, the run's for the
            mini-blog.
        video: Whether one task is filmed as it was flown by both agents.

    Raises:
        MissingRecord: There is no record in it.
        StaleRecord: A record was edited, or is about another environment.
        Misuse: The words are not confirmed, the README has no markers, or a mini-blog is asked for without words.
    """
    from gonogo.records.stations import PageReport
    from gonogo.reporting import report as station
    from gonogo.reporting.readme import Readme

    run = Path(folder)
    said, published = None if words is None else Path(words), None if plots is None else Path(plots)
    if (words or plots) and not (readme or writeup):
        raise Misuse("words and plots are for a README or a mini-blog: readme=, writeup=")
    if writeup is not None and said is None:
        raise Misuse("a mini-blog is made from its author's words: words=")
    page = None
    if readme is not None:
        file = Path(readme)
        where = published or file.parent / "plots"
        page = Readme(file, said, where)
    story = station.Writeup(Path(writeup), said, published or run) if writeup and said else None
    station.run(run, readme=page, writeup=story, video=video)
    return PageReport.load(run)


def publish(
    folder: str | Path, readmes: str | Path | Sequence[str | Path], *, plots: str | Path
) -> None:
    """Write a run's results into READMEs, and its record and plots beside them.

    Args:
        folder: The evaluated run's.
        readmes: Files with the two results markers.
        plots: Folder that the record and the plots are copied to.

    Raises:
        MissingRecord: The run has no evaluation, or lacks a plot.
        StaleRecord: A plot was drawn from another record.
        Misuse: A README lacks the markers; nothing has been written then.
    """
    from gonogo.reporting import readme

    readme.publish(Path(folder), Path(plots), [Path(each) for each in listed(readmes)])


def show_progress(shown: bool = True) -> None:
    """Let what is called print its progress and tables, as a command does; nothing is printed before.

    Args:
        shown: Whether it prints from now on.
    """
    Terminal.speaks = shown


def load_config(file: str | Path, **fields: Any) -> RunConfig:
    """A config from a YAML file.

    Args:
        file: The file.
        fields: Fields that replace the file's, by their names; a dot in a name is two underscores.

    Raises:
        ConfigError: The file cannot be read, or a field breaks a rule.
    """
    given = {
        name.replace("__", "."): str(value) if isinstance(value, Path) else value
        for name, value in fields.items()
    }
    return load(Path(file), given)


def replay(
    env: Env,
    recorded: Finding | Episodes | Episode | Sequence[Episode] | str | Path,
    *,
    rewards: str | Sequence[str] = (),
) -> ReplayReport:
    """Fly recorded actions again in a fresh process, and hold every reward against the recorded one, bit for bit.

    Args:
        env: The environment, with the reward and the success that it was flown with.
        recorded: A finding of an audit or of :func:`check_env`; one episode, several, or a file of them.
        rewards: Reward functions outside the environment that paid then, ``module:function`` each.

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
        return replay_in(env, [proof], listed(rewards))
    if isinstance(recorded, str | Path):
        return replay_in(env, Episodes.load(recorded), listed(rewards))
    given = [recorded] if isinstance(recorded, Episode) else recorded
    if not isinstance(given, Sequence) or not all(isinstance(each, Episode) for each in given):
        raise Misuse(
            f"what is replayed is a finding, episodes or a file of them, not {recorded!r:.80}"
        )
    return replay_in(env, given, listed(rewards))


def replay_file(
    file: str | Path,
    address: str | Path | None = None,
    *,
    reward: str | Path | None = None,
    rewards: str | Sequence[str] = (),
    success: str | None = None,
    timeout_s: float | None = None,
) -> ReplayReport:
    """Fly the actions of a file again, as :func:`replay`, in the environment that its episodes name.

    Args:
        file: Episodes that :func:`rollout`, :func:`fly`, :func:`check_env` or :func:`audit` wrote.
        address: Of the environment; None for the one that the episodes name.
        reward: What paid instead of the environment when they were recorded; None for its own reward.
        rewards: Reward functions outside the environment that paid then, ``module:function`` each.
        success: The expression that said success then; None for the environment's own word.
        timeout_s: Seconds that one step may take.

    Raises:
        StaleRecord: The file is of another version of gonogo.
        Misuse: The file cannot be read, or holds no episode; or they are of several environments, and none is named.
    """
    from gonogo.evaluation.replay import compared, replay_in

    try:
        recorded = Episodes.load(file)
    except MissingRecord as error:
        raise Misuse(str(error)) from error
    if not recorded:
        raise Misuse(f"{file} holds no episode that could be flown again")
    if all(episode.replays is None and episode.error is not None for episode in recorded):
        return compared([], [], len(recorded))
    named = sorted({episode.target for episode in recorded})
    if address is None and len(named) > 1:
        raise Misuse(f"the episodes are of several targets, name one: {', '.join(named)}")
    where = address or named[0]
    with load_environment(where, success=success, reward=reward, timeout_s=timeout_s) as env:
        return replay_in(env, recorded, listed(rewards))


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
        given = {"policies": policies, "tasks": tasks}
        return {name: "given" for name, value in given.items() if value is not None}
    fields = tasks_of(env, count if tasks is None else tasks, "evaluation")
    names = names_of(env, ("idle", "random") if policies is None else policies)
    fields["evaluation.policies"] = [*names]
    return fields


def tasks_of(env: Env | RunConfig, tasks: int | TaskPlan | None, section: str) -> ConfigFields:
    """Fields of a config's section that say which tasks are flown; none where nothing is given.

    Args:
        env: The environment, or a config.
        tasks: How many, or which; None for the section's own.
        section: Its name.

    Raises:
        Misuse: The tasks are none.
    """
    if isinstance(tasks, bool) or not isinstance(tasks, int | TaskPlan | None):
        raise Misuse(f"tasks must be a number or what env.tasks() gives, not {tasks!r:.80}")
    if isinstance(env, RunConfig):
        return {"tasks": None if tasks is None else str(tasks)}
    if tasks is None:
        return {}
    plan = tasks if isinstance(tasks, TaskPlan) else opened(env).tasks(episodes=tasks)
    return {f"{section}.{name}": value for name, value in plan.model_dump(mode="json").items()}


def listed(given: str | Path | Sequence[str | Path]) -> list[str]:
    """Names and paths as texts; a single one is a list of one."""
    return [str(each) for each in ([given] if isinstance(given, str | Path) else given)]


def opened(env: object) -> Env:
    """The environment that a caller gave.

    Raises:
        Misuse: It is none.
    """
    if not isinstance(env, Env):
        raise Misuse(f"an environment is what load_environment gives, or a config, not {env!r:.80}")
    return env


def check_alone(**given: object) -> None:
    """Refuse settings beside a config, which holds them all.

    Args:
        given: The settings by their names; None where one is not given.

    Raises:
        Misuse: One is given.
    """
    if strangers := [name for name, value in given.items() if value is not None]:
        raise Misuse(
            f"a config says all: put {', '.join(strangers)} into it, or give an environment"
        )


def check_config(run: object) -> None:
    """Refuse what is no config.

    Raises:
        Misuse: It is none.
    """
    if not isinstance(run, RunConfig):
        raise Misuse(f"a config is what load_config gives, not {run!r:.80}")


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
        check_alone(folder=folder, seed=seed, **fields)
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
