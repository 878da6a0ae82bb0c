import re


def policy(observation: dict, memory: dict) -> dict:
    ask, card = observation["enquiry"], observation["card_text"]
    about = ask[len("For the "):ask.index(":")]
    if not card:
        number = next(n for n, a in observation["index"].items() if a == about)
        return {"kind": "open", "card": number}
    parts = []
    if "founder" in ask:
        parts.append("the founder responsible for casting was " + re.search(r"Cast by ([A-Z]\w+ [A-Z]\w+)", card).group(1))
    if "year" in ask:
        parts.append("the year of its casting was " + re.search(r"Cast in (\d+)", card).group(1))
    if "weight" in ask:
        parts.append("its weight in pounds was " + re.search(r"Weighs (\d+)", card).group(1))
    if "parishioner" in ask:
        parts.append("the parishioner paying for the work was " + re.search(r"Paid for by ([A-Z]\w+ [A-Z]\w+)", card).group(1))
    return {"kind": "answer", "text": f"{about}: " + " and ".join(parts) + "."}
