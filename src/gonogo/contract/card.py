"""The environment's card: what it is, from its schemas, its source and its flights.

A part that could not be seen is named by :func:`unknown`, in a sentence that says what would show it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from gonogo.config import RunConfig
from gonogo.contract.flights import Trace, recordable
from gonogo.contract.packaging import unseen
from gonogo.contract.source import Source
from gonogo.contract.tasks import Discovery, Task
from gonogo.env.target import Target
from gonogo.records.contract import (
    ComponentSource,
    DescribedField,
    EpisodeEnding,
    EpisodeEnds,
    EpisodeLimit,
    MappedTask,
    MappedTasks,
    ResetExample,
    ResetInterface,
    RewardSource,
    StepEffect,
)
from gonogo.records.inspection import Description, RubricNode
from gonogo.rollouts.episodes import read_components, read_success
from gonogo.rollouts.schema import describe_schema, rooted
from gonogo.wire import JsonSchema, Observation, State

__all__ = [
    "limit_of_turns",
    "observation_fields",
    "reset_part",
    "reward_part",
    "state_fields",
    "step_part",
    "tasks_part",
    "terminal_part",
    "unknown",
]

SHOWN_TASKS = 5
ROOM, STEP = 1.25, 16
"""The limit of turns lies so far above the longest end that was seen, and is a multiple of so many."""


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
        for before, after in zip(trace.shots, trace.shots[1:], strict=False):
            if after.answer.refusal is None:
                steps += 1
                old, new = before.answer.observation, after.answer.observation
                changed.update(key for key in new if old.get(key) != new[key])
    code = source.method(described.code.step) if described.code else None
    return StepEffect(code=code, steps=steps, changed=dict(changed.most_common()))


def observation_fields(schema: JsonSchema, traces: Sequence[Trace]) -> tuple[DescribedField, ...]:
    """The observation's fields: words, description, the last value seen."""
    seen: Observation = {}
    for trace in traces:
        for shot in trace.shots:
            seen |= shot.answer.observation
    return described_fields(dict(properties(schema)), schema, seen)


def state_fields(schema: JsonSchema, traces: Sequence[Trace]) -> tuple[DescribedField, ...]:
    """The state's fields, those that the schema does not name included."""
    seen: State = {}
    for trace in traces:
        for shot in trace.shots:
            seen |= shot.state or {}
    named = dict(properties(schema))
    rest: dict[str, JsonSchema] = {name: {} for name in seen if name not in named}
    return described_fields({**named, **rest}, schema, seen)


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
            example=recordable(seen.get(name)),
        )
        for name, field in fields.items()
    )


def terminal_part(source: Source, traces: Sequence[Trace], limit: EpisodeLimit) -> EpisodeEnds:
    """Which ends were seen, and where the code decides them."""
    kinds: Counter[tuple[bool | None, bool]] = Counter()
    for trace in (trace for trace in traces if trace.done):
        last = trace.shots[-1].answer
        kinds[read_success(last), last.metadata.get("timeout") is True] += 1
    lengths = [len(trace.actions) for trace in traces if trace.done]
    return EpisodeEnds(
        ended=sum(kinds.values()),
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
    rewards = [
        float(shot.answer.reward)
        for trace in traces
        for shot in trace.shots
        if isinstance(shot.answer.reward, int | float)
    ]
    names: list[str] = []
    for trace in traces:
        for shot in trace.shots:
            names += [name for name in read_components(shot.answer) if name not in names]
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
