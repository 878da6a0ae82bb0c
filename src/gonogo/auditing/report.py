"""The audit for a reader, made from its record and from nothing else: in the terminal, and as ``audit.md``."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rich.console import Console

from gonogo.records.audit import (
    AuditedPolicy,
    AuditedTask,
    AuditReport,
    BrokenOffTask,
    CandidatePolicy,
    EpisodesTold,
    EpisodesWithout,
    FarmingFigures,
    HeadlineNumbers,
    LeakFigures,
    RewardComponents,
    TaskSheet,
)
from gonogo.records.findings import MENDS, ContractWitness, EpisodeWitness, Finding
from gonogo.records.record import Estimate
from gonogo.records.success import JudgedSuccess
from gonogo.records.tables import (
    Conclusion,
    TextTable,
    cut,
    estimate,
    print_sheets,
    reset_text,
    task_text,
)
from gonogo.records.tables import markdown as page

MOST_ROWS = 12
MOST_CHARS = 200
NONE = (None, None)
SHOWN = frozenset({"reference", "idle", "random"})


def print_audit(record: AuditReport, console: Console) -> None:
    """Print each task's numbers and best paid policies, the components, the findings and the verdict."""
    sheets = [sheet for task in record.tasks for sheet in short(task)]
    print_sheets([*sheets, findings_in_short(record)], concluded(record), console)


def markdown(record: AuditReport) -> str:
    """The whole audit as a page."""
    sheets = [findings(record)]
    for task in record.tasks:
        sheets += [*short(task), *rest(task)]
    return page(f"Audit of {record.environment}", sheets, concluded(record))


def concluded(record: AuditReport) -> Conclusion:
    """The verdict as a reader is told it: with what gives one that could not tell the time that it lacked."""
    return Conclusion(record.verdict, record.said, record.notes)


def short(task: AuditedTask | BrokenOffTask) -> Iterator[TextTable]:
    """What a reader wants first of a task."""
    name = task_text(task.task)
    yield policies(task, f"Task: {name}")
    numbers = list(number_rows(task.numbers))
    if task.coverage is not None:
        numbers.append(("exploration reached", task.coverage.said))
    yield TextTable(f"Numbers: {name}", ("what", "value"), numbers)
    if task.judged is not None and task.judged.candidates:
        yield TextTable(f"Success: {name}", SUCCESSES, list(success_rows(task.judged)))
    if task.candidate is not None:
        lines = list(candidate_rows(task.candidate))
        yield TextTable(f"Policy {task.candidate.policy}: {name}", ("what", "value"), lines)
    if not task.broken_off:
        yield TextTable(f"Components: {name}", COMPONENTS, list(component_rows(task.components)))


def rest(task: AuditedTask | BrokenOffTask) -> Iterator[TextTable]:
    """What a reader looks up; nothing of a task whose survey was broken off."""
    if task.broken_off:
        return
    name = task_text(task.task)
    rows = [
        [line.component, line.measures, line.source, line.scale, line.composition, line.exploit]
        for line in task.review
    ]
    heads = ("component", "measures", "comes from", "scale", "alone or composable", "exploit")
    yield TextTable(f"Review: {name}", heads, rows)
    checks = [
        [check.id, {"na": "n/a"}.get(check.verdict, check.verdict), check.said, check.source]
        for check in task.metamorphic
    ]
    yield TextTable(
        f"Changes: {name}", ("what is changed", "verdict", "evidence", "source"), checks
    )
    yield TextTable(f"Leakage: {name}", LEAKS, list(leak_rows(task.leakage)))
    yield TextTable(f"Episodes: {name}", ("what", "value"), list(episode_rows(task.distinct)))
    yield TextTable(f"Farming: {name}", ("what", "value"), list(farming_rows(task.farming)))


def candidate_rows(candidate: CandidatePolicy) -> Iterator[tuple[str, str]]:
    """What the policy under audit is like, and how far above random it is."""
    for likeness in candidate.likeness:
        yield f"distance to {cut(likeness.exploit, MOST_CHARS)}", f"{likeness.distance:.3f}"
    for what, difference in candidate.above_random.items():
        yield f"{what} above random's", estimate_text(difference)


