"""Policies that succeed in public environments, ours, for calibrating audits of them: see benchmarks/wild.py.

Each is a function of the observation's fields and of the episode's own memory; it answers with an action. They
read nothing but what an agent is shown.
"""

from __future__ import annotations

import re
from typing import Any

Json = dict[str, Any]

LEGS = {
    0: "snake slug jellyfish flatworm leech",
    2: "chicken bird human duck",
    4: "dog cat cow horse lion elephant giraffe tiger deer sheep",
    5: "starfish",
    6: "insect ant butterfly beetle bee wasp grasshopper cricket cockroach mantis firefly",
    8: "spider scorpion",
    10: "crab lobster shrimp",
    14: "woodlouse",
}
BURNING = 2


def echo(observation: Json, memory: Json) -> Json:
    """Ask for a message to be echoed."""
    return {
        "type": "call_tool",
        "tool_name": "echo_message",
        "arguments": {"message": "good morning"},
    }


def grid_world(observation: Json, memory: Json) -> Json:
    """Walk to the far corner: down, then to the right."""
    return {"action": "DOWN" if observation["x"] < 4 else "RIGHT"}


def connect4(observation: Json, memory: Json) -> Json:
    """Build a column: nobody answers, both sides' pieces are the agent's to drop."""
    turn = memory["turn"] = memory.get("turn", -1) + 1
    return {"column": turn % 2}


def maze(observation: Json, memory: Json) -> Json:
    """Explore by depth first: a new cell if there is one, else back; actions are up, down, left, right."""
    here = tuple(observation["current_position"])
    moves = {0: (0, -1), 1: (0, 1), 2: (-1, 0), 3: (1, 0)}
    seen = memory.setdefault("seen", [])
    way = memory.setdefault("way", [])
    if here not in seen:
        seen.append(here)
    for action in observation["legal_actions"]:
        there = (here[0] + moves[action][0], here[1] + moves[action][1])
        if there not in seen:
            way.append(action)
            return {"action": action}
    # The opposite of up, down, left, right.
    return {"action": way.pop() ^ 1}


def wildfire(observation: Json, memory: Json) -> Json:
    """Water what burns; without water, break what could burn next to it."""
    grid, width = observation["grid"], observation["width"]
    burning = [place for place, cell in enumerate(grid) if cell == BURNING]
    if not burning:
        return {"action": "wait"}
    y, x = divmod(burning[0], width)
    if observation["remaining_water"] > 0:
        return {"action": "water", "x": x, "y": y}
    if observation["remaining_breaks"] > 0:
        # A break on a burning cell puts it out.
        return {"action": "break", "x": x, "y": y}
    return {"action": "wait"}


def leg_counting(observation: Json, memory: Json) -> Json:
    """Count the legs of the animals that the question lists, each by its last word."""
    legs = {name: count for count, names in LEGS.items() for name in names.split()}
    total = 0
    for count, animal in re.findall(r"(\d+) ([a-z]+(?: [a-z]+)?)", observation["question"] or ""):
        word = animal.split()[-1]
        total += int(count) * legs[word if word in legs else word[:-1]]
    return {"answer": str(total)}


def guess(observation: Json, memory: Json) -> Json:
    """Guess the number by halving what the hints leave of 1 to 20."""
    said = observation["messages"][-1]["content"]
    low, high = memory.get("low", 1), memory.get("high", 20)
    if "number" in memory:
        if said.endswith("lower."):
            high = memory["number"] - 1
        else:
            low = memory["number"] + 1
    number = (low + high) // 2
    memory.update(low=low, high=high, number=number)
    return {"message": f"[{number}]"}


def catch(observation: Json, memory: Json) -> Json:
    """Move the paddle under the ball: a board of ten rows and five columns, the paddle in the last row."""
    board = observation["info_state"]
    paddle = board[-5:].index(1)
    ball = board.index(1) % 5
    return {"action_id": 1 + (ball > paddle) - (ball < paddle)}
