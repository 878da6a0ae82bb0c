def policy(observation: dict, memory: dict) -> dict:
    """Takes heating and foundry out of the metered days, averages, and puts them back."""
    heat = observation["heating_mw_per_degree"]

    def extra(sheet):
        return [
            heat * max(0.0, 15.0 - t) + f
            for t, f in zip(sheet["temperature"], sheet["foundry_mw"])
        ]

    def share(sheet):
        return 0.86 if sheet["weekday"] in ("Sat", "Sun") else 1.0

    last, coming = observation["last"], observation["coming"]
    base = [
        (load - more) / share(last)
        for load, more in zip(observation["last_load_mw"], extra(last))
    ]
    days = memory.setdefault("days", [])
    days.append(base)
    mean = [sum(column) / len(days) for column in zip(*days)]
    return {
        "load_mw": [
            round(share(coming) * m + more, 1) for m, more in zip(mean, extra(coming))
        ]
    }
