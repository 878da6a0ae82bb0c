def policy(observation: dict, memory: dict) -> dict:
    for job in observation["jobs"]:
        if job["status"] == "withdrawn":
            return {"command": "cancel", "job_id": job["id"]}
    idle = [p for p in observation["printers"] if p["job_id"] is None]
    idle.sort(key=lambda p: (p["direct_extruder"], p["bed"] == "L"))
    waiting = [j for j in observation["jobs"] if j["status"] == "waiting"]
    tpu = any(j["filament"] == "TPU" for j in waiting)
    for p in idle:
        fit = [j for j in waiting
               if (p["bed"] == "L" or j["bed"] == "S")
               and (p["direct_extruder"] or j["filament"] != "TPU")]
        if not fit:
            continue
        fit.sort(key=lambda j: (
            -(p["direct_extruder"] and j["filament"] == "TPU"),
            -(p["bed"] == j["bed"]),
            j["filament"] != p["filament"],
            -j["hours"],
        ))
        return {"command": "start", "job_id": fit[0]["id"], "printer": p["name"]}
    return {"command": "wait"}
