"""The commands about an environment: what it is, what it pays for nothing, how OpenEnv's checks grade it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gonogo.cli.options import (
    BudgetOption,
    ConfigOption,
    EnvOption,
    JobsOption,
    OutOption,
    RayOption,
    ReferenceOption,
    ResetOption,
    RewardOption,
    RewardsOption,
    SeedOption,
    SeedsOption,
    StartupOption,
    SuccessOption,
    TargetArgument,
    TimeoutOption,
    WithoutThemeOption,
    audit_options,
    finish,
    flying,
    gate,
    load,
    map_options,
    option,
    path,
)
from gonogo.env.target import resolve
from gonogo.errors import Misuse
from gonogo.records.terminal import Terminal


def map_environment(
    target: TargetArgument = None,
    reset: ResetOption = None,
    steps: Annotated[int | None, option("--steps", "Steps of a flight that is compared.")] = None,
    timeout_s: TimeoutOption = None,
    startup_s: StartupOption = None,
    success: SuccessOption = None,
    config_file: ConfigOption = None,
    env: EnvOption = None,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Say what an environment is, and hold it against its contract by flying it."""
    run = load(
        config_file,
        flying(target, out, seed, success, timeout_s=timeout_s, startup_s=startup_s, env=env),
        map_options(reset, steps),
    )
    from gonogo import api

    finish(api.check_env(run).verdict)


def theme(
    target: TargetArgument = None,
    words: Annotated[
        Path | None,
        option(
            "--words",
            "YAML file of the author's words, written as a template where there is none; default: "
            "theme.yaml of the run's folder.",
            dir_okay=False,
        ),
    ] = None,
    draft: Annotated[
        str | None,
        option(
            "--draft",
            "Server whose model drafts the words, as http://host:port/v1#name; a human confirms them.",
            metavar="URL",
        ),
    ] = None,
    timeout_s: TimeoutOption = None,
    startup_s: StartupOption = None,
    success: SuccessOption = None,
    config_file: ConfigOption = None,
    env: EnvOption = None,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Score the environment against the hackathon's themes, and hold the problem statement for which it stands."""
    run = load(
        config_file,
        flying(target, out, seed, success, timeout_s=timeout_s, startup_s=startup_s, env=env),
        {"theme.words": words, "theme.draft": draft},
    )
    from gonogo.submission.theme import report as station

    finish(station.run(run))


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
        option(
            "--policy", "A trained policy to audit too: a model's folder, or a model of the run."
        ),
    ] = None,
    reward: RewardOption = None,
    timeout_s: TimeoutOption = None,
    startup_s: StartupOption = None,
    success: SuccessOption = None,
    config_file: ConfigOption = None,
    env: EnvOption = None,
    out: OutOption = None,
    seed: SeedOption = None,
    ray: RayOption = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Replace a stronger audit, or one of another reward, in the run's folder.",
        ),
    ] = False,
) -> None:
    """Find the cheapest way to be paid for nothing, with witnesses to replay; resumes where it was stopped.

    Beside its record the run's folder gets audit.sarif for code scanning, and audit-badge.svg and .json for a README.
    """
    if ray and jobs is not None:
        raise Misuse(
            f"--jobs {jobs} is for one machine, and --ray audits as many tasks at once as the cluster has CPUs: "
            "give one of them"
        )
    run = load(
        config_file,
        flying(
            target, out, seed, success, reward, timeout_s=timeout_s, startup_s=startup_s, env=env
        ),
        audit_options(reference, reset, budget, seeds, jobs),
        {"audit.rewards": rewards, "audit.policy": policy},
    )
    resolve(run.target)  # a wrong path is told before what audits is read
    from gonogo import api

    finish(api.audit(run, ray=ray, force=force).verdict)


def grade(
    target: TargetArgument = None,
    config_file: ConfigOption = None,
    env: EnvOption = None,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Grade the checks that OpenEnv names and does not grade, from the run's map and audit."""
    run = load(config_file, {"target": target, "out": out, "rollout.env": env, "seed": seed})
    from gonogo.submission.grade import report as station

    finish(station.run(run))


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
    env: EnvOption = None,
    out: OutOption = None,
    seed: SeedOption = None,
    without_theme: WithoutThemeOption = False,
) -> None:
    """Write a reward that pays for nothing no more, with tests, and audit both sides."""
    run = load(
        config_file,
        flying(target, out, seed, success, timeout_s=timeout_s, startup_s=startup_s, env=env),
        audit_options(reference, reset, budget, seeds, jobs),
        gate(without_theme),
    )
    from gonogo.pipeline import reward as pipeline

    finish(pipeline.upgrade(run, overwrite=overwrite))


def check(
    target: TargetArgument = None,
    space: Annotated[
        str | None, option("--space", "The Space, by its page or its server.", metavar="URL")
    ] = None,
    submission: Annotated[
        str | None, option("--submission", "The URL that is submitted.", metavar="URL")
    ] = None,
    notebook: Annotated[
        Path | None,
        option(
            "--notebook",
            "The notebook; default: the one that the README links.",
            parser=path,
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Leave out what takes minutes: the notebook and the image."),
    ] = False,
    config_file: ConfigOption = None,
    env: EnvOption = None,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Go through the submission list: each box GO, NO-GO or NEEDS YOU, with its evidence."""
    asked = {"space": space, "submission": submission, "notebook": notebook}
    run = load(
        config_file,
        {"target": target, "out": out, "rollout.env": env, "seed": seed},
        {f"check.{name}": value for name, value in asked.items()},
        {"check.quick": quick or None},
    )
    from gonogo.submission.check import checklist as station

    finish(station.run(run))


def poll(
    target: TargetArgument = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the board as JSON and nothing else.")
    ] = False,
    only_read: Annotated[
        bool, typer.Option("--read", help="Run no station, only read what the run has.")
    ] = False,
    config_file: ConfigOption = None,
    reference: ReferenceOption = None,
    reset: ResetOption = None,
    budget: BudgetOption = None,
    seeds: SeedsOption = None,
    timeout_s: TimeoutOption = None,
    startup_s: StartupOption = None,
    success: SuccessOption = None,
    env: EnvOption = None,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Ask every station, on one board: GO, NO-GO or HOLD, the evidence, and what to do next."""
    run = load(
        config_file,
        flying(target, out, seed, success, timeout_s=timeout_s, startup_s=startup_s, env=env),
        audit_options(reference, reset, budget, seeds, None),
        writes=not only_read,
    )
    from gonogo.pipeline import poll as board

    report = board.poll(run, only_read=only_read)
    if as_json:
        typer.echo(json.dumps([row.model_dump() for row in report.board], indent=2))
    else:
        board.print_board(report, Terminal())
    finish(report.verdict)
