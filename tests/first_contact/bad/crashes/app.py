import ctypes

from fastapi import FastAPI

app = FastAPI()

ctypes.string_at(0)


@app.post("/reset")
def reset():
    return {"observation": {}}


@app.post("/step")
def step(action: dict):
    return {"observation": {}, "reward": 0.0, "done": True}
