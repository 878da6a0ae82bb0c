import re


def policy(observation: dict, memory: dict) -> dict:
    """Reads the scene sentence by sentence and keeps track of holders and rooms."""
    holders, rooms = {}, {}
    for line in observation["passage"].split(". "):
        line = line.rstrip(".")
        if m := re.match(r"(\w+) (?:was in|went to|slipped away to) the (.+)", line):
            rooms.setdefault(m[1], []).append(m[2])
        elif m := re.match(r"(\w+) had the (\w+)", line):
            holders.setdefault(m[2], []).append(m[1])
        elif m := re.match(r"\w+ (?:handed|gave|passed) the (\w+) to (\w+)", line):
            holders.setdefault(m[1], []).append(m[2])
    question = observation["question"] or ""
    if m := re.match(r"Who had the (\w+) at the end", question):
        answer = holders[m[1]][-1]
    elif m := re.match(r"Who had the (\w+) just before", question):
        answer = holders[m[1]][-2]
    elif m := re.match(r"In which room was (\w+) at the end", question):
        answer = rooms[m[1]][-1]
    elif m := re.match(r"Which room did (\w+) come to last from", question):
        answer = rooms[m[1]][-2]
    else:
        answer = ""
    return {"answer": answer}
