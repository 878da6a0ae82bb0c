"""The proof that what was trained is what was saved: both models reload in fresh processes and fly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gonogo.config import RunConfig
from gonogo.errors import Misuse, PolicyFailure, RecordError
from gonogo.models import saved as models
from gonogo.records.record import Verdict
from gonogo.records.training import Alarm, SavedModel, TrainedEnvironment
from gonogo.rollouts.episodes import Episode
from gonogo.training import saving
from gonogo.training.environments import TrainingEnvironment, validation_of
from gonogo.training.step_metrics import metrics_of

__all__ = ["TrainingProof", "prove"]


@dataclass(frozen=True, slots=True)
class TrainingProof:
    """What came of it.

    Attributes:
        reason: What speaks against the saved model; None where nothing does.
        folder: Of the model to upload.
        saved: The model as it was trained, and the 16-bit one.
        missing: Why there is no 16-bit one; None where there is.
        dequantised: By how much logits differ on the whole weights under LoRA's factors; see :func:`saving.release`.
        environments: Of several, each by its name; None of a single one, which the rest is about.
    """

    reason: str | None
    folder: Path
    saved: tuple[SavedModel, ...]
    missing: str | None
    dequantised: float | None
    environments: dict[str, TrainedEnvironment] | None

    @property
    def verdict(self) -> Verdict:
        """GO where nothing speaks against what was trained."""
        return Verdict.GO if self.reason is None else Verdict.NO_GO

    @property
    def said(self) -> str:
        """The same in a line."""
        first = self.saved[0]
        return self.reason or f"{first.model} reloads and flies: {first.flown}"


def prove(
    run: RunConfig,
    name: str,
    where: Sequence[TrainingEnvironment],
    alarm: Alarm | None,
    say: Callable[[str], None],
) -> TrainingProof:
    """Reload a model as it was trained and its 16-bit one, hold them against their witness and let them fly.

    Args:
        run: The whole config.
        name: The model's, in the run's folder.
        where: The run's environments.
        alarm: What the watch stopped the training for, or None.
        say: Hears of a 16-bit model that there is not.

    Raises:
        EnvironmentFailure: A model loaded, and an episode was lost.
    """
    folder, tasks = models.model_folder(run.out, name), validation_of(run)
    count = len(tasks) // len(where)
    found = saving.prove(run, folder, tasks)
    proofs, missing, dequantised = [found], None, None
    reasons = [found.reason]
    if found.reason is None:
        try:
            released, dequantised = saving.release(folder)
            proofs.append(saving.prove(run, released, tasks[::count]))  # one of each environment
            reasons.append(proofs[-1].reason)
        except (Misuse, PolicyFailure) as error:  # what was trained is no worse for it
            missing = str(error)
            say(f"There is no 16-bit model: {missing}")
        except RecordError as error:
            reasons.append(str(error))
    if alarm is not None:
        reasons.append(stopped(alarm, folder))
    return TrainingProof(
        next((said for said in reasons if said is not None), None),
        proofs[-1].folder,
        tuple(each.saved() for each in proofs),
        missing,
        dequantised,
        None if len(where) == 1 else by_environment(where, count, found.episodes),
    )


def by_environment(
    where: Sequence[TrainingEnvironment], count: int, validation: Sequence[Episode]
) -> dict[str, TrainedEnvironment]:
    """What the record says of each of several environments."""
    return {
        each.name: TrainedEnvironment(
            target=str(each.env),
            source_hash=each.env.source,
            validation=metrics_of(validation[count * n : count * (n + 1)]),
        )
        for n, each in enumerate(where)
    }


def stopped(alarm: Alarm, folder: Path) -> str:
    """Why the watch stopped the training, and what to do, for a reader."""
    return (
        f"the watch stopped the training: {alarm}. The best model before it is in {folder}. If the reward is honest, "
        "train on with train.watch.on_alarm: warn and another --out"
    )
