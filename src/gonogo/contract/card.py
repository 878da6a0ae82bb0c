"""The environment's card: what it is, from its schemas, its source and its flights, as data.

A part that could not be seen is named in ``unknown``, in a sentence that says what would show it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from gonogo.config import RunConfig
from gonogo.contract.flights import Trace, recordable
from gonogo.contract.packaging import declared_range, manifest_of, read_packaging, unseen
from gonogo.contract.source import Source
from gonogo.contract.tasks import Discovery
from gonogo.contract.view import model_part
from gonogo.env.target import Target
from gonogo.records.inspection import Description, RubricNode
from gonogo.rollout.episodes import read_components, read_success
from gonogo.rollout.schema import describe_schema, rooted
from gonogo.rollout.space import Space
from gonogo.rollout.types import Json, Schemas
from gonogo.wire import JsonSchema

__all__ = ["limit_of_turns", "make_card"]

SHOWN_TASKS = 5
ROOM, STEP = 1.25, 16
"""The limit of turns lies so far above the longest end that was seen, and is a multiple of so many."""


def make_card(
    target: Target,
    described: Description,
    schemas: Schemas,
    space: Space,
    source: Source,
    found: Discovery,
    traces: Sequence[Trace],
) -> Json:
    """The card.

    Args:
        target: The environment.
        described: What it says of itself.
        schemas: What it publishes.
        space: Its actions.
        source: Its source.
        found: Its tasks.
        traces: Everything that was flown.
    """
    manifest = manifest_of(target)
    card: Json = {
        "metadata": described.metadata,
        "reset": reset_part(described, source, traces),
        "step": step_part(described, source, traces),
        "action": {"fields": space.describe(), "tools": list(described.tools)},
        "observation": fields_of(schemas.observation, traces),
        "state": state_fields(schemas.state, traces),
        "model": model_part(schemas.codec(), traces),
        "terminal": terminal_part(source, traces),
        "reward": reward_part(described, source, traces, declared_range(manifest)),
        "tasks": tasks_part(described, found),
        "manifest": manifest or None,
        "packaging": read_packaging(target),
    }
    return {**card, "unknown": list(unknown(target, card, source, found))}


def unknown(target: Target, card: Json, source: Source, found: Discovery) -> Iterator[str]:
    """What is not known, each as a sentence with what would show it."""
    hidden = unseen(target)
    if not source:
        yield f"where the code decides the end and the reward ({hidden or 'no source is readable'})"
    else:
        if not card["terminal"]["places"] and not card["terminal"]["ended"]:
            yield "when an episode ends: none did, and no line of the code names an end"
        if not card["reward"]["places"] and not card["reward"]["rubric"]:
            yield "where the reward is computed: no line of the code names one"
    if hidden is not None:
        yield f"manifest, client and packaging ({hidden})"
    for name in found.missing:
        yield f"what to give reset for its parameter {name}: give --reset {name}=VALUE"


def reset_part(described: Description, source: Source, traces: Sequence[Trace]) -> Json:
    """What a reset takes and initialises."""
    begun = next((trace for trace in traces if trace.shots), None)
    return {
        "parameters": described.reset.model_dump()["parameters"] if described.reset else None,
        "open": described.reset.open if described.reset else None,
        "code": source.method(described.code.reset) if described.code else None,
        "example": None
        if begun is None
        else recordable(
            {"options": begun.options, "observation": begun.shots[0].answer.observation}
        ),
    }


def step_part(described: Description, source: Source, traces: Sequence[Trace]) -> Json:
    """What one step does: what it sets, and which fields of the observation changed with one."""
    changed: Counter[str] = Counter()
    steps = 0
    for trace in traces:
        for before, after in zip(trace.shots, trace.shots[1:], strict=False):
            if after.answer.refusal is None:
                steps += 1
                old, new = before.answer.observation, after.answer.observation
                changed.update(key for key in new if old.get(key) != new[key])
    return {
        "code": source.method(described.code.step) if described.code else None,
        "steps": steps,
        "changed": dict(changed.most_common()),
    }


def fields_of(schema: JsonSchema, traces: Sequence[Trace]) -> list[Json]:
    """The observation's fields: words, description, the last value seen."""
    shots = [shot for trace in traces for shot in trace.shots]
    seen: Json = {}
    for shot in shots:
        seen.update(shot.answer.observation)
    return [field_row(name, field, schema, seen) for name, field in properties(schema)]


