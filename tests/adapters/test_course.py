"""Which weights a training keeps, by the validations that it sees."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

from transformers import TrainerControl, TrainerState

from gonogo.adapters.course import Course, Watch


def kept(seen: Sequence[tuple[float, bool]]) -> list[int]:
    """Steps at which the weights were kept, given each validation's score and whether the model acted."""
    steps: list[int] = []
    state = TrainerState(max_steps=len(seen) + 1)
    watch = Watch(
        "sft",
        validate=lambda: seen[state.global_step][0],
        keep=lambda: steps.append(state.global_step),
        write=lambda row: None,
        interrupted=lambda: False,
        every=1,
        acts=lambda: seen[state.global_step][1],
    )
    course = Course(watch)
    course.begin(None)
    for step in range(1, len(seen)):
        state.global_step = step
        course.on_step_end(None, state, TrainerControl())
    return steps


def test_a_better_score_is_kept() -> None:
    assert kept([(0.1, True), (0.3, True), (0.2, True), (0.4, True)]) == [0, 1, 3]


def test_a_model_that_acts_is_better_than_one_that_never_does_where_mistakes_cost() -> None:
    assert kept([(0.0, False), (0.0, False), (-1.6, True), (-1.2, True), (0.0, False)]) == [0, 2, 3]
