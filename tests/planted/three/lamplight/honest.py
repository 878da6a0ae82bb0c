"""Inspect, clear and refit each dark lamp in turn."""


def policy(observation: dict, memory: dict) -> dict:
    for lamp in observation["work_orders"]:
        entry = observation["log"][lamp]
        if entry["lit"]:
            continue
        if entry["symptom"] is None:
            return {"command": "inspect", "lamp": lamp}
        if entry["socket"] != "empty":
            return {"command": "remove", "lamp": lamp}
        return {"command": "fit", "lamp": lamp, "part": observation["service_sheet"][entry["symptom"]]}
    return {"command": "inspect", "lamp": observation["work_orders"][0]}
