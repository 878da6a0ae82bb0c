"""What an OpenAPI document says of a server with ``/reset``, ``/step`` and ``/state``: routes, bodies, schemas.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. Half of what strangers
publish is such a server: FastAPI writes the document, and their routes have no other contract. It touches no network
and no foreign code: it reads a document, and :mod:`gonogo.env.worker.plain` asks the routes.
"""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]

SESSION = re.compile(
    r"(x-)?(session|env|environment|episode|instance|client|user|sandbox)[-_]?(id|key|uuid)|sid|(request|trace)[-_]?id|timeout(_s)?",
    re.IGNORECASE,
)
"""Names of what says which episode is meant, or how a request is served: no part of an action, and no task."""
TASK = re.compile(
    r"task|scenario|seed|(task|scenario|level|case|problem|episode|dataset)[-_]?(id|name|key|index|num(ber)?)",
    re.IGNORECASE,
)
"""Names of what a reset chooses: where it and a step both take one, it says which episode is meant."""
ACTION = ("action", "act", "move", "command_action", "agent_action")
METHODS = ("post", "put", "get")
PARAMETER = re.compile(r"\{([^}:]+)[^}]*\}")
REF = "#/components/schemas/"
IN_PLACE = "#/$defs/"


class Parameter(NamedTuple):
    """A value that a route takes beside its body."""

    name: str
    place: str  # path, query, header or cookie
    required: bool
    schema: Json


class Route(NamedTuple):
    """One route.

    Attributes:
        method: POST, PUT or GET.
        path: With its parameters in braces.
        parameters: What it takes beside its body.
        body: Schema of its body, ``$defs`` included; None where the document names none.
        needs_body: Whether the body must be there.
        answer: Schema of its answer; empty where the document names none.
        said: Its description.
    """

    method: str
    path: str
    parameters: tuple[Parameter, ...]
    body: Json | None
    needs_body: bool
    answer: Json
    said: str


class Routes(NamedTuple):
    """The routes of an environment."""

    reset: Route
    step: Route
    state: Route | None
    schema: str | None  # path of the route that answers schemas, as OpenEnv's does
    tasks: str | None  # path of the route that lists tasks


class RouteFields(NamedTuple):
    """What a document says of a route's request.

    Attributes:
        needed: Names of what it must be given in its query or its body.
        fields: The fields of its body.
    """

    needed: set[str]
    fields: dict[str, Json]


def body_of(route: Route) -> dict[str, Json]:
    """The fields that a route's body is said to have."""
    return fields_of(route.body or {})


def routing_of(options: list[Json], step: Route, read: list[str]) -> frozenset[str]:
    """Names by which a step asks for an option of the reset, to say which episode is meant.

    Args:
        options: What the reset takes.
        step: The step's route.
        read: Names that its function reads from a body that no document names the fields of.
    """
    asked = {
        *body_of(step),
        *read,
        *(each.name for each in step.parameters if each.place == "query"),
    }
    return frozenset(
        told["name"] for told in options if told["name"] in asked and TASK.fullmatch(told["name"])
    )


def key_of(name: str) -> str:
    """A session's name without the ways to write it."""
    return name.lower().removeprefix("x-").replace("-", "_")


def sessions_in(told: Any) -> Json:
    """What a reset's answer says of which episode it is: names, and the values that a later request gives back."""
    found: Json = {}
    for name, value in scalars_in(told):
        if SESSION.fullmatch(name):
            found.setdefault(key_of(name), value)
    return found


def required_of(route: Route) -> set[str]:
    """Names of what a route must be given in its query or its body."""
    needed = {each.name for each in route.parameters if each.required and each.place == "query"}
    return needed | set(as_list(target_of(route.body or {}).get("required")))


def request_fields(route: Route) -> RouteFields:
    """What a route's request has."""
    return RouteFields(required_of(route), body_of(route))


def scalars_in(told: Any) -> Iterator[tuple[str, Any]]:
    """What an answer says by name, at its top first, then in what stands around an episode."""
    if isinstance(told, dict):
        inner = [told.get(name) for name in ("info", "metadata", "observation", "state", "data")]
        for each in [told, *inner]:
            for name, value in (each if isinstance(each, dict) else {}).items():
                if isinstance(value, str | int) and not isinstance(value, bool):
                    yield name, value


def fill(path: str, name: str, value: Any) -> str:
    """A path with a parameter's value in its place."""
    quoted = urllib.parse.quote(str(value), safe="")
    return PARAMETER.sub(lambda found: quoted if found[1] == name else found[0], path)


