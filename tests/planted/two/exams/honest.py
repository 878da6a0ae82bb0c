def solve(obs):
    exams = {e["code"]: e for e in obs["exams"]}
    options = {
        c: [(s, r) for r, seats in sorted(obs["rooms"].items(), key=lambda x: x[1]) if seats >= e["enrolled"]
            for s in obs["slots"] if s not in e["examiner_away"]]
        for c, e in exams.items()
    }
    placed = {}

    def fits(c, s, r):
        for o, (os_, or_) in placed.items():
            if os_ == s and (or_ == r or o in exams[c]["shares_students_with"]):
                return False
        return True

    def search():
        if len(placed) == len(exams):
            return True
        left = {c: [o for o in options[c] if fits(c, *o)] for c in exams if c not in placed}
        c = min(left, key=lambda k: len(left[k]))
        for o in left[c]:
            placed[c] = o
            if search():
                return True
            del placed[c]
        return False

    search()
    return placed


def policy(observation: dict, memory: dict) -> dict:
    if "todo" not in memory:
        memory["todo"] = list(solve(observation).items())
    if memory["todo"]:
        exam, (slot, room) = memory["todo"].pop(0)
        return {"op": "place", "exam": exam, "slot": slot, "room": room}
    return {"op": "publish"}
