"""What steps change and no reset empties, read from small sources; and what is kept on purpose."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from gonogo.contract.kept import KeptState, kept_over_resets
from gonogo.contract.source import first_line, read_source
from gonogo.records.inspection import CodePlace, EnvironmentClass, EnvironmentCode

ROOT = Path(__file__).parents[2]
HEAD = """
class Env:
    def __init__(self):
        self.found, self.other = set(), Store()
        self.started()

    def started(self):
        pass

    def reset(self, seed=None):
        self.goal = seed
        {reset}
        return {{}}

    def step(self, action):
        {step}
        reward = {reward}
        return {{}}, reward, False, {{}}

{more}

class Store:
    def __init__(self):
        self.items = []

    def put(self, item):
        self.items.append(item)

    def clear(self):
        self.items.clear()
"""


def kept(
    folder: Path,
    *,
    reset: str = "pass",
    step: str = "self.found.add(action)",
    reward: str = "len(self.found)",
    more: str = "",
) -> list[KeptState]:
    """What is kept in a small environment."""
    file = folder / "env.py"
    text = HEAD.format(reset=reset, step=step, reward=reward, more=textwrap.dedent(more))
    file.write_text(text)
    (cls,) = [n for n in ast.parse(text).body if isinstance(n, ast.ClassDef) and n.name == "Env"]
    lines = {n.name: first_line(n) for n in cls.body if isinstance(n, ast.FunctionDef)}
    place = CodePlace(file=str(file), line=first_line(cls), name="Env")
    code = EnvironmentCode(
        environment=EnvironmentClass(**place.model_dump(), bases=(), classes=(place,)),
        reset=CodePlace(file=str(file), line=lines["reset"], name="reset"),
        step=CodePlace(file=str(file), line=lines["step"], name="step"),
        action=place,
        observation=place,
    )
    return kept_over_resets(read_source(folder, [file]), code)


def test_an_attribute_that_steps_change_and_a_reward_reads(tmp_path: Path) -> None:
    (found,) = kept(tmp_path)
    assert (found.name, found.owner, found.default) == ("found", "Env", False)
    assert [place.text for place in found.changed] == ["self.found.add(action)"]
    assert found.paid is not None
    assert found.paid.text == "reward = len(self.found)"


def test_an_attribute_of_an_object_that_is_made_once(tmp_path: Path) -> None:
    (found,) = kept(tmp_path, step="self.other.put(action)", reward="len(self.other.items)")
    assert (found.name, found.owner) == ("items", "Store")
    assert found.paid is not None


def test_a_name_of_a_module(tmp_path: Path) -> None:
    (found,) = kept(tmp_path, step="SEEN[action] = 1", reward="len(SEEN)", more="SEEN = {}")
    assert (found.name, found.owner) == ("SEEN", "env.py")


def test_a_default_argument_that_is_kept_and_changed(tmp_path: Path) -> None:
    more = """
    class Game:
        def __init__(self, goal, passed=set()):
            self.passed = passed

        def win(self, action):
            self.passed.add(action)
    """
    reset, step, reward = "self.game = Game(seed)", "self.game.win(action)", "len(self.game.passed)"
    (found,) = kept(tmp_path, reset=reset, step=step, reward=reward, more=more)
    assert (found.name, found.owner, found.default) == ("passed", "Game", True)
    assert found.paid is not None
    copied = more.replace("= passed\n", "= set(passed)\n")
    assert kept(tmp_path, reset=reset, step=step, reward=reward, more=copied) == []
    given = "self.game = Game(seed, set())"
    assert kept(tmp_path, reset=given, step=step, reward=reward, more=more) == []


def test_a_value_that_is_only_sometimes_set(tmp_path: Path) -> None:
    step = "self.won = self.won or action"
    more = "    def started(self):\n        self.won = False\n"
    assert kept(tmp_path, step=step, reward="float(self.won)", more=more) == []
    step = "if action: self.found = {action}"
    assert [each.name for each in kept(tmp_path, step=step)] == ["found"]


def test_what_is_put_into_a_list_that_is_summed_is_paid(tmp_path: Path) -> None:
    step = "self.found.add(action); parts = []; parts.append(len(self.found))"
    (found,) = kept(tmp_path, step=step, reward="sum(parts)")
    assert found.paid


def test_what_no_reward_reads_is_not_paid(tmp_path: Path) -> None:
    step = "self.found.add(action); print(len(self.found))"
    (found,) = kept(tmp_path, step=step, reward="1.0")
    assert found.paid is None


@pytest.mark.parametrize(
    "reset",
    [
        "self.found = set()",
        "self.found.clear()",
        "self.found -= self.found",
        "self.__init__()",
        "self.__dict__.update(found=set())",
        "for each in (self.found,): each.clear()",
        "found = self.found; found.clear()",
        "self.t, (self.found, self.q) = 0, (set(), 1)",
        "for self.found in [set()]: pass",
        "with open('x') as self.found: pass",
        "[x.clear() for x in (self.found,)]",
        "getattr(self, 'found').clear()",
    ],
)
def test_what_a_reset_empties_in_any_way(reset: str, tmp_path: Path) -> None:
    assert kept(tmp_path, reset=reset) == []


@pytest.mark.parametrize(
    ("step", "reward"),
    [
        ("self.found.add(action)", "1.0"),
        ("self.found = {action}", "len(self.found)"),
        ("self.cache[action] = 1", "len(self.cache)"),
    ],
)
def test_what_is_read_by_nobody_set_before_each_use_or_kept_on_purpose(
    step: str, reward: str, tmp_path: Path
) -> None:
    assert kept(tmp_path, step=step, reward=reward) == []


def test_an_object_that_a_reset_makes_or_empties(tmp_path: Path) -> None:
    step, reward = "self.other.put(action)", "len(self.other.items)"
    for reset in ("self.other = Store()", "self.other.clear()"):
        assert kept(tmp_path, reset=reset, step=step, reward=reward) == []


SEVERAL = """
import pathlib, sys
from tests.contract.test_kept import kept
names = "abcdef"
methods = "".join(f"    x{n} = set()\\n    def put_{n}(self, x):\\n        self.x{n}.add(x)\\n\\n" for n in names)
reward = " + ".join(f"len(self.x{n})" for n in names) + "\\n        return 0\\n\\n" + methods
step = "; ".join(f"self.put_{n}(action)" for n in names)
last = "    def last(self, reward):\\n        pass"
print([each.name for each in kept(pathlib.Path(sys.argv[1]), step=step, reward=reward + last)])
"""


def test_what_is_found_comes_in_the_same_order_in_each_process(tmp_path: Path) -> None:
    told = {
        subprocess.run(
            [sys.executable, "-c", SEVERAL, str(tmp_path)],
            env={**os.environ, "PYTHONHASHSEED": str(number), "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for number in range(4)
    }
    (names,) = told
    assert names.count("'x") == 6


def test_nothing_is_known_without_code(tmp_path: Path) -> None:
    assert kept_over_resets(read_source(tmp_path, []), None) == []
