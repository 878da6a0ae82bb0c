"""Where the code decides the end and the reward, and whether it uses a seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonogo.contract.source import Function, Source, Trail, followed, read_source
from gonogo.records.inspection import CodePlace, EnvironmentClass

ENVIRONMENT = '''
class Observation:
    done: bool = False
    reward: float = 0.0


class Fair(Rubric):
    def forward(self, action, observation):
        return 1.0


class Env:
    def reset(self, seed=None):
        """Start anew.

        More.
        """
        self.fuel = 3
        self._begin()
        return Observation(done=False)

    def _begin(self):
        self.state.count = 0
        self.reset

    @property
    def is_done(self):
        return self.fuel == 0

    def step(self, action):
        total_reward = 0.0
        if self.fuel < 0:
            self._done = True
        total_reward += self.fuel / 3
        parts = {"thrift": 1.0}
        parts["speed"] = 2.0
        return Observation(
            reward=total_reward,
            done=self._done,
            scores=dict(neat=1),
        )
'''
HEAD = "class Base:\n    def reset(self, seed=None):\n        "


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "env.py").write_text(ENVIRONMENT)
    (tmp_path / "broken.py").write_text("def (")
    (tmp_path / "null.py").write_bytes(b"\0\0")
    for name in ("tests/test_env.py", ".hidden/x.py", "client.py", "validation/policies.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("def f():\n    done = 1 > 0\n    raise SystemExit\n")
    return tmp_path


@pytest.fixture
def source(folder: Path) -> Source:
    return read_source(folder, [folder / "env.py"])


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(ENVIRONMENT.splitlines(), 1) if text in line)


def test_ends_are_where_done_gets_a_value(source: Source) -> None:
    places = {place.line: place for place in source.ends()}
    assert set(places) == {
        line_of("return self.fuel == 0"),
        line_of("self._done = True"),
        line_of("done=self._done"),
    }
    assert places[line_of("self._done = True")].when == "self.fuel < 0"
    assert {place.file for place in places.values()} == {"env.py"}
    assert places[line_of("done=self._done")].inside == "Env.step"


def test_rewards_are_where_they_are_computed(source: Source) -> None:
    lines = [place.line for place in source.rewards()]
    assert lines[0] == line_of("def forward")
    assert line_of("total_reward += ") in lines
    assert line_of("reward=total_reward") in lines
    assert line_of("total_reward = 0.0") not in lines
    assert line_of("reward: float") not in lines


def test_fields_of_a_breakdown_are_found_where_they_are_written(source: Source) -> None:
    for name, text in (("thrift", '"thrift"'), ("speed", '"speed"'), ("neat", "neat=1")):
        place = source.key(name)
        assert place is not None
        assert place.line == line_of(text)
    assert source.key("nothing") is None


def code_place(file: str | None, line: int | None) -> CodePlace:
    """Where something of the code lies."""
    return CodePlace(name="it", file=file, line=line)


def test_methods_say_what_they_set(source: Source, folder: Path) -> None:
    reset = source.method(code_place(str(folder / "env.py"), line_of("def reset")))
    assert reset is not None
    assert reset.doc == "Start anew."
    assert reset.sets == ("count", "fuel")
    assert source.method(code_place(str(folder / "env.py"), 1)) is None
    assert source.method(code_place(None, None)) is None


def test_constants_count_only_where_there_is_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "env.py").write_text("def step():\n    return Observation(done=False)\n")
    (place,) = read_source(tmp_path, []).ends()
    assert place.line == 2


def test_files_are_named_from_where_they_are_run_or_imported(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a folder of the environment's own: an import path, or a rubric of another package."""
    file = folder / "validation" / "policies.py"
    for place, name in (
        (folder.parent, f"{folder.name}/validation/policies.py"),
        (folder, "validation/policies.py"),
    ):
        monkeypatch.chdir(place)
        source = read_source(None, [file])
        assert [end.file for end in source.ends()] == [name]
        assert source.name_of(str(folder / "env.py")) == str(Path(name).parents[1] / "env.py")
    monkeypatch.syspath_prepend(str(file.parent))
    assert [end.file for end in read_source(None, [file]).ends()] == ["policies.py"]
    assert source.name_of("/nowhere/else.py") == "/nowhere/else.py"
    assert source.name_of(None) is None


def test_no_source_is_no_source(tmp_path: Path) -> None:
    assert not read_source(tmp_path, [])
    assert not read_source(None, [tmp_path / "missing.py"])


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


def test_a_seed_inside_of_something_else_is_not_called_dropped(tmp_path: Path) -> None:
    """A route of a plain app takes a body, of which the code reads the seed."""
    path = tmp_path / "app.py"
    path.write_text("def reset(body):\n    global game\n    game = Game(body.seed)\n")
    source = read_source(tmp_path, [])
    found = source.function(place(path, 1))
    assert found is not None
    use = followed(source, environment(path), found[1])
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
    assert followed(source, environment(path, *classes), found[1]).dropped is dropped
