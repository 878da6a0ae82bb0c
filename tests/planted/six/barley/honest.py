def policy(observation: dict, memory: dict) -> dict:
    """Harvests every block and fits variety and block effects by turns."""
    plots = memory.setdefault("plots", [])
    plots += observation["plots"]
    if observation["blocks"]:
        return {"harvest": observation["blocks"][0]}

    rows = [
        (
            p["block"],
            p["variety"],
            p["weight_kg"] * (100 - p["moisture_pct"]) / 86 / p["area_m2"] * 10,
        )
        for p in plots
    ]
    variety = {name: 0.0 for name in observation["varieties"]}
    block = {number: 0.0 for number, _, _ in rows}
    for _ in range(400):
        for number in block:
            rest = [y - variety[v] for b, v, y in rows if b == number]
            block[number] = sum(rest) / len(rest)
        for name in variety:
            rest = [y - block[b] for b, v, y in rows if v == name]
            variety[name] = sum(rest) / len(rest)
    return {"merits": [variety[name] for name in observation["varieties"]]}
