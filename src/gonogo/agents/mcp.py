"""The stations as MCP tools: each runs as its command does, in a process of its own, and is refused out of order.

An agent may call a station when the records that it needs are there and, for what costs much, when the author has
confirmed the problem statement (:data:`gonogo.records.stations.STATIONS`). What is missing is the answer otherwise.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import Field

from gonogo import api, config
from gonogo.config import RunConfig
from gonogo.errors import GonogoError
from gonogo.records.record import Part, Verdict, VerdictName
from gonogo.records.stations import STATIONS, BoardRow, Station

INSTRUCTIONS = """\
The stations of gonogo, for one OpenEnv environment at a time. Begin with poll; it says what comes next. A station
that is called before what it needs is there is refused, and the refusal says what is missing. A verdict is GO, NO_GO
or HOLD (cannot tell); never go on from a NO_GO without a reason that you can show. Only the environment's author
confirms the problem statement."""
SAID = 6000
"""Characters of a station's output that are answered, its last."""
AUTHORS = ("--without-theme", "--out", "--config")
"""Options that an agent does not give: the author's decision, and those that have a field of their own."""

ToolTarget = Annotated[
    str,
    Field(
        description="Folder, import path package.module:Class, server's URL, Space (hf:owner/name), git URL or gym:ID."
    ),
]
Out = Annotated[str, Field(description="Folder of the run; the same for all stations.")]
ConfigFile = Annotated[str | None, Field(description="Config file; training needs one.")]
Options = Annotated[
    tuple[str, ...], Field(description="Further words of the command line, as in its --help.")
]


class PollAnswer(Part):
    """What a poll answers."""

    verdict: VerdictName
    board: tuple[BoardRow, ...]


class StationAnswer(Part):
    """What a station answers."""

    verdict: VerdictName
    said: str
    """The end of its output."""


def make_server() -> FastMCP[None]:
    """The server, with a tool for the poll and one for each station."""
    server: FastMCP[None] = FastMCP("gonogo", INSTRUCTIONS)
    server.tool(ask_all, name="poll")
    for station in STATIONS.values():
        after = f" After: {', '.join(station.before)}." if station.before else ""
        server.tool(
            tool_of(station),
            name=station.name,
            description=f"Answers: {station.asks}.{after} See `gonogo {station.name} --help`.",
        )
    return server


async def ask_all(target: ToolTarget, out: Out, config_file: ConfigFile = None) -> PollAnswer:
    """Read every station's record of the run: verdict, evidence, and what to do next. Runs nothing."""
    run = run_of(target, out, config_file)
    try:
        report = api.poll(run, only_read=True)
    except GonogoError as error:
        raise ToolError(str(error)) from error
    return PollAnswer(verdict=report.verdict, board=report.board)


def tool_of(station: Station) -> Callable[..., Awaitable[StationAnswer]]:
    """The function behind a station's tool."""

    async def call(
        target: ToolTarget, out: Out, config_file: ConfigFile = None, options: Options = ()
    ) -> StationAnswer:
        given = [word for word in options if word.partition("=")[0] in AUTHORS]
        if given:
            raise ToolError(f"{station.name}: {given[0]} is not an agent's to give among options")
        try:
            missing = api.missing_before(run_of(target, out, config_file), station.name)
        except GonogoError as error:
            raise ToolError(str(error)) from error
        if missing:
            raise ToolError(f"{station.name} is refused; first: {'; '.join(missing)}")
        where = [out] if station.name == "report" else [target, "--out", out]
        file = [] if config_file is None else ["--config", config_file]
        return await command(station, [*where, *file, *options])

    return call


def run_of(target: str, out: str, config_file: str | None) -> RunConfig:
    """The config that a station would run with.

    Raises:
        ToolError: It broke a rule.
    """
    given: config.ConfigFields = {"target": target, "out": out}
    try:
        if config_file is not None:
            return config.load(Path(config_file), given)
        kept, fields, _ = config.goes_on(target, out, given)
        return config.load(kept, fields)
    except GonogoError as error:
        raise ToolError(str(error)) from error


async def command(station: Station, words: list[str]) -> StationAnswer:
    """Run a station's command: its verdict, its record's file, and the end of what it said.

    Raises:
        ToolError: It was misused, or ended otherwise than by a verdict.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "gonogo", station.name, *words,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        told, _ = await process.communicate()
    finally:
        if process.returncode is None:  # who asked has gone
            process.terminate()
            await process.wait()
    said = told.decode(errors="replace")[-SAID:]
    if process.returncode not in {Verdict.GO, Verdict.NO_GO, Verdict.HOLD}:
        raise ToolError(f"{station.name} ended with exit code {process.returncode}: {said}")
    return StationAnswer(verdict=Verdict(process.returncode), said=said)
