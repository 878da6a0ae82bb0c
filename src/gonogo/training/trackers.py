"""Where a training's figures go beside ``training.jsonl``: trackio, TensorBoard or Weights & Biases.

The integrations of transformers would send what its trainers log; a row of ours has more (components, levels, the
watch, validation, the step before the first). So rows are sent through each tracker's own small interface. Each stage
is a run of its own in the tracker, because each counts its steps from 0. Figures stay on this machine unless the
tracker's own settings say otherwise: ``TRACKIO_SPACE_ID`` for trackio, a login for W&B without ``WANDB_MODE=offline``.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Literal, Protocol

from gonogo.config import RunConfig, run_name
from gonogo.errors import MissingExtra
from gonogo.records.training import TrainingRow

__all__ = ["Sink", "Tracker", "chosen", "open_tracker"]

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
    openers: dict[TrackerKind, Callable[[RunConfig, str, bool], Sink]] = {
        "trackio": trackio_run,
        "tensorboard": tensorboard_run,
        "wandb": wandb_run,
    }
    with quiet():
        return Tracker(openers[kind](run, stage, sent >= 0), sent)


def quiet() -> contextlib.AbstractContextManager[Any]:
    """Keep what a tracker prints off the progress display."""
    return contextlib.redirect_stdout(io.StringIO())


def trackio_run(run: RunConfig, stage: str, resumes: bool) -> Sink:
    """A run in trackio's own folder on this machine; ``trackio show`` shows it."""
    import trackio

    sink: Sink = trackio.init(
        project=run_name(run.target),
        name=f"{run.out.name} {stage}",
        config=run.model_dump(mode="json"),
        resume="allow" if resumes else "never",
        embed=False,
        auto_log_gpu=False,
        auto_log_cpu=False,
    )
    return sink


def wandb_run(run: RunConfig, stage: str, resumes: bool) -> Sink:
    """A run of Weights & Biases; one that goes on after an interrupt is a second one of the same group."""
    import wandb

    sink: Sink = wandb.init(
        project=run_name(run.target),
        name=f"{run.out.name} {stage}",
        group=run.out.name,
        job_type=stage,
        dir=str(run.out),
        config=run.model_dump(mode="json"),
    )
    return sink


def tensorboard_run(run: RunConfig, stage: str, resumes: bool) -> Sink:
    """Event files in the run's folder, ``tensorboard/STAGE``."""
    return EventFiles(run, stage)


class EventFiles:
    """TensorBoard's writer as a sink."""

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
