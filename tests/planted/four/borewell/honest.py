def policy(observation: dict, memory: dict) -> dict:
    """Survey from the greenest site down; drill the first reading below 40."""
    seen = observation["resistivity"]
    for site, ohm in seen.items():
        if ohm < 40:
            return {"kind": "drill", "site": site}
    green = observation["vegetation"]
    rest = [s for s in green if s not in seen]
    return {"kind": "survey", "site": max(rest, key=lambda s: (green[s], s))}
