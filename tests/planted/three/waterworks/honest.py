"""Halve the set of suspect pipes with each reading."""


def policy(observation: dict, memory: dict) -> dict:
    demand = {p["pipe"]: p["demand"] for p in observation["network"]}
    parent = {p["pipe"]: p["fed_from"] for p in observation["network"]}

    def behind(pipe):
        found = [pipe]
        for node in found:
            found.extend(c for c, p in parent.items() if p == node)
        return found

    suspects = set(parent)
    for pipe, flow in observation["readings"].items():
        nodes = behind(pipe)
        if flow - sum(demand[n] for n in nodes) > 1.5:
            suspects &= set(nodes)
        else:
            suspects -= set(nodes)
    if len(suspects) == 1:
        return {"command": "report", "pipe": suspects.pop()}
    best = min(sorted(parent), key=lambda p: abs(len(suspects & set(behind(p))) - len(suspects) / 2))
    return {"command": "gauge", "pipe": best}
