"""The environment's card: what it is, from its schemas, its source and its flights; and the map's tables.

A part that could not be seen is named by :func:`unknown`, in a sentence that says what would show it. What a model is
told and sees is part of it; nobody else who decides is shown more: reference policies and the audit's get the same
fields. The tables, the same in the terminal and in ``map.md``, are made from the record and from nothing else.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from rich.console import Console

from gonogo.config import RunConfig
from gonogo.contract.findings import CHECKS
from gonogo.contract.literals import Literals
from gonogo.contract.packaging import unseen
from gonogo.contract.source import Source
from gonogo.contract.tasks import Discovery, Task
from gonogo.contract.trajectories import Shot, Trace, recordable
from gonogo.env.target import Target
from gonogo.records.contract import (
    ActionInterface,
    ComponentSource,
    ContractReport,
    DescribedField,
    EpisodeEnding,
    EpisodeEnds,
    EpisodeLimit,
    HiddenField,
    MappedTask,
    MappedTasks,
    MethodCode,
    ModelView,
    ResetExample,
    ResetInterface,
    RewardSource,
    SourcePlace,
    StepEffect,
)
from gonogo.records.findings import MENDS
from gonogo.records.inspection import Description, RubricNode, TaskSplit
from gonogo.records.tables import TextTable, cut, print_sheets, task_text
from gonogo.records.tables import markdown as page
from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.episodes import read_components, read_success
from gonogo.rollouts.pictures import without_pictures
from gonogo.rollouts.schema import describe_schema, rooted
from gonogo.rollouts.space import Space
from gonogo.wire import JsonSchema, JsonValue, Observation, State, TaskOptions, Tool

SHOWN_TASKS = 5
ROOM, STEP = 1.25, 16
"""The limit of turns lies so far above the longest end that was seen, and is a multiple of so many."""
SEEN_CHARS = 20_000
"""Of the first observation, in the record."""
LINES, LINE_CHARS = 40, 600
"""Of a text, in a table."""
MORE = re.compile(r"… and \d+ more")
MOST_PLACES, MOST_LISTED = 6, 40
SHOWN_CHARS = 160
VERDICTS = {"pass": "pass", "fail": "FAIL", "na": "n/a"}


def unknown(
    target: Target, terminal: EpisodeEnds, reward: RewardSource, source: Source, found: Discovery
) -> Iterator[str]:
    """What is not known, each as a sentence with what would show it."""
    hidden = unseen(target)
    if not source:
        yield f"where the code decides the end and the reward ({hidden or 'no source is readable'})"
    else:
        if not terminal.places and not terminal.ended:
            yield "when an episode ends: none did, and no line of the code names an end"
        if not reward.places and not reward.rubric:
            yield "where the reward is computed: no line of the code names one"
    if hidden is not None:
        yield f"manifest, client and packaging ({hidden})"
    for name in found.missing:
        yield f"what to give reset for its parameter {name}: give --reset {name}=VALUE"


def reset_part(described: Description, source: Source, traces: Sequence[Trace]) -> ResetInterface:
    """What a reset takes and initialises."""
    begun = next((trace for trace in traces if trace.shots), None)
    return ResetInterface(
        parameters=described.reset.parameters if described.reset else None,
        open=described.reset.open if described.reset else None,
        code=source.method(described.code.reset) if described.code else None,
        example=None
        if begun is None
        else ResetExample(
            options=recordable(begun.options),
            observation=recordable(begun.shots[0].answer.observation),
        ),
    )


def step_part(described: Description, source: Source, traces: Sequence[Trace]) -> StepEffect:
    """What one step does: what it sets, and which fields of the observation changed with one."""
    changed: Counter[str] = Counter()
    steps = 0
    for trace in traces:
        for before, after in pairwise(trace.shots):
            if not after.refused:
                steps += 1
                old, new = before.answer.observation, after.answer.observation
                changed.update(key for key in new if old.get(key) != new[key])
    code = source.method(described.code.step) if described.code else None
    return StepEffect(code=code, steps=steps, changed=dict(changed.most_common()))


def action_part(space: Space, tools: Sequence[Tool], literals: Literals) -> ActionInterface:
    """What an action holds; of a field whose schema names no choices also what the code looks among.

    Args:
        space: The actions.
        tools: The tools of an MCP environment.
        literals: What the code names.
    """
    fields = tuple(space.describe())
    found = {f.name: literals.lists.get(f.name, []) for f in fields if f.choices is None}
    listed = {
        name: tuple(dict.fromkeys(text for texts in lists for text in texts))[:MOST_LISTED]
        for name, lists in found.items()
        if lists
    }
    return ActionInterface(fields=fields, tools=tuple(tools), listed=listed)


def observation_fields(schema: JsonSchema, traces: Sequence[Trace]) -> tuple[DescribedField, ...]:
    """The observation's fields: words, description, the last value seen."""
    seen: Observation = {}
    for shot in shots_of(traces):
        seen |= shot.answer.observation
    return described_fields(dict(properties(schema)), schema, seen)


