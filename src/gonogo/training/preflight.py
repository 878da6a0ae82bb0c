"""What would stop a training later, found before its first phase.

Each phase builds its trainer's settings and its schedule when its turn comes, hours after the command was given. Here
both are built at the start, from the same functions, and thrown away; the run's folder, its disk, the LoRA targets,
the evaluation's policies and the tasks of all uses are looked at too. Nothing is loaded, and nothing is imported that
Unsloth has to patch first.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from gonogo.config import (
    UNPLANNED,
    EvaluationConfig,
    ModelConfig,
    RunConfig,
    TrainConfig,
    load_candidates,
)
from gonogo.env.environment import Env
from gonogo.errors import DiskFailure, EnvironmentFailure, MissingRecord, Misuse, StaleRecord
from gonogo.evaluation.held_out import hold_each, judge_apart, training_tasks
from gonogo.models.memory import GB, lora_parameters
from gonogo.models.vllm import VllmServer
from gonogo.policies.named import SAMPLED, policy_hash
from gonogo.records.files import differences
from gonogo.records.provenance import reward_hash
from gonogo.records.record import Verdict
from gonogo.records.tables import task_text
from gonogo.records.training import TrainingPhases, TrainingProgress
from gonogo.rollouts.engine import Flight
from gonogo.rollouts.types import Policy, numbered
from gonogo.training.curriculum import TrainingTask
from gonogo.training.environments import (
    Environments,
    TrainingEnvironment,
    environments_of,
    validation_of,
)
from gonogo.training.reward_hacking import known_plans

KEPT = 2
"""Whole checkpoints of a phase that stay, see :mod:`gonogo.models.checkpoints`; one more is being written."""
COPIES = 4
"""Of what is trained, in a checkpoint: itself, Adam's two moments, and the best model so far."""
MODELS = 3
"""A run's models: untrained, sft and trained."""
SHOWN = 8
"""Fields of another config that are named."""
ANEW = (
    "Choose another folder with --out, or train anew in this one with --restart: that removes what the training, the "
    "evaluation and the report made, and keeps the rest"
)
DEPENDS_ON = ("target", "reward", "seed", "model", "rollout", "train")
"""Fields of the config that a training depends on."""


def check_phases(train: TrainConfig, folder: Path) -> None:
    """Build the settings and the schedule of each phase.

    Args:
        train: The training.
        folder: Of the run.

    Raises:
        Misuse: Several processes cannot share a step, or a trainer refuses its settings.
    """
    from gonogo.training.grpo import grpo_arguments
    from gonogo.training.processes import Ranks
    from gonogo.training.sft import sft_arguments

    ranks, sft, grpo = Ranks(), train.sft, train.grpo
    if sft is not None:
        rows = ranks.share(sft.batch, "train.sft.batch")
        build(lambda: sft_arguments(sft, train, folder / "sft", 0, rows), "train.sft")
    if grpo is not None:
        groups = ranks.share(grpo.tasks_per_step, "train.grpo.tasks_per_step")
        ranks.share(grpo.imitated, "train.grpo.imitated")
        rows = groups * grpo.group_size
        build(lambda: grpo_arguments(grpo, train, folder / "grpo", 0, rows), "train.grpo")


def build(make: Callable[[], Any], section: str) -> None:
    """Make a trainer's arguments, and the schedule that it will make of them.

    Raises:
        Misuse: It refuses them.
    """
    import torch
    from transformers import get_scheduler

    try:
        arguments = make()
        optimizer = torch.optim.AdamW([torch.zeros(1)], lr=arguments.learning_rate)
        get_scheduler(
            arguments.lr_scheduler_type,
            optimizer,
            num_warmup_steps=arguments.get_warmup_steps(arguments.max_steps),
            num_training_steps=arguments.max_steps,
            scheduler_specific_kwargs=dict(arguments.lr_scheduler_kwargs or {}),
        )
    except ValueError as error:
        raise Misuse(f"{section}: its trainer refuses it: {error}") from error


