"""The workflow for coding agents: as a skill to read, here, and as MCP tools, in :mod:`gonogo.agents.mcp`.

The skill is a ``SKILL.md``, made from the stations and written where OpenEnv's are.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from jinja2 import StrictUndefined, Template

from gonogo.errors import Misuse
from gonogo.records.stations import STATIONS
from gonogo.submission.openenv_cli import AGENT_SKILLS, SKILLS

__all__ = ["AGENTS", "install_skill", "skill_text"]

NAME = "gonogo"
AGENTS = tuple(AGENT_SKILLS)
"""Coding agents for which OpenEnv's command makes links."""
SHIPPED = files(__package__).joinpath("skill.md.j2").read_text(encoding="utf-8")
TEMPLATE = Template(
    SHIPPED, trim_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
)


def skill_text() -> str:
    """The skill, from the stations as they are."""
    said: str = TEMPLATE.render(version=version(NAME), stations=STATIONS.values())
    return said


def install_skill(folder: Path | None, agents: list[str], *, force: bool) -> list[Path]:
    """Write the skill as OpenEnv's command writes its own, with links for agents.

    Args:
        folder: Of the skills; None for the project's, under the working directory.
        agents: Of :data:`AGENTS`, who get a link to it.
        force: Whether one that is there is replaced.

    Returns:
        What was written: the skill's file, then the links.

    Raises:
        Misuse: There is one already, there is no such agent, or links were asked for in another folder.
    """
    if strangers := [agent for agent in agents if agent not in AGENTS]:
        raise Misuse(f"an agent must be one of {', '.join(AGENTS)}, not {strangers[0]!r}")
    if folder is not None and agents:
        raise Misuse("links for agents are made beside the project's own skills: go without --dest")
    skill = (folder or SKILLS) / NAME / "SKILL.md"
    links = [AGENT_SKILLS[agent] / NAME for agent in agents]
    there = [path for path in (skill, *links) if path.exists() or path.is_symlink()]
    if there and not force:
        raise Misuse(f"{there[0]} is there already; --force replaces it")
    skill.parent.mkdir(parents=True, exist_ok=True)
    skill.write_text(skill_text(), encoding="utf-8")
    for link in links:
        link.parent.mkdir(parents=True, exist_ok=True)
        if link.is_symlink():
            link.unlink()
        elif link.exists():
            raise Misuse(f"{link} is no link of this command's: remove it first")
        link.symlink_to(os.path.relpath(skill.parent, link.parent))
    return [skill, *links]
