"""Apps with their own routes, and classes, flown as OpenEnv's environments are."""

from __future__ import annotations

import re
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


UNSERVABLE = """
from fastapi import FastAPI
from pydantic import BaseModel
app = FastAPI()
class Order(BaseModel):
    item: str
class Paid(BaseModel):
    value: float
class Answer(BaseModel):
    observation: dict
    reward: Paid
    done: bool
@app.post("/reset")
def reset():
    return {"observation": {}}
@app.post("/step")
def step(order: Order) -> Answer:
    return {"observation": {}, "reward": 0.5, "done": True}
"""


def test_an_answer_that_the_apps_own_model_refuses_is_its_fault_and_not_the_actions(
    tmp_path: Path,
) -> None:
    with closing(opened(tmp_path, UNSERVABLE)) as connection:
        connection.reset({0: {}})
        stepped = connection.step({0: {"item": "a"}})[0]
        assert "does not fit the model that it declares: reward:" in stepped.refusal
        assert re.fullmatch(r"HTTP 500 \S*app\.py:16", stepped.erred)
        assert connection.step({0: {}})[0].refusal.startswith("item: Field required")


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


UNTOLD = """
import random
from typing import Optional
from fastapi import Body, FastAPI, Request
app = FastAPI()
world = {}
def begin(seed=None):
    world["at"] = random.Random(seed).random()
    return {"observation": {"at": world["at"]}}
%s
@app.post("/step")
def step(action: dict):
    return {"observation": {"at": world["at"]}, "reward": 0.0, "done": True}
"""
RESETS = {
    "request": """
@app.post("/reset")
async def reset(request: Request):
    try:
        body = await request.json()
    except ValueError:
        body = {}
    return begin((body or {}).get("seed"))
""",
    "free body": """
@app.post("/reset")
def reset(body: Optional[dict] = Body(None)):
    return begin(**(body or {}))
""",
}


@pytest.mark.parametrize("name", RESETS)
def test_a_body_that_nobody_names_the_fields_of_is_given_the_seed(
    tmp_path: Path, name: str
) -> None:
    with closing(opened(tmp_path, UNTOLD % RESETS[name])) as connection:
        seen = [connection.reset({0: {"seed": seed}})[0].observation["at"] for seed in (1, 1, 2)]
    assert seen[0] == seen[1] != seen[2]


def test_a_free_body_that_refuses_the_seed_is_not_given_it(tmp_path: Path) -> None:
    text = (UNTOLD % RESETS["free body"]).replace("def begin(seed=None)", "def begin()")
    with closing(opened(tmp_path, text.replace("Random(seed)", "Random(0)"))) as connection:
        began = connection.reset({0: {"seed": 1}})[0]
    assert isinstance(began, Transition)


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
    needed = "the variable QUEUE_API_KEY: set it, and give --env QUEUE_API_KEY"
    with (
        closing(connect(resolve(str(tmp_path)), 1, WAITS)) as connection,
        pytest.raises(TargetError, match=needed),
    ):
        connection.reset({0: {}})


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


ROUTED = """
import random
from fastapi import FastAPI, HTTPException, Request
from pydantic import BaseModel
app = FastAPI()
OPEN = {}
class Move(BaseModel):
    move: int
%s
"""
BY_BODY = """
@app.post("/reset")
async def reset(request: Request):
    body = await request.json()
    OPEN[body.get("task_id", "easy")] = [random.Random(body.get("seed")).random(), 0]
    return {"observation": {}, "task_id": body.get("task_id", "easy")}
@app.post("/step")
async def step(request: Request):
    body = await request.json()
    episode = OPEN[body.get("task_id", "easy")]
    episode[1] += Move(move=int(body.get("move", 0))).move
    return {"observation": {"at": episode}, "reward": episode[0], "done": False}
@app.get("/state")
def state(task_id: str = "easy"):
    return {"steps": OPEN[task_id][1]}
"""
BY_QUERY = """
@app.post("/reset")
def reset(task_id: str = "easy", seed: int = 0):
    OPEN[task_id] = [random.Random(seed).random(), 0]
    return {"observation": {}}
@app.post("/step")
def step(task_id: str, action: Move):
    episode = OPEN[task_id]
    episode[1] += action.move
    return {"observation": {"at": episode}, "reward": episode[0], "done": False}
@app.get("/state")
def state(task_id: str):
    return {"steps": OPEN[task_id][1]}
"""
BY_MODEL = """
class Sent(BaseModel):
    task_id: str
    env_id: str
    move: int
class Begin(BaseModel):
    task_id: str = "easy"
    env_id: str
    seed: int = 0
@app.post("/reset")
def reset(body: Begin):
    OPEN[body.task_id, body.env_id] = [random.Random(body.seed).random(), 0]
    return {"observation": {}}
@app.post("/step")
def step(body: Sent):
    episode = OPEN[body.task_id, body.env_id]
    episode[1] += body.move
    return {"observation": {"at": episode}, "reward": episode[0], "done": False}
@app.get("/state")
def state(task_id: str, env_id: str):
    return {"steps": OPEN[task_id, env_id][1]}
"""
ROUTINGS = {"body": BY_BODY, "query": BY_QUERY, "model": BY_MODEL}


