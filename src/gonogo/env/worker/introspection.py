"""What a stranger's functions say of actions and options where no schema does; runs inside the worker process only.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. A route may take any
JSON object and make its action of it, a class's ``step`` may say by its annotation what it takes: it is read from the
models that the code names, and from the names that it reads out of a body. What is read so is a form, no judgement.
"""

from __future__ import annotations

import ast
import enum
import inspect
import types
import typing
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from pydantic import AliasChoices, BaseModel, TypeAdapter

if typing.TYPE_CHECKING or __package__:
    from gonogo.env.worker import inspect as worker_inspect
    from gonogo.env.worker import openapi as worker_openapi
    from gonogo.env.worker.action_fields import ANY_VALUE, READ, ActionReader, readings, tree_of
    from gonogo.env.worker.boundary import Boundary, Unfound
    from gonogo.env.worker.shapes import SchemaForm, form_of
else:
    import worker_inspect
    import worker_openapi
    from worker_action_fields import ANY_VALUE, READ, ActionReader, readings, tree_of
    from worker_boundary import Boundary, Unfound
    from worker_shapes import SchemaForm, form_of

Json = dict[str, Any]
AnyFunction = Callable[..., Any]

ANSWERS = ("response", "result", "observation", "state", "reward", "reset", "info")
"""Words in names of models that are answers, and no actions."""
MOST_BOUND = 1e30
"""Bounds of a space beyond this are none."""
VALIDATORS = frozenset({"model_validate", "parse_obj", "validate_python"})
BODIES = frozenset({"json", "get_json"})
location = worker_inspect.location


def action_of(
    step: AnyFunction, asked: worker_openapi.ActionRequest, routing: Json
) -> tuple[worker_openapi.ActionRequest, SchemaForm | None]:
    """How a step's function asks for its action, where the document leaves it open; and what checks one.

    Args:
        step: The route's function.
        asked: What the document says.
        routing: What says which episode is meant, and is no part of the action: names, each with a value that fits.

    Returns:
        The same, with what the code adds; and a form that checks an action, None where there is none.
    """
    step = inspect.unwrap(step)
    if not asked.is_free:
        return asked, checked(step, asked, routing)
    models = [model for model in named_models(step) if model is not None]
    for thing in named_environments(step):
        models += [hint for hint in step_hints(thing) if is_model(hint)]
    found = next((m for m in models if "action" in m.__name__.lower()), None) or next(
        iter(models), None
    )
    form = None if found is None else form_of(found, "Action")
    wrapper = asked.wrapper
    read = list(dict.fromkeys(read_from_body(step)))
    own = [name for name in read if not worker_openapi.is_routing(name, routing)]
    inside: list[str] = []
    if wrapper is None and len(own) == 1 and own[0] in worker_openapi.ACTION:
        inside = read_inside(step, own[0])
        # What is read by the name of the model's own field is that field, unless the model is made of all of it.
        field = form is not None and own[0] in worker_openapi.fields_of(form.model_json_schema())
        field = field and not is_made_whole(step, own[0])
        wrapper = own[0] if inside or (form is not None and not field) else None
    if form is not None:
        return worker_openapi.ActionRequest(form.model_json_schema(), wrapper, False), form
    if wrapper is None and len(own) == 1 and own[0] in worker_openapi.ACTION:
        wrapper = own[0] if read_by_name(step, own[0], routing) else None
    named = inside or ([] if wrapper is not None else own)
    fields = {name: ANY_VALUE for name in named} | read_by_name(step, wrapper, routing)
    if fields:
        schema = {**READ, "properties": fields}
        return worker_openapi.ActionRequest(schema, wrapper, False), None
    return asked._replace(wrapper=wrapper), None


def read_by_name(step: AnyFunction, wrapper: str | None, routing: Json) -> Json:
    """The fields of a route's action that its code, or what it calls, reads by name, each with its schema.

    Args:
        step: The route's function.
        wrapper: Name below which the body holds the action; None where the body is it.
        routing: What says which episode is meant.
    """
    names: list[str] = []
    with Boundary():
        names = [] if wrapper is not None else list(body_names(tree_of(step)))
    found = ActionReader(named_environments).read(step, names, wrapper, None)
    return {n: each for n, each in found.items() if not worker_openapi.is_routing(n, routing)}


