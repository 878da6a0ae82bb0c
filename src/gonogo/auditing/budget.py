"""How much an audit flies: what the clock or a budget in steps cuts, and how a cut audit is repeated to the bit.

An audit is one fixed sequence of flights. Each follows from the config, the environment and the flights before it;
the clock decides nothing of it but its end. So a shorter audit is the beginning of a longer one. Every flight costs
what it *spends*: its environment steps, and one for each reset. Where the clock runs out, the flight that is in the
air is dropped, and the record holds what all flights before it spent. ``--budget N`` ends the same sequence before
the first flight at which so much is spent, and therefore at the same flight: the findings, the figures and the
episodes are the same. Only ``clock`` of the record differs, and when it was written.

Several tasks are audited in rounds. In each round every task, in its order, goes on until it has spent the round's
share; :data:`FIRST_ROUND` at first, :data:`GROWTH` times as much in each round that follows. The first task is a round
ahead: most of what is wrong with a reward is wrong in every task, and shows only where enough is flown. So one task is
looked into while each has its turn early. What the rounds spend adds up in that order, and the audit ends in the task
at which the budget is spent. With ``--jobs`` the tasks of a round fly side by side; what one flew beyond the place at
which the tasks in their order end is not counted and stays in its log. That is why the number of jobs changes nothing.

What is suspected is confirmed at once, between the flights of the survey: no stage at the end waits for time that is
not left. A suspicion is looked for each time that the spending has grown by a quarter, so that at the cut little is
flown and not yet asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gonogo.rollouts.watch import Watch

FIRST_ROUND = 600
"""What each of several tasks spends in the first round, but for the first."""
GROWTH = 5
"""By which a round's share exceeds the share of the one before it."""


class BudgetSpent(Exception):
    """The clock or the budget ends a task's flights here; it never leaves the audit."""


@dataclass(frozen=True, slots=True)
class Limit:
    """Where a task's flights end.

    Attributes:
        watch: The clock.
        most: What the task may spend; None without end.
    """

    watch: Watch = field(default_factory=Watch)
    most: int | None = None

    @property
    def ends(self) -> bool:
        """Whether it ends the flights at all, whatever they find."""
        return self.watch.seconds is not None or self.most is not None

    def check(self, spent: int) -> None:
        """End before the next flight if nothing is left.

        Args:
            spent: What the task spent so far.

        Raises:
            BudgetSpent: Nothing is left.
        """
        if self.watch.out or (self.most is not None and spent >= self.most):
            raise BudgetSpent

    def check_clock(self) -> None:
        """End within a flight if the time is up.

        Raises:
            BudgetSpent: It is.
        """
        if self.watch.out:
            raise BudgetSpent


def share_of(number: int, place: int, tasks: int) -> int | None:
    """What a task may have spent at the end of a round; None where it is alone.

    Args:
        number: The round's, from 0.
        place: The task's among all, from 0.
        tasks: How many there are.
    """
    return None if tasks == 1 else FIRST_ROUND * GROWTH ** (number + (place == 0))


def allowed(before: int, share: int | None, left: int | None) -> int | None:
    """What a task may have spent at the end of its turn; None without end.

    Args:
        before: What it spent before.
        share: What it may have spent at the end of the round; None without end.
        left: What is left of the whole audit's budget; None without end.
    """
    ends = [most for most in (share, None if left is None else before + left) if most is not None]
    return min(ends) if ends else None


def counted(
    before: Sequence[int], after: Sequence[int], ended: Sequence[bool], left: int | None
) -> list[int]:
    """What of a round's flights counts, task by task: all up to the first task that the clock or the budget cut.

    A turn reads what the task flew in earlier rounds; where the clock cuts it there, that counts all the same.

    Args:
        before: What each task had spent when the round began.
        after: What each had spent at its end.
        ended: Of each whether its turn came to its own end: its share spent, or its sequence flown.
        left: What was left of the budget when the round began; None without end.

    Returns:
        What each task has spent, as far as it counts.
    """
    found: list[int] = []
    open_ = True
    for was, now, done in zip(before, after, ended, strict=True):
        if not open_ or left == 0:
            open_ = False
            found.append(was)
            continue
        now = max(was, now)
        most = now if left is None else min(now, was + left)
        found.append(most)
        if left is not None:
            left -= most - was
        open_ = done and most == now
    return found
