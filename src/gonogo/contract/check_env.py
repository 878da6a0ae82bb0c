"""gonogo map: what an environment is, and whether it keeps its contract.

It leaves ``map.json``, ``map.md`` and ``map_witnesses.jsonl``, the flights that prove a broken contract, for
``gonogo replay``. Reading source is welcome, running the environment decides: every item of the contract rests on
flights, in two processes where the target allows it. GO needs a contract that holds
and a card without gaps; a proven failure is NO-GO; what could not be seen or flown is HOLD, and named.

First the histories of all tasks are flown, in both processes alike, because a comparison needs equal pasts; then, in
the first process, what disturbs: the ends and beyond, malformed actions, sessions that were never reset.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from gonogo.config import RunConfig
from gonogo.contract.card import (
    action_part,
    limit_of_turns,
    markdown,
    model_part,
    observation_fields,
    print_map,
    reset_part,
    reward_part,
    state_fields,
    step_part,
    tasks_part,
    terminal_part,
    unknown,
)
from gonogo.contract.determinism import Rotation, apart, check_repeats, find_volatile
from gonogo.contract.findings import (
    CHECKS,
    NOTHING,
    WITNESSES,
    Item,
    findings,
    not_applicable,
    worst,
)
from gonogo.contract.packaging import check_client, declared_range, manifest_of, read_packaging
from gonogo.contract.placing import ProofPlacing
from gonogo.contract.prose import step_costs
from gonogo.contract.provocations import (
    after_done_item,
    check_after_done,
    check_example,
    check_malformed,
    check_reconnect,
    check_task_api,
    check_tools,
    find_ends,
    up_to_the_end,
)
from gonogo.contract.responses import check_answers, check_episode
from gonogo.contract.rotation import (
    fly_turns,
    opens_elsewhere,
    rotation_seen,
    rotation_told,
)
from gonogo.contract.seeds import FIXED, SeedUse, nothing_drawn, seed_use
from gonogo.contract.source import Source, read_source
from gonogo.contract.sources import Sources, prose_of
from gonogo.contract.tasks import GUESSED, GUESSES, NUMBERED, Discovery, Task, discover
from gonogo.contract.trajectories import (
    FEWEST_STEPS,
    HistoryPlan,
    ProcessPair,
    Trace,
    affordable,
    first_flight,
    fly,
    fly_history,
    make_plan,
)
from gonogo.env.acceptance import Acceptances, acceptances
from gonogo.env.environment import Env
from gonogo.env.target import FolderTarget, Target
from gonogo.errors import EnvironmentFailure, TargetError
from gonogo.records.contract import (
    ContractItem,
    ContractReport,
    ItemEvidence,
    VolatilePlace,
)
from gonogo.records.files import MOST_NAMED, write_text
from gonogo.records.findings import Finding, accepted_of
from gonogo.records.inspection import CodePlace, Description
from gonogo.records.provenance import SourceHash, provenance
from gonogo.records.record import Verdict
from gonogo.records.tables import task_text
from gonogo.records.terminal import Terminal
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import Space, choices_of
from gonogo.rollouts.types import Inspection
from gonogo.rollouts.volatile import Volatile
from gonogo.rollouts.watch import Heartbeat, Watch
from gonogo.wire import Tool

PAGE = "map.md"
PER_TASK = (
    "reward_numeric", "reward_finite", "reward_range", "observation_schema", "state_contract",
    "seed_control", "determinism_same_session", "determinism_new_session", "determinism_new_process",
    "isolation_sessions", "isolation_episodes", "example", "after_done", "malformed_actions",
    "silent_reconnect",
)  # fmt: skip
"""Checks that every task that flies gets an answer to."""
NO_TASK = "no such task"
"""A text that names none."""
WORD = re.compile(r"[a-z]+")
LEVELS = frozenset(
    {
        "easy",
        "medium",
        "hard",
        "expert",
        "beginner",
        "intermediate",
        "advanced",
        "low",
        "high",
        "normal",
        "level",
        "difficulty",
    }
)
"""Words that name a level, or a number of one; how hard an episode is may not show in a short flight."""
MOST_OTHERS = 3
"""Other tasks after whose reset a proof is looked for that a fresh process does not show."""
LOST, LATE = "not flown: the task's episodes were lost", "not flown in the time"


def run(run: RunConfig, watch: Watch | None = None) -> Verdict:
    """The verdict of :func:`check_env`."""
    return check_env(run, Env.of(run), watch).verdict


def check_env(run: RunConfig, env: Env, watch: Watch | None = None) -> ContractReport:
    """Map the target, write the record and the page, print both tables.

    Args:
        run: The config; its ``map`` says how much is flown.
        env: The environment; it is flown in processes of the map's own.
        watch: When it is to end; None for the end that ``map.minutes`` sets.

    Returns:
        The record; it is GO where the card has no gap and the contract holds, NO-GO where an item of the contract
        fails, HOLD where something could not be seen or flown.

    Raises:
        TargetError: There is no environment at the target.
        EnvironmentFailure: It could not be started, or a server has no session left.
    """
    _ = env.source  # as it is before anything flies
    watch = watch or Watch(60 * run.map.minutes)
    with closing(ProcessPair(env)) as pair:
        report, proofs = describe(run, env, pair, watch)
        cut_off = pair.cut_off
    if cut_off and report.verdict is Verdict.NO_GO:
        try:
            report, proofs = once_more(run, env, report.reason, watch)
        except (EnvironmentFailure, TargetError) as gone:
            # Then the flight that it ended in is the last word.
            note = f"the server has not come back; if you ended it, map again: {gone}"
            report = noting(report, note)
    report.save(run.out)
    write_text(run.out / WITNESSES, "".join(f"{proof.to_json()}\n" for proof in proofs))
    write_text(run.out / PAGE, markdown(report))
    print_map(report, Terminal())
    # With what was found of the source's data when it was written.
    return ContractReport.load(run.out)


def noting(report: ContractReport, note: str) -> ContractReport:
    """A map with one note more."""
    return report.model_copy(update={"notes": (*report.notes, note)})


def once_more(
    run: RunConfig, env: Env, why: str, watch: Watch
) -> tuple[ContractReport, list[Episode]]:
    """The map of a server whose socket broke, made again: what is the environment's doing comes back.

    Args:
        run: The config.
        env: The server.
        why: What failed the first time.
        watch: When it is to end.

    Raises:
        EnvironmentFailure: The server has not come back.
        TargetError: Nothing answers where it was.
    """
    with closing(ProcessPair(env)) as pair:
        report, proofs = describe(run, env, pair, watch)
    said = "the server's socket broke, so that it was mapped twice; the first time"
    return noting(report, f"{said}: {why}"), proofs


def describe(
    run: RunConfig, env: Env, pair: ProcessPair, watch: Watch
) -> tuple[ContractReport, list[Episode]]:
    """The map, and the episodes that prove its findings."""
    target, described = env.target, pair.describe()
    manifest = manifest_of(target)
    sources, source = Sources.of(target), find_source(target, described)
    given, most = run.map.reset, run.map.tasks
    found = discover(described, manifest, given, most, sources.literals, source)
    space = Space(pair.first.schemas.action, described.tools)
    seed = seed_use(described, source, len(found.tasks), pair.first.schemas.action)
    declared = declared_range(manifest)
    prose = prose_of(source, described.code, target)
    costs = costs_told(prose, space, described.tools)
    seed = replace(seed, fixed=nothing_drawn(prose), turns=rotation_told(prose))
    flights = ContractFlights(run, pair, described, space, declared, seed, sources, costs, watch)
    flights.fly(found)
    found = flights.without_guesses(found)
    server_file = source.name_of(described.code.environment.file if described.code else None)
    items = [
        *flights.items,
        check_client(target, server_file, run.rollout.startup_s, watch),
        check_tools(described.tools),
        *check_task_api(pair.first, described),
    ]
    checked = tuple(item.checked for item in items)
    traces = [trace for flown in flights.traces.values() for trace in flown]
    terminal = terminal_part(source, traces, limit_of_turns(run, traces, flights.sought))
    reward = reward_part(described, source, traces, declared)
    gaps = (*unknown(target, terminal, reward, source, found), *flights.late)
    known = acceptances(target)
    found_broken, proofs = findings(run, items)
    broken = known.over(found_broken)
    verdict, reason = judge(checked, gaps, broken)
    schemas = pair.first.schemas
    return ContractReport(
        target=run.target,
        environment=env.name,
        source_hash=env.source,
        reward_hash=env.reward_hash,
        seed=run.seed,
        verdict=verdict,
        reason=reason,
        metadata=described.metadata,
        reset=reset_part(described, source, traces),
        step=step_part(described, source, traces),
        action=action_part(space, described.tools, sources.literals),
        observation=observation_fields(schemas.observation, traces),
        state=state_fields(schemas.state, traces),
        model=model_part(schemas.codec(), traces),
        terminal=terminal,
        reward=reward,
        tasks=tasks_part(described, found),
        manifest=manifest or None,
        packaging=read_packaging(target),
        unknown=gaps,
        contract=tuple(worst(checked)),
        items=checked,
        findings=broken,
        volatile=tuple(flights.volatile),
        notes=(
            *known.notes(broken),
            *found.notes,
            *flights.notes,
            *pair.notes,
            *fixed_notes(checked),
            *source_notes(env.source),
        ),
        config=run.model_dump(mode="json", include={"rollout", "map"}),
        **provenance(),
    ), proofs


def costs_told(prose: str, space: Space, tools: Sequence[Tool]) -> dict[str, int]:
    """How many steps actions are said to cost, by their names: choices of the schema, and tools.

    Args:
        prose: What README, docstrings and comments say.
        space: The actions; what their fields are described by counts, too.
        tools: Tools, whose descriptions speak of them.
    """
    leaves, called = space.leaves(), {str(tool["name"]): tool for tool in tools}
    choices = (each for leaf in leaves for form in leaf.options for each in choices_of(form))
    names = [each for each in choices if isinstance(each, str)]
    fields = (str(leaf.schema.get("description") or "") for leaf in leaves)
    calls = (f"{name}: {tool.get('description') or ''}" for name, tool in called.items())
    said = [prose, *fields, *(" ".join(call.split()) for call in calls)]
    return step_costs("\n\n".join(said), [*names, *called])


def accepting(report: ContractReport, known: Acceptances) -> ContractReport:
    """A map with what its author accepts by now, and the verdict that follows."""
    findings = known.over(report.findings)
    if findings == report.findings:
        return report
    verdict, reason = judge(report.items, report.unknown, findings)
    return report.model_copy(update={"findings": findings, "verdict": verdict, "reason": reason})


def judge(
    items: Sequence[ContractItem], unknown: Sequence[str], findings: Sequence[Finding] = ()
) -> tuple[Verdict, str]:
    """The verdict and its reason; what is accepted does not count.

    Args:
        items: The contract's.
        unknown: What of the card is not known, as sentences.
        findings: What the failing ones prove.
    """
    accepted = {(f.id, repr(f.task)) for f in findings if f.accepted is not None}
    items = [item for item in items if (item.finding or "", repr(item.task)) not in accepted]
    beside = f"; accepted: {accepted_of(findings)}" if accepted else ""
    failing = [item for item in worst(items) if item.verdict == "fail"]
    if failing:
        said = "; ".join(f"not so that {CHECKS[item.id]}: {item.said}" for item in failing[:3])
        more = f"; and {len(failing) - 3} more" if len(failing) > 3 else ""
        return Verdict.NO_GO, f"{said}{more}{beside}"
    grounded = [item.said for item in items if item.id == "episode" and item.verdict == "na"]
    flown = any(item.id == "episode" and item.verdict == "pass" for item in items)
    unclear = [item.said for item in items if item.evidence.unclear]
    missing = [*unknown, *unclear, *([] if flown else grounded or ["no episode could be flown"])]
    if missing:
        return Verdict.HOLD, f"what was seen holds; not known: {'; '.join(missing)}{beside}"
    return Verdict.GO, f"the card has no gap and the contract holds{beside}"


def fixed_notes(items: Iterable[ContractItem]) -> Iterator[str]:
    """That a seed decides nothing because there is nothing to decide, which is no fault."""
    for item in items:
        if item.id == "seed_control" and item.verdict == "na" and FIXED in item.said:
            yield f"{task_text(item.task or {})}: {item.said}"


def source_notes(made_of: str | None) -> Iterator[str]:
    """What of the folder is no part of the environment's source, and why."""
    if not isinstance(made_of, SourceHash):
        return
    if made_of.left_out is not None:
        yield made_of.left_out
    if changed := made_of.changed():
        more = f" and {len(changed) - MOST_NAMED} more" if len(changed) > MOST_NAMED else ""
        named = f"{', '.join(changed[:MOST_NAMED])}{more}"
        yield f"changed while it ran, and so no part of its source: {named}"