def checked(
    step: AnyFunction, asked: worker_openapi.ActionRequest, routing: Json
) -> SchemaForm | None:
    """What checks an action of a step's function by the model that it is annotated with; None where there is none."""
    for hint in hints_of(step):
        for model in branches(hint):
            if not is_model(model):
                continue
            if asked.wrapper is None:
                return SchemaForm("Action", asked.schema, form_check(model, routing))
            for name, field in model.model_fields.items():
                is_wrapper = sent_as(name, field) == asked.wrapper
                for inner in branches(field.annotation) if is_wrapper else ():
                    if is_model(inner):
                        return SchemaForm(inner.__name__, asked.schema, form_check(inner, {}))
    return None


def form_check(model: Any, routing: Json) -> Callable[[Json], Any]:
    """What checks an action by a model: the model's own fields may have aliases, and it decides.

    Args:
        model: The model.
        routing: What stands beside the action in the same body, with values that fit.
    """
    needed = {name: field for name, field in model.model_fields.items() if field.is_required()}
    fields = {sent_as(name, field) for name, field in needed.items()}
    beside = {name: each for name, each in routing.items() if name in fields}
    return lambda value: model.model_validate({**beside, **value})


def sent_as(name: str, field: Any) -> str:
    """The name that a document gives a model's field, and that a body has: its alias, where it has one."""
    alias = field.validation_alias or field.alias
    # Of several aliases pydantic's document has the first that is no path into something else.
    ways = alias.convert_to_aliases() if isinstance(alias, AliasChoices) else [[alias]]
    first = next((way[0] for way in ways if len(way) == 1), None)
    return first if isinstance(first, str) else name


def hints_of(function: AnyFunction) -> list[Any]:
    """Annotations of a function's parameters; none where they cannot be told."""
    with Boundary():
        hints = typing.get_type_hints(function)
        return [hint for name, hint in hints.items() if name != "return"]
    return []


def branches(hint: Any) -> Iterator[Any]:
    """The types that an annotation may be."""
    if typing.get_origin(hint) in {typing.Union, types.UnionType, typing.Annotated}:
        for inner in typing.get_args(hint):
            yield from branches(inner)
    elif hint is not None:
        yield hint


def is_model(value: Any) -> bool:
    """Whether something is a class of pydantic's with fields."""
    return inspect.isclass(value) and issubclass(value, BaseModel) and value is not BaseModel


def names_in(function: AnyFunction) -> list[str]:
    """Names that a function's code reads, those of the functions inside it included."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    todo, found = [code] if code is not None else [], []
    while todo:
        each = todo.pop(0)
        found += [*each.co_names, *each.co_freevars]
        todo += [inner for inner in each.co_consts if isinstance(inner, types.CodeType)]
    return list(dict.fromkeys(found))


def named_values(function: AnyFunction) -> Iterator[tuple[str, Any]]:
    """What the names in a function's code stand for: in its module, or in the function around it."""
    plain = inspect.unwrap(function)
    around = inspect.getclosurevars(plain).nonlocals if inspect.isfunction(plain) else {}
    known = {**getattr(plain, "__globals__", {}), **around}
    for name in names_in(function):
        if name in known:
            yield name, known[name]


def named_models(function: AnyFunction) -> Iterator[Any]:
    """Models in a function's code that may be an action's, in their order."""
    for _, value in named_values(function):
        if is_model(value) and not any(word in value.__name__.lower() for word in ANSWERS):
            yield value


def named_environments(function: AnyFunction) -> Iterator[Any]:
    """Objects and classes in a function's code that can be reset and stepped; then those of its module."""
    seen: list[Any] = []
    module = getattr(inspect.unwrap(function), "__globals__", {})
    for _, value in [*named_values(function), *module.items()]:
        if can_step(value) and not any(value is each for each in seen):
            seen.append(value)
            yield value


