def policy(observation: dict, memory: dict) -> dict:
    """Looks four plies ahead; values the floes that each can reach first."""
    ice, where = set(), {}
    for row, line in enumerate(observation["board"]):
        for x, mark in enumerate(line):
            if mark != "~":
                ice.add((x, 5 - row))
            if mark in "YR":
                where[mark] = (x, 5 - row)

    def near(floe):
        x, y = floe
        return [(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]

    def hops(me, other, ice):
        return [f for f in near(me) if f in ice and f != other]

    def reach(start, other, ice):
        far, edge, n = {start: 0}, [start], 0
        while edge:
            n += 1
            edge = {f for e in edge for f in near(e) if f in ice and f not in far and f != other}
            far.update((f, n) for f in edge)
        return far

    def value(me, other, ice):
        mine, theirs = reach(me, other, ice), reach(other, me, ice)
        v = 0.0
        for f in ice:
            a, b = mine.get(f, 99), theirs.get(f, 99)
            v += (a < b) - (b < a)
        return v + 0.1 * (len(hops(me, other, ice)) - len(hops(other, me, ice)))

    def search(me, other, ice, depth, low, high):
        moves = hops(me, other, ice)
        if not moves:
            return -1000 - depth, None
        if depth == 0:
            return value(me, other, ice), None
        best = None
        for move in moves:
            v = -search(other, move, ice - {me}, depth - 1, -high, -low)[0]
            if v > low or best is None:
                low, best = max(v, low), move
            if low >= high:
                break
        return low, best

    _, (x, y) = search(where["Y"], where["R"], frozenset(ice), 4, -9999, 9999)
    return {"to": f"{'abcdef'[x]}{y + 1}"}
