def policy(observation, memory):
    order = observation["order"]
    letters = int(order.split("exactly ")[1].split()[0])
    digits = int(order.split("exactly ")[2].split()[0])
    alphabet = "a-z" if " small letters" in order else "A-Z"
    signs = {"a hyphen": "-", "a slash": "/", "a colon": ":", "an underscore": "_", "a hash sign": "#"}
    sign = signs[order.split("letters, then ")[1].split(", then")[0]]
    x, y, z = order.split("of the letters ")[1].split(" may")[0].replace(" or ", ", ").replace(",", "").split()
    valid = ("q" if alphabet == "a-z" else "Q") * letters + sign + "7" * digits
    cases = [
        {"text": valid, "matches": True},
        {"text": valid + x, "matches": True},
        {"text": valid[1:], "matches": False},
        {"text": valid + "7", "matches": False},
    ]
    move = "submit" if memory.get("ran") == order else "run"
    memory["ran"] = order
    return {"move": move, "pattern": f"[{alphabet}]{{{letters}}}{sign}[0-9]{{{digits}}}[{x}{y}{z}]?", "cases": cases}
