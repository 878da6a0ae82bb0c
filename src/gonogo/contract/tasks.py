"""Which tasks an environment offers, and which of them are flown.

An environment whose default task is harmless can be rotten in its third. Tasks come from five places: the
reset without options, the choices in the reset method's signature, the manifest's list of tasks, the
task API, and what descriptions and the source name for a parameter of the reset, other than its default. Where
nothing says which numbers such a parameter takes, the first few are tried. Of many
tasks of a split only those are taken that differ in kind: in a field with few values, such as a level. Or the user
gives one. Nothing is flown here.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from gonogo.contract.literals import LISTED as LOOKED_UP
from gonogo.contract.literals import Literals
from gonogo.contract.prose import LISTED, values_in
from gonogo.contract.source import Source
from gonogo.contract.syntax import Function, is_name, lookup, variables_in
from gonogo.records.inspection import Description, ResetParameter, TaskSplit
from gonogo.rollouts.schema import forms_of
from gonogo.rollouts.space import choices_of
from gonogo.wire import JsonObject, JsonSchema, JsonValue, Manifest, TaskOptions

OWN = frozenset({"seed", "episode_id"})
"""Reset parameters of every environment, which select no task."""
TASK_KEYS = ("task_id", "task", "task_name", "task_type", "level", "difficulty", "scenario")
"""Reset parameters by which environments let a task of the manifest be chosen."""
UNNAMED = "task_id"
"""Of these the one that is tried where the reset names none and takes any option."""
LIKE_TASKS = re.compile(
    r"(task|scenario|problem|case)_(level|type|kind|name|id|key|index|idx|number|difficulty)"
)
"""Names of further reset parameters by which one may be chosen, where there is none of those."""
GUESSED = "source"
"""Where a task is from that only words name: it may be none."""
NUMBERED = "number"
"""Where a task is from that is a number which nothing names: it is none if it changes nothing."""
GUESSES = (GUESSED, NUMBERED)
NUMERIC = frozenset({"integer", "number", "null"})
WHOLE = re.compile(r"-?\d{1,18}")
"""A text that says a whole number, as long as those that a schema speaks of."""
FEW = 8
USUAL = 3
"""Tasks that a number mostly chooses from, where nothing says how many there are: easy, medium and hard."""
ALIKE = 3
"""Tasks of a split that are flown where nothing in their specs tells them apart."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        options: Reset options that select it.
        source: Where it was found: ``default``, ``given``, ``signature``, ``manifest``, ``task API``, ``source``,
            ``number``.
        indexed: Whether the options name one episode, so that a seed has nothing left to decide.
        instead: Options that may be meant where the reset refuses these: the same name by another parameter.
    """

    options: TaskOptions
    source: str
    indexed: bool = False
    instead: tuple[TaskOptions, ...] = ()

    def __str__(self) -> str:
        return ", ".join(f"{key}={value}" for key, value in self.options.items()) or "default"


@dataclass(frozen=True, slots=True)
class Discovery:
    """What was found.

    Attributes:
        tasks: Tasks to fly.
        left_out: Tasks that were found and are not flown, because they are too many.
        missing: Reset parameters without a default that no task gives.
        notes: What of the manifest's list was not taken as it stands there.
    """

    tasks: tuple[Task, ...]
    left_out: tuple[Task, ...]
    missing: tuple[str, ...]
    notes: tuple[str, ...] = ()


def discover(
    description: Description,
    manifest: Manifest,
    given: TaskOptions,
    limit: int,
    literals: Literals | None = None,
    source: Source | None = None,
) -> Discovery:
    """Find the tasks.

    Args:
        description: What the environment says of itself.
        manifest: ``openenv.yaml``; empty where there is none.
        given: Reset options of the user; they replace what would be found.
        limit: Most tasks to fly.
        literals: What the environment's source says; None where it is elsewhere.
        source: The environment's own files; None where they are elsewhere.
    """
    required = [p.name for p in parameters(description) if p.required]
    notes: list[str] = []
    if given:
        found = [Task(given, "given", indexed="index" in given or "seed" in given)]
    else:
        groups = [
            list(signature_tasks(description)),
            list(manifest_tasks(description, manifest, notes, source)),
        ]
        groups += api_groups(description)
        groups += [list(named_tasks(description, literals, source))]
        found = [Task({}, "default")]
        found += [task for row in zip_longest(*groups) for task in row if task is not None]
        found += numbered_tasks(description, found)
    usual = {p.name: p.default for p in parameters(description) if p.default is not None}
    some = [
        task for task in distinct_tasks(found) if given or required or not is_default(task, usual)
    ]
    whole = [task for task in some if all(name in task.options for name in required)]
    missing = () if whole else tuple(name for name in required if name not in given)
    return Discovery(tuple(whole[:limit]), tuple(whole[limit:]), missing, tuple(notes))


def is_default(task: Task, usual: TaskOptions) -> bool:
    """Whether a task is what the reset without options begins, by its parameters' defaults."""
    options = task.options.items()
    return bool(options) and all(name in usual and usual[name] == v for name, v in options)


