"""``mcp_tools``: a model is told the tools with their arguments, and plain policies call them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gonogo.policies.named import find_policy
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.rollouts.engine import Flight, fly

DESK = Path(__file__).with_name("mcp_tools") / "desk_env"
TOLD = [
    '- "look_up": Number of somebody\'s ticket. Arguments: {"name": string}',
    '- "close_ticket": Close a ticket, which ends the episode. Arguments: {"number": integer; '
    '"comment" (optional): string}',
]


@pytest.mark.parametrize("served", [False, True])
def test_the_instructions_tell_the_tools_and_random_calls_them(
    served: bool, serve: Callable[..., str]
) -> None:
    where = resolve(serve(DESK) if served else str(DESK))
    with closing(connect(where, 2)) as connection:
        schemas = connection.schemas
        lines = schemas.codec().instructions().splitlines()
        assert [line for line in lines if line in TOLD] == TOLD
        for name in ("idle", "random"):
            policy = find_policy(name, where, schemas, seed=0).policy
            episodes = fly(connection, policy, [{"seed": n} for n in range(4)], Flight("desk", 8))
            calls = [t.action["tool_name"] for e in episodes for t in e.turns if t.action]
            assert calls and set(calls) <= {"look_up", "close_ticket"}
            assert sum(episode.invalid_count for episode in episodes) == 0
