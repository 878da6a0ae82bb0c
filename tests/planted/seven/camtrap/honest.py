GUIDE = {
    "roe_deer": (70, 108, False),
    "wild_boar": (74, 138, True),
    "fox": (39, 70, False),
    "badger": (28, 74, True),
}


def policy(observation: dict, memory: dict) -> dict:
    """Cold patches are plants; a warm one is the animal of the guide that it is closest to."""
    frame = observation["frame"]
    if frame["contrast"] < 3.3:
        return {"label": "empty"}

    def unlike(name):
        height, length, low = GUIDE[name]
        size = abs(frame["height"] - height) / height + abs(frame["length"] - length) / length
        return size + (0.05 if frame["snout_low"] is not low else 0.0)

    return {"label": min(GUIDE, key=unlike)}
