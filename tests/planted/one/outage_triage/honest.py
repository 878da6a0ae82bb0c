SIGNS = {
    "oom": "out of memory",
    "disk_full": "no space left",
    "expired_certificate": "certificate has expired",
    "bad_deploy": "rollout",
    "connection_leak": "pool exhausted",
}


def policy(observation: dict, memory: dict) -> dict:
    if not memory:
        memory.update(at="gateway", todo=None, last="dependencies")
        return {"tool": "dependencies", "service": "gateway"}
    r = observation["result"]
    if memory["last"] == "dependencies":
        memory["todo"] = list(r["calls"])
    elif memory["last"] == "metrics" and r["error_rate"] > 5:
        memory.update(at=r["service"], last="dependencies")
        return {"tool": "dependencies", "service": r["service"]}
    elif memory["last"] == "logs":
        text = " ".join(r["lines"])
        cause = next((c for c, s in SIGNS.items() if s in text), "oom")
        return {"tool": "diagnose", "service": memory["at"], "cause": cause}
    if len(memory["todo"]) > 0:
        memory["last"] = "metrics"
        return {"tool": "metrics", "service": memory["todo"].pop(0)}
    memory["last"] = "logs"
    return {"tool": "logs", "service": memory["at"]}
