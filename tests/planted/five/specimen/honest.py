def policy(observation: dict, memory: dict) -> dict:
    found = observation["found"]
    left = [f for f in observation["book"] if all(f[k] == v for k, v in found.items())]
    if len(left) == 1:
        return {"op": "name", "value": left[0]["typeface"]}
    open_features = [k for k in observation["features"] if k not in found]
    best = max(open_features, key=lambda k: len({f[k] for f in left}))
    return {"op": "inspect", "value": best}
