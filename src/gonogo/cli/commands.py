"""All commands, as one application: those about an agent, and those for coding agents, are here.

Nothing that a command needs is imported before it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, cast

import typer

from gonogo.cli import environment, locks
from gonogo.cli.options import (
    AcceptOption,
    CandidatesOption,
    ConfigOption,
    EnvironmentOption,
    EnvOption,
    EpisodesOption,
    InstallOption,
    LevelOption,
    LogOption,
    MemoryOption,
    ModelOption,
    OutOption,
    PoliciesOption,
    PretrainedOption,
    RayOption,
    RestartOption,
    RewardOption,
    RewardsOption,
    SeedOption,
    SplitOption,
    StartOption,
    SuccessOption,
    TargetArgument,
    TimeoutOption,
    WithoutThemeOption,
    finish,
    load,
    option,
    path,
)
from gonogo.config import run_name
from gonogo.env.variables import pass_on
from gonogo.errors import Forbidden, Misuse
from gonogo.records.record import Verdict
from gonogo.records.terminal import visible

DEMO_CONFIG = Path("configs/demo.yaml")
USAGE = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[1])
"""click's UsageError, of which all that is wrong with words are; typer has a click of its own."""

app = typer.Typer(
    name="gonogo",
    help="From an OpenEnv environment that runs to an agent that got measurably better in it. "
    "Exit codes: 0 GO, 1 NO-GO, 2 misuse, 3 HOLD (cannot tell), 70 a fault of gonogo's own.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@contextmanager
def answering_gates() -> Iterator[None]:
    """Let a gate that forbids what was asked be the command's verdict: NO-GO."""
    try:
        yield
    except Forbidden as refusal:
        typer.echo(visible(str(refusal)), err=True)
        finish(Verdict.NO_GO)


def say_version(asked: bool) -> None:
    """Print the installed version and stop, where it was asked for."""
    if asked:
        typer.echo(version("gonogo"))
        raise typer.Exit


@app.callback()
def options(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=say_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """Options of gonogo itself, before a command's."""


def demo(
    config_file: ConfigOption = DEMO_CONFIG,
    env: EnvOption = None,
    install: InstallOption = False,
    out: OutOption = None,
    seed: SeedOption = None,
    log: LogOption = None,
    restart: RestartOption = False,
    accept: AcceptOption = None,
    without_theme: WithoutThemeOption = False,
) -> None:
    """Map, audit, train from nothing, evaluate, report: how much better the agent got; resumes where it was stopped."""
    if config_file == DEMO_CONFIG and not DEMO_CONFIG.is_file():
        raise Misuse(
            f"{DEMO_CONFIG} is not here: it comes with gonogo's repository. Give a config with --config FILE, or make "
            "one for an environment: gonogo plan TARGET --file FILE"
        )
    run = load(locals())
    from gonogo import api

    if run.train is not None:  # of a config that does not train, the demo says so
        api.check_statement(run)
    finish(api.demo(run, restart=restart, accept=accept))


def plan(
    target: TargetArgument = None,
    file: Annotated[
        Path | None,
        option("--file", "Where the config goes; default: NAME.yaml, here.", parser=path),
    ] = None,
    teacher: Annotated[
        str | None,
        option(
            "--teacher",
            "Policy to imitate: one of the environment's, a function (module:function) of (observation, memory), or "
            "random. Default: the one that the environment declares.",
        ),
    ] = None,
    pretrained: PretrainedOption = None,
    success: SuccessOption = None,
    reward: RewardOption = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Write over a config that is there.")
    ] = False,
    env: EnvOption = None,
    install: InstallOption = False,
    out: OutOption = None,
    seed: SeedOption = None,
    accept: AcceptOption = None,
    without_theme: WithoutThemeOption = False,
) -> None:
    """Write a config to train by, from the environment's map and a few flights, each value with its reason."""
    run = load(locals())
    where = locks.file(file or Path(f"{run_name(run.target)}.yaml"))
    from gonogo import api

    with answering_gates():
        planned = api.plan(run, file=where, teacher=teacher, overwrite=overwrite, accept=accept)
        finish(planned.verdict)


def train(
    target: TargetArgument = None,
    reward: RewardOption = None,
    config_file: ConfigOption = None,
    pretrained: PretrainedOption = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Check everything but the weights, and say what memory, tokens and time it takes.",
        ),
    ] = False,
    candidates: CandidatesOption = None,
    memory_gb: MemoryOption = None,
    success: SuccessOption = None,
    push: Annotated[
        str | None,
        option(
            "--push", "Repository of the Hugging Face hub for the 16-bit model.", metavar="REPO"
        ),
    ] = None,
    env: EnvOption = None,
    install: InstallOption = False,
    out: OutOption = None,
    seed: SeedOption = None,
    log: LogOption = None,
    restart: RestartOption = False,
    accept: AcceptOption = None,
    without_theme: WithoutThemeOption = False,
) -> None:
    """Train a model in the environment: traces of a teacher, then reinforcement."""
    if memory_gb is not None and not dry_run:
        raise Misuse("--memory-gb is for --dry-run: a training takes the memory that is there")
    if restart and dry_run:
        raise Misuse("--restart trains anew, and --dry-run trains nothing: give one of them")
    run = load(locals(), writes=not dry_run)
    from gonogo import api

    if dry_run:
        finish(api.dry_run(run, memory_gb=memory_gb, accept=accept))
    if run.train is not None:  # of a config that does not train, the training says so
        api.check_statement(run)
    with answering_gates():
        if locks.first():
            finish(api.train(run, push=push, restart=restart, accept=accept).verdict)
        api.join_training(run, push=push, restart=restart, accept=accept)
    finish(Verdict.GO)  # the first process's word counts


