def policy(observation: dict, memory: dict) -> dict:
    cents, tol = observation["cents"], observation["tolerance"]
    last = memory.get("last")
    gain, seen = memory.setdefault("gain", {}), memory.setdefault("dir", {})
    if last:
        note, degrees, before, changed = last
        moved = abs(cents[note] - before)
        travel = abs(degrees) - (0.35 if changed else 0.0)
        if moved > 0.01 and travel > 0.2:
            gain[note] = moved / travel
    out = [n for n, c in cents.items() if abs(c) > tol]
    if not out:
        return {"kind": "finish"}
    note = out[0]
    direction = 1 if cents[note] < 0 else -1
    changed = seen.get(note, 0) != direction
    seen[note] = direction
    degrees = abs(cents[note]) / gain.get(note, 4.2) + (0.35 if changed else 0.0)
    degrees = direction * min(12.0, degrees)
    memory["last"] = (note, degrees, cents[note], changed)
    return {"kind": "turn", "note": note, "degrees": degrees}
