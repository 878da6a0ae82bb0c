"""The commands for coding agents: the stations over MCP, and the workflow as a skill."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gonogo.cli.options import option, path


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
    from gonogo.agents.skill import install, text

    if show:
        typer.echo(text(), nl=False)
        return
    for made in install(dest, agent or [], force=force):
        typer.echo(made)
