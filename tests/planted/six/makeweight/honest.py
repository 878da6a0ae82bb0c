import itertools


def policy(observation: dict, memory: dict) -> dict:
    """Searches all placements of the weights and writes down different ones."""
    if "ways" not in memory:
        weights, grams = observation["weights"], observation["object_grams"]
        memory["ways"] = [
            [s * w for s, w in zip(signs, weights) if s]
            for signs in itertools.product((0, 1, -1), repeat=len(weights))
            if sum(s * w for s, w in zip(signs, weights)) == grams
        ]
    way = memory["ways"].pop(0) if memory["ways"] else [0]
    return {"line": "".join(f"{w:+d}" for w in way).lstrip("+")}
