"""Read each station, write its section, publish."""


def policy(observation: dict, memory: dict) -> dict:
    todo = [s for s in observation["stations"] if s not in observation["written"]]
    if not todo:
        return {"command": "publish"}
    station, rows = todo[0], observation["rows"]
    if not rows or memory.get("read") != station:
        memory["read"] = station
        return {"command": "read", "station": station}
    return {
        "command": "write",
        "station": station,
        "mean_max": round(sum(r["t_max"] for r in rows) / len(rows), 1),
        "frost_days": sum(1 for r in rows if r["t_min"] < 0),
        "rain_total": round(sum(r["rain_mm"] for r in rows), 1),
    }
