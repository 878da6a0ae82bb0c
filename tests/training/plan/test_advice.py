"""What the flights say against training."""

from __future__ import annotations

import pytest
from tests.training.planning import IDLE, RANDOM, UNPAID, measured

from gonogo.training.plan.advice import advice
from gonogo.training.plan.measure import PlanMeasurements


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (measured(None, policies={"idle": IDLE, "random": IDLE}), "nothing to prefer: name who succeeds with --te"),
        (measured(policies={"solver": IDLE, "idle": IDLE, "random": RANDOM}), "solver is not paid more than doing"),
        (measured(None, policies=dict.fromkeys(("idle", "random"), UNPAID)), "say it with --success"),
        (measured(sessions=1), "one session at a time"),
    ],
)  # fmt: skip
def test_what_speaks_against_training_is_said(found: PlanMeasurements, said: str) -> None:
    assert any(said in note for note in advice(found))


def test_where_nothing_does_nothing_is() -> None:
    assert list(advice(measured())) == []
