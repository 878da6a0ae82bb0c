def policy(observation: dict, memory: dict) -> dict:
    reported = memory.setdefault("reported", [])
    for b in observation["bins"]:
        name = b["bin"]
        if name not in observation["counted"]:
            return {"command": "count", "bin": name}
        expected = b["book"]
        for m in observation["open_moves"]:
            expected += m["quantity"] * ((m["to"] == name) - (m["from"] == name))
        diff = observation["counted"][name] - expected
        if diff and name not in reported:
            reported.append(name)
            return {"command": "report", "bin": name, "difference": diff}
    return {"command": "hand_in"}
