"""What foreign code sees of the user's variables, from the command line, and that no value is written anywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from gonogo.config import RolloutConfig
from gonogo.env import variables
from gonogo.env.reward_functions import RewardFunctions
from gonogo.env.variables import build_environment, child_environment, hint
from gonogo.errors import Misuse
from gonogo.policies.external import FunctionPolicy
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.types import View

Shown = tuple[Path, list[subprocess.CompletedProcess[str]], list[str]]
CANARY = "canary-7f3a9c"
APP = """
from openenv.core.env_server.http_server import create_app
from server.world import Act, Env, Obs

app = create_app(Env, Act, Obs, max_concurrent_envs=4)
"""
WORLD = """
import os
from typing import Any
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

class Act(Action):
    word: str = Field(description="any word", max_length=8)

class Obs(Observation):
    variables: dict[str, str] = {}
    of_others: str = ""

class Env(Environment[Act, Obs, State]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = State()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Obs:
        self._state = State(episode_id=episode_id or str(uuid4()))
        return self.show()

    def show(self, **fields: Any) -> Obs:
        # Those of the process that it was forked from, too, as far as the kernel shows them.
        seen = []
        number = "self"
        for _ in range(3):
            with open(f"/proc/{number}/environ", "rb") as said:
                seen.append(said.read().decode(errors="replace"))
            with open(f"/proc/{number}/stat") as said:
                number = said.read().rpartition(")")[2].split()[1]
        print(os.environ, seen)
        return Obs(variables=dict(os.environ), of_others=" ".join(seen), **fields)

    def step(self, action: Act, timeout_s: float | None = None, **_: Any) -> Obs:
        self._state.step_count += 1
        return self.show(done=self._state.step_count >= 3, reward=0.5)

    @property
    def state(self) -> State:
        return self._state
"""
NEEDY = WORLD.replace(
    "        self._state = State(episode_id=episode_id",
    "        os.environ['HUB_TOKEN']\n        self._state = State(episode_id=episode_id",
)
QUICK = "target: x\nout: x\nmap: {steps: 4, end_steps: 6}\naudit: {seeds: 4, search: 0}\nrollout: {slots: 2}\n"


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    """An environment that shows what variables it was given."""
    return mirror_in(tmp_path)


def mirror_in(where: Path) -> Path:
    """A folder there with an environment that shows what variables it was given."""
    folder = where / "mirror"
    (folder / "server").mkdir(parents=True)
    (folder / "openenv.yaml").write_text("name: mirror\napp: server.app:app\n")
    (folder / "server" / "__init__.py").write_text("")
    (folder / "server" / "app.py").write_text(APP)
    (folder / "server" / "world.py").write_text(WORLD)
    return folder


def gonogo(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the folder with a secret among the variables."""
    (folder / "quick.yaml").write_text(QUICK)
    return subprocess.run(
        [sys.executable, "-m", "gonogo", *words, "--config", "quick.yaml", "--out", "run"],
        cwd=folder,
        env={**os.environ, "HUB_TOKEN": CANARY, "XDG_CACHE_HOME": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )


def written(folder: Path, ended: subprocess.CompletedProcess[str]) -> str:
    """All that a command has printed and left."""
    files = [path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file()]
    return "\n".join([ended.stdout, ended.stderr, *files])


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """The mirror, what a map and then an audit of it printed, and after each all that was left."""
    mirror = mirror_in(tmp_path_factory.mktemp("shown"))
    commands, told = [], []
    for station in ("map", "audit"):
        commands.append(gonogo(mirror.parent, station, "mirror"))
        told.append(written(mirror.parent, commands[-1]))
    return mirror, commands, told


def test_no_secret_reaches_an_environment_a_record_or_the_terminal(shown: Shown) -> None:
    _, commands, all_told = shown
    for ended, told in zip(commands, all_told, strict=True):
        assert ended.returncode in {0, 1, 3}
        assert "PYTHONDONTWRITEBYTECODE" in told  # it was flown, and has shown what it has
        assert CANARY not in told
        assert "HUB_TOKEN" not in told


def test_the_first_time_a_folder_is_opened_it_is_said_that_its_code_runs(shown: Shown) -> None:
    mirror, commands, _ = shown
    said = [ended.stderr for ended in commands]
    assert f"runs the code of {mirror} on this machine as {variables.whoami()}" in said[0]
    assert "PATH" in said[0]
    assert "on this machine as" not in said[1]
    assert str(mirror) not in said[1]


def test_a_variable_that_it_needs_is_named_and_given_by_its_name_alone(mirror: Path) -> None:
    (mirror / "server" / "world.py").write_text(NEEDY)
    refused = gonogo(mirror.parent, "map", "mirror")
    assert refused.returncode == 3
    assert "give --env HUB_TOKEN" in refused.stdout + refused.stderr
    given = gonogo(mirror.parent, "map", "mirror", "--env", "HUB_TOKEN")
    assert "on this machine as" in refused.stderr and "on this machine as" not in given.stderr
    assert "give --env HUB_TOKEN" not in given.stdout + given.stderr
    record = (mirror.parent / "run" / "map.json").read_text()
    assert '"HUB_TOKEN"' in record


@pytest.mark.parametrize(
    "word", ["HUB_TOKEN=secret-5", "secret-5"]
)  # an empty one drops what is kept
def test_a_value_beside_a_name_is_refused_and_not_repeated(mirror: Path, word: str) -> None:
    for words in (("map", "mirror", "--env", word), ("replay", "none.jsonl", "--env", word)):
        ended = subprocess.run(
            [sys.executable, "-m", "gonogo", *words],
            cwd=mirror.parent,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert ended.returncode == 2
        assert "must be names of variables, such as OPENAI_API_KEY, without" in ended.stderr
        assert "secret-5" not in ended.stdout + ended.stderr


def test_a_name_that_is_not_set_is_refused() -> None:
    with pytest.raises(Misuse, match="no variable NOT_SET_HERE is set here"):
        variables.pass_on(["NOT_SET_HERE"])


def test_what_programs_need_is_given_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {
        "LC_ALL": "C",
        "OMP_NUM_THREADS": "1",
        "NUMBA_CACHE_DIR": "/n",
        "CUDA_VISIBLE_DEVICES": "0",
        "SSL_CERT_FILE": "/c",
    }
    kept["https_proxy"] = "http://proxy:3128"
    left = {"AWS_SECRET_ACCESS_KEY": "a", "HF_TOKEN": "b", "HTTP_PROXY": "http://me:secret@proxy:1"}
    for name, value in (kept | left).items():
        monkeypatch.setenv(name, value)
    given = child_environment()
    assert kept.items() <= given.items()
    assert not left.keys() & given.keys()
    assert not {"HOME", "SSH_AUTH_SOCK", "PWD"} & given.keys()


def test_an_installation_is_told_where_packages_are_and_no_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", "/wheels")
    monkeypatch.setenv("PIP_INDEX_URL", "https://me:secret@index/simple")
    monkeypatch.setenv("UV_PUBLISH_TOKEN", "secret")
    given = build_environment()
    assert given["PIP_FIND_LINKS"] == "/wheels"
    assert "secret" not in str(given)


def test_the_hint_names_what_the_user_has_and_the_code_has_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "x")
    assert "--env SOME_API_KEY" in hint("KeyError: 'SOME_API_KEY'")
    assert hint("KeyError: 'ANOTHER_KEY', 'PATH'") == ""


def test_a_record_of_how_it_was_flown_can_be_read_again() -> None:
    flown = RolloutConfig(env=("SOME_API_KEY",))
    assert RolloutConfig(**flown.model_dump(mode="json")) == flown


FUNCTIONS = """
import os, sys

def policy(observation, memory):
    return {"seen": dict(os.environ), "argv": sys.argv}

def reward(prompts, completions, **_):
    seen = str(dict(os.environ)) + str(sys.argv)
    return [float("canary" in seen) for _ in completions]
"""


def test_policies_and_reward_functions_are_given_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "strange_functions.py").write_text(FUNCTIONS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HUB_TOKEN", CANARY)
    with closing(FunctionPolicy("strange_functions:policy")) as policy:
        policy.begin([0])
        action = policy.act({0: View("", {}, {}, 0)})[0].action
    assert action is not None
    assert "PATH" in action["seen"]
    assert CANARY not in str(action)
    turn = Turn("seen", {}, reply="said", reward=0.0, done=True)
    episode = Episode(index=0, task={}, target="t", policy="p", turns=[turn])
    with closing(RewardFunctions(["strange_functions:reward"])) as functions:
        functions.pay([episode])
    assert episode.episode_return == 0.0
