class Mailroom:
    def __init__(self) -> None:
        import mailroom_index  # noqa: F401

    def reset(self, seed=None):
        return {"left": 3}

    def step(self, action: int):
        return {"left": 2}, 0.0, False, {}