def state_fields(schema: JsonSchema, traces: Sequence[Trace]) -> tuple[DescribedField, ...]:
    """The state's fields, those that the schema does not name included."""
    seen: State = {}
    for shot in shots_of(traces):
        seen |= shot.state or {}
    named = dict(properties(schema))
    rest: dict[str, JsonSchema] = {name: {} for name in seen if name not in named}
    return described_fields({**named, **rest}, schema, seen)


def shots_of(traces: Sequence[Trace]) -> Iterator[Shot]:
    """Every answer of some flights."""
    return chain.from_iterable(trace.shots for trace in traces)


def properties(schema: JsonSchema) -> Iterator[tuple[str, JsonSchema]]:
    """The fields of a schema that are not OpenEnv's envelope."""
    for name, field in rooted(schema).get("properties", {}).items():
        if name not in {"done", "reward", "metadata"}:
            yield name, field


def described_fields(
    fields: dict[str, JsonSchema], schema: JsonSchema, seen: Observation | State
) -> tuple[DescribedField, ...]:
    """Fields by name, each with the last value seen."""
    return tuple(
        DescribedField(
            name=name,
            words=describe_schema(field, schema) if field else "not in the schema",
            description=field.get("description"),
            example=recordable(without_pictures(seen.get(name))),
        )
        for name, field in fields.items()
    )


def terminal_part(source: Source, traces: Sequence[Trace], limit: EpisodeLimit) -> EpisodeEnds:
    """Which ends were seen, and where the code decides them."""
    ended = [trace for trace in traces if trace.done]
    lasts = [trace.shots[-1].answer for trace in ended]
    kinds = Counter((read_success(a), a.metadata.get("timeout") is True) for a in lasts)
    lengths = [len(trace.actions) for trace in ended]
    return EpisodeEnds(
        ended=len(ended),
        flown=len(traces),
        steps=(min(lengths), max(lengths)) if lengths else None,
        ends=tuple(
            EpisodeEnding(success=success, timeout=timeout, episodes=count)
            for (success, timeout), count in kinds.most_common()
        ),
        places=tuple(source.ends()) if source else None,
        **dict(limit),
    )


def limit_of_turns(
    run: RunConfig, traces: Sequence[Trace], sought: Sequence[Trace]
) -> EpisodeLimit:
    """After how many turns the stations that follow end an episode themselves.

    Args:
        run: The config; a limit that it gives stands.
        traces: Everything that was flown.
        sought: The flights that looked for an end.
    """
    given = "max_turns" in run.rollout.model_fields_set
    longest = max((len(trace.actions) for trace in traces if trace.done), default=None)
    limit = run.rollout.max_turns
    if given:
        why = "the config's rollout.max_turns"
    elif longest is None:
        why = "no episode was seen to end by itself"
    else:
        limit = max(limit, STEP * math.ceil(ROOM * longest / STEP))
        why = f"the longest end that was seen came after {longest} turns"
    cut = [len(trace.actions) for trace in sought if trace.failure is None and not trace.done]
    return EpisodeLimit(limit=limit, why=why, sought=len(sought), cut=tuple(cut))


def reward_part(
    described: Description,
    source: Source,
    traces: Sequence[Trace],
    declared: tuple[float, float] | None,
) -> RewardSource:
    """The reward's components by name and weight, and where they come from."""
    given = [shot.answer.reward for shot in shots_of(traces)]
    rewards = [float(reward) for reward in given if isinstance(reward, int | float)]
    names = dict.fromkeys(n for shot in shots_of(traces) for n in read_components(shot.answer))
    rubric = described.rubric
    if isinstance(rubric, RubricNode):
        rubric = named_rubric(rubric, source)
    return RewardSource(
        declared=declared,
        seen=(min(rewards), max(rewards)) if rewards else None,
        rubric=rubric,
        breakdown=tuple(ComponentSource(name=name, place=source.key(name)) for name in names),
        places=tuple(source.rewards()) if source else None,
    )


def named_rubric(rubric: RubricNode, source: Source) -> RubricNode:
    """The rubric tree with its files' names as a reader knows them."""
    children = tuple(named_rubric(child, source) for child in rubric.children)
    named = {"file": source.name_of(rubric.file), "children": children}
    return rubric.model_copy(update=named)


