def policy(observation: dict, memory: dict) -> dict:
    """Loads next what keeps the fewest later-stop pallets out of their trailer."""
    best = None
    for pallet in observation["floor"]:
        for trailer in observation["trailers"]:
            route = trailer["route"]
            if pallet["town"] not in route:
                continue
            stop = route.index(pallet["town"])
            blocked = any(route.index(p["town"]) < stop for p in trailer["aboard"])
            later = {t for t in route[stop + 1 :]}
            if any(route.index(p["town"]) < stop + 1 for p in trailer["aboard"]):
                later = set()  # these are late already
            harm = sum(p["town"] in later for p in observation["floor"])
            harm += sum(observation["still_to_come"].get(t, 0) for t in later)
            rank = (harm, blocked, -stop)
            if best is None or rank < best[0]:
                best = (rank, pallet["pallet"], trailer["trailer"])
    return {"move": "load", "pallet": best[1], "trailer": best[2]}