def can_step(value: Any) -> bool:
    """Whether something has what an environment has; asked of its class, an object may invent attributes."""
    cls = value if inspect.isclass(value) else type(value)
    if cls.__module__.partition(".")[0] in {"builtins", "openenv", "gymnasium", "unittest"}:
        return False
    return all(inspect.isfunction(getattr(cls, name, None)) for name in ("reset", "step"))


def step_hints(thing: Any) -> list[Any]:
    """What the first parameter of an environment's step may be; none where it is not annotated."""
    step = getattr(thing, "step", None)
    if not callable(step):
        return []
    names = [name for name in inspect.signature(step).parameters if name != "self"]
    hints: Json = {}
    with Boundary():
        hints = typing.get_type_hints(step)
    return list(branches(hints.get(names[0]))) if names else []


def read_from_body(function: AnyFunction) -> list[str]:
    """Names that a function reads from a body that it takes as it comes: a request's JSON, or any object.

    Names that it reads from something else, a store of sessions for one, are left out where they have no constant.
    """
    with Boundary():
        return list(dict.fromkeys(constant_keys(tree_of(function))))
    return []


def read_inside(function: AnyFunction, name: str) -> list[str]:
    """Names that a function reads from the object that a body holds below a name; none where it is no object."""
    with Boundary():
        tree = tree_of(function)
        holders = holders_of(tree, name)
        found = [
            key
            for of, key in readings(tree)
            if (isinstance(of, ast.Name) and of.id in holders)
            or name in {k for _, k in readings(of)}
        ]
        return list(dict.fromkeys(found))
    return []


