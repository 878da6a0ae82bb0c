def policy(observation: dict, memory: dict) -> dict:
    """Reads the docs of each endpoint and calls it with valid parameters, POST first."""
    if observation["steps_left"] == 40:
        memory.clear()
        memory.update(todo=sorted(observation["endpoints"], key=lambda e: not e.startswith("POST")), ids={}, docs=None)
    elif observation["status"] is not None and "id" in observation["body"]:
        memory["ids"][observation["last_endpoint"]] = observation["body"]["id"]
    if not memory["todo"]:
        return {"command": "finish"}
    endpoint = memory["todo"][0]
    if memory["docs"] != endpoint:
        memory["docs"] = endpoint
        return {"command": "docs", "endpoint": endpoint}
    memory["todo"].pop(0)
    params = {}
    for name, rule in observation["body"].get("parameters", {}).items():
        if rule["type"] == "id":
            params[name] = memory["ids"][rule["of"]]
        else:
            params[name] = rule["allowed"][0] if "allowed" in rule else rule["min"]
    return {"command": "call", "endpoint": endpoint, "params": params}
