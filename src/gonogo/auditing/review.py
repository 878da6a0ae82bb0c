"""The questions of a reward review, answered for each component from what was flown and read.

What does it measure, and where does it come from? On which scale? Can it stand alone, or compose with others?
What is its cheapest exploit? An environment without components has one answer, about its return.
"""

from __future__ import annotations

from gonogo.records.audit import (
    AuditedComponent,
    HeadlineNumbers,
    ReviewAnswers,
    RewardComponents,
)
from gonogo.records.contract import ContractReport

__all__ = ["review"]

WHOLE = "the return"
APART = 0.95
"""Correlation from which two components say the same."""


def review(
    components: RewardComponents, numbers: HeadlineNumbers, card: ContractReport
) -> tuple[ReviewAnswers, ...]:
    """The answers, a component each.

    Args:
        components: A task's components.
        numbers: Its headline numbers.
        card: The map.
    """
    parts = components.components
    if not parts:
        return (review_return(numbers, card),)
    return tuple(
        ReviewAnswers(
            component=part.name,
            measures=measures(part),
            source=source(part.name, card),
            scale=scale(part),
            composition=composition(part, components),
            exploit=exploit(part),
        )
        for part in parts
    )


def review_return(numbers: HeadlineNumbers, card: ContractReport) -> ReviewAnswers:
    """The answers for a return that shows no components."""
    order, paid = numbers.failure_out_earns_success, numbers.paid_for_nothing
    known = numbers.best_known_return
    places = card.reward.places or ()
    return ReviewAnswers(
        component=WHOLE,
        measures="success cannot be told"
        if order is None
        else f"tells success from failure with AUROC {order.auroc:.2f}",
        source="; ".join(f"{p.file}:{p.line}" for p in places[:3]) or "not known",
        scale="no success is known"
        if known is None
        else f"{numbers.floor:g} to {known:g}, nothing to success",
        composition="alone: the environment shows no components",
        exploit="not known"
        if paid is None
        else f"{paid.policy}: {paid.mean:.2f} of a success's return where it fails",
    )


def measures(part: AuditedComponent) -> str:
    """What a component goes with."""
    if part.constant:
        return f"nothing that was flown: always {part.max:g}"
    said = []
    if part.auroc_success is not None:
        said.append(f"tells success from failure with AUROC {part.auroc_success:.2f}")
    if part.correlation_return is not None:
        said.append(f"correlates with the return by {part.correlation_return:.2f}")
    return ", ".join(said) or "success cannot be told"


def source(name: str, card: ContractReport) -> str:
    """Where a component is written, as the map saw it."""
    written = {each.name: each.place for each in card.reward.breakdown}
    rubric = next((node for node in card.reward.rubrics() if node.name == name), None)
    place = written.get(name) or rubric
    return "its code was not found" if place is None else f"{place.file}:{place.line}"


def scale(part: AuditedComponent) -> str:
    """The range, and what it is normalised to."""
    kept = {"weight": f"within its weight {part.weight}", "unit": "within [0, 1]"}
    said = kept.get(part.normalised or "", "not normalised")
    return f"{part.min:g} to {part.max:g}, mean {part.mean:g}: {said}"


def composition(part: AuditedComponent, components: RewardComponents) -> str:
    """How a component enters the return, and which others say the same."""
    name, rule = part.name, components.rule
    if rule is None:
        said = "how it enters the return is not known"
    elif rule.endswith("sum"):
        said = f"adds to the return, times {part.factor:g}"
    else:
        said = f"enters by the {rule} of all components"
    same = [
        next(other for other in found.pair if other != name)
        for found in components.correlations or ()
        if name in found.pair and found.r is not None and abs(found.r) >= APART
    ]
    return f"{said}; says the same as {', '.join(same)}" if same else said


def exploit(part: AuditedComponent) -> str:
    """The cheapest way to a component without success."""
    cheapest = part.cheapest
    if cheapest is None:
        return "no policy that does not try failed"
    share = cheapest.mean / part.max if part.max > 0 else None
    of = "" if share is None else f", {share:.0%} of the most seen"
    return f"{cheapest.policy}: gets {cheapest.mean:g}{of}, where it fails"
