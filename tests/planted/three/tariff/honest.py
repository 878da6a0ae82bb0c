def policy(observation: dict, memory: dict) -> dict:
    """Reads notices and table, applies the notices, writes the table, submits."""
    left = observation["steps_left"]
    if left == 20:
        return {"command": "read", "path": "NOTICES.txt"}
    if left == 19:
        memory["notices"] = observation["output"]
        return {"command": "read", "path": "tariff.cfg"}
    if left == 18:
        table = {}
        for line in observation["output"].splitlines():
            head, cells = line.split(":")
            table[head.split()[1]] = [[float(x) for x in c.split("=")] for c in cells.split()]
        for line in memory["notices"].splitlines():
            w = line.rstrip(".").split()
            rows = table[w[1].rstrip(":")]
            if "all prices" in line:
                for row in rows:
                    row[1] += float(w[-1])
            elif "the price" in line:
                next(r for r in rows if r[0] == float(w[6]))[1] = float(w[-1])
            else:
                next(r for r in rows if r[0] == float(w[5]))[0] = float(w[-2])
        text = "".join(f"zone {z}: " + " ".join(f"{l:g}={p:.2f}" for l, p in rows) + "\n" for z, rows in table.items())
        return {"command": "write", "path": "tariff.cfg", "content": text}
    return {"command": "submit"}