@pytest.mark.parametrize("name", ROUTINGS)
@pytest.mark.parametrize("task", [{}, {"task_id": "hard"}])
def test_what_the_reset_was_sent_goes_with_each_step_and_state(
    tmp_path: Path, name: str, task: dict[str, str]
) -> None:
    """Without it another episode answers, or none: a seed would seem to be ignored."""
    with closing(opened(tmp_path, ROUTED % ROUTINGS[name])) as connection:
        assert list(connection.schemas.action["properties"]) == ["move"]
        connection.reset({0: {"task_id": "other", "seed": 5}})
        paid = []
        for seed in (1, 1, 2):
            assert isinstance(connection.reset({0: {**task, "seed": seed}})[0], Transition)
            answer = connection.step({0: {"move": 3}})[0]
            assert isinstance(answer, Transition) and answer.refusal is None
            assert connection.state([0])[0] == {"steps": 3}
            paid.append(answer.reward)
    assert paid[0] == paid[1] != paid[2]


UNROUTED = """
from fastapi import FastAPI
from pydantic import BaseModel
app = FastAPI()
class Choice(BaseModel):
    task_id: str
    answer: str
@app.post("/reset")
def reset(seed: int = 0):
    return {"observation": {"task_id": "first"}}
@app.post("/step")
def step(choice: Choice):
    return {"observation": choice.model_dump(), "reward": 1.0, "done": True}
"""


def test_a_choice_of_the_agent_is_no_option_of_the_reset(tmp_path: Path) -> None:
    with closing(opened(tmp_path, UNROUTED)) as connection:
        assert list(connection.schemas.action["properties"]) == ["task_id", "answer"]
        connection.reset({0: {}})
        answer = connection.step({0: {"task_id": "second", "answer": "x"}})[0]
    assert answer.observation["task_id"] == "second"


TWO_FACES = """
from fastapi import FastAPI
from pydantic import BaseModel
app = FastAPI()
class Talk(BaseModel):
    session_id: str
    action: str
class Move(BaseModel):
    move: int
@app.post("/api/reset")
def forget():
    return {"ok": True}
@app.post("/api/step")
def talk(body: Talk):
    return {"said": body.session_id}
@app.post("/openenv/reset")
def reset(seed: int = 0):
    return {"observation": {}}
@app.post("/openenv/step")
def step(body: Move):
    return {"observation": {"at": body.move}, "reward": 1.0, "done": True}
"""


def test_the_endpoints_of_the_manifest_are_the_environment(tmp_path: Path) -> None:
    (tmp_path / "openenv.yaml").write_text(
        "name: two\nendpoints:\n  reset: POST /openenv/reset\n  step: POST /openenv/step\n"
    )
    with closing(opened(tmp_path, TWO_FACES)) as connection:
        connection.reset({0: {}})
        assert connection.step({0: {"move": 2}})[0].observation == {"at": 2}


BY_QUERY_ALONE = """
from fastapi import FastAPI
app = FastAPI()
@app.post("/reset")
def reset(task_id: str = "easy", size: int = 3):
    return {"observation": {}}
@app.post("/step")
def step(task_id: str, move: int, size: int = 1):
    return {"observation": {"task": task_id, "move": move, "size": size}, "reward": 1.0, "done": False}
"""


def test_nothing_is_added_to_an_action_that_stands_in_the_query(tmp_path: Path) -> None:
    """A field of the reset's name is the agent's own, and what lacks a field is refused."""
    with closing(opened(tmp_path, BY_QUERY_ALONE)) as connection:
        assert list(connection.schemas.action["properties"]) == ["move", "size"]
        connection.reset({0: {"task_id": "hard", "size": 9}})
        answer = connection.step({0: {"move": 2}})[0]
        refused = connection.step({0: {"size": 2}})[0]
    assert answer.observation == {"task": "hard", "move": 2, "size": 1}
    assert "move" in refused.refusal


BESIDE_A_BODY = """
from fastapi import FastAPI
from pydantic import BaseModel
app = FastAPI()
class Move(BaseModel):
    move: int
@app.post("/reset")
def reset(size: int = 3, pace: int = 5):
    return {"observation": {}}
@app.post("/step")
def step(size: int, action: Move, pace: int = 1):
    return {"observation": {"size": size, "pace": pace}, "reward": 1.0, "done": False}
"""


def test_what_must_stand_beside_a_body_is_no_action_and_is_filled(tmp_path: Path) -> None:
    """What may be left out is left out, even where the reset was sent something of its name."""
    with closing(opened(tmp_path, BESIDE_A_BODY)) as connection:
        connection.reset({0: {"size": 9, "pace": 7}})
        assert connection.step({0: {"move": 2}})[0].observation == {"size": 9, "pace": 1}


ROOMS = """
from fastapi import FastAPI
from pydantic import BaseModel
app = FastAPI()
class Move(BaseModel):
    move: int
@app.post("/reset")
def reset(desk: int, room: str = "a", pace: int = 5):
    return {"observation": {}}
@app.post("/step")
def step(action: Move, desk: int = 1, room: str = "a", pace: int = 1):
    return {"observation": {"desk": desk, "room": room, "pace": pace}, "reward": 1.0, "done": False}
"""


