"""What becomes of a seed by the code: used, kept with nothing to draw, or dropped."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gonogo.contract.seeds import (
    FIXED,
    Trail,
    kept_by_gymnasium,
    nothing_drawn,
    seed_use,
    seeded_by,
    use_in_code,
)
from gonogo.contract.source import read_source
from gonogo.contract.syntax import Function
from gonogo.records.inspection import CodePlace, Description, EnvironmentClass
from gonogo.wire import Tool

RESET = "class Base:\n    def reset(self, seed=None):\n        "
HEAD = """
import gymnasium as gym
import numpy as np

class Probe(gym.Env):
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._draw({drawn})
"""


def dropped(code: str) -> bool:
    """Whether a file's reset drops its seed so."""
    tree = ast.parse(code)
    reset = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "reset")
    return kept_by_gymnasium(reset, [tree], "seed")


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ("np.random.default_rng(self.seed)", True),
        ("random.Random(2024)", True),
        ("self.np_random", False),
        ("np.random.default_rng(seed)", False),
        ("seed", False),
        ("4", False),  # one fixed task draws nothing
    ],
)
def test_a_seed_that_only_gymnasium_gets_is_dropped_where_something_is_drawn_elsewhere(
    drawn: str, expected: bool
) -> None:
    assert dropped(HEAD.format(drawn=drawn)) is expected


def test_of_another_package_nothing_is_known() -> None:
    code = HEAD.format(drawn="np.random.default_rng(1)")
    assert not dropped(code.replace("import gymnasium as gym", "import other as gym"))
    assert not dropped(code.replace("super().reset(seed=seed)", "pass"))


def place(file: Path, line: int | None) -> CodePlace:
    """Where something of the code lies."""
    return CodePlace(name="it", file=str(file), line=line)


def environment(file: Path, *classes: CodePlace) -> EnvironmentClass:
    """Where an environment is."""
    return EnvironmentClass(name="it", file=str(file), line=1, bases=(), classes=classes)


def used(tmp_path: Path, code: str, *classes: str) -> bool:
    """Whether the reset of some classes, the nearest first, uses its seed."""
    path = tmp_path / "environment.py"
    path.write_text(code)
    source = read_source(tmp_path, [])
    lines = [
        next((n for n, line in enumerate(code.splitlines(), 1) if f"class {name}" in line), None)
        for name in classes
    ]
    found = [source.cls(place(path, line)) for line in lines]
    bodies = (node for cls in found if cls is not None for node in cls.body)
    reset = next(n for n in bodies if isinstance(n, Function) and n.name == "reset")
    return Trail(source, found).is_used(reset, "seed")


@pytest.mark.parametrize(
    ("rest", "classes", "expected"),
    [
        ("self.rng = Random(seed)", ["Base"], False),
        ("self.seed = seed", ["Base"], False),
        ("rng = Random(seed)\n        self.rng = rng", ["Base"], False),
        ("seed = int(seed or 0)\n        self.kept = seed", ["Base"], False),
        ("self.rng = Random(seed)\n        self.n = self.rng.random()", ["Base"], False),
        ("self.rng = Random(seed)\n        return self.rng.random()", ["Base"], True),
        ("self.done = self.game.reset(seed)", ["Base"], True),
        ("random.seed(seed)", ["Base"], True),
        ("self.game.seed = seed", ["Base"], True),
        ("self.a, self.b = seed, 1", ["Base"], True),
        ("self.kept = seed\n        return helper(self)", ["Base"], True),
        ("self.kept = seed\ndef helper(env):\n    return env.kept", ["Base"], True),
        ("self.begin(seed)\n    def begin(self, task):\n        pass", ["Base"], False),
        ("self.begin(task=seed)\n    def begin(self, task):\n        draw(task)", ["Base"], True),
        ("self.begin(*[seed])\n    def begin(self, task):\n        pass", ["Base"], True),
        ("self.begin(seed)", ["Base"], True),
        ("super().reset(seed)", ["Base"], True),
        ("self.kept = seed\nclass Own(Base):\n    def play(self): draw(self.kept)", ["Own", "Base"], True),
        ("self.kept = seed\nclass Other(Base):\n    def play(self): draw(self.kept)", ["Base"], False),
        ("self.kept = seed\n    @property\n    def kept(self): ...", ["Base"], True),
        ("self.kept = seed", ["Elsewhere", "Base"], True),
    ],
)  # fmt: skip
def test_a_seed_is_followed(rest: str, classes: list[str], expected: bool, tmp_path: Path) -> None:
    assert used(tmp_path, f"{RESET}{rest}\n", *classes) is expected


@pytest.mark.parametrize(
    ("body", "expected"), [("return 7", False), ("return super().deal()", True)]
)
def test_what_an_overridden_method_does_counts_where_it_is_called(
    body: str, expected: bool, tmp_path: Path
) -> None:
    code = (
        f"{RESET}self.rng = Random(seed)\n    def deal(self):\n        return self.rng.random()\n"
    )
    own = f"class Own(Base):\n    def deal(self):\n        {body}\n"
    assert used(tmp_path, f"{code}{own}", "Own", "Base") is expected
    assert used(tmp_path, f"{code}{own}", "Base") is True


