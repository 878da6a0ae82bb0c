"""Episodes that infrastructure lost: how many, why most of them, and whether they are too many.

What is lost is hardly ever lost at random: it is the slow task, the long episode, the action that crashes. So what is
left stands for all tasks only while little is missing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from gonogo.errors import EnvironmentFailure
from gonogo.records.training import CheckpointState

__all__ = ["MOST_LOST", "Losses", "LossesState", "check_losses", "losses_in_words", "too_many"]


MOST_LOST = 0.05
"""Share of lost episodes above which nothing is concluded from those that are left. Were all that was lost successes,
or none of it, a success rate would move by so much: half of what its interval over 100 tasks reaches to either side."""
NUMBER = re.compile(r"\d+(\.\d+)?")


def too_many(lost: int, flown: int) -> bool:
    """Whether more was lost than is borne.

    Args:
        lost: Episodes that were lost.
        flown: All of them.
    """
    return lost > MOST_LOST * flown


class LossesState(CheckpointState):
    """The state of :class:`Losses`."""

    errors: tuple[str, ...]


@dataclass(slots=True)
class Losses:
    """What is lost while episodes are flown one batch after the other; a part of a checkpoint.

    Attributes:
        what: Which episodes.
        planned: How many there will be in all.
        errors: Why each of the lost ones was lost.
    """

    what: str
    planned: int
    errors: list[str] = field(default_factory=list)

    def take(self, errors: Sequence[str]) -> str | None:
        """Count those of a batch; answers all of them in words, None for none.

        Raises:
            EnvironmentFailure: They are more by now than is borne of all.
        """
        self.errors += errors
        return check_losses(self.what, self.errors, self.planned)

    def state(self) -> LossesState:
        """For a checkpoint."""
        return LossesState(errors=tuple(self.errors))

    def restore(self, state: LossesState) -> None:
        """As it was at a checkpoint."""
        self.errors = list(state.errors)


def check_losses(what: str, errors: Sequence[str], flown: int) -> str | None:
    """What was lost, in words; None where nothing was.

    Args:
        what: Which episodes.
        errors: Why each of the lost ones was lost.
        flown: How many were flown in all.

    Raises:
        EnvironmentFailure: It is more than is borne.
    """
    if not errors:
        return None
    said = f"{what}: {losses_in_words(errors, flown)}"
    if too_many(len(errors), flown):
        raise EnvironmentFailure(
            f"{said}; that is more than {MOST_LOST:.0%}, too many to conclude from the rest"
        )
    return said


def losses_in_words(errors: Sequence[str], flown: int) -> str:
    """How many episodes were lost and the commonest reason, in the words of one that was lost so.

    Args:
        errors: Why each of the lost ones was lost; not empty.
        flown: How many were flown in all.
    """
    kinds = Counter(NUMBER.sub("#", error) for error in errors)
    kind, count = kinds.most_common(1)[0]
    example = next(error for error in errors if NUMBER.sub("#", error) == kind)
    why = "" if count == len(errors) else f" (of {count})"
    return f"{len(errors)} of {flown} episodes lost; the commonest reason{why}: {example}"
