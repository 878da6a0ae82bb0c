"""The command line: arguments become a config, a station or the pipeline runs, its verdict is the exit code.

Exit codes: 0 GO, 1 NO-GO, 2 misuse (a bad flag, config or target), 3 HOLD (cannot tell; the message
says what is missing). An error that gonogo raises on purpose is one message on stderr, without a
stack trace. No logic lives here, and no station is imported before it is asked for.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from gonogo import config
from gonogo.errors import GonogoError, Misuse
from gonogo.records import Verdict

DEMO_CONFIG = Path("configs/demo.yaml")

app = typer.Typer(
    name="gonogo",
    help="From an OpenEnv environment that runs to an agent that got measurably better in it. "
    "Exit codes: 0 GO, 1 NO-GO, 2 misuse, 3 HOLD (cannot tell).",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

TargetArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="TARGET",
        help="An environment: a folder, package.module:Class, or a server's URL. "
        "Replaces the config's.",
        show_default=False,
    ),
]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", help="Config file (YAML).", show_default=False)
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", help="Folder of the run's records.", show_default=False),
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", help="Seed of everything drawn at random.", show_default=False),
]
RewardOption = Annotated[
    Path | None,
    typer.Option(
        "--reward",
        exists=True,
        dir_okay=False,
        help="Python file whose make_reward pays instead of the environment; see gonogo reward.",
        show_default=False,
    ),
]
PoliciesOption = Annotated[
    str | None,
    typer.Option(
        "--policies",
        help="Comma-separated: idle, random, reference policies of the environment, "
        "models of the run (untrained, sft, trained; ..._sampled), or folders of models.",
        show_default=False,
    ),
]
SplitOption = Annotated[
    str | None, typer.Option("--split", help="Reset option split.", show_default=False)
]
LevelOption = Annotated[
    str | None, typer.Option("--level", help="Reset option level.", show_default=False)
]
StartOption = Annotated[
    int | None, typer.Option("--start", help="First task's index.", show_default=False)
]
EpisodesOption = Annotated[
    int | None, typer.Option("--episodes", help="Episodes of each policy.", show_default=False)
]
ResetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--reset",
        metavar="NAME=VALUE",
        help="A reset option (a YAML value), once for each; only that one task is flown.",
        show_default=False,
    ),
]
ReferenceOption = Annotated[
    str | None,
    typer.Option(
        "--reference",
        metavar="MODULE:FUNCTION",
        help="A policy that succeeds: a function of (observation, memory) that gives an action.",
        show_default=False,
    ),
]
BudgetOption = Annotated[
    int | None,
    typer.Option("--budget", help="Environment steps of the search.", show_default=False),
]
SeedsOption = Annotated[
    int | None,
    typer.Option("--seeds", help="Seeds that every policy flies.", show_default=False),
]
RewardsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--rewards",
        metavar="MODULE:FUNCTION",
        help="A trainer's reward function, which pays in the environment's place; once for each.",
        show_default=False,
    ),
]
JobsOption = Annotated[
    int | None,
    typer.Option("--jobs", help="Tasks that are audited at once.", show_default=False),
]
TimeoutOption = Annotated[
    float | None,
    typer.Option("--timeout-s", help="Seconds that one step may take.", show_default=False),
]
StartupOption = Annotated[
    float | None,
    typer.Option("--startup-s", help="Seconds that loading may take.", show_default=False),
]

SuccessOption = Annotated[
    str | None,
    typer.Option(
        "--success",
        metavar="EXPR",
        help="What success is: an expression on the observation's fields, metadata and done. "
        "Default: the usual fields (success, solved, won, ...).",
        show_default=False,
    ),
]


@app.command("map")
def map_environment(
    target: TargetArgument = None,
    reset: ResetOption = None,
    steps: Annotated[
        int | None,
        typer.Option("--steps", help="Steps of a flight that is compared.", show_default=False),
    ] = None,
    timeout_s: TimeoutOption = None,
    startup_s: StartupOption = None,
    success: SuccessOption = None,
    config_file: ConfigOption = None,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Say what an environment is, and hold it against its contract by flying it."""
    options = {
        "target": target,
        "out": out,
        "seed": seed,
        "map.reset": None if reset is None else config.reset_options(reset),
        "map.steps": steps,
        "rollout.startup_s": startup_s,
        "rollout.success": success,
        "rollout.timeout_s": timeout_s,
    }
    run = load(config_file, options)
    from gonogo.stations.map import station

    finish(station.run(run))


