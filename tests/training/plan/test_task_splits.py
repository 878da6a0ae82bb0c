"""Which tasks are for what: by the splits' names, by what is left of one split, by seeds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.records_made import contract_report

from gonogo.records.inspection import TaskSplit
from gonogo.training.plan.task_splits import Level, TaskRange, levels_of, shown, tasks_of


def splits(**sizes: int | None) -> list[TaskSplit]:
    return [TaskSplit(name=name, num_tasks=size, preview=()) for name, size in sizes.items()]


def numbers(tasks: TaskRange) -> tuple[str | None, range]:
    end = 10**9 if tasks.count is None else tasks.start + tasks.count
    return tasks.split, range(tasks.start, end)


def test_splits_are_known_by_their_names() -> None:
    train, validation, test = tasks_of(splits(train=50, dev=20, test=30))
    assert [numbers(use) for use in (train, validation, test)] == [
        ("train", range(50)),
        ("dev", range(20)),
        ("test", range(30)),
    ]


def test_what_is_missing_is_held_out_of_the_split_for_training() -> None:
    train, validation, test = tasks_of(splits(Train=100))
    assert [numbers(use) for use in (train, validation, test)] == [
        ("Train", range(80)),
        ("Train", range(80, 90)),
        ("Train", range(90, 100)),
    ]
    train, validation, test = tasks_of(splits(train=100, eval=40))
    assert numbers(validation) == (
        "eval",
        range(40),
    )  # it chooses the checkpoint, so that it does not judge it too
    assert (numbers(train), numbers(test)) == (("train", range(80)), ("train", range(90, 100)))


@pytest.mark.parametrize("offered", [None, splits(public=5)])
def test_without_a_split_for_training_seeds_tell_tasks_apart(
    offered: list[TaskSplit] | None,
) -> None:
    uses = tasks_of(offered)
    assert {use.split for use in uses} == {None}
    assert [use.start for use in uses] == [0, 10_000, 20_000]


@given(
    names=st.sets(st.sampled_from(["train", "validation", "eval", "test", "held_out", "extra"])),
    size=st.one_of(st.none(), st.integers(1, 12), st.integers(13, 5000)),
)
def test_no_two_uses_share_a_task(names: set[str], size: int | None) -> None:
    uses = tasks_of(splits(**dict.fromkeys(sorted(names), size)))
    for number, one in enumerate(uses):
        assert one.count is None or one.count >= 1
        for other in uses[:number]:
            (split, mine), (theirs, others) = numbers(one), numbers(other)
            # What has no end is told apart by how far the next one begins.
            ends = one.count is not None and other.count is not None
            assert split != theirs or not ends or not (set(mine) & set(others))
            assert split != theirs or mine.start != others.start


def test_levels_are_those_that_tasks_show_and_a_reset_takes() -> None:
    tasks = [{"level": "hard", "id": 1}, {"level": "easy"}, {"level": "hard"}]
    assert levels_of(tasks, ["seed", "level"]) == [Level("level", "hard"), Level("level", "easy")]
    assert levels_of(tasks, ["seed"]) == []
    assert levels_of([{"level": 1}], ["level"]) == []  # a number names no stage
    assert levels_of(["a"], ["level"]) == []


def test_tasks_that_an_environment_declares_are_levels() -> None:
    ids: list[object] = [{}, {"task_id": 1}, {"task_id": 2}, {"task_id": 1}]
    assert levels_of(ids, ["task_id"], declared=True) == [Level("task_id", 1), Level("task_id", 2)]
    names: list[object] = [{}, {"task": "sort"}, {"task": "merge"}]
    # A reset of any keywords takes what the map flew.
    assert levels_of(names, ["seed"], declared=True) == [
        Level("task", "sort"),
        Level("task", "merge"),
    ]
    assert levels_of(names, ["task"]) == []  # of a split's preview each task has a name of its own
    many: list[object] = [{"task": str(n)} for n in range(99)]
    assert len(levels_of(many, ["task"], declared=True)) == 12


def test_tasks_are_shown_by_a_split_or_by_the_choices_of_a_reset() -> None:
    easy, hard = ({"options": {"difficulty": name}, "source": "x"} for name in ("easy", "hard"))
    split = {"name": "train", "num_tasks": 2, "preview": [{"level": "easy"}]}
    given = {"flown": (easy,), "left_out": (hard,), "splits": (split,)}
    found = contract_report(tasks=given).tasks
    assert list(shown(found, "train")) == [{"level": "easy"}]
    assert levels_of(shown(found, None), ["difficulty"]) == [
        Level("difficulty", "easy"),
        Level("difficulty", "hard"),
    ]