@pytest.mark.parametrize(
    ("sent", "room"), [({"desk": 2, "room": "b", "pace": 7}, "b"), ({"desk": 2}, "a")]
)
def test_what_the_reset_was_sent_goes_along_where_a_step_means_the_same_by_it(
    tmp_path: Path, sent: dict[str, object], room: str
) -> None:
    """Another default says that something else is meant."""
    with closing(opened(tmp_path, ROOMS)) as connection:
        connection.reset({0: sent})
        shown = connection.step({0: {"move": 2}})[0].observation
    assert shown == {"desk": 2, "room": room, "pace": 1}


ENVELOPE = """
from fastapi import FastAPI
app = FastAPI()
@app.post("/reset")
def reset():
    return {"success": BEGAN, "observation": {"n": 0}, "reward": 0.0, "done": False}
@app.post("/step")
def step(body: dict):
    return {"success": True, "observation": {"n": 1}, "reward": 1.0, "done": True}
"""


@pytest.mark.parametrize(("began", "kept"), [("True", False), ("False", True)])
def test_that_a_request_went_well_is_no_success_of_the_episode(
    tmp_path: Path, began: str, kept: bool
) -> None:
    """A reset that says success says it of itself; one that says none yet leaves it to the step."""
    with closing(opened(tmp_path, ENVELOPE.replace("BEGAN", began))) as connection:
        assert connection.reset({0: {}})[0].metadata.get("success") is (False if kept else None)
        stepped = connection.step({0: {"word": "x"}})[0]
        assert stepped.metadata.get("success") is (True if kept else None)


def test_a_module_of_the_environment_itself_is_not_to_be_installed(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "orders_here.py").write_text("")
    with pytest.raises(TargetError, match=r"own inner/orders_here\.py: audit the folder"):
        opened(tmp_path, "import orders_here\n" + APP)


def test_a_merge_conflict_is_named(tmp_path: Path) -> None:
    (tmp_path / "settings.py").write_text("<<<<<<< HEAD\nPORT = 1\n")
    with pytest.raises(TargetError, match=r"settings\.py:1, the mark of a merge conflict: resolve"):
        opened(tmp_path, "import settings\n" + APP)


BOTH = """
from typing import Optional
from fastapi import FastAPI, Query
from pydantic import BaseModel
app = FastAPI()
class Begin(BaseModel):
    task_id: int = 1
    seed: Optional[int] = None
@app.post("/reset")
def reset(asked: Optional[Begin] = None, task_id: Optional[int] = Query(None)):
    if task_id is not None:
        return {"observation": {"task": task_id, "seed": None}}
    return {"observation": {"task": asked.task_id, "seed": asked.seed}}
@app.post("/step")
def step(body: dict):
    return {"observation": {}, "reward": 1.0, "done": True}
"""


def test_what_a_body_takes_whole_is_not_split_over_the_query(tmp_path: Path) -> None:
    with closing(opened(tmp_path, BOTH)) as connection:
        began = connection.reset({0: {"task_id": 2, "seed": 7}})[0]
        assert began.observation == {"task": 2, "seed": 7}


ONE_TEXT = """
from typing import Optional
from fastapi import Body, FastAPI
from pydantic import BaseModel
app = FastAPI()
class Move(BaseModel):
    to: int
@app.post("/reset")
def reset(kind: Optional[str] = Body(default=None)):
    return {"observation": {"kind": kind or "any"}}
@app.post("/step")
def step(action: Move):
    return {"observation": {"at": action.to}, "reward": 0.0, "done": True}
"""


def test_a_body_that_is_one_text_and_may_be_missing_is_missing(tmp_path: Path) -> None:
    with closing(opened(tmp_path, ONE_TEXT)) as connection:
        begun = connection.reset({0: {"seed": 1}})[0]
    assert isinstance(begun, Transition) and begun.observation == {"kind": "any"}


SEES_STATE = """
from fastapi import FastAPI
from pydantic import BaseModel
app = FastAPI()
class Move(BaseModel):
    to: int
class Place(BaseModel):
    at: int
class Begun(BaseModel):
    state: Place
    told: dict
class Moved(BaseModel):
    state: Place
    reward: float
    done: bool
@app.post("/reset")
def reset() -> Begun:
    return Begun(state=Place(at=0), told={"level": 1})
@app.post("/step")
def step(action: Move) -> Moved:
    return Moved(state=Place(at=action.to), reward=0.0, done=action.to > 5)
"""


def test_a_reset_shows_the_same_observation_as_a_step(tmp_path: Path) -> None:
    with closing(opened(tmp_path, SEES_STATE)) as connection:
        begun = connection.reset({0: {}})[0]
        moved = connection.step({0: {"to": 3}})[0]
        assert connection.schemas.observation["required"] == ["at"]
    assert isinstance(begun, Transition) and begun.observation == {"at": 0}
    assert isinstance(moved, Transition) and moved.observation == {"at": 3}
    assert begun.metadata["told"] == {"level": 1}
