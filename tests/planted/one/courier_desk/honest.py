import math


def _t(a, b):
    return math.ceil((abs(a[0] - b[0]) + abs(a[1] - b[1])) / 2)


def policy(observation: dict, memory: dict) -> dict:
    idle = [r["name"] for r in observation["riders"] if r["idle"]]
    now = observation["tick"]
    waiting = sorted(observation["waiting"], key=lambda p: p["due"])
    waiting = [p for p in waiting if now + _t((0, 0), (p["x"], p["y"])) <= p["due"]]
    if idle and waiting:
        best = None
        for p in waiting[:3]:
            a = (p["x"], p["y"])
            for q in waiting:
                if p is q:
                    continue
                b = (q["x"], q["y"])
                t1 = now + _t((0, 0), a)
                t2 = t1 + _t(a, b)
                if t1 <= p["due"] and t2 <= q["due"]:
                    save = _t((0, 0), a) + _t((0, 0), b) - _t(a, b)
                    if waiting[0] in (p, q) and save >= 1 and (best is None or save > best[0]):
                        best = (save, [p["id"], q["id"]])
        load = best[1] if best else [waiting[0]["id"]]
        return {"command": "dispatch", "rider": idle[0], "parcels": load}
    return {"command": "wait"}