def test_without_its_classes_nothing_is_known(tmp_path: Path) -> None:
    code = f"{RESET}self.kept = seed\n"
    assert used(tmp_path, code, "Base") is False
    source = read_source(tmp_path, [])
    reset = source.function(place(tmp_path / "environment.py", 2))
    assert reset is not None
    assert Trail(source, []).is_used(reset[1], "seed") is True


def test_a_seed_inside_of_something_else_is_not_called_dropped(tmp_path: Path) -> None:
    """A route of a plain app takes a body, of which the code reads the seed."""
    path = tmp_path / "app.py"
    path.write_text("def reset(body):\n    global game\n    game = Game(body.seed)\n")
    source = read_source(tmp_path, [])
    found = source.function(place(path, 1))
    assert found is not None
    use = use_in_code(source, environment(path), found[1])
    assert (use.dropped, use.unclear) == (False, True)


@pytest.mark.parametrize(("name", "dropped"), [("train.py", False), ("base.py", True)])
def test_what_another_file_draws_is_no_draw_of_the_environment(
    name: str, dropped: bool, tmp_path: Path
) -> None:
    """A training script makes its own generator; a fixed task is no seed that is dropped."""
    path, other = tmp_path / "environment.py", tmp_path / name
    path.write_text(
        "import gymnasium\n\n\nclass Maze(gymnasium.Env):\n"
        "    def reset(self, *, seed=None, options=None):\n        super().reset(seed=seed)\n"
    )
    other.write_text("class Base:\n    drawn = default_rng(0)\n")
    source = read_source(tmp_path, [])
    found = source.function(place(path, 5))
    assert found is not None
    classes = [place(path, 4), *([place(other, 1)] if dropped else [])]
    assert use_in_code(source, environment(path, *classes), found[1]).dropped is dropped


@pytest.mark.parametrize(
    ("rest", "dropped"),
    [
        ("self.rng = Random(seed)", False),
        ("self.kept = seed", False),
        ("rng = Random(seed)", False),
        ("self.rng = Random(seed)\n    def __init__(self):\n        self.rng = Random()", False),
        ("pass", True),
        ("print(seed)", True),
        ("self.board = Random(7).sample(range(9), 3)", True),
        ("self.kept = seed\n        self.board = Random(7).sample(range(9), 3)", True),
        ("self.rng = Random(seed)\n    def deal(self):\n        return default_rng(7)", True),
        (
            "self.kept = seed\n        np.random.seed(0)\n        self.at = np.random.randint(3)",
            True,
        ),
        ("self.kept = seed\n        random.seed(7)\n        self.at = random.choice('abc')", True),
        ("self.kept = seed\n        self.id = random.random()", False),
        (
            "self.kept = seed\n        self.at = deal()\ndef deal():\n    return Random(7).random()",
            True,
        ),
        ("self.kept = seed\ndef deal():\n    return Random(7).random()", False),
        ("self.kept = seed\n        self.at = self.random.choice('abc')", False),
    ],
)
def test_a_seed_that_is_kept_is_dropped_only_where_something_else_is_drawn(
    rest: str, dropped: bool, tmp_path: Path
) -> None:
    """A puzzle with one start has nothing to draw; one that a generator of its own deals drops its seed."""
    path = tmp_path / "environment.py"
    path.write_text(f"{RESET}{rest}\n")
    source = read_source(tmp_path, [])
    reset = source.function(place(path, 2))
    assert reset is not None
    use = use_in_code(source, environment(path, place(path, 1)), reset[1])
    assert use.dropped is dropped
    assert (use.why == FIXED) is not dropped and not use.unclear


def test_a_seed_that_an_action_takes_is_given_there() -> None:
    def tool(*taken: str) -> Tool:
        return {"name": "start", "input_schema": {"properties": {name: {} for name in taken}}}

    assert seeded_by([tool("task_id", "seed")], None) == "start takes a seed"
    assert seeded_by([tool("task_id")], {"properties": {"move": {}}}) is None
    assert seeded_by([], {"properties": {"seed": {"type": "integer"}}}) == "its field seed"
    sown = {"enum": ["wheat", "corn"]}
    assert seeded_by([], {"properties": {"seed": sown}}) is None
    use = seed_use(Description(tools=(tool("seed"),)), read_source(None, []), 1)
    assert not use.dropped and "start takes a seed" in use.why


@pytest.mark.parametrize(
    ("prose", "told"),
    [
        ("The environment is deterministic.", True),
        ("Fully deterministic: the same actions give the same episode.", True),
        ("There is no randomness in the game.", True),
        ("The seed is accepted and has no effect.", True),
        ("Nothing in this world is random.", True),
        ("The environment is deterministic for a given seed.", False),
        ("Episodes are deterministic with the same seed.", False),
        ("Seeded, so that episodes are deterministic.", False),
        ("The environment has deterministic graders.", False),
        ("The environment is not deterministic.", False),
        ("Deterministic sorting.", False),
        ("Transitions are deterministic.", False),
        ("The environment's dynamics are deterministic.", False),
        ("A deterministic simulation of a game.", False),
        ("Resets and transitions are deterministic.", True),
    ],
)
def test_words_tell_that_nothing_is_drawn(prose: str, told: bool) -> None:
    assert (nothing_drawn(f"# A title\n\nWords before. {prose}") is not None) is told
