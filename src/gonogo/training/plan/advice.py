"""What the flights say against training now, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

from gonogo.rollouts.losses import losses_in_words
from gonogo.rollouts.summary import MOSTLY, refused_in_words
from gonogo.training.plan.measure import NOT_TRYING, PlanMeasurements, PolicyMeasurements

__all__ = ["advice"]


def advice(measured: PlanMeasurements) -> Iterator[str]:
    """What the measurements say against training now, and what to do about it."""
    cut, flown = measured.cut
    if cut:
        yield (
            f"{cut} of {flown} episodes were broken off after {measured.limit} decisions, before they ended: scores "
            "and successes are of what was flown until then"
        )
    if measured.lost:
        yield losses_in_words(measured.lost, measured.flown)
    idle, random = (measured.policies[name] for name in NOT_TRYING)
    able = measured.policies.get(measured.teacher or "")
    if all(flown.success is None for flown in measured.policies.values()):
        yield (
            "no episode says whether it succeeded, so that neither the audit nor the watch can tell a reward from what "
            "it is for: say it with --success"
        )
    if able is None and not above(random, idle):
        yield (
            "nobody who was flown is paid more than doing nothing, and the random policy's actions leave reinforcement "
            "nothing to prefer: name who succeeds with --teacher, such as a function of your own"
        )
    if able is not None and not above(able, idle):
        paid = f"{decimal(able)} and {decimal(idle)}"
        yield f"{measured.teacher} is not paid more than doing nothing ({paid}): is it the one to imitate?"
    if measured.undisturbed is not None:
        yield f"no noise is written: {measured.undisturbed}"
    for name, each in measured.policies.items():
        if each.refused > MOSTLY:
            yield f"{name}: {refused_in_words(each.refused)}"
    if measured.sessions == 1:
        yield "the environment flies one session at a time, so that episodes wait for each other: training takes longer"


def above(flown: PolicyMeasurements, other: PolicyMeasurements) -> bool:
    """Whether one policy is paid more than another, on the same tasks."""
    return flown.score is not None and (other.score is None or flown.score > other.score)


def decimal(flown: PolicyMeasurements) -> str:
    """A policy's score in a sentence."""
    return "nothing" if flown.score is None else f"{flown.score:.3f}"
