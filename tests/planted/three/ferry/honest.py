APART = [{"fuel", "gas"}, {"fuel", "livestock"}, {"gas", "livestock"},
         {"chemicals", "livestock"}, {"chemicals", "fuel"}]


def _plan(queue, limit, lanes=4):
    """Lane for each vehicle: dangerous cargo first, then heavy ones, with backtracking."""
    order = sorted(range(len(queue)), key=lambda i: (queue[i]["cargo"] == "plain", -queue[i]["tonnes"]))
    load, cargo, where, budget = [0.0] * lanes, [[] for _ in range(lanes)], {}, [20000]

    def place(k):
        if k == len(order):
            return True
        budget[0] -= 1
        if budget[0] < 0:
            return False
        v = queue[order[k]]
        for lane in sorted(range(lanes), key=lambda x: load[x]):
            if load[lane] + v["tonnes"] > limit + 1e-9:
                continue
            if any({v["cargo"], c} in APART for c in cargo[lane]):
                continue
            load[lane] += v["tonnes"]; cargo[lane].append(v["cargo"]); where[v["plate"]] = lane
            if place(k + 1):
                return True
            load[lane] -= v["tonnes"]; cargo[lane].pop(); del where[v["plate"]]
        return False

    return where if place(0) else {}


def policy(observation: dict, memory: dict) -> dict:
    """Plans the whole deck once, loads by the plan and departs."""
    queue = observation["queue"]
    if not any(observation["deck"]) and queue:
        memory["plan"] = _plan(queue, observation["lane_limit"])
    if not queue:
        return {"command": "depart"}
    lane = memory["plan"].get(queue[0]["plate"])
    return {"command": "turn_away"} if lane is None else {"command": "load", "lane": lane}
