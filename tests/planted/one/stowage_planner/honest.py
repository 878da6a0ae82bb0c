def _solve(boxes, bays):
    boxes = sorted(boxes, key=lambda c: (-c["port"], -c["weight"]))
    stacks = {b["bay"]: [] for b in bays}
    spec = {b["bay"]: b for b in bays}
    out = []

    def go(i):
        if i == len(boxes):
            return True
        c = boxes[i]
        for b, s in stacks.items():
            if len(s) >= spec[b]["max_tiers"] or (c["reefer"] and not spec[b]["plug"]):
                continue
            if sum(x["weight"] for x in s) + c["weight"] > spec[b]["max_weight"]:
                continue
            if s and s[-1]["weight"] < c["weight"]:
                continue
            s.append(c)
            out.append((c["id"], b))
            if go(i + 1):
                return True
            s.pop()
            out.pop()
        return False

    go(0)
    return out


def policy(observation: dict, memory: dict) -> dict:
    if "todo" not in memory:
        memory["todo"] = _solve(observation["manifest"], observation["bays"])
    if memory["todo"]:
        cid, bay = memory["todo"].pop(0)
        return {"command": "assign", "container_id": cid, "bay": bay}
    return {"command": "finalize"}
