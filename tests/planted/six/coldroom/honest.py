def policy(observation: dict, memory: dict) -> dict:
    """Looks at each shelf in turn and pulls what is past its day or too warm."""
    todo = memory.setdefault("todo", [])
    for tub in observation["tubs"]:
        age = observation["today"] - tub["made_day"]
        if age > observation["keeps_days"][tub["food"]]:
            todo.append((tub["code"], "expired"))
        elif tub["core_celsius"] > observation["max_celsius"][tub["food"]]:
            todo.append((tub["code"], "warm"))
    if todo:
        code, reason = todo.pop(0)
        return {"kind": "pull", "tub": code, "reason": reason}
    shelf = memory.get("shelf", 0)
    memory["shelf"] = shelf + 1
    if shelf < len(observation["shelves"]):
        return {"kind": "look", "shelf": observation["shelves"][shelf]}
    return {"kind": "leave"}
