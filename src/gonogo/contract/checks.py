"""The contract, task by task: what is flown for it, in which order, and what each flight is asked.

First the histories of all tasks, in both processes alike, because a comparison needs equal pasts; then, in
the first process, what disturbs: the ends and beyond, malformed actions, sessions that were never reset.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from gonogo.config import RunConfig
from gonogo.contract.flights import (
    HistoryPlan,
    Trace,
    affordable,
    apart,
    first_flight,
    fly_history,
    make_plan,
)
from gonogo.contract.items import Item, not_applicable
from gonogo.contract.processes import ProcessPair
from gonogo.contract.provocations import (
    check_after_done,
    check_malformed,
    check_reconnect,
    find_ends,
)
from gonogo.contract.repeats import check_repeats, find_volatile
from gonogo.contract.responses import check_answers, check_episode
from gonogo.contract.seeds import SeedUse
from gonogo.contract.tasks import Discovery, Task
from gonogo.contract.view import check_example
from gonogo.errors import EnvironmentFailure
from gonogo.records.contract import VolatilePlace
from gonogo.records.inspection import Description
from gonogo.records.terminal import Terminal
from gonogo.rollouts.space import Space
from gonogo.rollouts.volatile import Volatile

__all__ = ["ContractObservations", "fly_tasks"]

PER_TASK = (
    "reward_numeric", "reward_finite", "reward_range", "observation_schema", "state_contract",
    "seed_control", "determinism_same_session", "determinism_new_session", "determinism_new_process",
    "isolation_sessions", "isolation_episodes", "example", "after_done", "malformed_actions",
    "silent_reconnect",
)  # fmt: skip
"""Checks that every task that flies gets an answer to."""


@dataclass(slots=True)
class ContractObservations:
    """What the flights gave.

    Attributes:
        items: The contract's items, so far.
        traces: Every flight, by the task's place among the tasks.
        plans: How each task is flown, for those whose history could be.
        sought: The flights that looked for an end, of all tasks.
        notes: What a reader should know beside.
        volatile: Places of clocks and random ids, each with its task.
    """

    items: list[Item] = field(default_factory=list)
    traces: dict[int, list[Trace]] = field(default_factory=dict)
    plans: dict[int, HistoryPlan] = field(default_factory=dict)
    sought: list[Trace] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    volatile: list[VolatilePlace] = field(default_factory=list)


def fly_tasks(
    run: RunConfig,
    pair: ProcessPair,
    described: Description,
    found: Discovery,
    space: Space,
    declared: tuple[float, float] | None,
    seed: SeedUse,
) -> ContractObservations:
    """Fly every task and judge what it answered.

    Args:
        run: The config.
        pair: The processes.
        described: What the environment says of itself.
        found: The tasks.
        space: The actions.
        declared: The reward's range in the manifest, or None.
        seed: What the signature and the code say of the reset's seed.

    Raises:
        EnvironmentFailure: The environment could not be started again, or a server has no session left.
    """
    gathered = ContractObservations()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    console = Terminal(stderr=True)
    quiet = not console.is_terminal
    with Progress(*columns, TimeElapsedColumn(), console=console, disable=quiet) as bar:
        progress = bar.add_task("tasks", total=2 * len(found.tasks))
        for number, task in enumerate(found.tasks):
            bar.update(progress, description=f"{task}: repeating")
            gathered.items += repeats(run, pair, number, task, space, gathered, seed)
            bar.advance(progress)
        for number, task in enumerate(found.tasks):
            bar.update(progress, description=f"{task}: provoking")
            items = list(provocations(run, pair, number, gathered, space))
            judged = answers(pair, task, gathered.traces[number], described, declared)
            gathered.items += complete(task, [*items, *judged], number in gathered.plans)
            bar.advance(progress)
    if found.left_out:
        left = ", ".join(str(task) for task in found.left_out)
        gathered.notes.append(f"{len(found.left_out)} more tasks were found and not flown: {left}")
    return gathered


def repeats(
    run: RunConfig,
    pair: ProcessPair,
    number: int,
    task: Task,
    space: Space,
    gathered: ContractObservations,
    seed: SeedUse,
) -> Iterator[Item]:
    """Fly one task's history in both processes, and compare; without items where an episode was lost."""
    flown = gathered.traces.setdefault(number, [])
    if pair.uneven and (gone := pair.renew()) is not None:
        gathered.notes.append(f"{task}: not flown, the server gives no session any more: {gone}")
        return
    plan = make_plan(task, space, run.seed, run.map.seeds, run.map.steps)
    connections = [c for c in (pair.first, pair.second) if c is not None]
    steps = run.map.steps
    histories: list[dict[str, Trace]] = []
    for connection in connections:
        plan, first = first_flight(connection, plan)
        if not histories and first.failure is None:
            steps = affordable(first, run.map.budget_s, steps, len(connections))
        history = {} if first.failure else fly_history(connection, plan.shortened(steps))
        histories.append(history)
        flown += [first, *history.values()]
        if any(trace.failure is not None for trace in (first, *history.values())):
            refuse_full(flown)
            pair.uneven = True
            return
    if steps < run.map.steps:
        gathered.notes.append(f"{task}: slow, so its flights were cut to {steps} steps")
    gathered.plans[number] = plan = plan.shortened(steps)
    one, two = histories[0], histories[1] if len(histories) > 1 else None
    volatile = find_volatile(one, two)
    for path, seen in volatile.items():
        gathered.notes.append(volatile_note(task, path, seen))
        gathered.volatile.append(
            VolatilePlace(
                task=task.options,
                path=path,
                kind=seen.kind,
                mask=seen.mask,
                columns=seen.columns,
            )
        )
    yield from check_repeats(plan, one, two, seed, volatile)


