SIGNS = {
    "heap": "restart",
    "after release": "rollback",
    "pool exhausted": "scale",
    "no space left": "purge",
    "certificate expired": "renew",
}


def policy(observation: dict, memory: dict) -> dict:
    """Inspects each service that has an alert of its own and applies the cure."""
    asked = memory.pop("asked", None)
    if asked:
        for sign, tool in SIGNS.items():
            if sign in observation["output"]:
                return {"tool": tool, "service": asked}
    for alert in observation["firing"]:
        if alert["rule"] != "UpstreamErrors":
            memory["asked"] = alert["service"]
            return {"tool": "inspect", "service": alert["service"]}
    return {"tool": "close"}
