"""64 sessions at once on 64 missions, and nothing of one in another."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from openenv.core.env_server.serialization import serialize_observation
from websockets.asyncio.client import ClientConnection, connect

from flightrules.missions.splits import LEVELS, SPLITS
from flightrules.models import FlightAction
from flightrules.server.app import SESSIONS
from flightrules.server.environment import FlightRulesEnvironment

DECISIONS = 12


def options(session: int) -> dict[str, Any]:
    """A mission of the session's own: 16 of each level, half of them by seed, half as a task of a split."""
    level = LEVELS[session % 4]
    if session < SESSIONS // 2:
        return {"seed": 1000 + session, "level": level}
    # Without a level: tasks have the levels in turn.
    return {"split": SPLITS[session % 5], "index": session}


def command(session: int, turn: int) -> dict[str, Any]:
    """A command that depends on the session, so that a crossed one is seen.

    The coasts add up to 1200 s and more: what is ordered and what breaks on the way is part of most flights, and the
    shortest missions end. The note is written once, so that each session has to keep its own.
    """
    axis = ("roll", "pitch", "yaw")[(session + turn) % 3]
    sign = "+-"[(session >> turn) & 1]
    note = {} if turn else {"note": f"session {session}"}
    return {
        "burn": f"{axis}{sign}small",
        "mode": "detumble",
        "coast_s": 100 + (7 * session + turn) % 30,
        **note,
    }


def alone(session: int) -> list[dict[str, Any]]:
    """What a session of its own sees."""
    env = FlightRulesEnvironment()
    seen = [env.reset(**options(session))]
    for turn in range(DECISIONS):
        if not seen[-1].done:
            seen.append(env.step(FlightAction(**command(session, turn))))
    return [json.loads(json.dumps(serialize_observation(each))) for each in seen]


async def ask(socket: ClientConnection, kind: str, data: dict[str, Any]) -> dict[str, Any]:
    await socket.send(json.dumps({"type": kind, "data": data}))
    answer = json.loads(await socket.recv())
    assert answer["type"] == "observation", answer
    return answer["data"]


async def fly_all(url: str) -> list[list[dict[str, Any]]]:
    """All sessions decision by decision, so that none is ahead of another."""
    sockets = [await connect(url, proxy=None, open_timeout=60) for _ in range(SESSIONS)]
    try:
        resets = (ask(socket, "reset", options(k)) for k, socket in enumerate(sockets))
        episodes = [[first] for first in await asyncio.gather(*resets)]
        for turn in range(DECISIONS):
            flying = [k for k, episode in enumerate(episodes) if not episode[-1]["done"]]
            steps = (ask(sockets[k], "step", command(k, turn)) for k in flying)
            for k, answer in zip(flying, await asyncio.gather(*steps), strict=True):
                episodes[k].append(answer)
    finally:
        await asyncio.gather(*(socket.close() for socket in sockets))
    return episodes


def test_64_sessions_and_none_crossed(fresh_url: str) -> None:
    flown = asyncio.run(fly_all(fresh_url.replace("http://", "ws://") + "/ws"))
    assert len(flown) == 64
    for session, episode in enumerate(flown):
        assert episode == alone(session)
    # And there was something to cross: other missions, orders and alarms on the way, ends and their rewards.
    assert len({episode[0]["observation"]["text"] for episode in flown}) == 64
    on_the_way = [
        message
        for episode in flown
        for each in episode[1:]
        for message in each["observation"]["messages"]
    ]
    assert any(message.startswith("D") for message in on_the_way)
    assert any(message.startswith("alarm") for message in on_the_way)
    ended = [episode[-1] for episode in flown if episode[-1]["done"]]
    assert len(ended) == 16
    assert len({each["reward"] for each in ended}) > 1


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