def find_routes(document: Json, declared: Json | None = None) -> Routes | None:
    """The routes of an environment; None where the document names no reset or no step.

    Args:
        document: OpenAPI.
        declared: Paths by word, as a manifest names its endpoints.
    """
    paths = document.get("paths")
    names = [path for path in paths if isinstance(path, str)] if isinstance(paths, dict) else []
    steps = [path for path in names if last_word(path) == "step"]
    meant = str((declared or {}).get("step") or "").rpartition(" ")[2]
    # What the manifest names, else the shortest first: what lies deeper is a variant of it.
    for step in sorted(steps, key=lambda path: (path != meant, path.count("/"), len(path), path)):
        stem = step[: step.rindex("step")]
        reset = beside(names, "reset", stem)
        if reset is None:
            continue
        resets, stepped = route(document, reset), route(document, step)
        if resets is None or stepped is None:
            continue
        state = beside(names, "state", stem) or beside(names, "observation", stem)
        return Routes(
            resets,
            stepped,
            None if state is None else getter(document, state),
            beside(names, "schema", stem),
            beside(names, "tasks", stem),
        )
    return None


def last_word(path: str) -> str:
    """The last part of a path that is no parameter."""
    words = [word for word in path.split("/") if word and not word.startswith("{")]
    return words[-1].lower() if words else ""


def beside(paths: list[str], word: str, stem: str) -> str | None:
    """The path that ends in a word, the nearest to where another begins."""
    found = [path for path in paths if last_word(path) == word]
    return min(found, key=lambda path: (not path.startswith(stem), len(path), path), default=None)


def getter(document: Json, path: str) -> Route | None:
    """The GET of a path; None where it has none."""
    found = route(document, path, ("get",))
    return found


def route(document: Json, path: str, methods: tuple[str, ...] = METHODS) -> Route | None:
    """A path's route, by the first of some methods that it has."""
    item = document["paths"][path]
    method = next(
        (m for m in methods if isinstance(item, dict) and isinstance(item.get(m), dict)), None
    )
    if method is None:
        return None
    said = item[method]
    given = [*as_list(item.get("parameters")), *as_list(said.get("parameters"))]
    body = as_object(resolve(said.get("requestBody"), document))
    content = json_schema_in(body.get("content"))
    answers = as_object(said.get("responses"))
    answer = next((answers[code] for code in ("200", "201", "default") if code in answers), None)
    return Route(
        method.upper(),
        path,
        tuple(read_parameters(given, document, path)),
        None if content is None else standing_alone(content, document),
        bool(body.get("required")),
        standing_alone(json_schema_in(as_object(answer).get("content")) or {}, document),
        str(said.get("description") or said.get("summary") or ""),
    )


def read_parameters(given: list[Any], document: Json, path: str) -> Iterator[Parameter]:
    """The parameters that a route declares, and those of its path that it does not."""
    named = set()
    for each in given:
        told = as_object(resolve(each, document))
        if isinstance(told.get("name"), str) and told["name"] not in named:
            named.add(told["name"])
            schema = standing_alone(as_object(told.get("schema")), document)
            yield Parameter(
                told["name"], str(told.get("in", "query")), bool(told.get("required")), schema
            )
    for name in PARAMETER.findall(path):
        if name not in named:
            yield Parameter(name, "path", True, {"type": "string"})


def json_schema_in(content: Any) -> Json | None:
    """The schema of JSON among some media types; None where there is none."""
    if not isinstance(content, dict):
        return None
    for kind in content:
        if "json" in kind or kind == "*/*":
            return as_object(as_object(content[kind]).get("schema"))
    return None


def resolve(value: Any, document: Json) -> Any:
    """What a reference within the document names; the value where it is none."""
    ref = value.get("$ref") if isinstance(value, dict) else None
    if not isinstance(ref, str) or not ref.startswith("#/"):
        return value
    found: Any = document
    for part in ref[2:].split("/"):
        found = as_object(found).get(part.replace("~1", "/").replace("~0", "~"))
    return found


def standing_alone(schema: Json, document: Json) -> Json:
    """A schema with all that it refers to below ``$defs``."""
    known = as_object(as_object(document.get("components")).get("schemas"))
    defs: Json = {}
    todo = [schema]
    while todo:
        for name in references(todo.pop()):
            if name not in defs and isinstance(known.get(name), dict):
                defs[name] = moved(known[name])
                todo.append(known[name])
    alone: Json = moved(schema)
    return {**alone, "$defs": dict(sorted(defs.items()))} if defs else alone


def references(value: Any) -> Iterator[str]:
    """Names of the schemas that a value refers to."""
    if isinstance(value, dict):
        ref = value.get("$ref")
        if isinstance(ref, str) and ref.startswith(REF):
            yield ref.removeprefix(REF)
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def moved(value: Any) -> Any:
    """A schema whose references are below ``$defs``."""
    if isinstance(value, dict):
        return {
            key: IN_PLACE + inner.removeprefix(REF)
            if key == "$ref" and isinstance(inner, str)
            else moved(inner)
            for key, inner in value.items()
        }
    return [moved(inner) for inner in value] if isinstance(value, list) else value


def target_of(schema: Json) -> Json:
    """A schema that only refers to another, or is it or nothing, as that other."""
    defs = as_object(schema.get("$defs"))
    for _ in range(8):  # nobody nests them deeper
        branches = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
        if isinstance(branches, list):
            real = [each for each in branches if as_object(each).get("type") != "null"]
            if len(real) != 1:
                break
            schema = as_object(real[0])
        elif isinstance(schema.get("$ref"), str):
            schema = as_object(defs.get(schema["$ref"].removeprefix(IN_PLACE)))
        else:
            break
    return {**schema, "$defs": defs} if defs and "$defs" not in schema else schema


