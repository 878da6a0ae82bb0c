def policy(observation: dict, memory: dict) -> dict:
    """Cruises to the berth, slows down in time, and moves with the sway to calm it."""
    crane = observation["crane"]
    left = observation["berth"] - crane["trolley"]
    wanted = max(-1.6, min(1.6, 0.28 * left))
    drive = 0.7 * (wanted - crane["speed"]) + 1.2 * crane["sway"] + 1.0 * crane["sway_rate"]
    return {"drive": max(-1.0, min(1.0, drive))}
