def policy(observation: dict, memory: dict) -> dict:
    """Take the worn part out, then fit whatever has a free matching socket."""
    move, tray, worn = observation["movement"], observation["tray"], observation["discard"]
    for name in worn:
        if name in move:
            return {"op": "remove", "part": name}
    for name, size in tray.items():
        if name not in worn and any(size["pivot"] in p["sockets"] for p in move.values()):
            return {"op": "fit", "part": name}
    return {"op": "remove", "part": list(move)[-1]}