def holders_of(tree: ast.AST, name: str) -> set[str]:
    """Variables that hold what is read by a name."""
    return {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and name in {key for _, key in readings(node.value)}
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def is_made_whole(function: AnyFunction, name: str) -> bool:
    """Whether something is made of all that a body holds below a name, as in ``Action(**body["action"])``."""
    with Boundary():
        tree = tree_of(function)
        holders = holders_of(tree, name)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                validates = isinstance(node.func, ast.Attribute) and node.func.attr in VALIDATORS
                given = [word.value for word in node.keywords if word.arg is None]
                given += node.args if validates else []
                for each in given:
                    named = isinstance(each, ast.Name) and each.id in holders
                    if named or name in {key for _, key in readings(each)}:
                        return True
    return False


def constant_keys(tree: ast.AST) -> Iterator[str]:
    """Constants by which a body is read: of a parameter that is any object, or of what ``json()`` brought."""
    bodies = set(body_names(tree))
    yield from (key for of, key in readings(tree) if holds_body(of, bodies))


def body_names(tree: ast.AST) -> Iterator[str]:
    """Names of variables that hold a body."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for each in [*node.args.args, *node.args.kwonlyargs]:
                said = "" if each.annotation is None else ast.unparse(each.annotation)
                if "dict" in said.lower() or said in {"Any", "typing.Any"}:
                    yield each.arg
        elif isinstance(node, ast.Assign) and any(is_body(inner) for inner in ast.walk(node.value)):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def holds_body(node: ast.AST, bodies: set[str]) -> bool:
    """Whether an expression is a body, or something else only where there is none, as ``body or {}``.

    Args:
        node: The expression.
        bodies: Names of variables that hold one.
    """
    if isinstance(node, ast.BoolOp):
        return any(holds_body(each, bodies) for each in node.values)
    if isinstance(node, ast.IfExp):
        return holds_body(node.body, bodies) or holds_body(node.orelse, bodies)
    if isinstance(node, ast.Await):
        return holds_body(node.value, bodies)
    return is_body(node) or (isinstance(node, ast.Name) and node.id in bodies)


def takes_request(function: AnyFunction) -> bool:
    """Whether a route's function takes the request as it is, whose body no document names."""
    with Boundary():
        hints = typing.get_type_hints(inspect.unwrap(function)).values()
        return any(getattr(each, "__name__", "") == "Request" for each in hints)
    return False


def is_body(node: ast.AST) -> bool:
    """Whether an expression is a request's JSON."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in BODIES
    )


class TakenAction(NamedTuple):
    """How a class's step takes its action.

    Attributes:
        form: Its form.
        make: Makes the step's argument of an action.
    """

    form: SchemaForm
    make: Callable[[Json], Any]


def taken_by(cls: Any, hints: Json) -> TakenAction:
    """How a class's step takes its action: by its annotation, by the models of its module, or as the manifest says.

    Args:
        cls: The class.
        hints: Schema of the action as the manifest declares it, or nothing.

    Raises:
        Unfound: The step takes no action.
    """
    parameters = [p for name, p in inspect.signature(cls.step).parameters.items() if name != "self"]
    if not parameters:
        raise Unfound(f"{cls.__name__}.step takes no action")
    read = ActionReader(named_environments).read(cls.step, [parameters[0].name], None, cls)
    for hint in step_hints(cls):
        if (form := form_of(hint, "Action")) is not None:
            if is_model(hint):
                return TakenAction(form, hint.model_validate)
            if read and worker_openapi.is_open(form.model_json_schema()):
                form = SchemaForm("Action", {**READ, "properties": read})
            return TakenAction(form, maker(hint))
        if (schema := scalar_schema(hint)) is not None:
            made = {"type": "object", "properties": {"action": schema}, "required": ["action"]}
            return TakenAction(SchemaForm("Action", made), partial(unwrapped, hint))
    declared = worker_openapi.as_object(hints.get("action"))
    models = [m for m in module_models(cls) if m.__name__.lower().endswith("action")]
    if not step_hints(cls) and models and (form := form_of(models[0], "Action")) is not None:
        return TakenAction(form, models[0].model_validate)
    if worker_openapi.fields_of(declared):
        return TakenAction(SchemaForm("Action", declared), dict)
    schema = {**READ, "properties": read} if read else worker_openapi.FREE
    return TakenAction(SchemaForm("Action", schema), dict)


def taken_by_space(space: Any) -> TakenAction:
    """How a step takes its action where a space of Gymnasium's says it: a mapping is the action, all else is in it.

    Args:
        space: The action space.
    """
    schema = space_schema(space)
    if schema.get("properties"):
        return TakenAction(SchemaForm("Action", schema), partial(value_in, space))
    made = {"type": "object", "properties": {"action": schema}, "required": ["action"]}
    check = TypeAdapter(dict[str, Any]).validate_python
    return TakenAction(
        SchemaForm("Action", made, check), lambda action: value_in(space, action["action"])
    )


def space_schema(space: Any) -> Json:
    """The JSON schema of a space's values; empty where the space is of no known kind."""
    makers: dict[str, Callable[[Any], Json]] = {
        "Discrete": discrete,
        "Dict": dict_schema,
        "Tuple": lambda s: {
            "type": "array",
            "prefixItems": [space_schema(each) for each in s.spaces],
        },
        "Text": lambda s: {"type": "string", "minLength": s.min_length, "maxLength": s.max_length},
        "Box": lambda s: nested(
            s.shape,
            bounded(
                "integer" if s.dtype.kind in "iu" else "number",
                s.low.min().item(),
                s.high.max().item(),
            ),
        ),
        "MultiBinary": lambda s: nested(s.shape, bounded("integer", 0, 1)),
        "MultiDiscrete": lambda s: nested(s.shape, bounded("integer", 0, int(s.nvec.max()) - 1)),
    }
    make = makers.get(type(space).__name__)
    return {} if make is None else make(space)


def discrete(space: Any) -> Json:
    """The JSON schema of a choice by number; the spaces of an old Gym all begin at 0, and do not say so."""
    start = int(getattr(space, "start", 0))
    return bounded("integer", start, start + int(space.n) - 1)


def dict_schema(space: Any) -> Json:
    """The JSON schema of a space of names."""
    parts = {name: space_schema(inner) for name, inner in space.spaces.items()}
    return {"type": "object", "properties": parts, "required": list(parts)}


def bounded(kind: str, low: float, high: float) -> Json:
    """The schema of a number between two bounds; those that are none are left out."""
    bounds = {"minimum": low, "maximum": high}
    return {"type": kind, **{name: each for name, each in bounds.items() if abs(each) < MOST_BOUND}}


def nested(shape: tuple[int, ...], inner: Json) -> Json:
    """The schema of an array of a shape."""
    for length in reversed(shape):
        inner = {"type": "array", "items": inner, "minItems": length, "maxItems": length}
    return inner


def value_in(space: Any, value: Any) -> Any:
    """A value as a space has it: arrays of its type, and what they are in.

    Raises:
        ValueError: The space does not hold it.
    """
    kind = type(space).__name__
    if kind == "Dict":
        made: Any = {name: value_in(inner, value[name]) for name, inner in space.spaces.items()}
    elif kind == "Tuple":
        made = tuple(value_in(i, v) for i, v in zip(space.spaces, value, strict=True))
    elif kind in {"Box", "MultiBinary", "MultiDiscrete"}:
        import numpy

        made = numpy.asarray(value, dtype=space.dtype)
    else:
        made = value
    if not space.contains(made):
        raise ValueError(f"{space} does not hold {value!r:.80}")
    return made


def unwrapped(hint: Any, action: Json) -> Any:
    """The argument of a step that takes a bare value: what the action holds, as the choice that it is."""
    value = action["action"]
    return hint(value) if inspect.isclass(hint) and issubclass(hint, enum.Enum) else value


def maker(hint: Any) -> Callable[[Json], Any]:
    """What makes a value of an annotation that pydantic knows."""
    make: Callable[[Json], Any] = TypeAdapter(hint).validate_python
    return make


def scalar_schema(hint: Any) -> Json | None:
    """The schema of an annotation that is a text, a number, a choice or a list; None of any other."""
    with Boundary():
        schema: Json = TypeAdapter(hint).json_schema()
        if "enum" in schema or "const" in schema:
            return schema
        if schema.get("type") in {"string", "integer", "number", "boolean", "array"}:
            return schema
        ref = worker_openapi.target_of(schema)
        return ref if "enum" in ref else None
    return None


def module_models(cls: Any) -> list[Any]:
    """Models that a class's module names."""
    module = inspect.getmodule(cls)
    return [value for value in vars(module).values() if is_model(value)] if module else []


def signature(reset: AnyFunction) -> Json:
    """Parameters of a reset method, as :func:`gonogo.env.worker.inspect.reset_signature` gives those of OpenEnv's."""
    hints: Json = {}
    with Boundary():
        hints = typing.get_type_hints(reset)
    parameters, is_open = [], False
    for name, each in inspect.signature(reset).parameters.items():
        if each.kind is inspect.Parameter.VAR_KEYWORD:
            is_open = True
        elif each.kind is not inspect.Parameter.VAR_POSITIONAL:
            required = each.default is inspect.Parameter.empty
            default = None if required else worker_inspect.plain(each.default)
            parameters.append(
                {
                    "name": name,
                    "schema": worker_inspect.schema_of(hints.get(name)),
                    "default": default,
                    "required": required,
                }
            )
    return {"parameters": parameters, "open": is_open}


def code(step: AnyFunction, reset: AnyFunction) -> Json:
    """Where the code lies that answers: the class behind the routes where there is one, else the routes."""
    behind = next(iter(named_environments(step)), None)
    if behind is not None:
        return code_of_class(behind if inspect.isclass(behind) else type(behind))
    places = {"reset": place(reset), "step": place(step)}
    where = {**places, "environment": {**place(step), "bases": [], "classes": []}}
    return {**where, "action": place(step), "observation": place(step)}


def code_of_class(cls: Any) -> Json:
    """Where the code of an environment's class lies."""
    own = [
        each
        for each in cls.__mro__
        if each.__module__.partition(".")[0] not in worker_inspect.GIVEN
    ]
    environment = {**place(cls), "bases": [], "classes": [place(each) for each in own]}
    found = {"environment": environment, "reset": place(cls.reset), "step": place(cls.step)}
    return {**found, "action": place(cls), "observation": place(cls)}


def place(thing: Any) -> Json:
    """Name, file and line of a class or function."""
    thing = inspect.unwrap(thing)
    return {"name": getattr(thing, "__name__", type(thing).__name__), **location(thing)}
