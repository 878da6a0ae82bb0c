"""Records as stations write them, whole, for tests that need one and not the station."""

from __future__ import annotations

from typing import Any

from gonogo.records.base import Verdict
from gonogo.records.record import made
from gonogo.records.training import (
    SavedModel,
    TrainedPhase,
    TrainingPhases,
    TrainingReport,
    UntrainedModel,
)


def trained_phase(**given: Any) -> TrainedPhase:
    """A phase of a training, but for what is given otherwise."""
    said = {"best_step": 4, "validation_score": 0.5, "seconds": 1.5, "stopped_by": None}
    return TrainedPhase.model_validate(said | given)


def saved_model(**given: Any) -> SavedModel:
    """A model that reloads, but for what is given otherwise."""
    said = {
        "model": "models/trained",
        "logit_difference": 1e-6,
        "relative_difference": 1e-7,
        "tolerance": 1e-4,
        "same_likeliest_token": 1.0,
        "reason": None,
        "flown": {"reward/overall": 0.5},
    }
    return SavedModel.model_validate(said | given)


def training_report(**given: Any) -> TrainingReport:
    """A training that is GO, but for what is given otherwise."""
    saved = saved_model()
    said = {
        "target": "envs/x",
        "source_hash": None,
        "reward_hash": None,
        "verdict": Verdict.GO,
        "reason": None,
        "alarm": None,
        "config": {},
        "phases": TrainingPhases(
            untrained=UntrainedModel(parameters=1000, validation={"reward/overall": 0.1}),
            grpo=trained_phase(),
        ),
        "model": saved.model,
        "logit_difference": saved.logit_difference,
        "validation": saved.flown,
        "missing_16bit": None,
        "dequantised_difference": None,
        "saved": (saved,),
        **made(),
    }
    return TrainingReport.model_validate(said | given)
