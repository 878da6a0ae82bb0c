class Mailroom:
    def reset(self, seed=None):
        import mailroom_index  # noqa: F401

        return {"left": 3}

    def step(self, action: int):
        return {"left": 2}, 0.0, False, {}
