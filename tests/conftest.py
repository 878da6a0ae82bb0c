"""Real environments (the zoo's, OpenEnv's template, servers of either) and a server of chat completions."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.answering import Answering, Handler

from gonogo.env.environment import connect
from gonogo.env.target import Target, resolve
from gonogo.env.worker.load import leave_unread
from gonogo.records.terminal import Terminal
from gonogo.rollouts.types import Connection

# A loaded machine is no finding.
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")
# Every command and every worker that the tests start reads gonogo, which is to be compiled once.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# A job in the background of a shell inherits that SIGINT is ignored, and so would all that the tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Trackers that are installed keep the tests' figures to themselves, where they look when they are imported; and what
# gonogo remembers of folders that it has opened is not the user's. Both go when the tests end.
KEPT = tempfile.TemporaryDirectory(prefix="gonogo-tests-", ignore_cleanup_errors=True)
for variable in ("TRACKIO_DIR", "XDG_CACHE_HOME"):
    os.environ[variable] = str(Path(KEPT.name) / variable)
    Path(os.environ[variable]).mkdir()

# OpenEnv reads gradio for a page; who uses it, reads it then. Most of what a server's start takes.
leave_unread("gradio")

# What a command prints is tested where its function is called.
Terminal.speaks = True

ROOT = Path(__file__).parents[1]
ZOO = ROOT / "tests" / "zoo"
STARTUP_S = 60.0
FLAT_REWARD = """\
from openenv.core.rubrics import Rubric, WeightedSum


class Flat(Rubric):
    def __init__(self, name):
        super().__init__()
        self.name = name

    def forward(self, action, observation):
        return 0.5


def make_reward(without=()):
    return WeightedSum([Flat(name) for name in "abcd"], weights=[0.25] * 4)
"""
SERVES = """\
from gonogo.env.worker.load import leave_unread

leave_unread("gradio")

from uvicorn import main

main()
"""
"""As ``python -m uvicorn``; gradio is read when it is used, see :func:`gonogo.env.worker.load.leave_unread`."""
INIT = SERVES.replace("from uvicorn import main", "from openenv.cli.__main__ import main")
"""As ``python -m openenv.cli``, the same."""
APP = """
from gonogo.env.worker.load import load_class
from openenv.core.env_server.http_server import create_app

found = load_class({path!r})
sessions = 4 if found.concurrent else 1
app = create_app(found.factory, found.action, found.observation, max_concurrent_envs=sessions)
"""


@pytest.fixture(scope="session")
def gridworld() -> Path:
    """The zoo's honest environment."""
    return ZOO / "gridworld"


@pytest.fixture(scope="session")
def walked(gridworld: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gridworld without its policies that sleep, lie or die: an audit of it waits for nobody."""
    copy = tmp_path_factory.mktemp("walked") / "gridworld"
    shutil.copytree(gridworld, copy, ignore=shutil.ignore_patterns("__pycache__"))
    manifest = copy / "openenv.yaml"
    policies = "[walker, sleeper, liar, mute, dead]"
    assert policies in manifest.read_text()
    manifest.write_text(manifest.read_text().replace(policies, "[walker]"))
    return copy


@pytest.fixture(scope="session")
def rogue() -> Path:
    """The zoo's environment that misbehaves on demand."""
    return ZOO / "rogue-main"


@pytest.fixture
def flat_reward(tmp_path: Path) -> Path:
    """A reward's file, for --reward: half a point a step, whatever is done."""
    file = tmp_path / "flat.py"
    file.write_text(FLAT_REWARD)
    return file


@pytest.fixture(scope="session")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The environment that ``openenv init`` makes."""
    where = tmp_path_factory.mktemp("template")
    subprocess.run(
        [sys.executable, "-c", INIT, "init", "echo_env"],
        cwd=where,
        check=True,
        capture_output=True,
    )
    return where / "echo_env"


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[..., str]]:
    """Start a folder's server with uvicorn, once each; gives its URL."""
    servers: dict[Path, tuple[subprocess.Popen[bytes], str]] = {}

    def start(folder: Path, *, path: Path | None = None) -> str:
        if folder not in servers:
            servers[folder] = start_server(folder, path)
        return servers[folder][1]

    yield start
    for process, _ in servers.values():
        # A hanging environment's thread would outlive a polite end; what it forked, this process alone.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture(scope="session")
def serve_class(
    serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], str]:
    """Start a server of ``module:class``, imported from the repository's root; gives its URL."""

    def start(path: str) -> str:
        folder = tmp_path_factory.mktemp("served")
        (folder / "server").mkdir()
        (folder / "server" / "app.py").write_text(APP.format(path=path))
        return serve(folder, path=ROOT)

    return start


@pytest.fixture
def served() -> Iterator[Answering]:
    """A running server of chat completions; its ``answer`` is to be given."""
    server = Answering(("127.0.0.1", 0), Handler)
    server.asked = []
    server.answer = lambda _: '{"move": "stay"}'
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def address(served: Answering) -> str:
    """The base URL of ``served``."""
    return f"http://127.0.0.1:{served.server_address[1]}/v1"


@pytest.fixture(scope="session", name="start_server")
def starting() -> Callable[..., tuple[subprocess.Popen[bytes], str]]:
    """Starts a folder's server that the test ends itself; see :func:`start_server`."""
    return start_server


def start_server(
    folder: Path, path: Path | None = None, port: int | None = None
) -> tuple[subprocess.Popen[bytes], str]:
    """Run uvicorn in the folder on a free port, or the given one, and wait until it answers."""
    if port is None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
    paths = [str(p) for p in (path,) if p] + [os.environ.get("PYTHONPATH", "")]
    process = subprocess.Popen(
        [sys.executable, "-c", SERVES, "server.app:app", "--port", str(port)],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    url = f"http://127.0.0.1:{port}"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + STARTUP_S
    while time.monotonic() < deadline:
        try:
            opener.open(f"{url}/health", timeout=1).close()
            return process, url
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.1)
    process.kill()
    raise RuntimeError(f"no server for {folder}")


@pytest.fixture(scope="module")
def target(gridworld: Path) -> Target:
    """The zoo's honest environment, resolved."""
    return resolve(str(gridworld))


@pytest.fixture(scope="module")
def grid(target: Target) -> Iterator[Connection]:
    """A connection to it with eight slots."""
    connection = connect(target, 8)
    yield connection
    connection.close()
