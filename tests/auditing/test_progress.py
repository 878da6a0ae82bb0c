"""How far an audit is: flights that are expected and done, and whether it is to stop."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing

import pytest
from tests.records_made import finding

from gonogo.auditing.progress import AuditProgress, TaskProgress
from gonogo.records.terminal import Terminal
from gonogo.rollouts.watch import Watch


@pytest.fixture
def progress() -> Iterator[AuditProgress]:
    with closing(AuditProgress()) as shown:
        yield shown


def bar_of(part: TaskProgress) -> tuple[float, float | None]:
    """Done and expected, as they are shown."""
    task = part._bar.tasks[part._task]
    return task.completed, task.total


def test_what_comes_beyond_what_was_expected_is_not_shown(progress: AuditProgress) -> None:
    part = progress.part("a task")
    part.expect(3)
    part.advance()
    assert bar_of(part) == (1, 3)
    part.expect(2)
    part.advance(7)
    assert bar_of(part) == (5, 5)


def test_what_was_expected_and_did_not_come_will_not_come(progress: AuditProgress) -> None:
    part, other = progress.part("a task"), progress.part("another")
    part.expect(4)
    part.advance()
    part.finish()
    assert bar_of(part) == (4, 4)
    assert bar_of(other) == (0, 0)


def test_every_task_ends_at_its_next_step_when_the_audit_is_to_stop(
    progress: AuditProgress,
) -> None:
    parts = [progress.part("a task"), progress.part("another")]
    for part in parts:
        part.check()
    progress.stop()
    for part in parts:
        with pytest.raises(KeyboardInterrupt):
            part.check()


def test_nothing_is_shown_where_stderr_is_no_terminal(
    progress: AuditProgress, capsys: pytest.CaptureFixture[str]
) -> None:
    progress.part("a task").expect(1)
    progress.close()
    assert capsys.readouterr() == ("", "")


def test_what_is_suspected_and_what_is_proven_stands_on_the_line_and_beside_the_bar(
    progress: AuditProgress,
) -> None:
    part = progress.part("a task")
    assert "suspected" not in progress.said()
    part.flying("the panel")
    part.suspects(["stalling_pays", "farmable_cycle"])
    assert "the panel, 0 flights, 2 suspected: stalling_pays, farmable_cycle" in progress.said()
    assert "nothing is proven" in progress.said()
    assert part._bar.tasks[part._task].description == "a task: the panel (2 suspected)"
    part.proves([finding("stalling_pays")])
    assert "1 proven: stalling_pays, 1 suspected: farmable_cycle" in progress.said()
    assert "so far NO-GO: stalling_pays" in progress.said()
    shown = part._bar.tasks[part._task].description
    assert shown == "a task: the panel (1 suspected, proven: stalling_pays)"


def test_within_ten_seconds_a_log_shows_what_flies_and_what_is_suspected(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Terminal, "speaks", True)
    with closing(AuditProgress(watch=Watch(60.0, time.monotonic() - 4.5))) as shown:
        part = shown.part("a task")
        part.flying("the panel")
        part.suspects(["stalling_pays"])
        time.sleep(1.5)
    said = capfd.readouterr().err
    assert "of 60 s" in said and "1 suspected: stalling_pays" in said
