"""Turn the notices into a list of edits, make them one by one, submit."""

import re


def later(clock: str, shift: int) -> str:
    minutes = int(clock[:2]) * 60 + int(clock[3:]) + shift
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def edits(observation: dict) -> list:
    table, stations, todo = observation["table"], observation["stations"], []
    for notice in observation["notices"]:
        skip = re.match(r"Train (\d+) does not call at (\w+)", notice)
        if skip:
            todo.append((skip[1], skip[2], "-"))
            continue
        train, shift, where, station = re.match(r"Train (\d+) runs (\d+) min later (from|at) (\w+)", notice).groups()
        reach = stations[stations.index(station):] if where == "from" else [station]
        todo += [(train, s, later(table[train][s], int(shift))) for s in reach]
    return todo


def policy(observation: dict, memory: dict) -> dict:
    if "todo" not in memory:
        memory["todo"] = edits(observation)
    if not memory["todo"]:
        return {"command": "submit"}
    train, station, time = memory["todo"].pop(0)
    return {"command": "set", "train": train, "station": station, "time": time}
