"""What can be said on the command line: each option once, and the fields of the config that options replace."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gonogo import config
from gonogo.cli import held
from gonogo.env.variables import pass_on
from gonogo.errors import Misuse
from gonogo.records.record import Verdict
from gonogo.records.terminal import visible


def option(name: str, help: str, **rest: Any) -> Any:
    """An option without a default of its own: what is not given is the config's."""
    return typer.Option(name, help=help, show_default=False, **rest)


def path(text: str | Path) -> Path:
    """A path as it was typed, or an option's default, which click hands to the parser too.

    Raises:
        typer.BadParameter: It is empty, which would name the current folder without a word.
    """
    if not str(text).strip():
        raise typer.BadParameter(f"a path must not be empty, as {text!r} is; '.' is this folder")
    return Path(text)


def reason(given: str | None) -> str | None:
    """A reason on one line, as it stands in records and on pages.

    Args:
        given: What was given; None where nothing was.

    Raises:
        Misuse: There is no word in it.
    """
    if given is None:
        return None
    if not (said := visible(" ".join(given.split())).strip()):
        raise Misuse(
            "--accept takes a reason, which stands in every record that follows, not an empty text"
        )
    return said


TargetArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="TARGET",
        help="An environment: a folder, package.module:Class, or a server's URL. "
        "Replaces the config's.",
        show_default=False,
    ),
]
ConfigOption = Annotated[Path | None, option("--config", "Config file (YAML).", parser=path)]
OutOption = Annotated[Path | None, option("--out", "Folder of the run's records.", parser=path)]
SeedOption = Annotated[int | None, option("--seed", "Seed of everything drawn at random.")]
RewardOption = Annotated[
    Path | None,
    option(
        "--reward",
        "Python file whose make_reward pays instead of the environment; see gonogo reward.",
        exists=True,
        dir_okay=False,
    ),
]
SuccessOption = Annotated[
    str | None,
    option(
        "--success",
        "What success is: an expression on the observation's fields, metadata and done. "
        "Default: the usual fields (success, solved, won, ...).",
        metavar="EXPR",
    ),
]
TimeoutOption = Annotated[float | None, option("--timeout-s", "Seconds that one step may take.")]
StartupOption = Annotated[float | None, option("--startup-s", "Seconds that loading may take.")]
EnvOption = Annotated[
    list[str] | None,
    option(
        "--env",
        "Pass an environment variable of yours, by its name, to foreign code; repeatable.",
        metavar="NAME",
    ),
]

ResetOption = Annotated[
    list[str] | None,
    option(
        "--reset",
        "A reset option and its YAML value; repeatable. Only the task that they name is flown.",
        metavar="NAME=VALUE",
    ),
]
ReferenceOption = Annotated[
    str | None,
    option(
        "--reference",
        "A policy that succeeds: a function of (observation, memory) that gives an action.",
        metavar="MODULE:FUNCTION",
    ),
]
RewardsOption = Annotated[
    list[str] | None,
    option(
        "--rewards",
        "A trainer's reward function, which pays in the environment's place; once for each.",
        metavar="MODULE:FUNCTION",
    ),
]
BudgetOption = Annotated[int | None, option("--budget", "Environment steps of the search.")]
SeedsOption = Annotated[int | None, option("--seeds", "Seeds that every policy flies.")]
JobsOption = Annotated[int | None, option("--jobs", "Tasks that are audited at once.")]

LogOption = Annotated[
    str | None,
    option(
        "--log",
        "Where the figures of a training go beside training.jsonl; default: trackio, if installed.",
        metavar="trackio|tensorboard|wandb|none",
    ),
]

WithoutThemeOption = Annotated[
    bool,
    typer.Option(
        "--without-theme", help="Go on without a problem statement that its author has confirmed."
    ),
]

AcceptOption = Annotated[
    str | None,
    option(
        "--accept",
        "Go on although the run's audit is NO-GO, for this reason; every record that follows holds it.",
        metavar="REASON",
        callback=reason,
    ),
]
RestartOption = Annotated[
    bool,
    typer.Option(
        "--restart",
        help="Remove what training, evaluation and report made in the run's folder, keep the rest, and train anew.",
    ),
]

