SCRIPT = ["cat MANIFEST", "verify", "sum backup/mon/*", "sum backup/tue/*", "sum backup/wed/*"]


def policy(observation: dict, memory: dict) -> dict:
    """Finds the published copy of every failing page by its checksum and copies it back."""
    outputs = memory.setdefault("outputs", [])
    if memory.get("started") and len(outputs) < len(SCRIPT):
        outputs.append(observation["output"].splitlines())
    memory["started"] = True
    if len(outputs) < len(SCRIPT):
        return {"command": SCRIPT[len(outputs)]}
    if "copies" not in memory:
        wanted = {name: crc for crc, name in (line.split() for line in outputs[0])}
        failing = [line.split()[1] for line in outputs[1]]
        stored = [line.split() for lines in outputs[2:] for line in lines]
        memory["copies"] = [
            next(
                f"cp {copy} {page}"
                for crc, copy in stored
                if crc == wanted[page] and copy.split("/")[-1] == page.split("/")[-1]
            )
            for page in failing
        ]
    if memory["copies"]:
        return {"command": memory["copies"].pop(0)}
    return {"command": "exit"}