def check_layers(model: ModelConfig) -> None:
    """Hold the LoRA targets against the layers of a model that is on this machine, without its weights.

    Raises:
        Misuse: A target is none of its layers.
    """
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    from gonogo.models.memory import read_file_config
    from gonogo.models.pretrained import check_targets

    where = None if model.pretrained is None else Path(model.pretrained)
    if model.lora is None or where is None or not where.exists():
        return
    config = read_file_config(where) if where.is_file() else AutoConfig.from_pretrained(where)
    with torch.device("meta"):
        check_targets(AutoModelForCausalLM.from_config(config), model.lora)


def check_disk(run: RunConfig, train: TrainConfig) -> str | None:
    """Hold what a training leaves at most against the free space of its folder's disk.

    It leaves checkpoints of its phases, its models, and the one in 16 bit.

    Args:
        run: The config; its folder need not be there.
        train: Its training part.

    Returns:
        Both, in a sentence; None where the model's shape is not known.

    Raises:
        DiskFailure: It is less.
    """
    from gonogo.models.memory import plan_of

    shape = plan_of(run.model, load_candidates(run.probe.candidates)).shape
    if shape is None:
        return None
    lora = run.model.lora
    trained = shape.parameters if lora is None else lora_parameters(shape, lora.rank)
    phases = sum(phase is not None for phase in (train.sft, train.grpo))
    copies = COPIES * (phases * KEPT + 1) + MODELS
    needed = 4.0 * trained * copies + 2.0 * shape.parameters
    there = next(
        path for path in (run.out.absolute(), *run.out.absolute().parents) if path.is_dir()
    )
    free = shutil.disk_usage(there).free
    said = (
        f"checkpoints and models take up to {needed / GB:.3g} GB, and the disk of {there} has "
        f"{free / GB:.3g} GB free"
    )
    if needed > free:
        raise DiskFailure(f"{said}: make room, or choose another folder with --out")
    return said


def check_training(config: RunConfig, push: str | None = None) -> TrainConfig:
    """Find out what a later phase would refuse, before anything flies, is loaded or is removed.

    Args:
        config: The whole config; ``train`` must be given.
        push: Repository of the hub that a model which is GO is to be uploaded to; None for none.

    Returns:
        The config's part of the training.

    Raises:
        Misuse: The config does not train, there is no access to the hub, the server that is to fly cannot, a trainer
            refuses its settings, the model its factors, or processes cannot share a step.
        MissingExtra: The train extra, or what loads the model, or the tracker is not installed.
        MissingRecord: There is no audit in the folder that the watch is given.
    """
    if config.train is None:
        raise Misuse(UNPLANNED)
    if push is not None:
        from gonogo.models import hub

        hub.check_access(push)
    from gonogo.models.machine import prepare

    prepare(config.model)  # before anything imports what Unsloth patches
    from gonogo.training.tracking import chosen

    chosen(config)
    if config.train.watch.audit not in {
        None,
        config.out,
    }:  # its own may be made again before it trains
        known_plans(config.train.watch, config.out)
    if config.rollout.vllm is not None:
        VllmServer(config.rollout.vllm, config.rollout.timeout_s).check(config.model.context)
    check_phases(config.train, config.out)
    check_layers(config.model)
    return config.train


def check_folder(config: RunConfig) -> None:
    """Find out before anything else flies that the run's folder holds another training than this one.

    Args:
        config: The whole config; ``train`` must be given.

    Raises:
        Misuse: It holds a training by another config; the message says which fields are others.
        StaleRecord: It holds one in another version of the environment.
    """
    progress_of(config)


def progress_of(config: RunConfig) -> TrainingProgress:
    """How far a training is by what its folder holds of it; one that begins where that is nothing.

    Args:
        config: The whole config.

    Raises:
        Misuse: The folder holds a training by another config.
        StaleRecord: It holds one in another version of the environment.
    """
    from gonogo.env.target import source_of_all

    depends_on = config.model_dump(mode="json", include=set(DEPENDS_ON))
    begun = TrainingProgress(
        config={**depends_on, "reward": reward_hash(config.reward)},
        source_hash=source_of_all(config.targets),
        phases=TrainingPhases(),
    )
    try:
        record = TrainingProgress.load(config.out)
    except MissingRecord:
        return begun
    if others := differences(record.config, begun.config):
        more = [f"and {len(others) - SHOWN} more"] if len(others) > SHOWN else []
        said = "; ".join([*others[:SHOWN], *more])
        raise Misuse(f"{config.out} holds a training by another config: {said}. {ANEW}")
    if record.source_hash != begun.source_hash:
        raise StaleRecord(
            f"{config.out} holds a training in another version of {', '.join(config.targets)}, whose files have "
            f"changed since. {ANEW}"
        )
    return begun.model_copy(update={"phases": record.phases})


