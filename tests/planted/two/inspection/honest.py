def policy(observation: dict, memory: dict) -> dict:
    if "gauged" in memory:
        part = memory.pop("gauged")
        ok = all(abs(observation["reading"][f] - nom) <= tol for f, (nom, tol) in observation["drawing"].items())
        return {"command": "accept" if ok else "reject", "part": part}
    for part, status in observation["parts"].items():
        if status == "open":
            memory["gauged"] = int(part)
            return {"command": "gauge", "part": int(part)}
    return {"command": "release"}
