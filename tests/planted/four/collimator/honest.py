KNOBS = ("pitch", "yaw", "focus")


def policy(observation: dict, memory: dict) -> dict:
    """One probing click per axis gives direction and sensitivity; then walk until it overshoots."""
    loss = observation["loss_db"]
    axis, last = memory.get("axis", 0), memory.get("last")
    if last is not None:
        drop = memory["loss"] - loss
        if memory["mode"] == "probe":
            memory["gain"] = abs(drop)
            memory["sign"] = 1 if drop > 0 else -1
            memory["mode"] = "walk"
        elif memory["mode"] == "walk":
            full = memory["gain"] * abs(last)
            if drop < full - 1e-3:  # passed the optimum
                back = round((full - drop) / (2 * memory["gain"]))
                memory["mode"] = "back"
                memory.update(loss=loss, last=-memory["sign"] * back)
                return {"knob": KNOBS[axis], "clicks": -memory["sign"] * back}
        elif memory["mode"] == "back":
            memory["axis"] = axis = min(axis + 1, 2)
            memory["mode"] = "probe"
    else:
        memory["mode"] = "probe"
    clicks = 1 if memory["mode"] == "probe" else 6 * memory["sign"]
    memory.update(loss=loss, last=clicks)
    return {"knob": KNOBS[axis], "clicks": clicks}
