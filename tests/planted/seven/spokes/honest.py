def policy(observation: dict, memory: dict) -> dict:
    """Makes the turn after which the rim is truest; stops when no turn helps."""
    runout, tension = observation["runout"], observation["tension"]
    n = len(runout)
    best, choice = 0.005, None
    for spoke in range(n):
        for quarters in range(-8, 9):
            if abs(tension[spoke] + quarters) > 14:
                continue
            mm = quarters if spoke % 2 == 0 else -quarters
            gain = 0.0
            for at, pull in ((spoke, 0.2), ((spoke + 1) % n, 0.08), (spoke - 1, 0.08)):
                gain += abs(runout[at]) - abs(runout[at] + pull * mm)
            if gain > best:
                best, choice = gain, {"spoke": spoke, "quarters": quarters}
    return choice or {"spoke": 0, "quarters": 0}