def find_source(target: Target, described: Description) -> Source:
    """The environment's source, its own class's file first; empty over a URL."""
    code = described.code
    places: list[CodePlace] = []
    if code is not None:
        places = [code.environment, code.reset, code.step, code.action, code.observation]
        places += code.environment.classes
    files = [Path(place.file) for place in places if place.file]
    if isinstance(target, FolderTarget):
        return read_source(target.folder, [f for f in files if f.is_relative_to(target.folder)])
    return read_source(None, files)


@dataclass(slots=True)
class ContractFlights:
    """The flights of a map, task by task, and what they gave.

    Attributes:
        run: The config.
        pair: The processes.
        described: What the environment says of itself.
        space: The actions.
        declared: The reward's range in the manifest, or None.
        seed: What the signature and the code say of the reset's seed.
        sources: What README, source and manifest say.
        costs: How many steps an action is said to cost, by its name, where that is not one; 0 where it takes some back.
        watch: When they are to end.
        items: The contract's items, so far.
        traces: Every flight, by the task's place among the tasks.
        plans: How each task is flown, for those whose history could be.
        sought: The flights that looked for an end, of all tasks.
        notes: What a reader should know beside.
        volatile: Places of clocks and random ids, each with its task.
        late: What was not reached in the time, as sentences.
        wrong: Places of the tasks that only words name, and that the reset raises on: they are none.
        meant: The tasks that are flown in the place of others: the same name by another of the reset's parameters.
        clocks: Places of each task's clocks and random ids.
        flies: What flies now.
    """

    run: RunConfig
    pair: ProcessPair
    described: Description
    space: Space
    declared: tuple[float, float] | None
    seed: SeedUse
    sources: Sources
    costs: Mapping[str, int]
    watch: Watch = field(default_factory=Watch)
    items: list[Item] = field(default_factory=list)
    traces: dict[int, list[Trace]] = field(default_factory=dict)
    plans: dict[int, HistoryPlan] = field(default_factory=dict)
    sought: list[Trace] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    volatile: list[VolatilePlace] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    wrong: set[int] = field(default_factory=set)
    meant: dict[int, Task] = field(default_factory=dict)
    clocks: dict[int, dict[str, Volatile]] = field(default_factory=dict)
    flies: str = ""

    @property
    def said(self) -> str:
        """How far they are and what is broken so far, on one line."""
        items = [*self.items]
        broken = dict.fromkeys(i.checked.finding for i in items if i.checked.finding is not None)
        parts = [f"map, {self.watch.shown}", *([self.flies] if self.flies else [])]
        return "; ".join([*parts, f"broken so far: {', '.join(broken) or 'nothing'}"])

    def seconds(self, parts: int) -> float:
        """How long the next of some parts may fly, if each of them gets as much of the time."""
        return min(self.run.map.budget_s, self.watch.left / parts)

    def fly(self, found: Discovery) -> None:
        """Fly every task and judge what it answered.

        Args:
            found: The tasks.

        Raises:
            EnvironmentFailure: The environment could not be started again, or a server has no session left.
        """
        columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()
        console = Terminal(stderr=True)
        quiet = not console.is_terminal
        with (
            closing(Heartbeat(lambda: self.said, console, self.watch)),
            Progress(*columns, TimeElapsedColumn(), console=console, disable=quiet) as bar,
        ):
            parts = 2 * len(found.tasks)
            progress = bar.add_task("tasks", total=parts)
            for number, task in enumerate(found.tasks):
                self.flies = f"{task}: repeating"
                bar.update(progress, description=self.flies)
                if number not in self.wrong and (number == 0 or not self.watch.out):
                    task = self.begun(number, task)
                    same = {n for n, each in enumerate(found.tasks) if each.options == task.options}
                    # By the option that takes it, it may be another of them; one that is only guessed gives way.
                    guessed = {n for n in same if n > number and found.tasks[n].source in GUESSES}
                    self.wrong |= guessed if same <= {number, *guessed} else {number}
                    if number not in self.wrong:
                        self.items += self.repeats(number, task, self.seconds(parts - number))
                bar.advance(progress)
            for number, named in enumerate(found.tasks):
                task = self.meant.get(number, named)
                self.flies = f"{task}: provoking"
                bar.update(progress, description=self.flies)
                if number in self.wrong:
                    bar.advance(progress)
                    continue
                late = self.watch.out
                provoked = (
                    () if late else self.provocations(number, self.seconds(parts // 2 - number))
                )
                items = [*provoked, *self.answers(number, task)]
                items = [self.in_fresh_process(number, task, item) for item in items]
                flew = number in self.plans and not late
                self.items += complete(task, items, flew, LATE if late else LOST)
                self.late += [f"the ends of {task}: the time was over"] if late else []
                bar.advance(progress)
        if found.left_out:
            left = ", ".join(str(task) for task in found.left_out)
            self.notes.append(f"{len(found.left_out)} more tasks were found and not flown: {left}")

    def without_guesses(self, found: Discovery) -> Discovery:
        """What was found as it was flown, without the tasks that are none: words name them, and the reset raises."""
        flown = ((n, self.meant.get(n, task)) for n, task in enumerate(found.tasks))
        tasks = tuple(task for n, task in flown if n not in self.wrong)
        # Where none is left, what a reset takes is asked for.
        asked = (
            ()
            if tasks
            else (name for task in found.tasks for name in task.options if name != "seed")
        )
        missing = tuple(dict.fromkeys([*found.missing, *asked]))
        return replace(found, tasks=tasks, missing=missing)

    def begun(self, number: int, task: Task) -> Task:
        """A task by that of its options which the reset takes: itself where it takes the first, or none."""
        if not task.instead or (self.pair.uneven and self.pair.renew() is not None):
            return task
        for options in (task.options, *task.instead):
            tried = replace(task, options=options)
            plan = make_plan(tried, self.space, self.run.seed, self.run.map.seeds, FEWEST_STEPS)
            both = [c for c in (self.pair.first, self.pair.second) if c is not None]
            began = [
                first_flight(connection, plan)[1] for connection in both
            ]  # their pasts stay equal
            if not all(map(raised_at_reset, began)):
                self.pair.uneven = any(trace.failure is not None for trace in began)
                if options != task.options:
                    self.notes.append(f"{task}: its reset refuses that, and takes {tried}")
                    self.meant[number] = tried
                return tried
        return task

    def repeats(self, number: int, task: Task, budget_s: float) -> Iterator[Item]:
        """Fly one task's history in both processes, and compare; without items where an episode was lost."""
        pair, limits = self.pair, self.run.map
        flown = self.traces.setdefault(number, [])
        if pair.uneven and (gone := pair.renew()) is not None:
            self.notes.append(f"{task}: not flown, the server gives no session any more: {gone}")
            return
        plan = make_plan(task, self.space, self.run.seed, limits.seeds, limits.steps)
        connections = [c for c in (pair.first, pair.second) if c is not None]
        steps = limits.steps
        histories: list[dict[str, Trace]] = []
        for connection in connections:
            other = fly_no_task(connection, plan) if task.source in GUESSES else None
            plan, first = first_flight(connection, plan)
            if other is not None and is_alike(task, first, other):
                self.wrong.add(number)
                same = "without it" if task.source == NUMBERED else "another text"
                self.notes.append(f"{task}: no task, for {same} gives the same episode")
                self.traces.pop(number)
                pair.uneven = True
                return
            if not histories and first.failure is None:
                steps = affordable(first, budget_s, steps, len(connections))
            history = (
                {} if first.failure else fly_history(connection, plan.shortened(steps), self.watch)
            )
            if (said := no_task(task, first, history)) is not None:
                self.wrong.add(number)
                self.notes.append(f"{task}: no task{said}")
                self.traces.pop(number)
                pair.uneven = True
                return
            histories.append(history)
            beside = history.get("beside")
            # What another session makes of an episode is no reset of its own.
            whole = [t for t in history.values() if t is not beside or not beside.replaced]
            flown += [replace(trace, before=()) for trace in (first, *whole)]
            if any(trace.failure is not None for trace in (first, *whole)):
                refuse_full(flown)
                pair.uneven = True
                return
        if self.watch.out:  # what was cut is compared with nothing
            return
        if steps < limits.steps:
            self.notes.append(f"{task}: slow, so its flights were cut to {steps} steps")
        self.plans[number] = plan = plan.shortened(steps)
        one, two = histories[0], histories[1] if len(histories) > 1 else None
        self.clocks[number] = volatile = find_volatile(one, two)
        for path, seen in volatile.items():
            self.notes.append(volatile_note(task, path, seen))
            known = VolatilePlace(
                task=task.options, path=path, kind=seen.kind, mask=seen.mask, columns=seen.columns
            )
            self.volatile.append(known)
        rotation = self.rotation(number, one, volatile)
        yield from check_repeats(plan, one, two, self.seed, volatile, rotation)

    def rotation(
        self, number: int, first: dict[str, Trace], volatile: dict[str, Volatile]
    ) -> Rotation | None:
        """What episodes of a session differ by, if their resets open otherwise: flown in both processes alike."""
        plan = self.plans[number]
        if not opens_elsewhere(first, volatile):
            return None
        connections = [c for c in (self.pair.first, self.pair.second) if c is not None]
        turned = [fly_turns(connection, plan) for connection in connections]
        self.pair.uneven |= any(t.failure is not None for each in turned for t in each.values())
        return rotation_seen(first, turned, self.seed.turns, volatile)

    def provocations(self, number: int, budget_s: float) -> Iterator[Item]:
        """Fly one task to its ends and past them, with malformed actions, and in a session not reset."""
        if number not in self.plans:
            return
        first, space, limits = self.pair.first, self.space, self.run.map
        plan, flown = self.plans[number], self.traces[number]
        first.renew([0])  # what a reset to another task left in the instance is not this one's
        sought = find_ends(first, plan, space, limits.end_steps, budget_s / 2)
        self.sought += sought
        flown += sought
        refuse_full(flown)
        yield from check_after_done(first, plan, flown, space, totals=self.totals)
        written = self.sources.actions
        yield check_example(first, plan, space, first.schemas.codec(), written, budget_s / 4)
        item, stretched = check_malformed(first, plan, space, budget_s / 2)
        flown += [trace for trace in stretched if trace.failure is None]
        yield item
        if first.schemas.names_episodes:
            yield self.reconnect(first, plan)
        else:
            said = "the environment is not OpenEnv's: it has no sessions that could be lost"
            yield not_applicable("silent_reconnect", said, plan.task)

    def in_fresh_process(self, number: int, task: Task, item: Item) -> Item:
        """An item as a process that flew nothing shows it; as it is where none can be started, or no time is left.

        Its search takes half of the time that is left at most, so that the next one has some, too.

        Args:
            number: The task's place.
            task: It.
            item: The item.
        """
        if item.proof is None or not self.pair.starts:
            return item
        # What the process was reset to before: another task, and another seed of its own.
        others = [plan.options() for n, plan in self.plans.items() if n != number][-MOST_OTHERS:]
        own = self.plans.get(number)
        others += [] if own is None else [own.options(1)]
        past = [(options,) for options in others if options != item.proof.trace.options]

        def judge(check: str, trace: Trace) -> Iterator[Item]:
            return self.judge_again(task, check, trace)

        watch = self.watch.within(self.watch.left / 2)
        placing = ProofPlacing(self.pair.start, self.clocks.get(number, {}), judge, past, watch)
        return placing.place(item)

    def judge_again(self, task: Task, check: str, trace: Trace) -> Iterator[Item]:
        """What a check says of one flight alone.

        Args:
            task: The task.
            check: The check's id.
            trace: The flight.
        """
        schemas, at_reset = self.pair.first.schemas, self.described.reset_observation
        if check == "after_done":
            yield after_done_item(task, trace, totals=self.totals)
        elif check == "episode":
            yield check_episode(task, [trace])
        elif trace.shots:
            flown = [up_to_the_end(trace)]
            yield from check_answers(task, flown, schemas, at_reset, self.declared, self.costs)

    @property
    def totals(self) -> bool:
        """Whether rewards are documented as running totals: one given in the environment's place is not meant there."""
        return self.run.reward is None and self.sources.pay.total is not None

    def reconnect(self, first: Inspection, plan: HistoryPlan) -> Item:
        """Whether a lost session shows; where it does not, as a process shows it that flew nothing before.

        Sessions that share an instance share what earlier resets left in it, too, and a reader's has none of them.
        """
        item = check_reconnect(first, plan)
        fresh = self.pair.fresh() if item.finding is not None else None
        if fresh is None:
            return item
        with closing(fresh):
            return check_reconnect(fresh, plan)

    def answers(self, number: int, task: Task) -> Iterator[Item]:
        """Judge what one task's flights answered."""
        flown = self.traces.get(number)
        if not flown:
            if flown is None:
                yield not_applicable("episode", LATE, task, ItemEvidence(late=True))
            else:
                said = "not flown: an earlier task lost the server"
                yield not_applicable("episode", said, task)
            return
        yield check_episode(task, flown)
        if any(trace.shots for trace in flown):
            schemas, at_reset = self.pair.first.schemas, self.described.reset_observation
            yield from check_answers(task, flown, schemas, at_reset, self.declared, self.costs)


def fly_no_task(connection: Inspection, plan: HistoryPlan) -> Trace | None:
    """A first flight with a text that names no task, or without the number of one, in the place of what is flown.

    None of what is called a level, which may show late, and of numbers that the code names.

    Args:
        connection: Where to.
        plan: How the task is flown.
    """
    named = plan.task.options
    words = {word for said in named.values() for word in WORD.findall(str(said).lower())}
    texts = all(isinstance(said, str) for said in named.values())
    if plan.task.source == NUMBERED:
        words = {word for name in named for word in WORD.findall(name.lower())}
    if LEVELS & words or not (texts or plan.task.source == NUMBERED):
        return None
    connection.renew([0])
    other = {name: value for name, value in plan.options().items() if name not in named}
    other |= dict.fromkeys(named, NO_TASK) if texts else {}
    return fly(connection, 0, other, plan.scripts[0])


def is_alike(task: Task, flown: Trace, other: Trace) -> bool:
    """Whether a flight shows and pays what one without its task does, but for the text that stands in its place.

    Args:
        task: What the first was flown with.
        flown: It.
        other: The other one.
    """
    here, there = (
        json.dumps([[s.answer.observation, s.answer.reward, s.answer.done] for s in trace.shots])
        for trace in (flown, other)
    )
    for said in task.options.values():
        here = here.replace(json.dumps(said)[1:-1], NO_TASK) if isinstance(said, str) else here
    return bool(flown.shots) and here == there


def no_task(task: Task, first: Trace, history: Mapping[str, Trace]) -> str | None:
    """Why what is only guessed is no task: a reset refuses it, or all actions of a number's flight are refused.

    Args:
        task: What is flown.
        first: Its first flight.
        history: The others.

    Returns:
        It, after the task's name; None where it may be one.
    """
    refused = next(filter(raised_at_reset, (first, *history.values())), None)
    if task.source in GUESSES and refused is not None:
        named = ", though words name it" if task.source == GUESSED else ""
        return f"{named}: {refused.failure.message if refused.failure else ''}"
    actions = first.shots[1:]
    in_vain = bool(actions) and all(shot.refused for shot in actions)
    return ": all actions are refused" if task.source == NUMBERED and in_vain else None


def raised_at_reset(trace: Trace) -> bool:
    """Whether the environment itself refused to begin an episode."""
    return trace.failure is not None and trace.failure.kind == "raised" and not trace.shots


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


def complete(task: Task, items: Sequence[Item], flew: bool, why: str = LOST) -> list[Item]:
    """The items, and one not applicable for each check that the task was lost to, or that the time was over for."""
    judged = {item.checked.id for item in items}
    rest = () if flew else (check for check in PER_TASK if check not in judged)
    evidence = ItemEvidence(late=True) if why == LATE else NOTHING
    return [*items, *(not_applicable(check, why, task, evidence) for check in rest)]
