"""How much an audit flies: the rounds of its tasks, and where a budget or the clock ends them."""

from __future__ import annotations

import time

import pytest

from gonogo.auditing.budget import (
    FIRST_ROUND,
    GROWTH,
    BudgetSpent,
    Limit,
    allowed,
    counted,
    share_of,
)
from gonogo.rollouts.watch import Watch


def test_a_single_task_has_all_and_of_several_the_first_is_a_round_ahead() -> None:
    assert share_of(0, 0, 1) is None
    rounds = [FIRST_ROUND * GROWTH**n for n in range(4)]
    assert [share_of(n, 1, 3) for n in range(3)] == rounds[:3]
    assert [share_of(n, 2, 3) for n in range(3)] == rounds[:3]
    assert [share_of(n, 0, 3) for n in range(3)] == rounds[1:]


@pytest.mark.parametrize(
    ("before", "share", "left", "most"),
    [(10, None, None, None), (10, 600, None, 600), (10, None, 5, 15), (10, 600, 5, 15), (590, 600, 50, 600)],
)  # fmt: skip
def test_a_turn_ends_at_its_share_or_with_the_budget(
    before: int, share: int | None, left: int | None, most: int | None
) -> None:
    assert allowed(before, share, left) == most


@pytest.mark.parametrize(
    ("after", "ended", "left", "counts"),
    [
        ([600, 600, 600], [True, True, True], None, [600, 600, 600]),
        # The clock cut the second: what the third flew beside it does not count.
        ([600, 450, 600], [True, False, True], None, [600, 450, 100]),
        # The budget ends in the second.
        ([600, 600, 600], [True, True, True], 700, [600, 300, 100]),
        ([600, 600, 600], [True, True, True], 500, [600, 100, 100]),
        # The clock cut a turn while it read what was flown in earlier rounds.
        ([11, 400, 0], [False, True, True], None, [100, 100, 100]),
        ([200, 11, 0], [True, False, True], None, [200, 100, 100]),
    ],
)
def test_of_what_flew_side_by_side_counts_what_would_have_flown_in_order(
    after: list[int], ended: list[bool], left: int | None, counts: list[int]
) -> None:
    assert counted([100, 100, 100], after, ended, left) == counts


def test_a_limit_ends_before_the_next_flight_and_the_clock_within_one() -> None:
    limit = Limit(Watch(), 10)
    assert limit.ends and Limit(Watch(1.0)).ends and not Limit().ends
    limit.check(9)
    limit.check_clock()
    with pytest.raises(BudgetSpent):
        limit.check(10)
    late = Limit(Watch(1.0, began=time.monotonic() - 2))
    with pytest.raises(BudgetSpent):
        late.check(0)
    with pytest.raises(BudgetSpent):
        late.check_clock()
