import sys


class Mailroom:
    def __init__(self) -> None:
        print("no licence was found")
        sys.exit("bye")

    def reset(self, seed=None):
        return {"left": 3}

    def step(self, action: int):
        return {"left": 2}, 0.0, False, {}
