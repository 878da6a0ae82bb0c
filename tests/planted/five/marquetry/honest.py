def policy(observation: dict, memory: dict) -> dict:
    tray, rows = observation["tray"], []
    for line in observation["drawing"]:
        if "mirrored" in line:
            rows.append(rows[int(line.split(": row ")[1].split()[0]) - 1][::-1])
            continue
        start = tray.index(line.split("begin with ")[1].split(",")[0])
        stride = int(line.split("then go ")[1].split()[0])
        rows.append([tray[(start + stride * c) % len(tray)] for c in range(4)])
    for r, row in enumerate(rows):
        for c, veneer in enumerate(row):
            lies = observation["panel"][r][c]
            if lies and lies != veneer:
                return {"op": "lift", "row": r + 1, "col": c + 1}
            if not lies:
                return {"op": "lay", "row": r + 1, "col": c + 1, "veneer": veneer}
    return {"op": "lift", "row": 0, "col": 0}