def probe(
    target: TargetArgument = None,
    models: ModelOption = None,
    config_file: ConfigOption = None,
    candidates: CandidatesOption = None,
    memory_gb: MemoryOption = None,
    split: SplitOption = None,
    level: LevelOption = None,
    start: StartOption = None,
    episodes: EpisodesOption = None,
    success: SuccessOption = None,
    reward: RewardOption = None,
    env: EnvOption = None,
    install: InstallOption = False,
    out: OutOption = None,
    seed: SeedOption = None,
    without_theme: WithoutThemeOption = False,
) -> None:
    """Compare models to train: what they need, what this machine has, ten zero-shot episodes of each that fits."""
    run = load(locals(), section="probe")
    from gonogo import api

    api.check_statement(run)
    finish(api.probe(run).verdict)


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
    env: EnvOption = None,
    install: InstallOption = False,
    out: OutOption = None,
    seed: SeedOption = None,
    ray: RayOption = False,
    environment: EnvironmentOption = None,
) -> None:
    """Fly the same held-out tasks with every policy and compare them, paired, with intervals."""
    run = load(locals())
    from gonogo import api

    finish(api.evaluate(run, ray=ray).verdict)


def rollout(
    target: TargetArgument = None,
    file: Annotated[
        Path | None,
        option(
            "--file",
            "Where the episodes go, one JSON object a line; episodes.jsonl of the run's folder.",
            parser=path,
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
    env: EnvOption = None,
    install: InstallOption = False,
    out: OutOption = None,
    seed: SeedOption = None,
    ray: RayOption = False,
    environment: EnvironmentOption = None,
) -> None:
    """Fly any policies or models and write their episodes."""
    run = load(locals(), writes=False)
    episodes_file = locks.file(file or run.out / "episodes.jsonl")
    from gonogo import api

    lost = api.rollout(run, file=episodes_file, ray=ray).lost
    finish(Verdict.HOLD if lost else Verdict.GO)


def fly(
    target: TargetArgument = None,
    file: Annotated[
        Path | None,
        option(
            "--file",
            "Where the episode goes, after those in it; flown.jsonl of the run's folder.",
            parser=path,
        ),
    ] = None,
    config_file: ConfigOption = None,
    split: SplitOption = None,
    level: LevelOption = None,
    start: StartOption = None,
    success: SuccessOption = None,
    reward: RewardOption = None,
    env: EnvOption = None,
    install: InstallOption = False,
    out: OutOption = None,
) -> None:
    """Fly an episode by hand, in the terminal or from lines on stdin, and write it."""
    run = load(locals(), writes=False)
    episodes_file = locks.file(file or run.out / "flown.jsonl")
    from gonogo import api

    finish(api.fly(run, episodes_file))


def replay(
    file: Annotated[
        Path, typer.Argument(help="Episodes that rollout, fly, map or audit wrote.", parser=path)
    ],
    target: TargetArgument = None,
    reward: RewardOption = None,
    rewards: RewardsOption = None,
    success: SuccessOption = None,
    timeout_s: TimeoutOption = None,
    env: EnvOption = None,
    install: InstallOption = False,
) -> None:
    """Fly recorded actions again, in a fresh process; GO when all comes out the same, or as a finding's proof says."""
    from gonogo import api

    pass_on(env or ())
    report = api.replay_file(
        file, target, reward=reward, rewards=rewards or (), success=success, timeout_s=timeout_s
    )
    for said in report.said:
        typer.echo(visible(said))
    finish(report.verdict)


def publish(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="Folder of an evaluated run.", parser=path)
    ],
    readmes: Annotated[
        list[Path],
        typer.Argument(
            metavar="README...", help="Files with the two results markers.", parser=path
        ),
    ],
    plots: Annotated[
        Path,
        typer.Option(
            "--plots", help="Folder that the record and the plots are copied to.", parser=path
        ),
    ],
) -> None:
    """Write a run's results into READMEs, and its record and plots beside them."""
    from gonogo import api

    api.publish(run, readmes, plots=plots)


