def policy(observation: dict, memory: dict) -> dict:
    """Weighs, adjusts by the line through 50 g and 200 g, weighs again, certifies."""
    tag = next(t for t, status in observation["bench"].items() if status == "waiting")
    job = memory.setdefault(tag, {"found": [], "left": [], "adjusted": False})
    if observation.get("reading") is not None and memory.get("weighed") == tag:
        job["left" if job["adjusted"] else "found"].append(observation["reading"])
    memory["weighed"] = None

    readings = job["left"] if job["adjusted"] else job["found"]
    if len(readings) < 3:
        memory["weighed"] = tag
        return {"kind": "weigh", "balance": tag, "load": observation["loads"][len(readings)]}
    if job["adjusted"]:
        return {"kind": "certify", "balance": tag, "readings": readings}
    low, middle, high = readings
    slope = (high - low) / 150
    if abs(middle - (low + 50 * slope)) * 1000 > observation["tolerance_mg"]:
        return {"kind": "withdraw", "balance": tag}
    job["adjusted"] = True
    return {
        "kind": "adjust",
        "balance": tag,
        "span": 1 / slope,
        "zero_mg": (low / slope - 50) * 1000,
    }
