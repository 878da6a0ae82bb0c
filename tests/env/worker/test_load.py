"""What a worker does not read until somebody needs it, and what a server that it reads serves at a time."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from openenv.core.env_server.http_server import HTTPEnvServer
from tests.zoo.turns import Crowded, Guess, Sight

from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.env.worker.load import SERVER, serves_one
from gonogo.errors import TargetError
from gonogo.rollouts.types import Transition

BEGIN = "from gonogo.env.worker.load import leave_unread; leave_unread('gradio'); import sys\n"


@pytest.mark.parametrize(
    ("code", "read"),
    [
        ("import openenv.core.env_server.http_server", False),
        ("import gradio as gr; gr.themes.Soft()", False),
        ("from gradio import Blocks; Blocks()", True),
        pytest.param("import gradio.blocks; gradio.blocks.Blocks()", True, marks=pytest.mark.long),
        pytest.param(
            "import openenv.core.env_server.http_server, gradio as gr; gr.Textbox()",
            True,
            marks=pytest.mark.long,
        ),
    ],
)
def test_gradio_is_read_when_it_is_used_and_not_before(code: str, read: bool) -> None:
    asked = f"{BEGIN}{code}\nprint('gradio.routes' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert run.stdout.split()[-1] == str(read)


def test_a_package_that_is_not_there_is_still_not_there() -> None:
    asked = (
        "from gonogo.env.worker.load import leave_unread; leave_unread('no_such'); import no_such"
    )
    run = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=False)
    assert "No module named 'no_such'" in run.stderr


def test_an_instance_that_a_server_gives_every_session_takes_one_at_a_time() -> None:
    """Nobody flies beside a session where the server takes no second one and all would share an instance."""
    one = Crowded()

    def server(factory: Any, most: int) -> HTTPEnvServer:
        return HTTPEnvServer(factory, Guess, Sight, max_concurrent_envs=most)

    assert serves_one(server(lambda: one, 1))
    assert not serves_one(server(lambda: one, 8))
    assert not serves_one(server(partial(Crowded), 1))
    assert not serves_one(server(Crowded, 1))


OWN = """
import sys
from pathlib import Path
import openenv.core.env_server.http_server
from gonogo.env.worker.load import open_folder
open_folder({"folder": sys.argv[1], "packages": [], "aliases": []})
import openenv.core.env_server.http_server as served
print(Path(served.__file__).is_relative_to(sys.argv[1]))
"""


@pytest.mark.parametrize("own", [True, False])
def test_a_folder_with_a_copy_of_openenv_is_served_with_that(tmp_path: Path, own: bool) -> None:
    if own:
        server = tmp_path / SERVER
        server.parent.mkdir(parents=True)
        for folder in (server.parent, *server.parent.parents[:2]):
            (folder / "__init__.py").write_text("")
        server.write_text("")
    asked = [sys.executable, "-c", OWN, str(tmp_path)]
    run = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert run.stdout.split()[-1] == str(own)


def test_what_cannot_be_imported_says_so_where_its_packages_have_no_init(tmp_path: Path) -> None:
    parts = ("kiosk", *(f"part{n}" for n in range(8)))
    deepest = tmp_path.joinpath("shop", *parts)
    deepest.mkdir(parents=True)
    (deepest / "till.py").write_text("")
    (tmp_path / "shop" / "server.py").write_text(
        f"import {'.'.join(parts)}.till\nraise ImportError('no drawer')\n"
    )
    asked = """
import sys
from pathlib import Path
from gonogo.env.worker.load import import_file
folder = Path(sys.argv[1])
sys.path.insert(0, str(folder))
import_file(folder, "shop/server.py", ())
"""
    words = [sys.executable, "-c", asked, str(tmp_path)]
    run = subprocess.run(words, check=False, capture_output=True, text=True)
    assert run.returncode and run.stderr.splitlines()[-1].startswith("ModuleNotFoundError")


def test_a_file_is_read_without_the_package_around_it_where_that_raises(tmp_path: Path) -> None:
    server = tmp_path / "kiosk" / "server"
    server.mkdir(parents=True)
    (tmp_path / "kiosk" / "__init__.py").write_text("raise TypeError('too few arguments')\n")
    (server / "app.py").write_text("app = 'open'\n")
    (server / "broken.py").write_text("raise TypeError('its own')\n")
    asked = """
import sys
from pathlib import Path
from gonogo.env.worker.load import import_file
folder = Path(sys.argv[1])
sys.path.insert(0, str(folder))
print(import_file(folder, sys.argv[2], ()).app)
"""
    for file, said in (("app.py", "open"), ("broken.py", "TypeError: too few arguments")):
        words = [sys.executable, "-c", asked, str(tmp_path), f"kiosk/server/{file}"]
        run = subprocess.run(words, check=False, capture_output=True, text=True)
        assert (run.stdout or run.stderr).splitlines()[-1] == said


OWN_CLASSES = """
from dataclasses import dataclass

from fastapi import FastAPI

try:
    from openenv.core.env_server import State
except ImportError:

    @dataclass
    class State:
        step_count: int = 0


@dataclass
class Walk(State):
    at: int = 0


app, walk = FastAPI(), Walk(3)


@app.post("/reset")
def reset():
    walk.at = 0
    return {"observation": {"at": walk.at}}


@app.post("/step")
def step(by: int):
    walk.at += by
    return {"observation": {"at": walk.at}, "reward": 0.0, "done": False}
"""


@pytest.mark.parametrize(("needs", "opens"), [("fastapi\n", True), ("fastapi\nopenenv\n", False)])
def test_what_has_classes_of_its_own_and_asks_for_no_openenv_is_opened_without(
    needs: str, opens: bool, tmp_path: Path
) -> None:
    (tmp_path / "app.py").write_text(OWN_CLASSES)
    (tmp_path / "requirements.txt").write_text(needs)
    if not opens:
        with pytest.raises(TargetError, match=r"app\.py: .*Walk"):
            connect(resolve(str(tmp_path)), 1)
        return
    with closing(connect(resolve(str(tmp_path)), 1)) as connection:
        began = connection.reset({0: {}})[0]
    assert isinstance(began, Transition) and began.observation == {"at": 0}