@app.command()
def audit(
    target: TargetArgument = None,
    reference: ReferenceOption = None,
    reset: ResetOption = None,
    budget: BudgetOption = None,
    seeds: SeedsOption = None,
    jobs: JobsOption = None,
    rewards: RewardsOption = None,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            help="A trained policy to audit too: a model's folder, or a model of the run.",
            show_default=False,
        ),
    ] = None,
    reward: RewardOption = None,
    timeout_s: TimeoutOption = None,
    startup_s: StartupOption = None,
    success: SuccessOption = None,
    config_file: ConfigOption = None,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Find the cheapest way to be paid for nothing, with witnesses to replay; resumes where it was stopped."""
    options = audit_options(reference, reset, budget, seeds, jobs)
    options |= {"audit.rewards": rewards, "audit.policy": policy}
    options |= flying(target, out, seed, success, reward)
    options |= {"rollout.timeout_s": timeout_s, "rollout.startup_s": startup_s}
    run = load(config_file, options)
    from gonogo import pipeline

    finish(pipeline.audit(run))


@app.command()
def grade(
    target: TargetArgument = None,
    config_file: ConfigOption = None,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Grade the checks that OpenEnv names and does not grade, from the run's map and audit."""
    run = load(config_file, {"target": target, "out": out, "seed": seed})
    from gonogo.stations.grade import station

    finish(station.run(run))


@app.command()
def reward(
    target: TargetArgument = None,
    reference: ReferenceOption = None,
    reset: ResetOption = None,
    budget: BudgetOption = None,
    seeds: SeedsOption = None,
    jobs: JobsOption = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a reward.py that was edited.")
    ] = False,
    timeout_s: TimeoutOption = None,
    startup_s: StartupOption = None,
    success: SuccessOption = None,
    config_file: ConfigOption = None,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Write a reward that pays for nothing no more, with tests, and audit both sides."""
    options = audit_options(reference, reset, budget, seeds, jobs)
    options |= flying(target, out, seed, success, None)
    options |= {"rollout.timeout_s": timeout_s, "rollout.startup_s": startup_s}
    run = load(config_file, options)
    from gonogo import pipeline

    finish(pipeline.upgrade(run, overwrite=overwrite))


@app.command()
def demo(
    config_file: ConfigOption = DEMO_CONFIG,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Train an agent from nothing and say how much better it got; resumes where it was stopped."""
    run = load(config_file, {"out": out, "seed": seed})
    from gonogo import pipeline

    finish(pipeline.demo(run))


