def policy(observation: dict, memory: dict) -> dict:
    """Checks every rule of the policy against the figures and writes up what applies."""
    figures = observation["application"]["figures"]
    found, grave = [], False
    for rule in observation["policy"]:
        name, condition = rule.split(": ")
        figure, side, limit = condition.split()
        value = figures[figure]
        if value > float(limit) if side == "above" else value < float(limit):
            found.append(f"{name.replace(' (grave)', '')} ({value:g})")
            grave = grave or "(grave)" in name
    decision = "decline" if grave or len(found) >= 4 else "approve"
    return {"memo": f"Concerns: {', '.join(found)}.\nDecision: {decision}"}
