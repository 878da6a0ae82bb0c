"""A real MCP client goes from map to audit and is refused when it jumps."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError

from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.stations import STATIONS

ROOT = Path(__file__).parents[2]


def server() -> Client[StdioTransport]:
    """A client of the command's server, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    return Client(
        StdioTransport(sys.executable, ["-m", "gonogo", "mcp"], env=environment, cwd=str(ROOT))
    )


async def refusal(client: Client[Any], station: str, **words: Any) -> str:
    with pytest.raises(ToolError) as caught:
        await client.call_tool(station, words)
    return str(caught.value)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_an_agent_goes_from_map_to_audit_and_is_refused_when_it_jumps_to_train(
    echo: Path, tmp_path: Path
) -> None:
    async def fly() -> None:
        here = {"target": str(echo), "out": str(tmp_path / "run")}
        async with server() as client:
            tools = {tool.name: tool for tool in await client.list_tools()}
            assert set(tools) == {"poll", *STATIONS}
            assert "a confirmed problem statement" in (tools["train"].description or "")
            jumped = await refusal(client, "train", **here)
            assert "train is refused; first: no map.json" in jumped and "no audit.json" in jumped
            assert "no map.json" in await refusal(client, "audit", **here)
            mapped = await client.call_tool("map", {**here, "options": ["--steps", "4"]})
            told = mapped.structured_content or {}
            assert told["verdict"] == "NO_GO" and "seed_ignored" in told["said"]
            audited = await client.call_tool(
                "audit", {**here, "options": ["--seeds", "4", "--budget", "2000"]}
            )
            assert (audited.structured_content or {})["verdict"] == "NO_GO"
            jumped = await refusal(client, "train", **here)
            assert "no audit.json" not in jumped and "no problem statement there" in jumped
            around = {**here, "options": ["--without-theme"]}
            assert "not an agent's to give" in await refusal(client, "train", **around)
            polled = await client.call_tool("poll", here)
            board = (polled.structured_content or {})["board"]
            assert [(row["station"], row["verdict"]) for row in board[:3]] == [
                ("map", "NO_GO"), ("theme", None), ("audit", "NO_GO"),
            ]  # fmt: skip

    asyncio.run(fly())
    assert (
        ContractReport.path(tmp_path / "run").is_file()
        and AuditReport.path(tmp_path / "run").is_file()
    )


def test_misuse_is_an_error_that_says_why(tmp_path: Path) -> None:
    async def fly() -> None:
        async with server() as client:
            nowhere = {"target": "nowhere", "out": str(tmp_path)}
            assert "'nowhere' is no target" in await refusal(client, "poll", **nowhere)
            assert "exit code 2" in await refusal(client, "map", **nowhere)
            file = {**nowhere, "config_file": "none.yaml"}
            assert "none.yaml: cannot be read" in await refusal(client, "audit", **file)

    asyncio.run(fly())
    assert not any(tmp_path.iterdir())
