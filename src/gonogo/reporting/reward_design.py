"""The README's section about the reward: its components, weights, exploits and guards, and what the audit says."""

from __future__ import annotations

from collections.abc import Iterator

from gonogo.records.audit import AuditedTask, AuditReport, HeadlineNumbers, NamedEstimate
from gonogo.records.contract import ContractReport, RewardSource
from gonogo.records.findings import FINDINGS
from gonogo.records.inspection import RubricNode
from gonogo.records.reward import RewardReport
from gonogo.records.stations import WORDS
from gonogo.records.tables import decimal, estimate, table_text, task_text
from gonogo.reporting.environment_card import span
from gonogo.reporting.sections import Material, Section, written

__all__ = ["reward"]

MOST_TASKS = 4
OWN, NEW = "### The environment's own reward", "### The reward of `gonogo reward`"


def reward(material: Material) -> Section:
    """The reward's design."""
    records, parts = material.records, list[str]()
    if records.map is not None:
        parts += paid(records.map, by_component=records.audit is None)
    if records.audit is not None:
        parts += audited(records.audit, weights_of(records.map))
    if records.reward is not None:
        parts += upgraded(records.reward)
    if not parts:
        return Section(None, tuple(material.lacks("audit")))
    return written(iter(parts), *material.lacks("audit"))


def paid(card: ContractReport, *, by_component: bool) -> Iterator[str]:
    """What the map knows: the range, and without an audit the components with their weights."""
    found = card.reward
    said = "is not declared" if found.declared is None else f"is {span(found.declared)}"
    yield f"The range of an episode's reward {said}."
    if by_component and (rows := list(component_rows(found))):
        yield table_text(("component", "weight", "where"), rows)


def component_rows(found: RewardSource) -> Iterator[tuple[str, str, str]]:
    """The rubric's parts, then what the breakdown names beside them."""
    leaves = list(leaves_of(found.rubric)) if found.rubric else []
    for name, weight, where in leaves:
        yield name, "-" if weight is None else f"{weight:g}", where
    known = {name.casefold() for name, _, _ in leaves}
    for part in found.breakdown:
        if part.name.casefold() not in known:
            place = part.place
            yield part.name, "-", f"`{place.file}:{place.line}`" if place else "-"


def leaves_of(rubric: RubricNode, weight: float = 1.0) -> Iterator[tuple[str, float | None, str]]:
    """Name, weight and place of the rubrics that have no others below them."""
    for child in rubric.children:
        share = None if child.weight is None else weight * child.weight
        if child.children:
            yield from leaves_of(child, 1.0 if share is None else share)
        else:
            yield child.class_name, share, f"`{child.file}:{child.line}`"


def audited(record: AuditReport, weights: dict[str, float]) -> Iterator[str]:
    """The audit's verdict and findings, then its review and figures, task by task."""
    yield OWN
    flown = f"{record.flown.episodes} episodes, {record.flown.steps} steps"
    more = "" if flown in record.reason else f" ({flown} were flown)"
    yield f"`gonogo audit` says {WORDS[record.verdict.name]}: {record.reason}{more}."
    if record.findings:
        yield "\n".join(
            f"- **{finding.id}**: {FINDINGS[finding.id]}. {finding.explanation}."
            for finding in record.findings
        )
    for task in record.tasks[:MOST_TASKS]:
        if len(record.tasks) > 1:
            yield f"Task `{task_text(task.task)}`:"
        if not task.broken_off:
            columns = ("component", "weight", "what it measures", "from", "cheapest exploit")
            yield table_text(columns, review_rows(task, weights))
        yield table_text(("figure", "value"), figure_rows(task.numbers))
    if (left := len(record.tasks) - MOST_TASKS) > 0:
        yield f"{left} more tasks stand in `audit.json`."


def weights_of(found: ContractReport | None) -> dict[str, float]:
    """Weights that the environment's rubric declares, by the name in lower case."""
    tree = found.reward.rubric if found else None
    leaves = leaves_of(tree) if tree else iter(())
    return {name.casefold(): weight for name, weight, _ in leaves if weight is not None}


def review_rows(task: AuditedTask, weights: dict[str, float]) -> Iterator[tuple[str, ...]]:
    """A row for each component; a weight that no rubric declares is the audit's, which says so where it is fitted."""
    fitted = {part.name: part.factor for part in task.components.components}
    how = " (fitted)" if task.components.rule == "fitted sum" else ""
    for row in task.review:
        name = row.component
        factor, weight = fitted.get(name), weights.get(name.casefold())
        said = "-" if factor is None else f"{factor:.3g}{how}"
        yield (
            name,
            said if weight is None else f"{weight:g}",
            row.measures,
            row.source,
            row.exploit,
        )


def figure_rows(numbers: HeadlineNumbers) -> Iterator[tuple[str, str]]:
    """The audit's numbers about a task."""
    nothing, order = numbers.paid_for_nothing, numbers.failure_out_earns_success
    reached = numbers.reachability
    if nothing is not None:
        yield "paid for nothing, as a share of a success", by(nothing)
    if order is not None:
        yield "a failure out-earns a success, on the same seed", decimal(order.same_seed)
    yield "best return of a failure", decimal(numbers.best_failing_return)
    yield "best return that is known", decimal(numbers.best_known_return)
    if reached is not None:
        yield "success is reached", by(reached)


def by(value: NamedEstimate) -> str:
    """A mean with its interval and whose it is."""
    return f"{estimate(value)} by {value.policy}"


def upgraded(record: RewardReport) -> Iterator[str]:
    """The reward that was written from the audit: components, guards, the exploits that run into them, both sides."""
    yield NEW
    yield f"{WORDS[record.verdict.name]}: {record.reason}."
    yield table_text(("component", "weight", "guards"), guard_rows(record))
    yield "Exploits that were flown, what each is paid, and what it would be paid without its guard:"
    columns = ("component", "exploit", "from", "guard", "paid", "without the guard")
    yield table_text(columns, case_rows(record))
    several = len({task_text(row.task) for row in record.sides}) > 1
    yield table_text(
        (*(("task",) if several else ()), "figure", "own reward", "this reward"),
        side_rows(record, several),
    )


def guard_rows(record: RewardReport) -> Iterator[tuple[str, ...]]:
    """A row for each component."""
    for part in record.components:
        guards = (f"`{name}`: {said}" for name, said in part.guards.items())
        yield part.name, f"{part.weight:g}", " ".join(guards)


def case_rows(record: RewardReport) -> Iterator[tuple[str, ...]]:
    """A row for each exploit."""
    for part in record.components:
        for case in part.cases:
            paid = decimal(case.guarded), decimal(case.unguarded)
            yield part.name, case.exploit, case.origin, f"`{case.guard}`", *paid


def side_rows(record: RewardReport, several: bool) -> Iterator[tuple[str, ...]]:
    """The audit's numbers by both rewards, then both verdicts."""
    for row in record.sides:
        task = (task_text(row.task),) if several else ()
        yield *task, row.number, decimal(row.before), decimal(row.after)
    both = (WORDS[side.verdict.name] for side in (record.before, record.after))
    yield *(("all",) if several else ()), "audit", *both
