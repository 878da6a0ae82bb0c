"""Apps with their own routes, and classes, flown as OpenEnv's environments are."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from gonogo.config import RolloutConfig
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.errors import TargetError
from gonogo.rollouts.types import Failure, Transition

WAITS = RolloutConfig(startup_s=60, timeout_s=20)

APP = """
from contextlib import asynccontextmanager
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel
SHOPS = {}
@asynccontextmanager
async def life(app):
    SHOPS["ready"] = True
    yield
app = FastAPI(lifespan=life)
class Order(BaseModel):
    item: str
    count: int = 1
class Step(BaseModel):
    action: Order
    session_id: str
@app.post("/reset")
def reset(task_id: str = "easy"):
    SHOPS["s1"] = 0
    return {"session_id": "s1", "observation": {"task": task_id, "ready": "ready" in SHOPS}}
@app.post("/step")
def step(body: Step):
    if body.action.item == "none":
        raise HTTPException(400, "there is no such item")
    SHOPS[body.session_id] += body.action.count
    return {"observation": {"sold": SHOPS[body.session_id]}, "reward": {"value": 0.5}, "done": True, "info": {"ok": 1}}
"""


def opened(folder: Path, text: str) -> Any:
    (folder / "app.py").write_text(text)
    return connect(resolve(str(folder)), 4, WAITS)


def test_an_app_is_flown_through_its_routes(tmp_path: Path) -> None:
    connection = opened(tmp_path, APP)
    try:
        assert connection.capacity == 1
        assert list(connection.schemas.action["properties"]) == ["item", "count"]
        began = connection.reset({0: {"task_id": "hard"}})[0]
        assert began.observation == {"task": "hard", "ready": True}
        assert connection.step({0: {"item": "none"}})[0].refusal == "there is no such item"
        assert connection.step({0: {"count": 2}})[0].refusal.startswith("item: Field required")
        stepped = connection.step({0: {"item": "a", "count": 2}})[0]
        assert isinstance(stepped, Transition)
        assert (stepped.observation, stepped.reward, stepped.done) == ({"sold": 2}, 0.5, True)
        assert stepped.metadata["ok"] == 1
        assert [p.name for p in connection.describe().reset.parameters] == ["task_id"]
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("import no_such_module_here\n", "module 'no_such_module_here' is not installed here"),
        (
            "import os\nos.environ['SHOP_API_KEY']\n",
            "needs the variable SHOP_API_KEY: set it, and give --env",
        ),
        ("raise RuntimeError('two\\nlines')\n", "RuntimeError: two lines"),
    ],
)
def test_what_cannot_be_imported_is_one_line(tmp_path: Path, head: str, said: str) -> None:
    with pytest.raises(TargetError, match=said) as caught:
        opened(tmp_path, head + APP)
    assert "\n" not in str(caught.value)


SESSIONS = """
from fastapi import FastAPI, HTTPException
app = FastAPI()
OPEN = {}
@app.post("/reset")
def reset():
    OPEN["s1"] = 0
    return {"session_id": "s1", "observation": {"n": 0}}
@app.post("/step")
def step(body: dict):
    if body.get("session_id") not in OPEN:
        raise HTTPException(404, "no such session")
    return {"observation": {"went": body["action"]}, "reward": 1.0, "done": True}
"""


def test_a_session_is_passed_on_in_a_body_that_may_be_anything(tmp_path: Path) -> None:
    with closing(opened(tmp_path, SESSIONS)) as connection:
        connection.reset({0: {}})
        assert connection.step({0: {"action": "left"}})[0].observation == {"went": "left"}


ASYNC = """
import asyncio
class QueueEnv:
    async def reset(self):
        self.queue = asyncio.Queue()
        self.task = asyncio.create_task(self.queue.put(1))
        return {"n": 0}
    async def step(self, action: str):
        got = await self.queue.get()
        self.waiter = asyncio.create_task(self.queue.put(got + 1))
        return {"n": got}, 1.0, got == 2, {}
"""


def test_a_class_that_keeps_something_of_its_loop_keeps_its_loop(tmp_path: Path) -> None:
    (tmp_path / "queue_env.py").write_text(ASYNC)
    with closing(connect(resolve(str(tmp_path)), 1, WAITS)) as connection:
        assert isinstance(connection.reset({0: {}})[0], Transition)
        seen = [connection.step({0: {"action": "x"}})[0] for _ in range(2)]
        assert [(s.observation, s.done) for s in seen] == [({"n": 1}, False), ({"n": 2}, True)]


def test_a_variable_that_an_instance_needs_is_named(tmp_path: Path) -> None:
    made = "    def __init__(self):\n        import os\n        os.environ['QUEUE_API_KEY']\n"
    (tmp_path / "queue_env.py").write_text(
        ASYNC.replace("class QueueEnv:\n", f"class QueueEnv:\n{made}")
    )
    with closing(connect(resolve(str(tmp_path)), 1, WAITS)) as connection:
        failed = connection.reset({0: {}})[0]
        assert isinstance(failed, Failure)
        assert "set the variable QUEUE_API_KEY, and give --env QUEUE_API_KEY" in failed.message


def test_a_server_without_a_socket_is_flown_by_its_url(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["-m", "uvicorn", "app:app", "--port", str(port), "--log-level", "warning"]
    server = subprocess.Popen([sys.executable, *words], cwd=tmp_path)
    try:
        url = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        with closing(connect(resolve(url), 4, WAITS)) as connection:
            assert connection.capacity == 1
            began = connection.reset({0: {"task_id": "hard"}})[0]
            assert began.observation == {"task": "hard", "ready": True}
            stepped = connection.step({0: {"item": "a", "count": 2}})[0]
            assert (stepped.observation, stepped.reward) == ({"sold": 2}, 0.5)
            assert connection.cover() is None or connection.cover() == ()
            server.kill()
            server.wait()
            lost = connection.step({0: {"item": "a"}})[0]
            assert isinstance(lost, Failure)
            assert (lost.kind, f"{url} does not answer" in lost.message) == ("died", True)
    finally:
        server.kill()
        server.wait()
