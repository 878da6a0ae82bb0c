import re
from datetime import date


def policy(observation: dict, memory: dict) -> dict:
    """Reads the ceilings from the handbook and checks each claim against the rules."""
    book = observation["handbook"]
    ceilings = {}
    for category, row in re.findall(r"^\s+(meals|hotel|taxi|rail): (.+)$", book, re.M):
        ceilings[category] = {g: int(top) for g, top in re.findall(r"(\w+) (\d+)", row)}
    days = int(re.search(r"more than (\d+) days", book)[1])
    least = float(re.search(r"claim of (\d+) euros", book)[1])
    decisions = []
    for claim in observation["claims"]:
        lag = date.fromisoformat(claim["filed_on"]) - date.fromisoformat(claim["spent_on"])
        over = claim["amount"] > ceilings[claim["category"]][claim["grade"]] * claim["units"]
        if lag.days > days or (over and not claim.get("approval")):
            decisions.append("refuse")
        elif claim["amount"] >= least and not claim["receipt"]:
            decisions.append("query")
        else:
            decisions.append("pay")
    return {"decisions": decisions}
