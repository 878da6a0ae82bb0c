"""What is seen of a training: figures of each step, the progress display, the trackers that figures are sent to.

One bar for the phase that runs, with an estimate of what is left; the newest numbers beside it; raw
replies now and then. Where standard error is no terminal, a line every ten seconds says the same.

The first interrupt (Ctrl-C, or the SIGTERM by which a cluster takes a machine back) asks the
trainer to stop after its step, with a checkpoint; a second one stops at once, and so does the first where no step is
taken that could be saved.

Beside ``training.jsonl``, figures go to trackio, TensorBoard or Weights & Biases. The integrations of transformers
would send what its trainers log; a row of ours has more (components, levels, the watch, validation, the step before
the first). So rows are sent through each tracker's own small interface. Each stage is a run of its own in the tracker,
because each counts its steps from 0. Figures stay on this machine unless the tracker's own settings say otherwise:
``TRACKIO_SPACE_ID`` for trackio, a login for W&B without ``WANDB_MODE=offline``.
"""

from __future__ import annotations

import contextlib
import io
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from importlib.util import find_spec
from statistics import fmean
from threading import Event, Thread
from types import FrameType
from typing import Any, Literal, Protocol, Self

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

from gonogo.config import RunConfig, run_name
from gonogo.errors import Interrupted, MissingExtra
from gonogo.records.terminal import Terminal
from gonogo.records.training import TrainingRow
from gonogo.rollouts.episodes import Episode

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


@dataclass(frozen=True, slots=True)
class TrainingObserver:
    """Who hears of a training.

    Attributes:
        row: Takes each step's row.
        show: Takes a few episodes of a step, now and then.
        interrupted: Whether the user has asked to stop.
        progress: Takes how many episodes of how many have been flown, while nothing else happens.
        flown: Takes each episode that is flown to learn from, as it ends.
    """

    row: Callable[[TrainingRow], None]
    show: Callable[[int, list[Episode]], None]
    interrupted: Callable[[], bool]
    progress: Callable[[int, int], None]
    flown: Callable[[Episode], None] | None = None


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

    def __exit__(self, *_: object) -> None:
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
    ) -> TrainingObserver:
        """Who hears of a training on the user's behalf.

        Args:
            write: Takes each row for the log; None where there are none.
            keep: Takes a few episodes of a step, now and then; None to show what they said and no more.
            flown: Takes each episode that is flown to learn from.
        """

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


def metrics_of(episodes: Sequence[Episode]) -> dict[str, float]:
    """Means over the scored episodes of a step, by the names that logs use."""
    scored = [e for e in episodes if e.error is None and e.episode_return is not None]
    if not scored:
        return {}
    out = {"reward/overall": fmean(e.episode_return or 0.0 for e in scored)}
    for name in dict.fromkeys(name for e in scored for name in e.components):
        # A component is one environment's; the episodes of others say nothing of it.
        where = {e.target for e in scored if name in e.components}
        paid = [e.components.get(name, 0.0) for e in scored if e.target in where]
        out[f"reward/{name}"] = fmean(paid)
    out["episode/timeout_rate"] = fmean(e.timeout for e in scored)
    if any(e.context_overflow for e in scored):
        out["episode/context_overflow_rate"] = fmean(e.context_overflow for e in scored)
    judged = [e.success for e in scored if e.success is not None]
    if judged:
        out["episode/success_rate"] = fmean(judged)
    turns = sum(len(e.turns) for e in scored)
    out["episode/invalid_rate"] = sum(e.invalid_count for e in scored) / max(turns, 1)
    out["episode/turns"] = turns / len(scored)
    said = [len(t.tokens.completion_ids) for e in scored for t in e.turns if t.tokens is not None]
    if said:
        read = sum(
            len(t.tokens.prompt_ids) for e in scored for t in e.turns if t.tokens is not None
        )
        out["episode/reply_tokens"] = fmean(said)
        out["episode/tokens"] = (read + sum(said)) / len(scored)
    out["episode/lost"] = float(len(episodes) - len(scored))
    return out


def group_metrics(groups: Sequence[tuple[str, Sequence[Episode]]]) -> dict[str, float]:
    """Metrics of each stage's episodes, and the share of groups that teach nothing, as all were paid the same."""
    out: dict[str, float] = {}
    for stage in dict.fromkeys(stage for stage, _ in groups):
        flown = [episode for name, group in groups if name == stage for episode in group]
        out |= {f"level/{stage}/{name}": value for name, value in metrics_of(flown).items()}
    paid = [
        [e.episode_return for e in group if e.episode_return is not None] for _, group in groups
    ]
    out["groups/zero_variance"] = fmean(len(set(returns)) < 2 for returns in paid)
    return out


