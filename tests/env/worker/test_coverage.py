"""Lines are told once, by the answer that reached them first, and only those of the environment's own code."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.env.worker import coverage
from gonogo.env.worker.coverage import (
    Coverage,
    MonitoredCoverage,
    OwnFiles,
    TracedCoverage,
    codes_of,
    lines_of,
)
from gonogo.rollouts.types import Transition

DOOR = Path(__file__).parents[2] / "first_contact" / "door"
SOURCE = """
def step(n):
    if n > 1:
        return helper(n)
    return 0

def helper(n):
    return [each for each in range(n)]

def unrelated():
    return 1
"""


@pytest.fixture
def step(tmp_path: Path) -> Callable[[int], Any]:
    file = tmp_path / "own.py"
    file.write_text(SOURCE)
    module: dict[str, Any] = {}
    exec(compile(SOURCE, str(file), "exec"), module)
    found: Callable[[int], Any] = module["step"]
    return found


def asked(coverage: Coverage, step: Callable[[int], Any], n: int) -> set[str]:
    coverage.begin()
    step(n)
    return set(coverage.end())


def test_a_line_is_told_when_it_is_reached_first(
    tmp_path: Path, step: Callable[[int], Any]
) -> None:
    coverage, tracer = TracedCoverage(str(tmp_path)), sys.gettrace()
    try:
        assert asked(coverage, step, 0) == {"own.py:3", "own.py:5"}
        assert asked(coverage, step, 0) == set()
        assert asked(coverage, step, 2) == {"own.py:4", "own.py:8"}
        assert asked(coverage, step, 2) == set()
        assert sys.gettrace() is None
        coverage.forget()
        assert asked(coverage, step, 0) == {"own.py:3", "own.py:5"}
    finally:
        sys.settrace(tracer)


def test_the_monitor_tells_the_same(tmp_path: Path, step: Callable[[int], Any]) -> None:
    """The calls are Python's own from 3.12 on; here their order, and what is switched off."""
    calls: dict[str, Any] = {}
    monitoring = getattr(sys, "monitoring", None) or SimpleNamespace(
        DISABLE="off",
        COVERAGE_ID=1,
        events=SimpleNamespace(LINE=32),
        use_tool_id=lambda *given: calls.update(tool=given),
        register_callback=lambda tool, event, callback: calls.update(callback=callback),
        set_events=lambda *given: calls.update(events=given),
        restart_events=lambda: calls.update(restarted=True),
    )
    coverage = MonitoredCoverage(str(tmp_path), monitoring)
    code = step.__code__
    coverage.begin()
    assert coverage._line(code, 3) is monitoring.DISABLE
    assert coverage._line(Path.exists.__code__, 3) is monitoring.DISABLE
    assert coverage.end()[-1:] == ["own.py:3"]
    assert coverage._line(code, 4) is None  # nobody asked: it may still be reached by an answer
    coverage.forget()
    assert coverage.end() == []


def test_whose_a_file_is(tmp_path: Path) -> None:
    own = OwnFiles([str(tmp_path / "env"), str(tmp_path / "one.py")])
    assert own.name(str(tmp_path / "env" / "server" / "app.py")) == "server/app.py"
    assert own.name(str(tmp_path / "one.py")) == "one.py"
    for other in ("two.py", "env2/app.py", "env/.venv/lib/x.py", "env/site-packages/x.py"):
        assert own.name(str(tmp_path / other)) is None
    everything = OwnFiles(["/"])
    assert everything.name(inspect.__file__) is None
    assert everything.name(coverage.__file__) is None
    assert everything.name("<string>") is None


def test_the_lines_of_a_package_that_is_installed_beside_python_are_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(coverage, "STDLIB", f"{tmp_path}/")
    root = tmp_path / "site-packages" / "own"
    assert Coverage(str(root)).name(str(root / "own.py")) == "own.py"


def test_the_lines_of_a_step_are_those_of_what_it_calls(
    tmp_path: Path, step: Callable[[int], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "own", SimpleNamespace(__file__=str(tmp_path / "own.py")))  # type: ignore[misc]
    cls = type("E", (), {"step": step, "__module__": "own"})
    assert Coverage(str(tmp_path)).lines(cls()) == [f"own.py:{n}" for n in (3, 4, 5, 8)]


def test_a_file_that_cannot_be_read_has_no_functions(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def (")
    assert codes_of(str(tmp_path / "bad.py")) == codes_of(str(tmp_path / "none.py")) == []
    (tmp_path / "good.py").write_text("def f():\n    return 1\n")
    assert [lines_of(code) for code in codes_of(str(tmp_path / "good.py"))] == [[2]]


def test_each_slot_is_told_what_it_reached_first() -> None:
    with closing(connect(resolve(str(DOOR)), 2)) as connection:
        lines = connection.cover()
        assert lines is not None
        began = connection.reset({0: {}, 1: {}})
        chosen = {"kind": "choose", "room": "red"}
        stepped = connection.step({0: chosen, 1: {"kind": "leave"}})
        again = connection.step({0: chosen, 1: chosen})
    answers = [began[0], began[1], stepped[0], stepped[1], again[0]]
    assert all(isinstance(answer, Transition) for answer in answers)
    reached = [a.reached for a in answers if isinstance(a, Transition)]
    assert reached[0]
    assert reached[2]
    assert reached[3]
    assert reached[1] == reached[4] == ()
    assert set(reached[2]).isdisjoint(reached[3])
    assert all(line.startswith("server/env.py:") for line in lines)


def test_a_new_process_measures_too(rogue: Path) -> None:
    with closing(connect(resolve(str(rogue)), 1)) as connection:
        assert connection.cover()
        connection.reset({0: {"trick": "crash"}})
        connection.step({0: {"word": "crash"}})
        connection.close()
        (answer,) = connection.reset({0: {}}).values()
    assert isinstance(answer, Transition)
    assert answer.reached
