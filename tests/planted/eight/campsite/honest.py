import re


def policy(observation: dict, memory: dict) -> dict:
    """Reads the message, looks up the booking and does what the handbook says."""
    ticket, result = observation["ticket"], observation["result"]
    if memory.get("ticket") != ticket["ticket"]:
        memory["ticket"], memory["plan"] = ticket["ticket"], None
        return {"tool": "find_booking", "arguments": {"guest": ticket["guest"]}}
    if memory["plan"] is None:
        text, b = ticket["message"], result
        pitch = re.search(r"pitch (\d+)", text)
        day = re.search(r"day (\d+)", text)
        plan, mine = [], {"booking": b["booking"]}
        if day:
            where = {"pitch": int(pitch[1]), "arrive": int(day[1])}
            plan.append(("check_pitch", {**where, "nights": b["nights"]}))
            plan.append(("move_booking", {**mine, **where}))
        elif "cancel" in text:
            ahead, due = b["arrive"] - observation["today"], b["price"] * b["nights"]
            due = due if ahead >= 14 else due // 2 if ahead >= 5 else 0
            plan.append(("cancel_booking", mine))
            if due:
                plan.append(("refund", {**mine, "amount": due}))
        else:
            nights = min(int(re.search(r"(\d+) night", text)[1]), b["nights"])
            plan.append(("log_repair", {"pitch": int(pitch[1])}))
            plan.append(("refund", {**mine, "amount": nights * b["price"]}))
        memory["plan"] = plan
    if memory["plan"]:
        tool, arguments = memory["plan"].pop(0)
        return {"tool": tool, "arguments": arguments}
    return {"tool": "close_ticket", "arguments": {}}