def state_fields(schema: JsonSchema, traces: Sequence[Trace]) -> list[Json]:
    """The state's fields, those that the schema does not name included."""
    seen: Json = {}
    for trace in traces:
        for shot in trace.shots:
            seen.update(shot.state or {})
    named = dict(properties(schema))
    rest: Json = {name: {} for name in seen if name not in named}
    return [field_row(name, field, schema, seen) for name, field in {**named, **rest}.items()]


def properties(schema: JsonSchema) -> Iterator[tuple[str, Json]]:
    """The fields of a schema that are not OpenEnv's envelope."""
    for name, field in rooted(schema).get("properties", {}).items():
        if name not in {"done", "reward", "metadata"}:
            yield name, field


def field_row(name: str, field: Json, schema: JsonSchema, seen: Json) -> Json:
    """One field."""
    return {
        "name": name,
        "words": describe_schema(field, schema) if field else "not in the schema",
        "description": field.get("description"),
        "example": recordable(seen.get(name)),
    }


def terminal_part(source: Source, traces: Sequence[Trace]) -> Json:
    """Which ends were seen, and where the code decides them."""
    kinds: Counter[tuple[Any, ...]] = Counter()
    for trace in (trace for trace in traces if trace.done):
        last = trace.shots[-1].answer
        kinds[read_success(last), last.metadata.get("timeout") is True] += 1
    ends = [
        {"success": success, "timeout": timeout, "episodes": count}
        for (success, timeout), count in kinds.most_common()
    ]
    lengths = [len(trace.actions) for trace in traces if trace.done]
    return {
        "ended": sum(kinds.values()),
        "flown": len(traces),
        "steps": [min(lengths), max(lengths)] if lengths else None,
        "ends": ends,
        "places": source.ends() if source else None,
    }


def limit_of_turns(run: RunConfig, traces: Sequence[Trace], sought: Sequence[Trace]) -> Json:
    """After how many turns the stations that follow end an episode themselves, and what that rests on.

    Args:
        run: The config; a limit that it gives stands.
        traces: Everything that was flown.
        sought: The flights that looked for an end.

    Returns:
        ``limit`` and ``why``; ``sought`` and ``cut``: flights that looked for an end, and those that found none.
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
    return {"limit": limit, "why": why, "sought": len(sought), "cut": cut}


def reward_part(
    described: Description,
    source: Source,
    traces: Sequence[Trace],
    declared: tuple[float, float] | None,
) -> Json:
    """The reward's components by name and weight, and where they come from."""
    rewards = [
        float(shot.answer.reward)
        for trace in traces
        for shot in trace.shots
        if isinstance(shot.answer.reward, int | float)
    ]
    rubric = described.rubric
    if isinstance(rubric, RubricNode):
        rubric = named_rubric(rubric, source)
    names: list[str] = []
    for trace in traces:
        for shot in trace.shots:
            names += [name for name in read_components(shot.answer) if name not in names]
    return {
        "declared": list(declared) if declared else None,
        "seen": [min(rewards), max(rewards)] if rewards else None,
        "rubric": None if rubric is None else rubric.model_dump(),
        "breakdown": [{"name": name, "place": source.key(name)} for name in names],
        "places": source.rewards() if source else None,
    }


def named_rubric(rubric: RubricNode, source: Source) -> RubricNode:
    """The rubric tree with its files' names as a reader knows them."""
    children = tuple(named_rubric(child, source) for child in rubric.children)
    named = {"file": source.name_of(rubric.file), "children": children}
    return rubric.model_copy(update=named)


def tasks_part(described: Description, found: Discovery) -> Json:
    """The tasks that were flown and those that were not, and the splits."""
    splits = described.task_api.splits if described.task_api else None
    return {
        "flown": [{"options": task.options, "source": task.source} for task in found.tasks],
        "left_out": [{"options": task.options, "source": task.source} for task in found.left_out],
        "splits": None
        if splits is None
        else [
            {**split.model_dump(), "preview": recordable(split.preview[:SHOWN_TASKS])}
            for split in splits
        ],
    }
