def policy(observation: dict, memory: dict) -> dict:
    """Opens every prescription and decides it by the formulary."""
    rx = observation.get("prescription")
    if not rx:
        return {"kind": "open", "rx_id": observation["tray"][0]}
    entry = observation["formulary"][rx["medicine"]]
    if set(entry["interacts_with"]) & set(rx["already_takes"]):
        verdict = "hold"
    elif rx["dose_mg"] * rx["times_per_day"] > entry["max_daily_mg"]:
        verdict = "query"
    else:
        verdict = "dispense"
    return {"kind": "decide", "rx_id": rx["rx_id"], "verdict": verdict}
