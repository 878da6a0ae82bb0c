"""All commands, as one application, and those for coding agents; nothing is imported before it is asked for."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Annotated, cast

import typer

from gonogo.cli import agent, environment
from gonogo.cli.options import option, path

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
app.command()(agent.plan)
app.command()(agent.probe)
app.command()(agent.demo)
app.command()(agent.train)
app.command()(agent.evaluate)
app.command()(agent.rollout)
app.command()(agent.fly)
app.command()(agent.replay)
app.command()(agent.publish)
app.command()(agent.report)
app.command()(mcp)
app.command()(skill)
