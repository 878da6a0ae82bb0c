"""How far an audit is, for whoever waits at a terminal, and whether it is to stop.

The bars count flights, or whole tasks where these are flown elsewhere. Nothing is shown where stderr is no terminal.
"""

from __future__ import annotations

import threading

from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from gonogo.records.terminal import Terminal


class AuditProgress:
    """The progress of all the tasks of an audit, shown until it is closed.

    Args:
        counts: What the bars count.
    """

    def __init__(self, counts: str = "flights") -> None:
        console = Terminal(stderr=True)
        columns = (TextColumn("{task.description}", markup=False), BarColumn())
        self._bar = Progress(
            *columns,
            TextColumn(f"{{task.completed:.0f}} of about {{task.total:.0f}} {counts}, left"),
            TimeRemainingColumn(),
            TextColumn("gone"),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._stop = threading.Event()
        self._bar.start()

    def close(self) -> None:
        """Show no more."""
        self._bar.stop()

    def part(self, name: str) -> TaskProgress:
        """A bar of its own for a task."""
        return TaskProgress(self._bar, self._bar.add_task(name, total=0, start=False), self._stop)

    def stop(self) -> None:
        """Let every flight end at its next step."""
        self._stop.set()


class TaskProgress:
    """The progress of one task; made by :meth:`AuditProgress.part`."""

    def __init__(self, bar: Progress, task: TaskID, stop: threading.Event) -> None:
        self._bar, self._task, self._stop = bar, task, stop
        self._expected = self._done = 0.0

    def expect(self, flights: float) -> None:
        """So many flights more will be flown, about."""
        self._expected += flights
        self._bar.start_task(self._task)
        self._bar.update(self._task, total=self._expected)

    def advance(self, flights: float = 1.0) -> None:
        """So many flights have been flown."""
        self._done += flights
        self._bar.update(self._task, completed=min(self._done, self._expected))

    def finish(self) -> None:
        """What was expected and did not come will not come."""
        self._done = self._expected
        self.advance(0)

    def check(self, _: object = None) -> None:
        """End here if the audit is to stop.

        Raises:
            KeyboardInterrupt: It is.
        """
        if self._stop.is_set():
            raise KeyboardInterrupt
