def policy(observation: dict, memory: dict) -> dict:
    """Survey whatever is new from here, else walk to the nearest station with an open leg."""
    done, graph = memory.setdefault("done", []), memory.setdefault("graph", {})
    here = observation["station"]
    graph[here] = observation["passages"]
    memory["metres"] = memory.get("metres", 0.0) + (observation["measured_m"] if memory.get("new") else 0.0)
    memory["new"] = False
    if memory["metres"] >= observation["target_m"]:
        return {"kind": "surface"}

    def fresh(a):
        return [b for b in graph.get(a, []) if sorted((a, b)) not in done]

    ahead = fresh(here)
    if ahead:
        to = min(ahead, key=lambda b: (b in graph, b))
        done.append(sorted((here, to)))
        memory["new"] = True
        return {"kind": "survey", "to": to}
    paths, seen = [[here]], {here}
    while paths:
        path = paths.pop(0)
        if fresh(path[-1]):
            return {"kind": "walk", "to": path[1]}
        for b in graph.get(path[-1], []):
            if b not in seen:
                seen.add(b)
                paths.append(path + [b])
    return {"kind": "surface"}
