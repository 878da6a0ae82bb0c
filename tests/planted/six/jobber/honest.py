UP = ("strike", "fire", "ban", "Storm")
DOWN = ("Record", "duty", "cancels", "reserve")


def policy(observation: dict, memory: dict) -> dict:
    """Trades the news: opens on the bulletin, closes after the jump or at the end."""
    last_day = observation["day"] == observation["days"] - 1
    orders = [
        {"kind": "close", "ticket": t["ticket"]}
        for t in observation["tickets"]
        if last_day or t["profit_percent"] > 4.0
    ]
    for bulletin in observation["bulletins"]:
        words = bulletin.split()
        name = next(n for n in observation["prices"] if n in words)
        if any(w in words for w in UP):
            orders.append({"kind": "buy", "commodity": name})
        elif any(w.lower() in bulletin.lower() for w in DOWN):
            orders.append({"kind": "sell", "commodity": name})
    return {"orders": orders}