def parameters(description: Description) -> tuple[ResetParameter, ...]:
    """Parameters of the reset; none where they cannot be seen."""
    return description.reset.parameters if description.reset else ()


def signature_tasks(description: Description) -> Iterator[Task]:
    """A task for each choice of each reset parameter that has choices."""
    for parameter in parameters(description):
        if parameter.name in OWN:
            continue
        root = parameter.json_schema
        for choice in (choice for form in forms_of(root, root) for choice in choices_of(form)):
            if choice is not None:
                yield Task({parameter.name: choice}, "signature")


def named_tasks(
    description: Description, literals: Literals | None, source: Source | None = None
) -> Iterator[Task]:
    """Tasks that only words name, by the reset parameter that selects them: in descriptions, or in the source.

    That are the items of a list in the parameter's description, what the source compares the parameter with or looks it
    up among, and each number between two bounds that are near.

    Args:
        description: What the environment says of itself.
        literals: What its source says; None where it is elsewhere.
        source: Its own files; None where they are elsewhere.
    """
    known = {p.name: p.json_schema for p in parameters(description) if p.name not in OWN}
    if description.reset and description.reset.open and literals is not None:
        keys = [key for key in TASK_KEYS if key not in known and key in literals.near]
        known |= {key: {} for key in keys if not drops_option(key, description, source)}
    for name, schema in known.items():
        forms = forms_of(schema, schema)
        if any(choices_of(form) for form in forms):
            continue
        said = schema.get("description") if isinstance(schema, dict) else None
        values = (
            [v for v, near in values_in(said) if near >= LISTED] if isinstance(said, str) else []
        )
        near = {} if literals is None else literals.near.get(name, {})
        values += [value for value, how in near.items() if how >= LOOKED_UP]
        values += [value for form in forms for value in between(form)]
        kinds = {form.get("type") for form in forms} - {"null", None}
        fitting = [value for value in dict.fromkeys(values) if is_of_kind(value, kinds)]
        yield from (Task({name: value}, GUESSED) for value in fitting[:FEW])


def numbered_tasks(description: Description, found: Sequence[Task]) -> list[Task]:
    """The first numbers of a parameter that is called as one that chooses a task, where nothing says which it takes.

    Args:
        description: What the environment says of itself.
        found: The tasks that something says.
    """
    said = {name for task in found for name in task.options}
    return [
        Task({parameter.name: number}, NUMBERED)
        for parameter in parameters(description)
        if parameter.name not in said and chooses_by_number(parameter)
        # They begin at nought where that is the default.
        for number in range(parameter.default != 0, USUAL + (parameter.default != 0))
        if number != parameter.default
    ]


def chooses_by_number(parameter: ResetParameter) -> bool:
    """Whether a reset's parameter takes any whole number, and is called as one that chooses a task."""
    schema = parameter.json_schema
    kinds = {form.get("type") for form in forms_of(schema, schema)} - {"null"}
    named = parameter.name in TASK_KEYS or LIKE_TASKS.fullmatch(parameter.name)
    return kinds == {"integer"} and bool(named)


