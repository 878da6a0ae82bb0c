"""An app is asked as its server would ask it, and its threads live as long as it does."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import closing
from pathlib import Path

from fastapi import FastAPI

from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.env.worker.asgi import App
from gonogo.env.worker.coverage import TracedCoverage
from gonogo.rollouts.types import Transition

APP = """
from fastapi import FastAPI
from below import shop
app = FastAPI()
DONE = []
@app.post("/reset")
async def reset():
    DONE.clear()
    return {"observation": {"sold": 0}}
app.mount("/api", shop)
"""
BELOW = """
from fastapi import FastAPI
from pydantic import BaseModel
shop = FastAPI()
class Step(BaseModel):
    count: int = 1
def sell(count):
    if count > 1:
        return "many"
    return "one"
@shop.post("/step")
def step(body: Step):
    return {"observation": {"sold": sell(body.count)}, "reward": 1.0, "done": False}
"""


def threads_that_answer(app: FastAPI, asks: int) -> set[str]:
    @app.get("/thread")
    def thread() -> str:
        return f"{threading.get_ident()} {threading.current_thread().name}"

    channel = App(app)
    try:
        return {channel.ask("GET", "/thread", {}, None)[1] for _ in range(asks)}
    finally:
        channel.close()


def test_functions_that_do_not_await_share_a_thread_from_request_to_request() -> None:
    """A thread of its own for each request took more than half of the time of a step."""
    assert len(threads_that_answer(FastAPI(), 5)) == 1


def test_a_closed_app_leaves_no_thread_for_which_the_process_would_wait() -> None:
    (thread,) = threads_that_answer(FastAPI(), 2)
    ended = time.monotonic() + 10
    while int(thread.split()[0]) in {t.ident for t in threading.enumerate()}:
        assert time.monotonic() < ended
        time.sleep(0.01)


def test_the_lines_of_a_function_that_runs_in_a_thread_are_told_and_those_of_a_mounted_app(
    tmp_path: Path,
) -> None:
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "below.py").write_text(BELOW)
    with closing(connect(resolve(str(tmp_path)), 1)) as connection:
        connection.reset({0: {}})
        connection.step({0: {"count": 1}})  # the thread began before anything is measured
        lines = connection.cover()
        assert lines is not None
        began = connection.reset({0: {}})[0]
        one = connection.step({0: {"count": 1}})[0]
        many = connection.step({0: {"count": 2}})[0]
    assert isinstance(began, Transition) and isinstance(one, Transition)
    assert isinstance(many, Transition)
    place = {text.strip(): f"below.py:{at}" for at, text in enumerate(BELOW.splitlines(), 1)}
    assert {line.partition(":")[0] for line in began.reached} == {"app.py"}
    assert {place["if count > 1:"], place['return "one"']} <= set(one.reached)
    assert many.reached == (place['return "many"'],)


def test_what_stands_between_a_request_and_its_function_is_not_followed(tmp_path: Path) -> None:
    app, traced = FastAPI(), list[object]()

    @app.middleware("http")
    async def between(request: object, call_next: object) -> object:
        traced.append(sys.gettrace())
        return await call_next(request)  # type: ignore[operator]

    @app.get("/inside")
    async def inside() -> bool:
        return sys.gettrace() is not None

    channel, coverage, before = App(app), TracedCoverage(str(tmp_path)), sys.gettrace()
    try:
        channel.follow(coverage.followed)
        coverage.begin()
        assert channel.ask("GET", "/inside", {}, None) == (200, True)
        coverage.end()
        assert traced == [before]
    finally:
        sys.settrace(before)
        channel.close()
