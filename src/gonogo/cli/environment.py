"""The commands about an environment: what it is, what it pays for nothing, how OpenEnv's checks grade it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from gonogo.cli.options import (
    AcceptOneOption,
    BoardMinutesOption,
    BudgetOption,
    ConfigOption,
    EnvOption,
    InstallOption,
    JobsOption,
    MapMinutesOption,
    MinutesOption,
    OutOption,
    RayOption,
    ReferenceOption,
    ResetOption,
    RewardOption,
    RewardsOption,
    SeedOption,
    SeedsOption,
    SidesMinutesOption,
    StartupOption,
    SuccessOption,
    TargetArgument,
    TimeoutOption,
    WithoutThemeOption,
    finish,
    load,
    option,
    path,
)
from gonogo.env.target import resolve
from gonogo.errors import Misuse
from gonogo.records.stations import WORDS, PollReport
from gonogo.records.tables import Conclusion, TextTable, print_sheets
from gonogo.records.terminal import Terminal


def map_environment(
    target: TargetArgument = None,
    reset: ResetOption = None,
    steps: Annotated[int | None, option("--steps", "Steps of a flight that is compared.")] = None,
    map_minutes: MapMinutesOption = None,
    timeout_s: TimeoutOption = None,
    startup_s: StartupOption = None,
    success: SuccessOption = None,
    config_file: ConfigOption = None,
    env: EnvOption = None,
    install: InstallOption = False,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Say what an environment is, and hold it against its contract by flying it."""
    run = load(locals())
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
    install: InstallOption = False,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Score the environment against the hackathon's themes, and hold the problem statement for which it stands."""
    run = load(locals())
    from gonogo import api

    finish(api.theme(run).verdict)


def audit(
    target: TargetArgument = None,
    reference: ReferenceOption = None,
    reset: ResetOption = None,
    minutes: MinutesOption = None,
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
    install: InstallOption = False,
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
    accept: AcceptOneOption = None,
) -> None:
    """Find the cheapest way to be paid for nothing, with witnesses to replay; resumes where it was stopped.

    Beside its record the run's folder gets audit.sarif for code scanning, and audit-badge.svg and .json for a README.
    """
    if ray and jobs is not None:
        raise Misuse(
            f"--jobs {jobs} is for one machine, and --ray audits as many tasks at once as the cluster has CPUs: "
            "give one of them"
        )
    run = load(locals())
    resolve(run.target)  # a wrong path is told before what audits is read
    from gonogo import api

    finish(api.audit(run, ray=ray, force=force, accept=accept).verdict)


def grade(
    target: TargetArgument = None,
    config_file: ConfigOption = None,
    env: EnvOption = None,
    install: InstallOption = False,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Grade the checks that OpenEnv names and does not grade, from the run's map and audit."""
    run = load(locals())
    from gonogo import api

    finish(api.grade(run))


def reward(
    target: TargetArgument = None,
    reference: ReferenceOption = None,
    reset: ResetOption = None,
    minutes: SidesMinutesOption = None,
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
    install: InstallOption = False,
    out: OutOption = None,
    seed: SeedOption = None,
    without_theme: WithoutThemeOption = False,
) -> None:
    """Write a reward that pays for nothing no more, with tests, and audit both sides."""
    run = load(locals())
    from gonogo import api

    api.check_statement(run)
    finish(api.write_reward(run, overwrite=overwrite).verdict)


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
    install: InstallOption = False,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Go through the submission list: each box GO, NO-GO or NEEDS YOU, with its evidence."""
    run = load(locals())
    from gonogo import api

    finish(api.check_submission(run).verdict)


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
    minutes: BoardMinutesOption = None,
    budget: BudgetOption = None,
    seeds: SeedsOption = None,
    timeout_s: TimeoutOption = None,
    startup_s: StartupOption = None,
    success: SuccessOption = None,
    env: EnvOption = None,
    install: InstallOption = False,
    out: OutOption = None,
    seed: SeedOption = None,
) -> None:
    """Ask every station, on one board: GO, NO-GO or HOLD, the evidence, and what to do next."""
    run = load(locals(), writes=not only_read)
    from gonogo import api

    report = api.poll(run, only_read=only_read)
    if as_json:
        typer.echo(json.dumps([row.model_dump() for row in report.board], indent=2))
    else:
        print_board(report)
    finish(report.verdict)


def print_board(report: PollReport) -> None:
    """The board for a reader."""
    said = [
        (
            row.station,
            "not asked" if row.verdict is None else WORDS[row.verdict.name],
            row.said,
            row.next or "",
        )
        for row in report.board
    ]
    counted = Counter(verdict for _, verdict, _, _ in said)
    reason = ", ".join(f"{number} {verdict}" for verdict, number in counted.items())
    sheet = TextTable(f"Poll of {report.target}", ("station", "verdict", "evidence", "next"), said)
    print_sheets([sheet], Conclusion(report.verdict, reason), Terminal())
