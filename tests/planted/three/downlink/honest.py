def policy(observation: dict, memory: dict) -> dict:
    """Shortest lossless code by dynamic programming over runs and ramps."""
    line = observation["line"]
    n = len(line)
    best = [""] * (n + 1)
    for i in range(n - 1, -1, -1):
        options = [(1, str(line[i]))]
        for j in range(i + 2, n + 1):
            d = line[i + 1] - line[i]
            if line[j - 1] - line[j - 2] != d or abs(d) > 99:
                break
            slope = f"{d:+d}" if d else ""
            options.append((j - i, f"{line[i]}{slope}*{j - i}"))
        codes = [token + ("," + best[i + k] if i + k < n else "") for k, token in options]
        best[i] = min(codes, key=len)
    return {"code": best[0]}
