"""A reward from outside: what a file must hold, and what it does to an episode in the environment's process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gonogo import config
from gonogo.env.environment import connect
from gonogo.env.target import RewardFile, resolve
from gonogo.env.worker.reward import BrokenReward, load_reward
from gonogo.errors import ConfigError, Misuse
from gonogo.rollouts.types import Inspection, Transition

ROOT = Path(__file__).parents[3]
WATCH = "tests.zoo.cases.paid_for_idling__watch:Defect"
QUIET = {"call": "quiet"}
HEAD = """
from openenv.core.rubrics import Gate, Rubric, Sequential, WeightedSum

class Steps(Rubric):
    GUARDS = {"end": "Paid at the end only."}

    def __init__(self, without=()):
        super().__init__()
        self.without, self.seen = without, 0

    def forward(self, action, observation):
        self.seen += 1
        early = "steps.end" in self.without
        return float(self.seen) if observation.done or early else 0.0

class Own(Rubric):
    def forward(self, action, observation):
        return observation.metadata["environment_reward"]

class Refused(Rubric):
    def forward(self, action, observation):
        return float(observation.metadata["refused_actions"]) if observation.done else 0.0

class Call(Rubric):
    def forward(self, action, observation):
        return float(action.call == "alarm")
"""
GOOD = f"""{HEAD}
def make_reward(without=()):
    parts = [Steps(without), Own(), Refused(), Call()]
    return WeightedSum(parts, weights=[0.4, 0.2, 0.2, 0.2])
"""


@pytest.fixture(autouse=True)
def _from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import paths are looked up from the working directory."""
    monkeypatch.chdir(ROOT)


@contextmanager
def flying(tmp_path: Path, text: str, *, ablate: bool = False) -> Iterator[Inspection]:
    """The watch, paid by a reward with this text."""
    file = tmp_path / "reward.py"
    file.write_text(text)
    connection = connect(resolve(WATCH), 2, reward=RewardFile(file, ablate))
    yield connection
    connection.close()


def step(connection: Inspection, action: dict[str, Any]) -> Transition:
    """One step of the first slot."""
    answer = connection.step({0: action})[0]
    assert isinstance(answer, Transition)
    return answer


def test_it_pays_instead_of_the_environment_and_says_what_that_would_have_paid(
    tmp_path: Path,
) -> None:
    with flying(tmp_path, GOOD, ablate=True) as connection:
        connection.reset({0: {"seed": 1}, 1: {"seed": 1}})
        assert step(connection, {"call": "shout"}).refusal is not None
        first = step(connection, QUIET)
        assert (first.reward, first.done) == (0.0, False)
        second = step(connection, {"call": "alarm"})
        assert second.reward == pytest.approx(0.2)
        last = [step(connection, QUIET) for _ in range(8)][-1]
        assert last.done and last.observation["solved"] is False
        assert last.metadata["environment_reward"] == 0.0
        assert last.metadata["components"] == {
            "steps": 10.0,
            "own": 0.0,
            "refused": 1.0,
            "call": 1.0,
        }
        assert last.reward == pytest.approx(0.4 * 10 + 0.2)
        assert last.metadata["without"] == {"steps.end": float(sum(range(1, 11)))}
        assert step(connection, QUIET).reward == 0.0, "nothing is paid after the end"
        # A new episode, and the other slot's, begin from nothing.
        connection.reset({0: {"seed": 1}})
        for slot in (0, 1):
            for _ in range(10):
                answer = connection.step({slot: QUIET})[slot]
            assert isinstance(answer, Transition)
            assert answer.metadata["components"]["steps"] == 10.0


def test_a_gate_before_the_bundle_leaves_components_unasked(tmp_path: Path) -> None:
    text = HEAD + (
        "def make_reward(without=()):\n"
        "    parts = WeightedSum([Steps(), Own(), Refused(), Call()], weights=[0.25] * 4)\n"
        "    return Sequential(Gate(Call()), parts)\n"
    )
    with flying(tmp_path, text) as connection:
        connection.reset({0: {"seed": 1}})
        assert step(connection, {"call": "alarm"}).reward == pytest.approx(0.25)
        paid = step(connection, QUIET)
        assert (paid.reward, paid.metadata["components"]["call"]) == (0.0, 1.0)


def parts(*names: str, weights: str = "[0.25] * 4") -> str:
    """A factory of these components."""
    made = ", ".join(f"{name}()" for name in names)
    return f"{HEAD}\ndef make_reward():\n    return WeightedSum([{made}], weights={weights})\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import no_such_module", "cannot be imported: ModuleNotFoundError"),
        ("raise SystemExit(0)", "cannot be imported: SystemExit"),
        ("x = 1", "must define make_reward"),
        ("def make_reward(): return 1 / 0", "make_reward raised ZeroDivisionError"),
        ("def make_reward(): return 0.5", "an OpenEnv Rubric, not 0.5"),
        (f"{HEAD}\nmake_reward = Call", "a WeightedSum of components"),
        (parts("Steps", "Own", "Refused", "Refused"), "different names"),
        (parts("Steps", "Own", "Call", weights="[0.4, 0.3, 0.3]"), "at least 4 components, not 3"),
        (parts("Steps", "Own", "Refused", "Call", weights="[0.2] * 4"), "sum to 1.0, got 0.8"),
        (parts("Steps", "Own", "Refused", "Call", weights="[1, 1, -0.5, -0.5]"), "0 or more"),
    ],
)
def test_a_file_that_breaks_a_rule_is_refused_with_the_rule(
    text: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "reward.py"
    file.write_text(text)
    with pytest.raises(BrokenReward, match=said):
        load_reward({"file": str(file), "ablate": False})


def test_a_broken_file_is_a_config_error_before_anything_flies(tmp_path: Path) -> None:
    said = r"reward\.py: it must define make_reward"
    with pytest.raises(ConfigError, match=said) as caught, flying(tmp_path, "x = 1"):
        pass
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("1 / 0", "the rubric raised ZeroDivisionError"),
        ("float('nan')", "component call must answer a finite number, not nan"),
        ("True", "component call must answer a finite number, not True"),
        ("None", "step 1: component call must answer a finite number, not None"),
    ],
)
def test_a_reward_that_breaks_in_flight_is_a_config_error_and_no_score(
    answer: str, said: str, tmp_path: Path
) -> None:
    text = GOOD.replace('float(action.call == "alarm")', answer)
    with flying(tmp_path, text) as connection:
        connection.reset({0: {"seed": 1}})
        with pytest.raises(ConfigError, match=said):
            connection.step({0: QUIET})


def test_a_server_takes_no_reward(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="give its folder or"):
        connect(resolve("http://127.0.0.1:1"), 1, reward=tmp_path / "reward.py")


def test_a_config_names_a_reward_that_is_there(tmp_path: Path) -> None:
    given = {"target": WATCH, "out": str(tmp_path), "reward": str(tmp_path / "none.py")}
    with pytest.raises(ConfigError, match="reward must be a Python file"):
        config.load(None, given)