def volatile_note(task: Task, path: str, found: Volatile) -> str:
    """What a reader should know of a place that holds a clock or a random id."""
    here, there = apart(*found.values)
    return (
        f"{task}: {path} holds {found.kind}: {here!r}, then {there!r} by the same seed and actions; that is left out "
        "where episodes are compared, and a model that reads it reads noise"
    )


def refuse_full(flown: Sequence[Trace]) -> None:
    """A server without a free session says nothing about the environment.

    Raises:
        EnvironmentFailure: It has none.
    """
    for trace in flown:
        if trace.failure is not None and trace.failure.kind == "full":
            raise EnvironmentFailure(f"{trace.failure.message}; free one, and map again")


def provocations(
    run: RunConfig, pair: ProcessPair, number: int, gathered: ContractObservations, space: Space
) -> Iterator[Item]:
    """Fly one task to its ends and past them, with malformed actions, and in a session not reset."""
    if number not in gathered.plans:
        return
    plan, flown = gathered.plans[number], gathered.traces[number]
    budget_s = run.map.budget_s / 2
    sought = find_ends(pair.first, plan, space, run.map.end_steps, budget_s)
    gathered.sought += sought
    flown += sought
    refuse_full(flown)
    yield from check_after_done(pair.first, plan, flown, space)
    yield check_example(pair.first, plan, space, pair.first.schemas.codec())
    item, stretched = check_malformed(pair.first, plan, space, budget_s)
    flown += [trace for trace in stretched if trace.failure is None]
    yield item
    yield check_reconnect(pair.first, plan)


def answers(
    pair: ProcessPair,
    task: Task,
    flown: Sequence[Trace],
    described: Description,
    declared: tuple[float, float] | None,
) -> Iterator[Item]:
    """Judge what one task's flights answered."""
    if not flown:
        yield not_applicable("episode", "not flown: an earlier task lost the server", task)
        return
    yield check_episode(task, flown)
    if any(trace.shots for trace in flown):
        schemas = pair.first.schemas
        yield from check_answers(task, flown, schemas, described.reset_observation, declared)


def complete(task: Task, items: Sequence[Item], flew: bool) -> list[Item]:
    """The items, and one not applicable for each check that the task was lost to."""
    judged = {item.checked.id for item in items}
    lost = "not flown: the task's episodes were lost"
    rest = () if flew else (check for check in PER_TASK if check not in judged)
    return [*items, *(not_applicable(check, lost, task) for check in rest)]
