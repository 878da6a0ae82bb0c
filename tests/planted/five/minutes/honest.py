import re


def policy(observation: dict, memory: dict) -> dict:
    """Follows every task through the meeting and writes what stands at its end."""
    items = {}
    for line in observation["transcript"]:
        speaker, _, said = line.partition(": ")
        if m := re.match(r"I will (.+) by (\w+)\.$", said):
            items[m.group(1)] = [speaker, m.group(2)]
        elif m := re.match(r"We can forget about it, no need to (.+)\.$", said):
            items.pop(m.group(1), None)
        elif m := re.match(r"\w+ has too much to do, I will (.+) instead\.$", said):
            items[m.group(1)][0] = speaker
        elif m := re.match(r"About my promise to (.+), make that (\w+)\.$", said):
            items[m.group(1)][1] = m.group(2)
    return {"minutes": "\n".join(f"{o} - {t} - {d}" for t, (o, d) in items.items())}
