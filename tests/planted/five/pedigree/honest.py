import re


def policy(observation: dict, memory: dict) -> dict:
    """Builds the family tree from the notes and reads the relation off it."""
    parents = {}
    for note in observation["notes"]:
        m = re.match(r"(\w+) is a child of (\w+) and (\w+)\.", note)
        if m:
            parents[m.group(1)] = {m.group(2), m.group(3)}
    a, b = re.match(r"What is (\w+) to (\w+)\?", observation["question"]).groups()

    def up(x):
        return parents.get(x, set())

    def up2(x):
        return {g for p in up(x) for g in up(p)}

    if a in up(b):
        word = "parent"
    elif b in up(a):
        word = "child"
    elif up(a) & up(b):
        word = "sibling"
    elif a in up2(b):
        word = "grandparent"
    elif b in up2(a):
        word = "grandchild"
    elif up(a) & up2(b):
        word = "aunt-or-uncle"
    elif up(b) & up2(a):
        word = "niece-or-nephew"
    else:
        word = "cousin"
    return {"message": f"From the notes: {a} is the {word} of {b}. <answer>{word}</answer>"}
