"""Apps with their own routes, and classes, flown as OpenEnv's environments are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gonogo.config import RolloutConfig
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.errors import TargetError
from gonogo.rollouts.types import Transition

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
    return connect(resolve(str(folder)), 4, RolloutConfig(startup_s=60, timeout_s=20))


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