def tasks_part(described: Description, found: Discovery) -> MappedTasks:
    """The tasks that were flown and those that were not, and the splits."""
    splits = described.task_api.splits if described.task_api else None
    return MappedTasks(
        flown=mapped_tasks(found.tasks),
        left_out=mapped_tasks(found.left_out),
        splits=None
        if splits is None
        else tuple(
            split.model_copy(update={"preview": tuple(recordable(split.preview[:SHOWN_TASKS]))})
            for split in splits
        ),
    )


def mapped_tasks(tasks: Sequence[Task]) -> tuple[MappedTask, ...]:
    """Tasks as the record holds them."""
    return tuple(MappedTask(options=task.options, source=task.source) for task in tasks)


def model_part(codec: Codec, traces: Sequence[Trace]) -> ModelView:
    """What a model is told and sees first, and what it does not see.

    Args:
        codec: What tells and shows it.
        traces: Everything that was flown.
    """
    told = codec.instructions()
    shots = list(shots_of(traces))
    first = codec.render(shots[0].answer.observation) if shots else None
    out: dict[str, str] = {}
    for shot in shots:
        out |= codec.left_out(shot.answer.observation)
        out |= {f"metadata.{name}": "hidden" for name in shot.answer.metadata}
    hidden = [*out.items(), *(("instructions", said) for said in MORE.findall(told))]
    return ModelView(
        instructions=told,
        first_observation=None if first is None else cut(first, SEEN_CHARS),
        left_out=tuple(HiddenField(field=name, why=why) for name, why in hidden),
    )


def model_sheets(model: ModelView) -> Iterator[TextTable]:
    """The same for a reader, line by line."""
    titles = {
        "What a model is told": model.instructions,
        "What a model sees first": model.first_observation,
    }
    for title, text in titles.items():
        yield TextTable(title, ("text",), [(line,) for line in lines_of(text)])
    rows = [(hidden.field, hidden.why) for hidden in model.left_out]
    yield TextTable("What a model does not see", ("field", "why"), rows)


def lines_of(text: str | None) -> Iterator[str]:
    """The lines of a text, the first of them."""
    if text is None:
        yield "no episode could be flown"
        return
    lines = text.splitlines() or [""]
    for line in lines[:LINES]:
        yield cut(line, LINE_CHARS) or "(nothing)"
    if len(lines) > LINES:
        yield f"… and {len(lines) - LINES} more lines"


def print_map(report: ContractReport, console: Console) -> None:
    """Print the card, the contract, the findings and the verdict."""
    print_sheets(sheets(report), report, console)


def markdown(report: ContractReport) -> str:
    """The map as Markdown."""
    return page(f"Map of {report.environment}", sheets(report), report)


def sheets(report: ContractReport) -> Iterator[TextTable]:
    """Every table of the map."""
    yield TextTable("Card", ("what", "known"), list(card_rows(report)))
    yield TextTable(
        "Action", ("field", "what it takes", "needed", "default"), list(action_rows(report))
    )
    for title, fields in (("Observation", report.observation), ("State", report.state)):
        rows = [(f.name, f.words, shown(f.example), f.description or "") for f in fields]
        yield TextTable(title, ("field", "what it holds", "example", "description"), rows)
    yield from model_sheets(report.model)
    yield TextTable("Reward", ("component", "weight", "where"), list(reward_rows(report.reward)))
    yield TextTable("Contract", ("what holds", "verdict", "evidence"), list(contract_rows(report)))
    found = [
        (
            f.id,
            about(f.task),
            f.explanation,
            f.replay,
            MENDS[f.id] if f.accepted is None else f"accepted: {f.accepted}",
        )
        for f in report.findings
    ]
    heads = "finding", "task", "what happened", "again", "how to mend it"
    yield TextTable("Findings", heads, found)


def card_rows(report: ContractReport) -> Iterator[tuple[str, str]]:
    """The card's lines."""
    yield "target", report.target
    yield "reset", method_text(report.reset.code, "initialises")
    yield "reset takes", parameters_text(report.reset)
    yield "step", method_text(report.step.code, "sets")
    changed = ", ".join(report.step.changed) or "nothing"
    yield "a step changed", f"{changed} (in {report.step.steps} steps)"
    yield "tools", ", ".join(tool["name"] for tool in report.action.tools) or "none"
    yield "ends seen", ends_text(report.terminal)
    yield "turns at most", limit_text(report.terminal)
    yield "ends decided", places_text(report.terminal.places)
    yield "reward", range_text(report.reward)
    yield "reward computed", places_text(report.reward.places)
    yield "splits", splits_text(report.tasks.splits)
    flown = (f"{task_text(task.options)} ({task.source})" for task in report.tasks.flown)
    yield "tasks flown", "; ".join(flown)
    if report.packaging is not None:
        for role, file in report.packaging.files.items():
            yield role, file or "absent"
    for said in report.unknown:
        yield "not known", said


