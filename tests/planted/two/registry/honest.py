import re


def policy(observation: dict, memory: dict) -> dict:
    cargo, a, b, year = re.search(r"carried (.+) from (\w+) to (\w+) in (\d+)", observation["question"]).groups()
    if "toll" not in memory:
        memory["toll"] = True
        return {"kind": "open", "text": f"Toll book {year}"}
    if "ship" not in memory:
        m = re.search(rf"^(\w+): {cargo} from {a} to {b}$", observation["page"], re.M)
        memory["ship"] = m.group(1)
        return {"kind": "open", "text": f"Muster roll {memory['ship']}"}
    m = re.search(rf"^{year}: master (.+)$", observation["page"], re.M)
    return {"kind": "answer", "text": f"The master was {m.group(1)}."}
