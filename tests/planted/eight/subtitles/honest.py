def policy(observation: dict, memory: dict) -> dict:
    """Splits the passage into cues of about the same length, of two lines each."""
    passage = observation["passage"]
    fillers = {"well,", "now,", "actually,", "basically,"}
    words = [w for w in passage["words"] if w["word"] not in fillers]

    def wrap(group):
        text = [w["word"] for w in group]
        cuts = range(1, len(text)) if len(text) > 1 else []
        options = [[" ".join(text)]]
        options += [[" ".join(text[:c]), " ".join(text[c:])] for c in cuts]
        return min(options, key=lambda lines: max(map(len, lines)))

    for parts in range(1, 12):
        total = sum(len(w["word"]) + 1 for w in words)
        groups, run = [[] for _ in range(parts)], 0
        for w in words:
            groups[min(parts - 1, run * parts // total)].append(w)
            run += len(w["word"]) + 1
        cues = []
        for i, group in enumerate(groups):
            last = i + 1 == parts
            hide = passage["end"] + 0.5 if last else groups[i + 1][0]["at"]
            cues.append({"show": group[0]["at"], "hide": hide, "lines": wrap(group)})
        if all(
            cue["hide"] - cue["show"] <= 6 and max(map(len, cue["lines"])) <= 38
            for cue in cues
        ):
            return {"cues": cues}
    return {"cues": cues}
