"""The workflow as a skill: a ``SKILL.md`` for coding agents, made from the stations and written where OpenEnv's are."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

from gonogo.errors import Misuse
from gonogo.records.stations import STATIONS
from gonogo.submission.openenv_cli import AGENT_SKILLS, SKILLS

__all__ = ["AGENTS", "install", "text"]

NAME = "gonogo"
AGENTS = tuple(AGENT_SKILLS)
"""Coding agents for which OpenEnv's command makes links."""
HEAD = f"""\
---
name: {NAME}
description: "Take an OpenEnv environment through map, theme, reward audit, model probe, training, paired evaluation, \
report and submission check with `gonogo`, each with a GO or NO-GO and its evidence."
---

Install: `gonogo --version` says that it is there; `pip install 'gonogo[train]'` adds what training needs.
Generated with `gonogo {version(NAME)}`; run `gonogo skill --force` to regenerate.
As tools: `gonogo mcp` serves the same stations over MCP, and refuses those that are called out of order.

## Begin

`gonogo poll TARGET --out runs/NAME` asks every station that costs little and says what comes next. TARGET is the \
environment's folder, `package.module:Class`, or a server's URL. Keep the same `--out` for all stations.

`gonogo plan TARGET --out runs/NAME` writes the config that `train` and `evaluate` take, from the map and a few \
flights, each value below its reason, and says whether the training would hold. Change it where you know better.

## The stations, in order
"""
RULES = """
Exit codes: 0 GO, 1 NO-GO, 2 misuse, 3 HOLD (cannot tell; the message says what is missing), 70 a fault of \
gonogo's own, which says nothing: report the file that the message names.

## Hard rules

1. **No invented API.** A function, flag or field that you have not seen in the installed package is not called and \
not documented: read the package's source or `gonogo COMMAND --help` first.
2. **Read before you write.** Read all of the environment (models, client, server, tests, README) before you change \
any of it, and the records of the stations before you judge.
3. **A written reason for each major decision**: theme, model, reward design. It goes into the README or `theme.yaml`.
4. **For every reward component at least three exploits and a guard against each, as tests that run.** `gonogo \
reward` writes them; a guard that no test fails without is none.
5. **No number that a command does not reproduce.** Figures come from records, with intervals; never from memory.
6. **A NO-GO is mended or explained, never gone around.** Do not edit records. Do not loosen a test.
7. **The problem statement is confirmed by the environment's author.** Never write `confirmed: true` yourself.
"""


def text() -> str:
    """The skill, from the stations as they are."""
    rows = []
    for number, station in enumerate(STATIONS.values(), start=1):
        after = f" Needs: {', '.join(station.before)}." if station.before else ""
        rows.append(
            f"{number}. `gonogo {station.name}` — {station.asks}. Leaves `{station.record.kind}.json`.{after}"
        )
    return HEAD + "\n" + "\n".join(rows) + "\n" + RULES


def install(folder: Path | None, agents: list[str], *, force: bool) -> list[Path]:
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
    skill.write_text(text(), encoding="utf-8")
    for link in links:
        link.parent.mkdir(parents=True, exist_ok=True)
        if link.is_symlink():
            link.unlink()
        elif link.exists():
            raise Misuse(f"{link} is no link of this command's: remove it first")
        link.symlink_to(os.path.relpath(skill.parent, link.parent))
    return [skill, *links]