def sample(episodes: Sequence[Episode], count: int = 4) -> list[Episode]:
    """A few episodes, of different tasks where there are so many."""
    with_turns = [episode for episode in episodes if episode.turns]
    return with_turns[:: max(len(with_turns) // count, 1)][:count]


def raw_replies(episodes: Sequence[Episode]) -> list[str]:
    """A reply of each episode as the model said it, from different times."""
    turns = [e.turns[len(e.turns) * n // len(episodes)] for n, e in enumerate(episodes)]
    return [f"{t.reply}" if t.invalid is None else f"{t.reply}   <- {t.invalid}" for t in turns]


TrackerKind = Literal["trackio", "tensorboard", "wandb"]


class Sink(Protocol):
    """A tracker's run."""

    def log(self, figures: dict[str, float], step: int) -> None:
        """Take in the figures of a step."""
        ...

    def finish(self) -> None:
        """Bring everything to its place."""
        ...


class Tracker:
    """Sends the numbers of rows to a run of a tracker; a context manager.

    Args:
        sink: The run; None where nothing is tracked.
        sent: The last step that was sent before an interrupt: what is flown again is not sent twice.
    """

    def __init__(self, sink: Sink | None, sent: int) -> None:
        self._sink, self._sent = sink, sent

    def __enter__(self) -> Tracker:
        return self

    def __exit__(self, *_: object) -> None:
        if self._sink is not None:
            with quiet():
                self._sink.finish()

    def take(self, row: TrainingRow) -> None:
        """Send the numbers of a row of the log."""
        if self._sink is not None and row.step > self._sent:
            figures = {name: float(value) for name, value in row.numbers.items()}
            self._sink.log(figures, row.step)


def chosen(run: RunConfig) -> TrackerKind | None:
    """The tracker that the config asks for; without a word trackio, where it is installed.

    Raises:
        MissingExtra: It is not installed.
    """
    if run.log == "none" or (run.log is None and find_spec("trackio") is None):
        return None
    kind: TrackerKind = run.log or "trackio"
    if find_spec(kind) is None:
        raise MissingExtra(kind, f"--log {kind}")
    return kind


def open_tracker(run: RunConfig, stage: str, sent: int) -> Tracker:
    """Open the run of a stage in the tracker that the config asks for.

    Args:
        run: The config.
        stage: ``sft`` or ``grpo``.
        sent: The last step of the stage in the log, -1 where there is none.

    Raises:
        MissingExtra: The tracker is not installed.
    """
    kind = chosen(run)
    if kind is None:
        return Tracker(None, sent)
    with quiet():
        return Tracker(sink_of(kind, run, stage, resumes=sent >= 0), sent)


def quiet() -> contextlib.AbstractContextManager[Any]:
    """Keep what a tracker prints off the progress display."""
    return contextlib.redirect_stdout(io.StringIO())


def sink_of(kind: TrackerKind, run: RunConfig, stage: str, *, resumes: bool) -> Sink:
    """The run of a stage in a tracker.

    trackio's lies in its own folder on this machine; ``trackio show`` shows it. Of W&B one that goes on after an
    interrupt is a second one of the same group.
    """
    if kind == "tensorboard":
        return EventFiles(run, stage)
    named = {"project": run_name(run.target), "name": f"{run.out.name} {stage}"}
    config, out = run.model_dump(mode="json"), run.out
    sink: Sink
    if kind == "trackio":
        import trackio

        resume: Literal["allow", "never"] = "allow" if resumes else "never"
        quietly = {"embed": False, "auto_log_gpu": False, "auto_log_cpu": False}
        sink = trackio.init(**named, config=config, resume=resume, **quietly)
    else:
        import wandb

        group = {"group": out.name, "job_type": stage, "dir": str(out)}
        sink = wandb.init(**named, config=config, **group)
    return sink


class EventFiles:
    """TensorBoard's writer as a sink: event files in the run's folder, ``tensorboard/STAGE``."""

    def __init__(self, run: RunConfig, stage: str) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer: Any = SummaryWriter(log_dir=str(run.out / "tensorboard" / stage))

    def log(self, figures: dict[str, float], step: int) -> None:
        """Write the figures of a step."""
        for name, value in figures.items():
            self._writer.add_scalar(name, value, step)
        self._writer.flush()

    def finish(self) -> None:
        """Close the files."""
        self._writer.close()
