def policy(observation: dict, memory: dict) -> dict:
    """Tests each sample until one mineral of the table is left, then names it."""
    for slot in observation["slots"]:
        if slot in observation["catalogued"] or slot in observation["refused"]:
            continue
        seen = observation["results"][slot]
        fits = [n for n, p in observation["table"].items() if all(p[t] == v for t, v in seen.items())]
        if len(fits) == 1:
            return {"command": "identify", "slot": slot, "mineral": fits[0]}
        left = [t for t in observation["tests"] if t not in seen]
        best = max(left, key=lambda t: len({observation["table"][n][t] for n in fits}))
        return {"command": "test", "slot": slot, "test": best}
    return {"command": "submit"}
