def policy(observation: dict, memory: dict) -> dict:
    """Sends the cab that is there first; declines calls that no cab can reach in time."""
    call = observation["call"]

    def there(cab):
        (x, y), (px, py) = cab["street"], call["pickup"]
        return max(observation["minute"], cab["free_at"]) + abs(x - px) + abs(y - py)

    best = min(observation["cabs"], key=there)
    if there(best) <= call["latest"]:
        return {"kind": "accept", "cab": best["cab"]}
    return {"kind": "decline"}