def between(form: JsonSchema) -> list[int]:
    """The whole numbers from a minimum to a maximum, where they are few."""
    low, high = form.get("minimum"), form.get("maximum")
    if form.get("type") != "integer" or not isinstance(low, int) or not isinstance(high, int):
        return []
    return list(range(low, high + 1)) if high - low < FEW else []


def is_of_kind(value: JsonValue, kinds: set[object]) -> bool:
    """Whether a value is of one of some types, as a task's name or level is; any name where they are not known."""
    if isinstance(value, bool) or value == "":
        return False
    if isinstance(value, str):
        return not kinds or "string" in kinds
    return isinstance(value, int) and "integer" in kinds


def manifest_tasks(
    description: Description, manifest: Manifest, notes: list[str], source: Source | None = None
) -> Iterator[Task]:
    """The tasks that ``openenv.yaml`` lists, by the reset parameter that selects them.

    Args:
        description: What the environment says of itself.
        manifest: ``openenv.yaml``.
        notes: Takes what is not as it was meant: YAML reads a bare ``off`` as False, and a bare ``7`` as a number.
        source: The environment's own files; None where they are elsewhere.
    """
    listed = manifest.get("tasks")
    schemas = {p.name: p.json_schema for p in parameters(description)}
    names = list(schemas)
    keys = selecting(description, source)
    if not keys and listed and description.reset and description.reset.open:
        notes.append(
            f"openenv.yaml lists tasks, and the reset reads no {UNNAMED}: they are not flown"
        )
    key = next(iter(keys), None)
    for number, entry in enumerate(listed if isinstance(listed, list) else ()):
        if not isinstance(entry, dict):
            entry = {"id": entry}
        options = {k: v for k, v in entry.items() if k in names and k not in OWN and is_scalar(v)}
        name = next((entry[k] for k in ("id", "task_id", "name") if is_scalar(entry.get(k))), None)
        if key is not None and name is not None:
            options.setdefault(key, name)
        if key is not None and key in options:
            meant, note = as_meant(options[key], key, schemas.get(key))
            notes += [f"openenv.yaml: tasks[{number}] is {note}"] if note else []
            if meant is None:
                continue
            options[key] = meant
        if options:
            yield Task(options, "manifest", instead=tuple(others(options, entry, keys, schemas)))


def selecting(description: Description, source: Source | None) -> list[str]:
    """Options of a reset that may choose a task of the manifest, the likeliest first.

    Args:
        description: What the environment says of itself.
        source: The environment's own files; None where they are elsewhere.
    """
    names = [p.name for p in parameters(description)]
    named = [key for key in TASK_KEYS if key in names]
    if description.reset and description.reset.open:
        asked = asked_options(description, source)
        if asked is None:
            named += [] if named else [UNNAMED]
        elif named or UNNAMED in asked:
            named += [key for key in TASK_KEYS if key in asked and key not in named]
    return named or [name for name in names if LIKE_TASKS.fullmatch(name)]


def others(
    options: TaskOptions, entry: JsonObject, keys: Sequence[str], schemas: Mapping[str, JsonSchema]
) -> Iterator[TaskOptions]:
    """The options of a task of the manifest with its name under each further parameter that may take it.

    An entry that says itself which parameter it means has none.

    Args:
        options: Its options, with the name under the first of the parameters.
        entry: What the manifest says of it.
        keys: The parameters.
        schemas: What they may be.
    """
    if not keys or keys[0] in entry:
        return
    rest = {name: value for name, value in options.items() if name != keys[0]}
    for key in keys[1:]:
        meant, _ = as_meant(options[keys[0]], key, schemas.get(key))
        if key not in options and meant is not None:
            yield {**rest, key: meant}


def asked_options(description: Description, source: Source | None) -> set[object] | None:
    """The names by which a reset that takes any option asks for some; None where that cannot be told.

    Args:
        description: What the environment says of itself.
        source: The environment's own files; None where they are elsewhere.
    """
    found = source.function(description.code.reset) if source and description.code else None
    if found is None or found[1].args.kwarg is None:
        return None
    return asked_by_name(found[1], found[1].args.kwarg.arg)