def report(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="Folder of a run's records.", parser=path)
    ],
    readme: Annotated[
        Path | None,
        option(
            "--readme",
            "The environment's README: a new file is written whole, of another only what stands between its "
            "markers, as <!-- problem:begin --> and <!-- problem:end -->.",
            parser=path,
        ),
    ] = None,
    writeup: Annotated[
        Path | None,
        option(
            "--writeup", "Where the mini-blog goes, as docs/writeup.md; with --words.", parser=path
        ),
    ] = None,
    words: Annotated[
        Path | None,
        option(
            "--words",
            "The author's words, confirmed, as gonogo theme has them; theme.yaml of the run's folder for --readme.",
            parser=path,
        ),
    ] = None,
    plots: Annotated[
        Path | None,
        option(
            "--plots",
            "Folder of the published record and plots: the mini-blog shows those of it, or the run's; --readme "
            "publishes them there, or into plots beside the README.",
            parser=path,
        ),
    ] = None,
    video: Annotated[
        bool,
        typer.Option(
            "--video",
            help="Film one task by both agents: flights.mp4, or flights.gif without ffmpeg.",
        ),
    ] = False,
) -> None:
    """Write a run's records as report.html, one page that needs no network; GO when nothing is missing."""
    if (words or plots) and not (readme or writeup):
        raise Misuse(
            "--words FILE and --plots FOLDER are given with --readme FILE or --writeup FILE"
        )
    if writeup and not words:
        raise Misuse("--writeup FILE and --words FILE are given together")
    if run.is_dir():  # else the station says so
        locks.folder(run)
    from gonogo import api

    page = api.report(run, readme=readme, writeup=writeup, words=words, plots=plots, video=video)
    finish(page.verdict)


def mcp() -> None:
    """Serve the stations as MCP tools over standard input and output; one out of order is refused."""
    from gonogo.agents.mcp import make_server

    make_server().run(show_banner=False)


def skill(
    agent: Annotated[
        list[str] | None,
        option("--agent", "A coding agent that gets a link to it, such as claude; once for each."),
    ] = None,
    dest: Annotated[
        Path | None,
        option(
            "--dest",
            "Folder of skills; default: .agents/skills, as OpenEnv's.",
            file_okay=False,
            parser=path,
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Print it and write nothing.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace one that is there.")] = False,
) -> None:
    """Write SKILL.md: the stations in order with their gates, and the hard rules, for coding agents to follow."""
    from gonogo.agents import install_skill, skill_text

    if show:
        typer.echo(skill_text(), nl=False)
        return
    for made in install_skill(dest, agent or [], force=force):
        typer.echo(made)


app.command("map")(environment.map_environment)
app.command()(environment.theme)
app.command()(environment.audit)
app.command()(environment.grade)
app.command()(environment.reward)
app.command()(environment.check)
app.command()(environment.poll)
app.command()(plan)
app.command()(probe)
app.command()(demo)
app.command()(train)
app.command()(evaluate)
app.command()(rollout)
app.command()(fly)
app.command()(replay)
app.command()(publish)
app.command()(report)
app.command()(mcp)
app.command()(skill)