@app.command()
def train(
    target: TargetArgument = None,
    reward: RewardOption = None,
    config_file: ConfigOption = None,
    success: SuccessOption = None,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Train a model in the environment: traces of a teacher, then reinforcement."""
    run = load(config_file, flying(target, out, seed, success, reward))
    from gonogo.stations.train import station

    finish(station.run(run))


@app.command()
def evaluate(
    target: TargetArgument = None,
    config_file: ConfigOption = None,
    policies: PoliciesOption = None,
    split: SplitOption = None,
    level: LevelOption = None,
    start: StartOption = None,
    episodes: EpisodesOption = None,
    success: SuccessOption = None,
    reward: RewardOption = None,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Fly the same held-out tasks with every policy and compare them, paired, with intervals."""
    flown = tasks(policies, split, level, start, episodes)
    run = load(config_file, flying(target, out, seed, success, reward) | flown)
    from gonogo.stations.evaluate import station

    finish(station.run(run))


@app.command()
def rollout(
    target: TargetArgument = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            help="Where the episodes go, one JSON object a line; episodes.jsonl of the run's folder.",
            show_default=False,
        ),
    ] = None,
    config_file: ConfigOption = None,
    policies: PoliciesOption = None,
    split: SplitOption = None,
    level: LevelOption = None,
    start: StartOption = None,
    episodes: EpisodesOption = None,
    success: SuccessOption = None,
    reward: RewardOption = None,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Fly any policies or models and write their episodes."""
    flown = tasks(policies, split, level, start, episodes)
    run = load(config_file, flying(target, out, seed, success, reward) | flown)
    from gonogo.stations.record import station

    finish(station.rollout(run, file or run.out / "episodes.jsonl"))


@app.command()
def fly(
    target: TargetArgument = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            help="Where the episode goes, after those in it; flown.jsonl of the run's folder.",
            show_default=False,
        ),
    ] = None,
    config_file: ConfigOption = None,
    split: SplitOption = None,
    level: LevelOption = None,
    start: StartOption = None,
    out: OutOption = None,
) -> None:
    """Fly an episode by hand, in the terminal or from lines on stdin, and write it."""
    flown = tasks(None, split, level, start, None)
    run = load(config_file, {"target": target, "out": out, **flown})
    from gonogo.stations.fly import station

    finish(station.run(run, file or run.out / "flown.jsonl"))


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="Episodes that rollout or fly wrote.")],
    target: TargetArgument = None,
    reward: RewardOption = None,
    rewards: RewardsOption = None,
    success: SuccessOption = None,
) -> None:
    """Fly recorded actions again, in a fresh process; GO when every reward comes out the same."""
    from gonogo.stations.record import station

    finish(station.replay(file, target, reward, rewards or (), success))


@app.command()
def publish(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of an evaluated run.")],
    readmes: Annotated[
        list[Path], typer.Argument(metavar="README...", help="Files with the two results markers.")
    ],
    plots: Annotated[
        Path, typer.Option("--plots", help="Folder that the record and the plots are copied to.")
    ],
) -> None:
    """Write a run's results into READMEs, and its record and plots beside them."""
    from gonogo.stations.evaluate import readme

    readme.publish(run, plots, readmes)


def flying(
    target: str | None,
    out: Path | None,
    seed: int | None,
    success: str | None,
    reward: Path | None,
) -> dict[str, Any]:
    """What every command that flies can be told, by its dotted names."""
    return {
        "target": target,
        "out": out,
        "seed": seed,
        "rollout.success": success,
        "reward": reward,
    }


def audit_options(
    reference: str | None,
    reset: list[str] | None,
    budget: int | None,
    seeds: int | None,
    jobs: int | None,
) -> dict[str, Any]:
    """The audit's fields that options replace, by their dotted names; the task is the map's, which comes first."""
    return {
        "audit.reference": reference,
        "map.reset": None if reset is None else config.reset_options(reset),
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
) -> dict[str, Any]:
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


def load(config_file: Path | None, options: dict[str, Any]) -> config.RunConfig:
    """The config that a command runs: the file's, with the given options in its place.

    Raises:
        Misuse: Neither a file nor a target was given.
        ConfigError: The result broke a rule.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if config_file is None:
        if "target" not in given:
            raise Misuse("a TARGET or a --config that names one must be given, not neither")
        given.setdefault("out", Path("runs") / config.run_name(given["target"]))
    paths = {name: str(value) for name, value in given.items() if isinstance(value, Path)}
    return config.load(config_file, given | paths)


def finish(verdict: Verdict) -> None:
    """End the program with the verdict's exit code."""
    raise typer.Exit(int(verdict))


def main() -> None:
    """Run the command line; the entry point of the package."""
    try:
        app(prog_name="gonogo")
    except GonogoError as error:
        print(f"gonogo: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
