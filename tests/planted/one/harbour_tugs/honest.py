def policy(observation: dict, memory: dict) -> dict:
    if not observation["anchorage"] and not observation["expected"]:
        return {"order": "stand_down"}
    if observation["berths_free"] > 0:
        fit = [s for s in observation["anchorage"] if s["tugs"] <= observation["tugs_free"]]
        if fit:
            best = max(fit, key=lambda s: s["rate"] / (s["tug_hours"] + s["berth_hours"]))
            return {"order": "berth", "ship": best["ship"]}
    return {"order": "next_hour"}
