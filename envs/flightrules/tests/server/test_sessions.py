"""64 sessions at once, and nothing of one in another."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from flightrules.models import FlightAction
from flightrules.server.app import SESSIONS
from flightrules.server.environment import FlightRulesEnvironment

DECISIONS = 6


def command(seed: int, turn: int) -> dict[str, Any]:
    """A command that depends on the session, so that a crossed one is seen."""
    axis = ("roll", "pitch", "yaw")[(seed + turn) % 3]
    sign = "+-"[(seed >> turn) & 1]
    return {
        "burn": f"{axis}{sign}small",
        "mode": "detumble",
        "coast_s": 10 + (7 * seed + turn) % 40,
        "note": f"session {seed}",
    }


def alone(seed: int) -> list[dict[str, Any]]:
    """What a session of its own sees."""
    env = FlightRulesEnvironment()
    seen = [env.reset(seed=seed, level="detumble")]
    seen += [env.step(FlightAction(**command(seed, turn))) for turn in range(DECISIONS)]
    return [json.loads(each.model_dump_json(exclude={"reward", "done"})) for each in seen]


async def ask(socket: ClientConnection, kind: str, data: dict[str, Any]) -> dict[str, Any]:
    await socket.send(json.dumps({"type": kind, "data": data}))
    answer = json.loads(await socket.recv())
    assert answer["type"] == "observation", answer
    return answer["data"]["observation"]


async def fly_all(url: str) -> list[list[dict[str, Any]]]:
    sockets = [await connect(url, proxy=None, open_timeout=60) for _ in range(SESSIONS)]
    try:
        options = [{"seed": seed, "level": "detumble"} for seed in range(SESSIONS)]
        rounds = [
            await asyncio.gather(
                *(ask(socket, "reset", each) for socket, each in zip(sockets, options, strict=True))
            )
        ]
        for turn in range(DECISIONS):
            rounds.append(
                await asyncio.gather(
                    *(
                        ask(socket, "step", command(seed, turn))
                        for seed, socket in enumerate(sockets)
                    )
                )
            )
    finally:
        await asyncio.gather(*(socket.close() for socket in sockets))
    return [list(episode) for episode in zip(*rounds, strict=True)]


def test_64_sessions_and_none_crossed(fresh_url: str) -> None:
    flown = asyncio.run(fly_all(fresh_url.replace("http://", "ws://") + "/ws"))
    assert len(flown) == 64
    for seed, episode in enumerate(flown):
        assert episode == alone(seed)


def test_a_refusal_in_one_session_touches_no_other(open_wire: Callable[[], Any]) -> None:
    one, other = open_wire(), open_wire()
    one.reset(seed=1)
    other.reset(seed=2)
    before = other.state()
    one.raw("{")
    one.reset(seed=3)
    assert other.state() == before


def test_an_interrupted_episode_leaves_nothing_behind(wire: Any) -> None:
    fresh = wire.reset(seed=4, level="detumble")["observation"]
    wire.step(**command(4, 0))
    again = wire.reset(seed=4, level="detumble")["observation"]
    assert again == fresh
