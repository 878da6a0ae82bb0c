def policy(observation: dict, memory: dict) -> dict:
    seen = memory.setdefault("seen", {})
    seen.update(observation["in_sight"])
    rows, cols = observation["size"]
    start, hut = tuple(observation["position"]), tuple(observation["hut"])
    moves = {"north": (-1, 0), "west": (0, -1), "east": (0, 1), "south": (1, 0)}
    queue, first = [start], {start: None}
    while queue:
        cell = queue.pop(0)
        if cell == hut:
            return {"move": first[cell]}
        for name, (dr, dc) in moves.items():
            nxt = (cell[0] + dr, cell[1] + dc)
            if not (0 <= nxt[0] < rows and 0 <= nxt[1] < cols) or nxt in first:
                continue
            if seen.get(f"{nxt[0]},{nxt[1]}") == "crevasse":
                continue
            first[nxt] = first[cell] or name
            queue.append(nxt)
    return {"move": "wait"}
