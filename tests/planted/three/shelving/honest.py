"""Sort by call number with one swap a slot, then finish."""


def key(call: str):
    letters, number, cutter, year = call.split()
    return letters, float(number), cutter[1], float("0." + cutter[2:]), int(year)


def policy(observation: dict, memory: dict) -> dict:
    shelf = observation["shelf"]
    target = sorted(shelf, key=key)
    for i, book in enumerate(target):
        if shelf[i] != book:
            return {"command": "swap", "first": i, "second": shelf.index(book)}
    return {"command": "finish"}