def findings(record: AuditReport) -> TextTable:
    """What was found, with its witnesses in words."""
    rows = [
        [
            f.id,
            f.severity.value if f.accepted is None else f"accepted: {f.accepted}",
            task_text(f.task or {}),
            f.component or "",
            "; ".join([f.explanation, *(f"also {m.id}: {m.explanation}" for m in f.further or ())]),
            witness(f.witness, f.id),
            "" if f.place is None else str(f.place),
            MENDS[f.id],
        ]
        for f in record.findings
    ]
    heads = (
        "finding", "severity", "task", "component", "what happened", "witness", "paid at", "how to mend it",
    )  # fmt: skip
    return TextTable("Findings", heads, rows)


def findings_in_short(record: AuditReport) -> TextTable:
    """The same in two columns, for a terminal."""
    rows = []
    for f in record.findings:
        about = [f.id, f.severity.value, *([] if f.task is None else [task_text(f.task)])]
        about += [] if f.component is None else [f"component {f.component}"]
        shown = witness(f.witness, f.id)
        said = [f.explanation, *([f"To see it: {shown}"] if shown else [])]
        said += [f"Also {more.id}: {more.explanation}" for more in f.further or ()]
        said += [] if f.place is None else [f"Paid at {f.place}"]
        said.append(
            f"To mend it: {MENDS[f.id]}" if f.accepted is None else f"Accepted: {f.accepted}"
        )
        rows.append(["\n".join(about), "\n".join(said)])
    return TextTable("Findings", ("finding", "what happened"), rows)


def told(finding: Finding) -> Iterator[str]:
    """A finding in lines: what happened, what to send to see it, the line that pays, how to mend it."""
    task = "" if finding.task is None else f" ({task_text(finding.task)})"
    yield f"{finding.id}{task}: {finding.explanation}"
    if shown := witness(finding.witness, finding.id):
        yield f"  To see it: {shown}"
    for more in finding.further or ():
        yield f"  Also {more.id}: {more.explanation}"
    if finding.place is not None:
        yield f"  Paid at {finding.place}"
    yield f"  To mend it: {MENDS[finding.id]}"


def witness(seen: EpisodeWitness | ContractWitness, finding: str) -> str:
    """A witness in words: what has to be sent to see it again.

    Args:
        seen: The witness.
        finding: Id of the finding that it proves.
    """
    if isinstance(seen, ContractWitness):
        if seen.raised is None:
            return seen.replay or ""  # the map's are in a file of their own
        actions = cut(json.dumps(seen.actions, ensure_ascii=False), MOST_CHARS)
        return f"reset {task_text(seen.reset or {})}, send {actions}"
    if seen.plan is None:
        return ""
    plan = cut(json.dumps(seen.plan, ensure_ascii=False), MOST_CHARS)
    end = {True: "a success", False: "no success", None: "success unknown"}[seen.success]
    at = f", {reset_text(seen.resets_before)}" if seen.resets_before else ""
    return f"reset {task_text(seen.reset)}{at}, send {plan}: return {seen.worth(finding)}, {end}"


def policies(task: TaskSheet, title: str) -> TextTable:
    """The policies of a task: those meant to succeed, then the best paid."""
    columns = ("policy", "kind", "return", "success", "paid where it fails", "steps")
    rows = sorted(task.policies, key=lambda row: (row.kind != "reference", -(row.paid or 0)))
    rows = [row for row in rows if row.kind in SHOWN or (row.paid or 0) > 0]
    lines = [
        [
            cut(row.policy, MOST_CHARS),
            row.kind,
            estimate_text(row.returns),
            estimate_text(row.success),
            number_text(row.paid),
            steps_text(row),
        ]
        for row in rows[:MOST_ROWS]
    ]
    return TextTable(title, columns, lines)


def steps_text(row: AuditedPolicy) -> str:
    """How long a policy's episodes lasted, and how many had no end: cut by the limit, or refused most of it."""
    if row.steps is None:
        return "none"
    ends = {"cut": row.cut, "refused": row.refused}
    said = ", ".join(f"{n} of {row.episodes} {how}" for how, n in ends.items() if n)
    return f"{row.steps:.1f} ({said})" if said else f"{row.steps:.1f}"


