def policy(observation: dict, memory: dict) -> dict:
    temp, room, step = observation["temperature_c"], observation["room_c"], observation["step"]
    rows = memory.setdefault("rows", [])
    if "last" in memory:
        before, burner = memory["last"]
        rows.append((burner, before - room, temp - before))
    power, loss = 160.0, 0.065
    # least squares of change = power * burner - loss * excess
    a = sum(b * b for b, _, _ in rows)
    c = sum(e * e for _, e, _ in rows)
    m = -sum(b * e for b, e, _ in rows)
    y1 = sum(b * d for b, _, d in rows)
    y2 = -sum(e * d for _, e, d in rows)
    det = a * c - m * m
    if len(rows) >= 2 and det > 1e-3 * max(a * c, 1e-9):
        power, loss = (y1 * c - y2 * m) / det, (a * y2 - m * y1) / det
    elif rows and a > 0:
        power = sum(b * (d + loss * e) for b, e, d in rows) / a
    goal = next(g for g in observation["schedule"] if g["after_step"] > step)
    want = (goal["temperature_c"] - temp) / (goal["after_step"] - step)
    burner = max(0.0, min(1.0, (want + loss * (temp - room)) / power))
    memory["last"] = (temp, burner)
    return {"burner": burner}
