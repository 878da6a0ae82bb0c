import json
import re

WORDS = [
    (r"^trimmed$", lambda m: ["trim"]),
    (r"^in capitals$", lambda m: ["upper"]),
    (r"^in small letters$", lambda m: ["lower"]),
    (r"^with capital initials$", lambda m: ["title"]),
    (r"^without `(.+)`$", lambda m: ["drop", m.group(1)]),
    (r"^decimal comma", lambda m: ["comma"]),
    (r"^times ([\d.]+)$", lambda m: ["times", json.loads(m.group(1))]),
    (r"^as a whole number$", lambda m: ["whole"]),
    (r"^(\d+) if empty$", lambda m: ["default", int(m.group(1))]),
    (r"^a day read in the order (\w+)", lambda m: ["day", m.group(1)]),
]


def policy(observation: dict, memory: dict) -> dict:
    """Reads the specification, writes the mapping that it describes, checks, submits."""
    memory["turn"] = turn = memory.get("turn", 0) + 1
    if turn == 1:
        return {"tool": "read", "path": "SPEC.md"}
    if turn == 2:
        mapping = {}
        for column, source, told in re.findall(r"- `(\w+)`: from `(\w+)`; (.*)", observation["output"]):
            ops = []
            for phrase in told.split("; "):
                for pattern, make in WORDS:
                    match = re.match(pattern, phrase)
                    if match:
                        ops.append(make(match))
            mapping[column] = {"from": source, "ops": ops}
        return {"tool": "write", "path": "mapping.json", "content": json.dumps(mapping, indent=2)}
    if turn == 3:
        return {"tool": "check"}
    return {"tool": "submit"}
