def policy(observation: dict, memory: dict) -> dict:
    first = memory.setdefault("first", observation["asked"])
    offers, asked, budget = observation["your_offers"], observation["asked"], observation["budget"]
    offer = round((offers[-1] + 0.028 * first) if offers else 0.48 * first, 2)
    if asked <= budget and (asked - offer < 0.01 * first or observation["rounds_left"] <= 1):
        return {"move": "accept"}
    return {"move": "offer", "price": min(offer, budget)}
