"""Stages open and close by their scores, tasks are always new, a state brings all of it back."""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("transformers", reason="the train extra is not installed")

from gonogo.config import CurriculumConfig, Stage
from gonogo.rollouts.types import numbered
from gonogo.training.curriculum import Curriculum


def curriculum(**fields: object) -> Curriculum:
    stages = (
        Stage(name="easy", options={"split": "train", "level": "easy"}),
        Stage(name="hard", options={"level": "hard"}, weight=3.0),
    )
    rules = {"promote_at": 0.3, "demote_below": 0.1, "demote_after_steps": 5, "window_steps": 2}
    return Curriculum(CurriculumConfig(stages=stages, **(rules | fields)), start=100)


def test_index_within_a_split_and_seed_without() -> None:
    assert numbered({"split": "train"}, 3) == {"split": "train", "index": 3}
    assert numbered({"level": "x"}, 3) == {"level": "x", "seed": 3}


def test_tasks_are_new_each_time() -> None:
    course = curriculum()
    tasks = [task.options for _ in range(3) for task in course.tasks(4)]
    assert tasks == [numbered({"split": "train", "level": "easy"}, 100 + n) for n in range(12)]


def test_the_next_stage_opens_above_the_bar_and_shares_by_weight() -> None:
    course = curriculum()
    course.hear(1, [(0, 0.31)])
    assert course.level == "easy"  # the window is not full
    assert [course.closed(stage) for stage in (0, 1)] == [False, True]
    course.hear(2, [(0, 0.31)])
    assert course.level == "hard"
    assert [course.closed(stage) for stage in (0, 1)] == [False, False]
    assert Counter(task.stage for task in course.tasks(8)) == {0: 2, 1: 6}


def test_the_bar_itself_is_not_above_it() -> None:
    course = curriculum(promote_at=0.5)
    for step in range(1, 5):
        course.hear(step, [(0, 0.5)])
    assert course.level == "easy"


def test_it_falls_back_to_the_easiest_late_only() -> None:
    course = curriculum()
    for step in (1, 2):
        course.hear(step, [(0, 0.9)])
    for step in (3, 4):
        course.hear(step, [(0, 0.9), (1, 0.0)])  # scores of an easier stage do not count
        assert course.level == "hard"
    course.hear(5, [(1, 0.0)])
    assert course.level == "easy"


def test_stages_may_be_open_from_the_start_and_it_falls_back_to_them() -> None:
    stages = [Stage(name=name, environment=name, options={}) for name in ("a", "b", "c")]
    rules = {"promote_at": 0.3, "demote_below": 0.1, "demote_after_steps": 2, "window_steps": 1}
    course = Curriculum(CurriculumConfig(stages=tuple(stages), open=2, **rules))
    assert [task.environment for task in course.tasks(4)] == ["a", "b", "a", "b"]
    course.hear(1, [(0, 0.9), (1, 0.2)])  # the newest stage's scores open the next
    assert course.level == "b"
    course.hear(1, [(1, 0.5)])
    assert course.level == "c"
    course.hear(2, [(2, 0.0)])
    assert course.level == "b"


def test_a_state_brings_everything_back() -> None:
    course = curriculum()
    for step in (1, 2, 3):
        course.tasks(3)
        course.hear(step, [(0, 0.4), (1, 0.2)])
    other = curriculum()
    other.restore(course.state())
    assert other.state() == course.state()
    assert other.tasks(9) == course.tasks(9)


def test_a_teacher_flies_all_stages_and_the_curriculum_does_not_move() -> None:
    course = curriculum()
    levels = Counter(task.options["level"] for task in course.teaching(8))
    assert levels == {"easy": 2, "hard": 6}
    assert course.level == "easy"


def test_a_teacher_flies_all_stages_by_what_is_taught_of_each() -> None:
    course = curriculum()
    assert Counter(task.stage for task in course.teaching(8)) == {0: 2, 1: 6}
    stages = (
        Stage(name="easy", options={}, taught=3.0),
        Stage(name="hard", options={}, weight=1.0),
    )
    taught = Curriculum(CurriculumConfig(stages=stages))
    assert Counter(task.stage for task in taught.teaching(8)) == {0: 6, 1: 2}
    assert {task.stage for task in Curriculum(CurriculumConfig(stages=stages)).tasks(8)} == {0}


def test_a_stage_with_so_many_tasks_begins_again_after_the_last() -> None:
    stages = (Stage(name="few", options={"split": "train"}, tasks=3),)
    course = Curriculum(CurriculumConfig(stages=stages), start=2)
    assert [task.options["index"] for task in course.tasks(5)] == [2, 0, 1, 2, 0]
    assert [
        task.options["index"] for task in Curriculum(CurriculumConfig(stages=stages)).teaching(4)
    ] == [0, 1, 2, 0]
