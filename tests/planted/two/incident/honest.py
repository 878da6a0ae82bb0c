import re


def policy(observation: dict, memory: dict) -> dict:
    out = observation["output"]
    if "at" not in memory:
        memory["at"] = re.search(r"\] (\w+):", observation["alert"]).group(1)
        memory["stage"] = "logs"
        return {"tool": "logs", "service": memory["at"]}
    if memory["stage"] == "logs":
        m = re.search(r"call to (\w+) timed out", out)
        if m:
            memory["at"] = m.group(1)
            return {"tool": "logs", "service": memory["at"]}
        memory["stage"] = "metrics"
        memory["log"] = out
        return {"tool": "metrics", "service": memory["at"]}
    if "pool.size" in memory["log"]:
        fault = "config_drift"
    elif "memory=97%" in out:
        fault = "memory_leak"
    elif "disk=100%" in out:
        fault = "disk_full"
    elif "tls=expired" in out:
        fault = "cert_expired"
    else:
        fault = "bad_deploy"
    return {"tool": "diagnose", "service": memory["at"], "fault": fault}
