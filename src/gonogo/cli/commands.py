"""All commands, as one application. No logic lives here, and no station is imported before it is asked for."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, cast

import typer

from gonogo.cli import agent, coding, environment

__all__ = ["USAGE", "app"]

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
app.command()(coding.mcp)
app.command()(coding.skill)
