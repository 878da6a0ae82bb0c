import re


def digits(s):
    return re.sub(r"\D", "", s or "")[-10:]


def same(c, b):
    if b["email"]:
        return b["email"] == c["email"]
    if b["phone"]:
        return digits(b["phone"]) == digits(c["phone"])
    surname = c["name"].split()[-1].lower()
    return surname in b["name"].lower() and b["postcode"] == c["postcode"] and digits(b["street"]) == digits(c["street"])


def policy(observation: dict, memory: dict) -> dict:
    if "todo" not in memory:
        memory["todo"] = [(c["id"], b["id"]) for c in observation["crm"] for b in observation["billing"] if same(c, b)]
    if memory["todo"]:
        c, b = memory["todo"].pop(0)
        return {"command": "link", "crm_id": c, "billing_id": b}
    return {"command": "finish"}
