"""Where the code decides the end and the reward, and whether it uses a seed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gonogo.contract.source import Source, parse, read_source
from gonogo.records.inspection import CodePlace

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


def tree_of(path: Path) -> ast.Module:
    file = parse(path, path.name)
    assert file is not None
    return file.tree


def test_a_file_is_parsed_once_as_long_as_it_says_the_same(tmp_path: Path) -> None:
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    for path in (one, other):
        path.write_text("speed = 1")
    before = tree_of(one)
    assert tree_of(one) is before and tree_of(other) is not before
    one.write_text("speed = 2")
    assert ast.unparse(tree_of(one)) == "speed = 2"


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