def drops_option(key: str, description: Description, source: Source | None) -> bool:
    """Whether a reset that takes any option drops this one: it hands the others to nobody, and asks for none so called.

    Args:
        key: The option's name.
        description: What the environment says of itself.
        source: The environment's own files; None where they are elsewhere.
    """
    asked = asked_options(description, source)
    return asked is not None and key not in asked


def asked_by_name(function: Function, options: str) -> set[object] | None:
    """The names in quotes that a function asks its open options for; None where they may go elsewhere as a whole.

    Args:
        function: The function.
        options: The name under which it takes them.
    """
    nodes = list(ast.walk(function))
    found = [each for node in nodes if (each := lookup(node)) is not None]
    asked = {id(of): key.value for of, key in found if isinstance(key, ast.Constant)}
    mine = [id(node) for node in nodes if is_name(node, options)]
    if {"locals", "vars"} & set(variables_in(function)) or not all(i in asked for i in mine):
        return None
    return {asked[each] for each in mine}


def as_meant(value: Any, key: str, schema: Any) -> tuple[Any, str | None]:
    """A task's name as the parameter that selects tasks takes it, and what is wrong with it; None for no name.

    Args:
        value: As YAML has read it.
        key: The parameter.
        schema: Its schema; None where it is not known.
    """
    types = {form.get("type") for form in forms_of(schema, schema)} if schema else set()
    if isinstance(value, bool) and "boolean" not in types:
        words = "on, yes or true" if value else "off, no or false"
        said = f"{str(value).lower()}, which is how YAML reads {words} without quotes: it is not flown; quote it"
        return None, said
    if type(value) in (int, float) and "string" in types and not types & {"integer", "number"}:
        return str(
            value
        ), f"the number {value}, and {key} takes a text: flown as '{value}'; quote it"
    if isinstance(value, str) and types and types <= NUMERIC:
        # Nothing says that the manifest's name of a task is what its reset takes.
        said = f"the text {value!r}, and {key} takes a number: it is not flown"
        return (int(value), None) if WHOLE.fullmatch(value) else (None, said)
    return value, None


def api_groups(description: Description) -> list[list[Task]]:
    """The task API's tasks, split by split: one of each kind.

    Each split begins with another kind, so that a few tasks show every kind and every split.
    """
    api = description.task_api
    groups = [list(split_tasks(split)) for split in (api.splits if api else ())]
    return [g[n % len(g) :] + g[: n % len(g)] for n, g in enumerate(groups)]


def split_tasks(split: TaskSplit) -> Iterator[Task]:
    """The first task of each kind in a split's preview; the first few where nothing tells kinds apart."""
    specs = [spec if isinstance(spec, dict) else {} for spec in split.preview] or [{}]
    kinds = [name for name in specs[0] if tells_kinds(name, specs)]
    seen = set()
    for position, spec in enumerate(specs if kinds else specs[:ALIKE]):
        kind = tuple(repr(spec.get(name)) for name in kinds) if kinds else position
        if kind not in seen:
            seen.add(kind)
            index = spec.get("index")
            index = index if type(index) is int else position
            yield Task({"split": split.name, "index": index}, "task API", indexed=True)


def tells_kinds(name: str, specs: Sequence[JsonObject]) -> bool:
    """Whether a field of the task specs has few values that repeat, as a level does."""
    values = [spec.get(name) for spec in specs]
    if name in {"index", "id", "split"} or not all(map(is_scalar, values)):
        return False
    different = len({repr(value) for value in values})
    return 1 < different <= FEW and different < len(values)


def is_scalar(value: Any) -> bool:
    """Whether a value can be a reset option on one line."""
    return isinstance(value, str | int | float | bool)


def distinct_tasks(tasks: Sequence[Task]) -> list[Task]:
    """The tasks in order, each set of options once."""
    known = {json.dumps(task.options, sort_keys=True): task for task in reversed(tasks)}
    return [task for task in tasks if known[json.dumps(task.options, sort_keys=True)] is task]
