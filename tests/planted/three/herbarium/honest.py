"""Examine the character that splits the candidates best until one is left."""


def policy(observation: dict, memory: dict) -> dict:
    seen = {c: v for c, v in observation["notes"].items() if v != "not visible"}
    left = [s for s in observation["flora"] if all(s[c] == v for c, v in seen.items())]
    todo = [c for c in observation["characters"] if c not in observation["notes"]]
    if len(left) <= 1 or not todo:
        return {"command": "determine", "determination": left[0]["species"] if left else ""}

    def worst(c):
        counts = {}
        for s in left:
            counts[s[c]] = counts.get(s[c], 0) + 1
        return max(counts.values())

    return {"command": "examine", "character": min(todo, key=worst)}
