"""What can be said on the command line: each option once, and the fields of the config that options replace."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from pydantic import JsonValue

from gonogo import config
from gonogo.cli import locks
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


def above_zero(name: str, of: str = "a number") -> Callable[[float | None], float | None]:
    """A callback for an option that takes a number above 0, which refuses any other by the option's name.

    Args:
        name: The option's.
        of: What it takes, in words.
    """

    def checked(given: float | None) -> float | None:
        if given is not None and not (math.isfinite(given) and given > 0):
            raise Misuse(f"{name} takes {of} above 0, not {given}")
        return given

    return checked


TargetArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="TARGET",
        help="An environment: a folder, package.module:Class, a server's URL, a Space (hf:owner/name), a git URL "
        "or gym:ID. Replaces the config's.",
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
        "What success is: an expression on the observation's fields, metadata, state, done and reward. "
        "Default: the usual fields (success, solved, won, ...).",
        metavar="EXPR",
    ),
]
TimeoutOption = Annotated[
    float | None,
    option("--timeout-s", "Seconds that one step may take.", callback=above_zero("--timeout-s")),
]
StartupOption = Annotated[
    float | None,
    option("--startup-s", "Seconds that loading may take.", callback=above_zero("--startup-s")),
]
EnvOption = Annotated[
    list[str] | None,
    option(
        "--env",
        "Pass an environment variable of yours, by its name, to foreign code; repeatable.",
        metavar="NAME",
    ),
]
InstallOption = Annotated[
    bool,
    option(
        "--install",
        "Install what the environment's pyproject.toml and requirements.txt name, into a virtual environment that is "
        "kept in the cache; uv does it where it is there.",
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
MinutesOption = Annotated[
    float | None,
    option(
        "--minutes",
        "Minutes that map and audit may take together; default: 2. Not with --budget.",
        callback=above_zero("--minutes"),
    ),
]
BoardMinutesOption = Annotated[
    float | None,
    option(
        "--minutes",
        "Minutes that the audit may take, where the board has one flown; a map before it has its own. Default: 2. "
        "Not with --budget.",
        callback=above_zero("--minutes"),
    ),
]
SidesMinutesOption = Annotated[
    float | None,
    option(
        "--minutes",
        "Minutes that each audit may take, of the environment's reward and of the new one; a map before them has its "
        "own. Default: 2. Not with --budget.",
        callback=above_zero("--minutes"),
    ),
]
MapMinutesOption = Annotated[
    float | None,
    option(
        "--minutes",
        "Minutes that the map may take; default: 2.",
        callback=above_zero("--minutes"),
    ),
]
BudgetOption = Annotated[
    int | None,
    option(
        "--budget",
        "Steps and resets of the whole audit, as a record names them: repeats its audit to the bit. Not with "
        "--minutes, which it replaces.",
        callback=above_zero("--budget", "a whole number"),
    ),
]
SeedsOption = Annotated[int | None, option("--seeds", "Seeds that every policy flies at most.")]
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
        "Accept findings: FINDING=REASON one, and REASON alone all that forbid what is asked. It goes into gonogo.yaml "
        "beside the environment, and no gate counts it.",
        metavar="[FINDING=]REASON",
        callback=reason,
    ),
]
AcceptOneOption = Annotated[
    str | None,
    option(
        "--accept",
        "Accept a finding, as FINDING=REASON. It goes into gonogo.yaml beside the environment, and no gate counts it.",
        metavar="FINDING=REASON",
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


FIELDS = {
    "target": "target",
    "out": "out",
    "seed": "seed",
    "log": "log",
    "reward": "reward",
    "success": "rollout.success",
    "timeout_s": "rollout.timeout_s",
    "startup_s": "rollout.startup_s",
    "env": "rollout.env",
    "install": "rollout.install",
    "reset": "map.reset",
    "steps": "map.steps",
    "words": "theme.words",
    "draft": "theme.draft",
    "reference": "audit.reference",
    "minutes": "audit.minutes",
    "map_minutes": "map.minutes",
    "budget": "audit.budget",
    "seeds": "audit.seeds",
    "jobs": "audit.jobs",
    "rewards": "audit.rewards",
    "policy": "audit.policy",
    "pretrained": "model.pretrained",
    "models": "probe.models",
    "candidates": "probe.candidates",
    "space": "check.space",
    "submission": "check.submission",
    "notebook": "check.notebook",
}
"""The field of the config that an option replaces; the audit's task is the map's, which comes first."""
CommandOptions: TypeAlias = dict[str, JsonValue | Path]
"""A command's options by their names; None where one was not given."""
TASKS = ("split", "level", "start", "episodes")
"""Options that say which tasks are flown; fields of ``evaluation`` or ``probe``."""


def fields_of(given: CommandOptions, section: str) -> config.ConfigFields:
    """Fields of a config, by their dotted names, that a command's options replace.

    Args:
        given: The command's options by their names; None where one was not given.
        section: The config's section that :data:`TASKS` belong to.
    """
    names = FIELDS | {name: f"{section}.{name}" for name in TASKS}
    fields: config.ConfigFields = {}
    for name, field in names.items():
        value = given.get(name)
        if value is not None:
            fields[field] = str(value) if isinstance(value, Path) else value
    if isinstance(reset := given.get("reset"), list):
        fields["map.reset"] = config.reset_options([str(word) for word in reset])
    if isinstance(policies := given.get("policies"), str):
        fields["evaluation.policies"] = [*policies.split(",")]
        # The config's comparisons are about the config's policies.
        fields["evaluation.compare"] = []
    if section == "probe" and isinstance(memory := given["memory_gb"], float):
        fields["probe.memory_gb"] = memory
    if given.get("quick"):
        fields["check.quick"] = True
    if given.get("without_theme"):
        fields["theme.required"] = False
    return fields


def load(
    given: CommandOptions, *, section: str = "evaluation", writes: bool = True
) -> config.RunConfig:
    """The config that a command runs: the file's, with the given options in its place.

    Args:
        given: The command's options by their names, its ``locals()``. ``config_file`` is the file; None for the one
            that the run's folder was begun with, if any. ``environment`` names one of the training's environments,
            that is flown instead of the target.
        section: The config's section that says which tasks are flown.
        writes: Whether the command writes into the run's folder, which is its own then until it ends.

    Raises:
        Misuse: Neither a file nor a target was given, or an environment and not a file alone; or another command
            has the run's folder, or it cannot be written into, or a variable is to be given that is not set.
        ConfigError: The result broke a rule, or there is no such environment.
    """
    fields, file = fields_of(given, section), given.get("config_file")
    config_file = file if isinstance(file, Path) else None
    if isinstance(environment := given.get("environment"), str):
        if config_file is None or "target" in fields:
            raise Misuse("--environment names one of a --config, and goes without a TARGET")
        fields = config.load(config_file).flown_in(environment) | fields
    if config_file is None:
        if "target" not in fields:
            raise Misuse("a TARGET or a --config that names one must be given, not neither")
        target = str(fields["target"])
        out = str(fields.setdefault("out", str(Path("runs") / config.run_name(target))))
        takes = [field for name, field in FIELDS.items() if name in given]
        config_file, fields, said = config.goes_on(target, out, fields, takes)
        if said:
            typer.echo(visible(said), err=True)
    run = config.load(config_file, fields)
    pass_on(run.rollout.env)
    if writes:
        locks.folder(run.out)
        locks.flags(run, config_file, fields)
    return run


def finish(verdict: Verdict) -> None:
    """End the program with the verdict's exit code."""
    raise typer.Exit(int(verdict))
