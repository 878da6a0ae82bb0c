import os


class Mailroom:
    def __init__(self) -> None:
        self.key = os.environ["MAILROOM_API_KEY"]

    def reset(self, seed=None):
        return {"left": 3}

    def step(self, action: int):
        return {"left": 2}, 0.0, False, {}
