"""What a return is worth: between nothing and what success earns, on rows made by hand."""

from __future__ import annotations

import pytest
from tests.auditing.rows import IDLE, SOLVED, row

from gonogo.auditing.calibration import Scale, seed_of, total
from gonogo.auditing.survey import REFERENCE, Survey
from gonogo.exploits.panel import Kind


@pytest.mark.parametrize(
    ("idle", "best", "earned", "worth"),
    [
        (0.0, 1.0, 0.5, 0.5),
        (-0.5, 1.0, 0.0, 0.0),  # a penalty for idling makes nothing else look paid
        (-1.0, -0.2, -0.2, 1.0),  # where all is cost, idling is nothing
    ],
)
def test_the_scale_begins_at_nothing(idle: float, best: float, earned: float, worth: float) -> None:
    made = [
        row("idle", Kind.IDLE, [idle]),
        row("solve", REFERENCE, [best], success=True),
        row("x", Kind.CONSTANT, [earned]),
    ]
    assert Scale(Survey({}, made)).paid(made[2]) == pytest.approx(worth)


def test_without_a_success_there_is_no_scale() -> None:
    scale = Scale(Survey({}, [IDLE]))
    assert not scale.calibrated
    assert scale.paid(IDLE) is None


def test_a_success_on_the_seed_is_known_and_the_mean_where_it_is_not() -> None:
    guide = row("solve", REFERENCE, [1.0], success=True)
    guide.episodes[0].episode_return = 4.0
    scale = Scale(Survey({}, [IDLE, guide, SOLVED]))
    assert scale.par == pytest.approx(1.5)
    assert [scale.best({"seed": seed}) for seed in (0, 1)] == [4.0, 1.0]
    assert scale.best({"seed": 99}) == scale.par


def test_a_single_failure_is_too_few_to_be_paid() -> None:
    failing = row("x", Kind.CONSTANT, [0.5])
    scale = Scale(Survey({}, [IDLE, SOLVED, failing]))
    del failing.episodes[1:]
    assert scale.paid(failing) is None and scale.out_earns(failing) is None
    assert scale.worths(failing.failed) == [0.5]


def test_failures_out_earn_the_success_on_their_own_seed() -> None:
    failing = row("x", Kind.CONSTANT, [1.0])  # as much is not more
    for episode, paid in zip(failing.episodes, (1.5, 2.0, 0.0), strict=False):
        episode.episode_return = paid
    assert Scale(Survey({}, [IDLE, SOLVED, failing])).out_earns(failing) == pytest.approx(2 / 6)


def test_a_task_is_a_key_whatever_the_order_of_its_options() -> None:
    assert seed_of({"a": 1, "seed": 2}) == seed_of({"seed": 2, "a": 1}) != seed_of({"seed": 2})
    assert total(IDLE.episodes[0]) == 0.0