def method_text(code: MethodCode | None, verb: str) -> str:
    """A method: where, what it says, what it sets."""
    if code is None:
        return "its code cannot be seen"
    sets = f"; {verb} {', '.join(code.sets)}" if code.sets else ""
    return f"{code.file}:{code.line} {code.doc}{sets}"


def parameters_text(reset: ResetInterface) -> str:
    """The reset's parameters on one line."""
    if reset.parameters is None:
        return "its signature cannot be seen"
    names = [p.name + (" (needed)" if p.required else "") for p in reset.parameters]
    return ", ".join([*names, *(["any other"] if reset.open else [])]) or "nothing"


def ends_text(terminal: EpisodeEnds) -> str:
    """The ends that were seen."""
    if terminal.steps is None:
        return f"none in {terminal.flown} flights"
    kinds = ", ".join(
        f"{end.episodes} {end_text(end.success, end.timeout)}" for end in terminal.ends
    )
    low, high = terminal.steps
    return f"{terminal.ended} of {terminal.flown} flights, after {low} to {high} steps: {kinds}"


def limit_text(terminal: EpisodeEnds) -> str:
    """The limit of turns that other stations take, and how many flights of the map did not live to see an end."""
    said = f"{terminal.limit}: {terminal.why}"
    if not (cut := terminal.cut):
        return said
    steps = f"{cut[0]}" if len(set(cut)) == 1 else f"{min(cut)} to {max(cut)}"
    return f"{said}; {len(cut)} of {terminal.sought} flights that looked for an end were broken off at step {steps}"


def end_text(success: bool | None, timeout: bool) -> str:
    """One kind of end."""
    said = {True: "succeeded", False: "failed", None: "without a word of success"}[success]
    return f"{said} by timeout" if timeout else said


def range_text(reward: RewardSource) -> str:
    """The declared and the seen range."""
    said = "no range declared"
    if reward.declared is not None:
        said = "declared [{:g}, {:g}]".format(*reward.declared)
    return said + ("" if reward.seen is None else ", seen {:g} to {:g}".format(*reward.seen))


def splits_text(splits: Sequence[TaskSplit] | None) -> str:
    """The splits with their numbers of tasks."""
    if splits is None:
        return "no task API"
    return ", ".join(f"{split.name} ({split.num_tasks})" for split in splits) or "none"


def places_text(places: Sequence[SourcePlace] | None) -> str:
    """Files and lines, the first few."""
    if places is None:
        return "its code cannot be seen"
    said = [place_text(place) for place in places[:MOST_PLACES]]
    more = len(places) - len(said)
    return "; ".join([*said, *([f"and {more} more"] if more else [])]) or "nowhere"


def place_text(place: SourcePlace | None) -> str:
    """A file and a line with the code there."""
    if place is None:
        return "its code was not found"
    said = f"{place.file}:{place.line} {place.text}"
    return f"{said} (if {place.when})" if place.when else said


def action_rows(report: ContractReport) -> Iterator[tuple[str, str, str, str]]:
    """One row a field."""
    for field in report.action.fields:
        said = field.words + (f". {field.description}" if field.description else "")
        if listed := report.action.listed.get(field.name):
            said += f". The code looks among: {', '.join(listed)}"
        yield field.name, said, "yes" if field.required else "no", shown(field.default)


def reward_rows(reward: RewardSource) -> Iterator[tuple[str, str, str]]:
    """The rubric tree, then the breakdown's fields."""
    if reward.rubric:
        yield from rubric_rows(reward.rubric, 0)
    for component in reward.breakdown:
        yield component.name, "", place_text(component.place)


def rubric_rows(rubric: RubricNode, depth: int) -> Iterator[tuple[str, str, str]]:
    """A rubric and those below it, indented."""
    name = f"{rubric.name}: " if rubric.name else ""
    weight = "" if rubric.weight is None else f"{rubric.weight:g}"
    yield f"{'· ' * depth}{name}{rubric.class_name}", weight, f"{rubric.file}:{rubric.line}"
    for child in rubric.children:
        yield from rubric_rows(child, depth + 1)


def contract_rows(report: ContractReport) -> Iterator[tuple[str, str, str]]:
    """One row a check: the worst answer over the tasks."""
    for item in report.contract:
        where = f"{task_text(item.task)}: " if item.task else ""
        yield CHECKS[item.id], VERDICTS[item.verdict], f"{where}{item.said}"


def about(options: TaskOptions | None) -> str:
    """The task that something is about; nothing where it is about none."""
    return "" if options is None else task_text(options)


def shown(value: JsonValue) -> str:
    """A value on one line, not too long."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"