def tasks_of(run: RunConfig, train: TrainConfig) -> list[tuple[str, TrainingTask]]:
    """A task of each stage, each kind of each environment's validation and the evaluation, by what to call them."""
    stages = [
        (f"stage {stage.name}", TrainingTask(numbered(dict(stage.options), 0), stage.environment))
        for stage in train.curriculum.stages
    ]
    evaluation = run.evaluation
    kinds = 0 if evaluation == EvaluationConfig() else len(evaluation.in_turn) or 1
    evaluated = [("evaluation", TrainingTask(options)) for options in evaluation.tasks()[:kinds]]
    validations = [
        ("validation" if task.environment is None else f"validation {task.environment}", task)
        for task in validation_of(run, once=True)
    ]
    return [*stages, *validations, *evaluated]


def apart_in(
    run: RunConfig, train: TrainConfig, environments: Environments
) -> Iterator[tuple[str, Verdict, str]]:
    """Whether the tasks of the validation and of the evaluation are others than training's.

    Held-out ones are judged by the evaluation's rule. What only chooses the checkpoint may be partly known: where all
    of it is, the model that remembers most is chosen. Tasks of an evaluation that the config does not give are not
    looked at, nor are those of an environment without a stage.
    """
    validation = validation_of(run)
    for each in environments:
        key = each.key
        if not (trained := training_tasks(train, key)):
            continue
        groups = {"validation": [task.options for task in validation if task.environment == key]}
        if key is None and run.evaluation != EvaluationConfig():
            groups["held-out"] = run.evaluation.tasks()
        found = hold_each(run, each.env, trained, list(groups.values()))
        where = "" if key is None else f" of {key}"
        for what, apart in zip(groups, found, strict=True):
            verdict, said = judge_apart(apart, what)
            if what == "validation" and 0 < apart.copies < apart.looked_at:
                verdict = Verdict.GO
            yield f"{what} tasks{where}", verdict, said


def check_apart(run: RunConfig, train: TrainConfig) -> None:
    """Whether a training may begin: its validation and held-out tasks are new ones, or the config says that it knows.

    Raises:
        EnvironmentFailure: They are copies of training's, and the config does not say that this is meant.
    """
    if run.evaluation.memorisation:
        return
    with closing(Environments(environments_of(run))) as environments:
        found = [said for _, verdict, said in apart_in(run, train, environments) if verdict]
    if found:
        raise EnvironmentFailure(
            f"{'; '.join(found)}: choose other tasks, or say that it is meant by evaluation.memorisation: true"
        )


def check_policies(run: RunConfig, train: TrainConfig) -> None:
    """Whether the evaluation's policies are there, or will be when the training has ended.

    Raises:
        Misuse: One will not.
    """
    made = {
        "untrained": True, "sft": train.sft is not None, "trained": train.grpo is not None,
    }  # fmt: skip
    for name in run.evaluation.policies:
        stem = name.removesuffix(SAMPLED)
        if run.evaluation.models_from is None and made.get(stem):
            continue
        try:
            policy_hash(name, Env.of(run).target, run.trained_in / "models", run.model)
        except Misuse as error:
            raise Misuse(f"evaluation.policies: {error}") from error


def try_tasks(run: RunConfig, train: TrainConfig, environments: Environments) -> None:
    """Begin a task of each stage, of the validation and of the evaluation, before the first phase takes its time.

    Args:
        run: The whole config.
        train: Its training.
        environments: The environments, opened.

    Raises:
        EnvironmentFailure: One cannot be begun.
    """
    tasks = tasks_of(run, train)

    def policy(where: TrainingEnvironment) -> Policy:
        return where.policy("random", run.seed)

    wanted = dict(enumerate(task for _, task in tasks))
    flown = environments.fly(wanted, policy, Flight(run.target, 1))
    for (name, task), episode in zip(tasks, flown, strict=True):
        if episode.error is not None:
            raise EnvironmentFailure(f"{name}: {task_text(task.options)}: {episode.error}")
