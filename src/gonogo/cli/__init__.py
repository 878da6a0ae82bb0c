"""The command line: arguments become a config, a station or the pipeline runs, its verdict is the exit code.

Exit codes: 0 GO, 1 NO-GO, 2 misuse (a bad flag, config or target), 3 HOLD (cannot tell; the message
says what is missing). An error that gonogo raises on purpose is one message on stderr, without a
stack trace. No logic lives here, and no station is imported before it is asked for.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from gonogo.cli import agent, coding, environment
from gonogo.errors import GonogoError

__all__ = ["app", "main"]

app = typer.Typer(
    name="gonogo",
    help="From an OpenEnv environment that runs to an agent that got measurably better in it. "
    "Exit codes: 0 GO, 1 NO-GO, 2 misuse, 3 HOLD (cannot tell).",
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


def main() -> None:
    """Run the command line; the entry point of the package."""
    try:
        app(prog_name="gonogo")
    except GonogoError as error:
        print(f"gonogo: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