PoliciesOption = Annotated[
    str | None,
    option(
        "--policies",
        "Comma-separated: idle, random, reference policies of the environment (..._careless: with slips), "
        "functions (module:function), models of the run (untrained, sft, trained; ..._sampled), or folders of models.",
    ),
]
ModelOption = Annotated[
    list[str] | None,
    option(
        "--model",
        "A model whose weights can be had: a folder, a .gguf file, or http://host:port/v1#name; "
        "NAME= before it makes it a candidate's. Once for each.",
        metavar="[NAME=]WHERE",
    ),
]
PretrainedOption = Annotated[
    str | None,
    option(
        "--pretrained",
        "The model to train: a folder, a .gguf file or a hub name. Replaces the config's.",
        metavar="WHERE",
    ),
]
CandidatesOption = Annotated[
    Path | None,
    option("--candidates", "YAML file of further models whose shapes are known.", dir_okay=False),
]
MemoryOption = Annotated[
    float | None, option("--memory-gb", "Memory for training; default: this machine's.")
]
SplitOption = Annotated[str | None, option("--split", "Reset option split.")]
LevelOption = Annotated[str | None, option("--level", "Reset option level.")]
StartOption = Annotated[int | None, option("--start", "First task's index.")]
EpisodesOption = Annotated[int | None, option("--episodes", "Episodes of each policy.")]
EnvironmentOption = Annotated[
    str | None,
    option(
        "--environment",
        "One of the config's train.environments, by name, instead of the target: its own tasks, with "
        "the run's models; records go to environments/NAME in the run's folder.",
        metavar="NAME",
    ),
]
RayOption = Annotated[
    bool,
    option(
        "--ray",
        "Fly over Ray, on the cluster that RAY_ADDRESS names or on one started on this machine.",
    ),
]


def flying(
    target: str | None,
    out: Path | None,
    seed: int | None,
    success: str | None,
    reward: Path | None = None,
    *,
    timeout_s: float | None = None,
    startup_s: float | None = None,
    env: list[str] | None = None,
) -> config.ConfigFields:
    """What a command that flies can be told, by its dotted names."""
    return {
        "target": target,
        "out": out,
        "seed": seed,
        "reward": reward,
        "rollout.success": success,
        "rollout.timeout_s": timeout_s,
        "rollout.startup_s": startup_s,
        "rollout.env": env,
    }


def map_options(reset: list[str] | None, steps: int | None = None) -> config.ConfigFields:
    """The map's fields that options replace, by their dotted names."""
    return {
        "map.reset": None if reset is None else config.reset_options(reset),
        "map.steps": steps,
    }


def audit_options(
    reference: str | None,
    reset: list[str] | None,
    budget: int | None,
    seeds: int | None,
    jobs: int | None,
) -> config.ConfigFields:
    """The audit's fields that options replace, by their dotted names; the task is the map's, which comes first."""
    return {
        **map_options(reset),
        "audit.reference": reference,
        "audit.budget": budget,
        "audit.seeds": seeds,
        "audit.jobs": jobs,
    }


def tasks(
    policies: str | None,
    split: str | None,
    level: str | None,
    start: int | None,
    episodes: int | None,
) -> config.ConfigFields:
    """The evaluation's fields that options replace, by their dotted names."""
    return {
        "evaluation.policies": None if policies is None else policies.split(","),
        # The config's comparisons are about the config's policies.
        "evaluation.compare": None if policies is None else [],
        "evaluation.split": split,
        "evaluation.level": level,
        "evaluation.start": start,
        "evaluation.episodes": episodes,
    }


def probe_options(
    models: list[str] | None,
    candidates: Path | None,
    memory_gb: float | None,
    split: str | None,
    level: str | None,
    start: int | None,
    episodes: int | None,
) -> config.ConfigFields:
    """The probe's fields that options replace, by their dotted names."""
    return {
        "probe.models": models,
        "probe.candidates": candidates,
        "probe.memory_gb": memory_gb,
        "probe.split": split,
        "probe.level": level,
        "probe.start": start,
        "probe.episodes": episodes,
    }


def gate(without_theme: bool) -> config.ConfigFields:
    """Whether a confirmed problem statement is asked for, as fields of a config."""
    return {"theme.required": False if without_theme else None}


def load(
    config_file: Path | None,
    *options: config.ConfigFields,
    environment: str | None = None,
    writes: bool = True,
) -> config.RunConfig:
    """The config that a command runs: the file's, with the given options in its place.

    Args:
        config_file: The file; None for the one that the run's folder was begun with, if any.
        options: Fields by their dotted names; None where an option was not given.
        environment: Name of the training's environment that is flown instead of the target.
        writes: Whether the command writes into the run's folder, which is its own then until it ends.

    Raises:
        Misuse: Neither a file nor a target was given, or an environment and not a file alone; or another command
            has the run's folder, or it cannot be written into, or a variable is to be given that is not set.
        ConfigError: The result broke a rule, or there is no such environment.
    """
    given = {name: value for some in options for name, value in some.items() if value is not None}
    if environment is not None:
        if config_file is None or "target" in given:
            raise Misuse("--environment names one of a --config, and goes without a TARGET")
        given = config.load(config_file).flown_in(environment) | given
    if config_file is None:
        if "target" not in given:
            raise Misuse("a TARGET or a --config that names one must be given, not neither")
        given.setdefault("out", Path("runs") / config.run_name(given["target"]))
        config_file, given, said = config.goes_on(given)
        if said:
            typer.echo(visible(said), err=True)
    paths = {name: str(value) for name, value in given.items() if isinstance(value, Path)}
    run = config.load(config_file, given | paths)
    pass_on(run.rollout.env)
    if writes:
        held.folder(run.out)
        held.flags(run, config_file, given)
    return run


def finish(verdict: Verdict) -> None:
    """End the program with the verdict's exit code."""
    raise typer.Exit(int(verdict))
