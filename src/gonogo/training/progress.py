"""What a user sees of a training, and how a user stops it.

One bar for the phase that runs, with an estimate of what is left; the newest numbers beside it; raw
replies now and then. Where standard error is no terminal, a line every ten seconds says the same.

The first interrupt (Ctrl-C, or the SIGTERM by which a cluster takes a machine back) asks the
trainer to stop after its step, with a checkpoint; a second one stops at once, and so does the first where no step is
taken that could be saved.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from datetime import timedelta
from threading import Event, Thread
from types import FrameType, TracebackType
from typing import Any, Self

from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from gonogo.errors import Interrupted
from gonogo.records.terminal import Terminal
from gonogo.records.training import TrainingRow
from gonogo.rollouts.episodes import Episode

__all__ = ["TrainingDisplay"]

SIGNALS = (signal.SIGINT, signal.SIGTERM)
EVERY_S = 10.0
"""Seconds between two lines of progress where there is no terminal for a bar."""
ESTIMATE_S = 600.0
"""Seconds of progress that the estimate of the time left rests on: a step may take a minute."""
SHOWN = {
    "reward/overall": "reward",
    "episode/success_rate": "success",
    "episode/invalid_rate": "invalid",
    "validation/score": "validation",
    "loss": "loss",
}


class TrainingDisplay:
    """The progress display and the interrupt; a context manager.

    Args:
        quiet: Whether it shows nothing, as another process of the same training does.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._console = Terminal(stderr=True, quiet=quiet)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[numbers]}"),
            console=self._console,
            refresh_per_second=2,
            speed_estimate_period=ESTIMATE_S,
        )
        self._task = self._progress.add_task("start", total=None, numbers="")
        self._stopped_by: int | None = None
        self._steps = False
        self._over = Event()
        self._lines = Thread(target=self._say_progress, daemon=True)
        self._before: dict[signal.Signals, Any] = {}
        self._newest: dict[str, float] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._on_interrupt) for number in SIGNALS}
        if self._console.is_terminal:
            self._progress.start()
        elif not self._console.quiet:
            self._lines.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        if self._console.is_terminal:
            self._progress.stop()
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _on_interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._stopped_by is not None or not self._steps:
            raise Interrupted(number)
        self._stopped_by = number
        self.say("Stopping after this step, with a checkpoint; once more stops at once.")

    def _say_progress(self) -> None:
        """Print a line every now and then until it is over; runs in a thread, for a step may take long."""
        while not self._over.wait(EVERY_S):
            self.say(line_of(self._progress.tasks[0]))

    def interrupted(self) -> bool:
        """Whether the user has asked to stop."""
        return self._stopped_by is not None

    def interrupt(self) -> Interrupted:
        """What ends the command after that; of a training that another of its processes stopped, Ctrl-C."""
        return Interrupted(self._stopped_by or signal.SIGINT)

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        self._console.print(escape(text), soft_wrap=not self._console.is_terminal)

    def phase(self, name: str, total: int | None, *, steps: bool = False) -> None:
        """A new phase, of so many steps or episodes.

        Args:
            name: Its name.
            total: How many there are; None where nobody knows.
            steps: Whether it takes steps, after each of which it can stop with a checkpoint.
        """
        self._steps = steps
        self._newest = {}
        self._progress.reset(self._task, total=total, description=name, numbers="")
        self._progress.tasks[0].total = total  # None says to reset that it stays

    def observer(
        self,
        write: Callable[[TrainingRow], None] | None,
        keep: Callable[[int, list[Episode]], None] | None = None,
        flown: Callable[[Episode], None] | None = None,
    ) -> Any:
        """Who hears of a training on the user's behalf.

        Args:
            write: Takes each row for the log; None where there are none.
            keep: Takes a few episodes of a step, now and then; None to show what they said and no more.
            flown: Takes each episode that is flown to learn from.
        """
        from gonogo.training.step_metrics import raw_replies
        from gonogo.training.trainer import TrainingObserver

        def on_row(row: TrainingRow) -> None:
            if write is not None:
                write(row)
            self._newest |= {k: v for k, v in row.numbers.items() if k in SHOWN}
            said = "  ".join(f"{SHOWN[k]} {v:.3f}" for k, v in self._newest.items())
            self._progress.update(self._task, completed=row.step, numbers=said)
            if row.alarm is not None:
                self.say(f"{row.stage} step {row.step}, ALARM: {row.alarm}")
            if "validation/score" in row.numbers:
                self.say(f"{row.stage} step {row.step}: {said}")

        def on_episodes(step: int, episodes: list[Episode]) -> None:
            if keep is not None:
                keep(step, episodes)
            replies = raw_replies(episodes)
            self.say(f"step {step}, raw replies:\n" + "\n".join(f"  {each}" for each in replies))

        def on_progress(done: int, total: int) -> None:
            self._progress.update(self._task, completed=done, total=total)

        return TrainingObserver(on_row, on_episodes, self.interrupted, on_progress, flown)


def line_of(task: Task) -> str:
    """The progress of a phase in one line."""
    counted = "" if task.total is None else f" {task.completed:.0f}/{task.total:.0f}"
    left = "" if task.time_remaining is None else f", about {clock(task.time_remaining)} left"
    numbers = f"  {task.fields['numbers']}" if task.fields["numbers"] else ""
    return f"{task.description}{counted}: {clock(task.elapsed or 0.0)} so far{left}{numbers}"


def clock(seconds: float) -> str:
    """Seconds as hours, minutes and seconds."""
    return str(timedelta(seconds=round(seconds)))
