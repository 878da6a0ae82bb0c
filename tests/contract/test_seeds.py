"""Whether the code uses a seed, read through the classes that an environment stands on."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonogo.contract.seeds import Trail
from gonogo.contract.source import Function, read_source
from gonogo.records.inspection import CodePlace

HEAD = "class Base:\n    def reset(self, seed=None):\n        "


def place(file: Path, line: int | None) -> CodePlace:
    """Where something of the code lies."""
    return CodePlace(name="it", file=str(file), line=line)


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
    assert used(tmp_path, f"{HEAD}{rest}\n", *classes) is expected


@pytest.mark.parametrize(
    ("body", "expected"), [("return 7", False), ("return super().deal()", True)]
)
def test_what_an_overridden_method_does_counts_where_it_is_called(
    body: str, expected: bool, tmp_path: Path
) -> None:
    code = f"{HEAD}self.rng = Random(seed)\n    def deal(self):\n        return self.rng.random()\n"
    own = f"class Own(Base):\n    def deal(self):\n        {body}\n"
    assert used(tmp_path, f"{code}{own}", "Own", "Base") is expected
    assert used(tmp_path, f"{code}{own}", "Base") is True


def test_without_its_classes_nothing_is_known(tmp_path: Path) -> None:
    code = f"{HEAD}self.kept = seed\n"
    assert used(tmp_path, code, "Base") is False
    source = read_source(tmp_path, [])
    reset = source.function(place(tmp_path / "environment.py", 2))
    assert reset is not None
    assert Trail(source, []).is_used(reset[1], "seed") is True
