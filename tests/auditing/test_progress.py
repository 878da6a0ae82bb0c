"""How far an audit is: flights that are expected and done, and whether it is to stop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from gonogo.auditing.progress import AuditProgress, TaskProgress


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