def fields_of(schema: Json) -> dict[str, Json]:
    """The fields of an object's schema, each with ``$defs``."""
    target = target_of(schema)
    defs = as_object(target.get("$defs"))
    found = as_object(target.get("properties"))
    return {
        name: {**as_object(inner), "$defs": defs} if defs else as_object(inner)
        for name, inner in found.items()
    }


def is_open(schema: Json) -> bool:
    """Whether a schema is of an object, or of anything, and names no field of it."""
    target = target_of(schema)
    kind = target.get("type")
    several = any(isinstance(target.get(word), list) for word in ("anyOf", "oneOf"))
    return not fields_of(target) and not several and kind in {None, "object"}


def takes_object(route: Route) -> bool:
    """Whether a route's body may be an object, as far as the document says: a single text may stand there, too."""
    if route.body is None or route.needs_body:
        return True
    target = target_of(route.body)
    forms = [target_of(as_object(form)) for form in target.get("anyOf") or [target]]
    return any(form.get("type", "object") == "object" for form in forms)


class ActionRequest(NamedTuple):
    """How a step's action is asked for.

    Attributes:
        schema: Of the action; a free object where the document does not say.
        wrapper: Name below which the body holds it; None where the body is it.
        is_free: Whether the document does not say its fields.
    """

    schema: Json
    wrapper: str | None
    is_free: bool


STATE = "state"
FREE: Json = {"type": "object", "additionalProperties": True}


SENT_AS_TEXT = "sent in the query, as text"
"""What an action's schema says of itself whose values arrive as texts, whatever they were."""


def action_of(step: Route, routing: frozenset[str]) -> ActionRequest:
    """How a step's route asks for the action.

    Args:
        step: The route.
        routing: Further names that say which episode is meant: no part of the action.
    """
    if step.body is None:
        told = {
            p.name: p
            for p in step.parameters
            if p.place == "query" and not is_routing(p.name, routing)
        }
        if not told:
            return ActionRequest(FREE, None, True)
        required = [name for name, p in told.items() if p.required]
        schema = {
            "type": "object",
            "properties": {n: p.schema for n, p in told.items()},
            "required": required,
            "$comment": SENT_AS_TEXT,
        }
        return ActionRequest(schema, None, False)
    fields = fields_of(step.body)
    own = {name: inner for name, inner in fields.items() if not is_routing(name, routing)}
    if len(own) == 1:
        name, inner = next(iter(own.items()))
        target = target_of(inner)
        if is_open(target) and name in ACTION:
            return ActionRequest(FREE, name, True)
        several = any(isinstance(target.get(word), list) for word in ("anyOf", "oneOf"))
        if fields_of(target) or (several and name in ACTION):
            return ActionRequest(target, name, False)
    if is_open(step.body):
        return ActionRequest(FREE, None, True)
    return ActionRequest(without_routing(target_of(step.body), routing), None, False)


def is_routing(name: str, routing: Collection[str]) -> bool:
    """Whether a name says which episode is meant."""
    return name in routing or SESSION.fullmatch(name) is not None


def without_routing(schema: Json, routing: Collection[str]) -> Json:
    """An object's schema without what says which episode is meant."""
    fields = as_object(schema.get("properties"))
    kept = {name: inner for name, inner in fields.items() if not is_routing(name, routing)}
    if len(kept) == len(fields):
        return schema
    required = [name for name in as_list(schema.get("required")) if name in kept]
    return {**schema, "properties": kept, "required": required}


def options_of(reset: Route) -> list[Json]:
    """What a reset takes, as :class:`gonogo.records.inspection.ResetParameter` has it."""
    found: dict[str, Json] = {}
    for each in reset.parameters:
        if each.place == "query":
            found[each.name] = option(each.name, each.schema, each.required)
    if reset.body is not None:
        body = target_of(reset.body)
        required = as_list(body.get("required"))
        for name, schema in fields_of(body).items():
            found[name] = option(name, schema, name in required)
    return [told for name, told in found.items() if not SESSION.fullmatch(name)]


def option(name: str, schema: Json, required: bool) -> Json:
    """A parameter of a reset."""
    return {
        "name": name,
        "schema": schema,
        "default": None if required else schema.get("default"),
        "required": required,
    }


def observation_of(answer: Json) -> Json:
    """Schema of the observation in a step's answer; empty where the document does not say."""
    name = observed_under(answer)
    target = {} if name is None else target_of(fields_of(answer)[name])
    return target if fields_of(target) else {}


def observed_under(answer: Json) -> str | None:
    """The name under which a step's answer has its observation; None where the document does not say."""
    fields = fields_of(answer)
    return next((name for name in ("observation", "obs", STATE) if name in fields), None)


def as_object(value: Any) -> Json:
    """A JSON object; an empty one in the place of anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """A JSON list; an empty one in the place of anything else."""
    return value if isinstance(value, list) else []
