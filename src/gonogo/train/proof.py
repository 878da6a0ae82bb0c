"""The proof that what was trained is what was saved: both models reload in fresh processes and fly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gonogo.config import RunConfig
from gonogo.env.source import source_of
from gonogo.errors import Misuse, PolicyFailure, RecordError
from gonogo.models import saved as models
from gonogo.records.base import Verdict
from gonogo.rollout.episodes import Episode
from gonogo.rollout.types import Json
from gonogo.train import saving
from gonogo.train.environments import TrainingEnvironment, validation_of
from gonogo.train.step_metrics import metrics_of

__all__ = ["TrainingProof", "prove"]


@dataclass(frozen=True, slots=True)
class TrainingProof:
    """What came of it.

    Attributes:
        verdict: GO where nothing speaks against what was trained.
        folder: Of the model to upload.
        facts: For the record.
        said: The same in a line.
    """

    verdict: Verdict
    folder: Path
    facts: Json
    said: str


def prove(
    run: RunConfig,
    name: str,
    where: Sequence[TrainingEnvironment],
    alarm: Json | None,
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
    reason = next((said for said in reasons if said is not None), None)
    first = found.facts()
    facts = {
        "reason": reason,
        "model": first["model"],
        "logit_difference": first["logit_difference"],
        "validation": metrics_of(found.episodes),
        "missing_16bit": missing,
        "dequantised_difference": dequantised,
        "saved": [{**each.facts(), "flown": metrics_of(each.episodes)} for each in proofs],
        **by_environment(where, count, found.episodes),
    }
    return TrainingProof(
        Verdict.GO if reason is None else Verdict.NO_GO,
        proofs[-1].folder,
        facts,
        reason or f"{folder} reloads and flies: {metrics_of(found.episodes)}",
    )


def by_environment(
    where: Sequence[TrainingEnvironment], count: int, validation: Sequence[Episode]
) -> Json:
    """What the record says of each of several environments; nothing of a single one, which the rest is about."""
    if len(where) == 1:
        return {}
    return {
        "environments": {
            each.name: {
                "target": str(each.target),
                "source_hash": source_of(each.target),
                "validation": metrics_of(validation[count * n : count * (n + 1)]),
            }
            for n, each in enumerate(where)
        }
    }


def stopped(alarm: Json, folder: Path) -> str:
    """Why the watch stopped the training, and what to do, for a reader."""
    return (
        f"the watch stopped the training: {alarm['rule']} in step {alarm['step']}, stage {alarm['stage']}: "
        f"{alarm['reason']}. The best model before it is in {folder}. If the reward is honest, train on with "
        "train.watch.on_alarm: warn and another --out"
    )
