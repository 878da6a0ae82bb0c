"""Measurements as the plan's flights leave them."""

from __future__ import annotations

from typing import Any

from gonogo import config
from gonogo.training.plan.measurements import PlanMeasurements, PolicyMeasurements

IDLE, RANDOM = (
    PolicyMeasurements(0.0, 0.0, 0.0, (8,) * 4),
    PolicyMeasurements(0.1, 0.0, 0.25, (8, 3, 8, 8)),
)


UNPAID = PolicyMeasurements(0, 0, None, (2,))


SOLVER = PolicyMeasurements(1.0, 1.0, 1.0, (3, 4, 2, 5))


def measured(teacher: str | None = "solver", **changes: Any) -> PlanMeasurements:
    able = {} if teacher is None else {teacher: SOLVER}
    given = {
        "sessions": 64, "policies": {**able, "idle": IDLE, "random": RANDOM}, "teacher": teacher, "levels": (),
        "ended": 8, "turn_tokens": 30, "refused_tokens": 9, "first_tokens": 0, "reply_tokens": 5, "context": None,
    }  # fmt: skip
    return PlanMeasurements(**{**given, **changes})


def planned_run(**given: Any) -> config.RunConfig:
    return config.load(
        None, {"target": "envs/mine", "out": "runs/mine", "model.vocabulary": 1024, **given}
    )