def number_rows(numbers: HeadlineNumbers) -> Iterator[tuple[str, str]]:
    """The headline numbers."""
    paid, order = numbers.paid_for_nothing, numbers.failure_out_earns_success
    best = paid and f"{estimate_text(paid)} by {cut(paid.policy, MOST_CHARS)}"
    yield "paid for nothing", best or "unknown"
    chance = order and f"{order.same_seed:.3f} on the same seed, AUROC {order.auroc:.3f}"
    yield "failure out-earns success", chance or "unknown"
    beside = numbers.success_on_its_seed
    on_seed = "" if beside is None else f"; the best known success on its seed {beside:.3f}"
    yield "best failing return", number_text(numbers.best_failing_return) + on_seed
    yield "best known return", number_text(numbers.best_known_return)
    reached = numbers.reachability
    if reached is not None:
        yield "success is reached", f"{estimate_text(reached)} by {reached.policy}"


SUCCESSES = ("success may be", "held", "return where it held, else", "why")


def success_rows(judged: JudgedSuccess) -> Iterator[list[str]]:
    """One row a candidate; the assumed one is marked."""
    for each in judged.candidates:
        assumed = " (assumed)" if each.expression == judged.assumed else ""
        yield [
            each.expression + assumed,
            f"{each.held} of {each.ends}",
            f"{number_text(each.return_held)}, {number_text(each.return_else)}",
            each.why,
        ]


COMPONENTS = (
    "component", "range", "mean, success / failure", "AUROC", "without it: paid, AUROC",
    "share of failures, of the gap", "cheapest exploit",
)  # fmt: skip


def component_rows(components: RewardComponents) -> Iterator[list[str]]:
    """One row a component."""
    for part in components.components:
        without, shapley, cheapest = part.without, part.shapley, part.cheapest
        paid = (without.best_failing_paid, without.auroc) if without else NONE
        share = (shapley.failed, shapley.gap) if shapley else NONE
        yield [
            part.name,
            f"{part.min:g} to {part.max:g}",
            f"{number_text(part.mean_success)} / {number_text(part.mean_failure)}",
            number_text(part.auroc_success),
            ", ".join(map(number_text, paid)),
            ", ".join(map(number_text, share)),
            "none"
            if cheapest is None
            else f"{cut(cheapest.policy, MOST_CHARS)}: {cheapest.mean:g}",
        ]


LEAKS = ("value", "sent in", "succeeds", "with another seed's", "success needs it", "verdict")


def leak_rows(leakage: LeakFigures) -> Iterator[list[str]]:
    """One row a copy that was flown on all seeds."""
    for copy in leakage.copies:
        needed = {True: "yes", False: "no", None: "not told"}[copy.needed_by_reference]
        yield [
            f"the items of {copy.path}" if copy.items else copy.path,
            copy.field,
            f"{copy.success:.2f}",
            f"{copy.success_with_another_seeds_value:.2f}",
            needed,
            copy.verdict,
        ]


def episode_rows(distinct: EpisodesTold | EpisodesWithout) -> Iterator[tuple[str, str]]:
    """How many episodes there are."""
    if isinstance(distinct, EpisodesWithout):
        yield "openings", distinct.note
        return
    estimated = distinct.estimated
    more = "more than can be estimated" if estimated is None else f"at least {estimated:.0f} in all"
    yield "openings", f"{distinct.openings} in {distinct.resets} resets, {more}"
    tries = {
        "learned by heart": distinct.by_heart,
        "known answers, tried in turn": distinct.answers,
        "episodes lived through before": distinct.episodes,
    }
    for name, tried in tries.items():
        if tried is not None:
            said = f"{tried.learned} succeed in {estimate_text(tried.success)}"
            yield name, f"{said}; who looks in {tried.success_of_reference:.3f}"


def farming_rows(farming: FarmingFigures) -> Iterator[tuple[str, str]]:
    """Return against length, and the cycles."""
    length = farming.length
    if length.note is None:
        yield "return against length", f"Spearman {length.spearman:.3f}"
        yield "return per step", estimate_text(length.slope_per_step)
    else:
        yield "return against length", length.note
    for cycle in farming.cycles[:MOST_ROWS]:
        said = f"{cycle.total:g}, {cycle.return_per_step:g} a step"
        yield cut(cycle.cycle, MOST_CHARS), said


def estimate_text(value: Estimate | None) -> str:
    """A mean with its interval."""
    return "none" if value is None else estimate(value)


def number_text(value: float | None) -> str:
    """A number, if it is known."""
    return "unknown" if value is None else f"{value:.3f}"
