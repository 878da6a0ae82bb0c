"""The fields of an action that may be any object, as the code reads them; runs inside the worker process only.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. A step that takes
``dict[str, Any]`` has no schema. What it looks at is in its source: the keys that it asks for, what it does with what
it finds there, and the functions and methods that it hands the action or a part of it to. Nothing is run for it.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import is_dataclass
from functools import lru_cache
from importlib.util import resolve_name
from types import ModuleType
from typing import Any

if typing.TYPE_CHECKING or __package__:
    from gonogo.env.worker.boundary import Boundary
else:
    from worker_boundary import Boundary

Json = dict[str, Any]
AnyFunction = Callable[..., Any]

MOST_DEEP = 6
"""Functions that an action is followed through, one called by the other."""
MOST_READ = 500
"""Functions that are read in all, each as often as something is handed to it."""
MOST_NESTED = 3
"""Objects and lists in each other."""
KINDS = {
    "str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "tuple": "array",
    "dict": "object", "Mapping": "object", "Sequence": "array",
}  # fmt: skip
"""What JSON calls Python's types."""
OF_TEXTS = frozenset({
    "lower", "upper", "strip", "split", "casefold", "startswith", "endswith", "splitlines", "encode", "partition",
})  # fmt: skip
OF_OBJECTS = frozenset({"items", "keys", "values"})
MADE_OF_WHOLE = frozenset({"model_validate", "parse_obj"})
"""Class methods of a model that make one of all its fields."""
SAME = frozenset({"copy", "model_dump", "dict"})
"""Methods whose result holds what they are called on."""
READ: Json = {"type": "object", "$comment": "read from the code"}
"""What a schema of such fields begins with: it promises nothing, and what fits it not is no malformed action."""
TELLING = frozenset({"type", "enum", "const", "anyOf", "oneOf"})
"""Keywords by which a schema says what a value is."""
ORDERED = "ordered"
"""What is compared by size: a number, where nothing says more."""
ANY_VALUE: Json = {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "object"}]}
"""The schema of a field of which nothing is known."""


@lru_cache(256)
def tree_of(function: AnyFunction) -> ast.Module:
    """A function's parsed source, parsed once: several questions are asked of it.

    Raises:
        OSError: There is no source.
    """
    return ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))


def readings(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """What is read by a constant text, as in ``of["key"]`` or ``of.get("key")``, and the text."""
    for node in ast.walk(tree):
        if (read := reading(node)) is not None:
            yield read


def reading(node: ast.AST) -> tuple[ast.AST, str] | None:
    """What an expression reads by a constant text, and the text; None of any other expression."""
    of: ast.AST | None = None
    key: ast.AST | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in {"get", "pop"} and node.args:
            of, key = node.func.value, node.args[0]
    elif isinstance(node, ast.Subscript):
        of, key = node.value, node.slice
    if isinstance(of, ast.BoolOp):  # (body or {}).get("key")
        of = of.values[0]
    if of is not None and isinstance(key, ast.Constant) and isinstance(key.value, str):
        return of, key.value
    return None


class ValueShape:
    """What the code does with a value.

    Attributes:
        types: What JSON calls the types that it is held against, or is used as.
        defaults: The same of what stands for it where it is not there.
        keys: What is read from it by name.
        items: What is done with each item of it; None where nothing goes through it.
        declared: Schema of the field of a class that the code fills with it; None where it fills none.
    """

    def __init__(self) -> None:
        self.types: set[str] = set()
        self.defaults: set[str] = set()
        self.keys: dict[str, ValueShape] = {}
        self.items: ValueShape | None = None
        self.declared: Json | None = None

    def schema(self) -> Json:
        """A JSON schema that says as much."""
        if self.declared is not None and self._says_more(self.declared):
            return self.declared
        if self.keys:
            return {"type": "object", "properties": {n: s.schema() for n, s in self.keys.items()}}
        if self.items is not None and not self.types & {"string", "object"}:
            return {"type": "array", "items": self.items.schema()}
        types = self.types - {"object", ORDERED}
        types -= {"boolean"} if len(types) > 1 else set()
        types -= {"integer"} if "number" in types else set()
        types |= {"number"} if not types and ORDERED in self.types else set()
        forms = [
            {"type": kind, "items": ANY_VALUE} if kind == "array" else {"type": kind}
            for kind in sorted(types)
        ]
        if not forms:
            return {"type": "object"} if "object" in self.types else any_or(self.defaults)
        return forms[0] if len(forms) == 1 else {"anyOf": forms}

    def _says_more(self, declared: Json) -> bool:
        """Whether a declared schema says more than what the code does with the value, or as much."""
        if "properties" in declared:
            return True
        read = self.keys or self.items is not None
        return (
            not read
            and not declared.keys().isdisjoint(TELLING)
            and declared.get("type") != "object"
        )


class HeldValue:
    """Where in a function a value is.

    Args:
        names: Variables that hold it.
        attribute: Name of the attribute or key that holds it, whoever's; None where only variables do.
        inside: The value that holds it, and by which key; None where it stands for itself.
    """

    def __init__(
        self,
        names: Iterable[str],
        attribute: str | None = None,
        inside: tuple[HeldValue, str] | None = None,
    ) -> None:
        self.names, self.attribute, self.inside = set(names), attribute, inside

    def is_held(self, node: ast.AST | None) -> bool:
        """Whether an expression is the value, or something else only where there is none, as ``body or {}``."""
        if node is None or isinstance(node, ast.Name):
            return node is not None and node.id in self.names
        if any(map(self.is_held, passing_on(node))):
            return True
        if isinstance(node, ast.Attribute):
            return node.attr == self.attribute and isinstance(node.value, ast.Name)
        if (read := reading(node)) is None:
            return False
        of, key = read
        within = self.inside is not None and key == self.inside[1] and self.inside[0].is_held(of)
        return within or key == self.attribute

    def follow(self, tree: ast.AST) -> None:
        """Take in the variables of a function that hold the value as well."""
        pairs = [pair for node in ast.walk(tree) for pair in assigned(node)]
        before = -1
        while before < len(self.names):
            before = len(self.names)
            self.names |= {name for name, value in pairs if self.is_held(value)}


def passing_on(node: ast.AST) -> list[ast.expr]:
    """The expressions of which another one is the value."""
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.Await):
        return [node.value]
    if isinstance(node, ast.Call):
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr in SAME:
            return [func.value]
        if isinstance(func, ast.Name) and func.id == "dict":
            return node.args[:1]
    return []


def assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The variables that a statement assigns, each with its value."""
    if isinstance(node, ast.NamedExpr):
        yield node.target.id, node.value
    elif isinstance(node, ast.AnnAssign):
        if isinstance(node.target, ast.Name) and node.value is not None:
            yield node.target.id, node.value
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value
            elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                for each, value in zip(target.elts, node.value.elts, strict=False):
                    if isinstance(each, ast.Name):
                        yield each.id, value


class ActionReader:
    """Reads what code does with an action.

    Args:
        environments: Gives the environments that a function names, for calls of what is not known otherwise.
    """

    def __init__(self, environments: Callable[[AnyFunction], Iterable[Any]]) -> None:
        self._environments = environments
        self._path: list[AnyFunction] = []
        self._left = MOST_READ

    def read(
        self, function: AnyFunction, names: Iterable[str], attribute: str | None, owner: Any
    ) -> Json:
        """The properties of an action, by name, each with its schema.

        Args:
            function: The step, or the route's function.
            names: Its parameters that hold the action.
            attribute: Name below which a body holds it; None where the body is it.
            owner: The class whose method it is; None of a plain function.
        """
        shape = ValueShape()
        self._collect(function, HeldValue(names, attribute), shape, owner, 0)
        return {name: each.schema() for name, each in shape.keys.items()}

    def _collect(
        self, function: AnyFunction, held: HeldValue, shape: ValueShape, owner: Any, nested: int
    ) -> None:
        """What a function, and what it calls, does with a value that some of its variables hold.

        A function that calls itself, as one that evaluates a tree does, is not gone through again.
        """
        function = inspect.unwrap(function)
        on_path = any(function is each for each in self._path)
        if len(self._path) > MOST_DEEP or on_path or self._left == 0:
            return
        self._left -= 1
        self._path.append(function)
        with Boundary():
            self._look(tree_of(function), function, held, shape, owner, nested)
        self._path.pop()

    def _look(
        self,
        tree: ast.AST,
        function: AnyFunction,
        held: HeldValue,
        shape: ValueShape,
        owner: Any,
        nested: int,
    ) -> None:
        held.follow(tree)
        inner: dict[str, None] = {}
        loops: set[str] = set()
        for node in ast.walk(tree):
            shape.types |= set(types_in(node, held))
            shape.defaults |= set(defaults_in(node, held))
            inner |= dict.fromkeys(keys_in(node, held))
            if isinstance(node, ast.For | ast.comprehension) and loops_over(node.iter, held):
                loops |= {name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)}
            if isinstance(node, ast.Call):
                self._pass(node, function, held, shape, owner, nested)
        if nested >= MOST_NESTED:
            return
        for key in inner:
            if key != held.attribute:
                part = shape.keys.setdefault(key, ValueShape())
                below = HeldValue((), None, (held, key))
                self._look(tree, function, below, part, owner, nested + 1)
        if loops:
            shape.items = shape.items or ValueShape()
            self._look(tree, function, HeldValue(loops), shape.items, owner, nested + 1)

    def _pass(
        self,
        call: ast.Call,
        function: AnyFunction,
        held: HeldValue,
        shape: ValueShape,
        owner: Any,
        nested: int,
    ) -> None:
        """Go on in what is called with the value, or with the body that holds it."""
        given = [n for n, each in enumerate(call.args) if held.is_held(each)]
        named = [word.arg for word in call.keywords if word.arg and held.is_held(word.value)]
        whole = any(word.arg is None and held.is_held(word.value) for word in call.keywords)
        if not given and not named and not whole:
            return
        things: list[tuple[Any, Any]] = []
        with Boundary():
            things = list(self._called(call.func, function, owner))
        for thing, _ in things:
            if inspect.isclass(thing):
                fill(shape, declared_fields(thing), given, named, whole=whole)
        if isinstance(call.func, ast.Attribute) and call.func.attr in MADE_OF_WHOLE and given:
            for _, cls in things:
                fill(shape, declared_fields(cls), (), (), whole=True)
        for called, cls in functions_among(things):
            with Boundary():
                taken = list(inspect.signature(called).parameters)
                places = [n + (cls is not None and taken[:1] in (["self"], ["cls"])) for n in given]
                names = [taken[n] for n in places if n < len(taken)] + named
                self._collect(called, HeldValue(names, held.attribute), shape, cls, nested)

    def _called(self, func: ast.expr, function: AnyFunction, owner: Any) -> list[tuple[Any, Any]]:
        """What a call may call, with the class whose method it is."""
        known: Json = dict(getattr(function, "__globals__", {}))
        known |= imported_in(tree_of(function), known.get("__package__"))
        with Boundary():  # a name of the function around it may have no value yet
            known |= inspect.getclosurevars(function).nonlocals
        found: list[tuple[Any, Any]] = []
        if isinstance(func, ast.Name):
            found = [(known.get(func.id), None)]
        elif isinstance(func, ast.Attribute):
            thing = named_thing(func.value, known, owner)
            if thing is None and func.attr == "step":
                thing = next(iter(self._environments(function)), None)
            if isinstance(thing, ModuleType):
                found = [(getattr(thing, func.attr, None), None)]
            elif thing is not None:
                cls = thing if inspect.isclass(thing) else type(thing)
                found = [(getattr(cls, func.attr, None), cls)]
        return found


def functions_among(things: Iterable[tuple[Any, Any]]) -> Iterator[tuple[AnyFunction, Any]]:
    """The functions among what may be called, with the class whose method each is; nothing of Python's own."""
    for each, cls in things:
        plain = getattr(each, "__func__", each)  # of a class method
        plain = inspect.unwrap(plain) if callable(plain) else plain
        if inspect.isfunction(plain):
            top = plain.__module__.partition(".")[0]
            if top not in sys.stdlib_module_names:
                yield plain, cls


def imported_in(tree: ast.AST, package: str | None) -> Json:
    """What a function imports by name when it runs, as far as that is imported already: nothing is, for it.

    Args:
        tree: The function.
        package: The package of its module; None where it has none.
    """
    found: Json = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            name = "." * node.level + (node.module or "")
            with Boundary():  # a relative import where there is no package
                module = sys.modules.get(resolve_name(name, package) if node.level else name)
                for alias in node.names:
                    found[alias.asname or alias.name] = getattr(module, alias.name, None)
    return found


def fill(
    shape: ValueShape, fields: Json, given: Iterable[int], named: Iterable[str], *, whole: bool
) -> None:
    """Note that a value fills fields of a class, whose schemas it has then.

    Args:
        shape: Takes them.
        fields: Of the class, by name.
        given: At which places the value is handed over.
        named: By which names it is.
        whole: Whether it is all of the fields.
    """
    names = list(fields)
    for name in [*named, *(names[place] for place in given if place < len(names))]:
        shape.declared = shape.declared or fields.get(name)
    for name, schema in fields.items() if whole else ():
        part = shape.keys.setdefault(name, ValueShape())
        part.declared = part.declared or schema


def declared_fields(cls: Any) -> Json:
    """The schemas of a model's or a dataclass's fields, by name; none of any other class."""
    adapter = getattr(sys.modules.get("pydantic"), "TypeAdapter", None)
    if adapter is None or not (hasattr(cls, "model_fields") or is_dataclass(cls)):
        return {}
    with Boundary():  # of some types there is no schema
        root = adapter(cls).json_schema()
        return {name: whole_schema(each, root) for name, each in root.get("properties", {}).items()}
    return {}


def whole_schema(schema: Any, root: Json, depth: int = MOST_NESTED) -> Any:
    """A part of a schema with what it refers to in its place, as far down as objects are looked into.

    Args:
        schema: The part.
        root: The schema, which holds the definitions.
        depth: References that may still stand in each other.
    """
    if isinstance(schema, list):
        return [whole_schema(each, root, depth) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if isinstance(reference := schema.get("$ref"), str):
        defined = root.get("$defs", {}).get(reference.rpartition("/")[2])
        return whole_schema(defined, root, depth - 1) if defined and depth else ANY_VALUE
    return {name: whole_schema(each, root, depth) for name, each in schema.items()}


def named_thing(of: ast.expr, known: Json, owner: Any) -> Any:
    """The object, class or module that an expression names; None where it cannot be told.

    Args:
        of: The expression.
        known: The names of its module and of the functions around it.
        owner: The class whose method it is in; None of a plain function.
    """
    if isinstance(of, ast.Name):
        return owner if of.id in {"self", "cls"} else known.get(of.id)
    if isinstance(of, ast.Attribute) and isinstance(of.value, ast.Name):
        return made_of(owner, of.attr)
    return None


def made_of(owner: Any, name: str) -> Any:
    """The class of which an object makes one of its attributes when it is made; None where that is not seen."""
    init = getattr(owner, "__init__", None)
    if not inspect.isfunction(init):
        return None
    with Boundary():
        for node in ast.walk(tree_of(init)):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                kept = any(isinstance(t, ast.Attribute) and t.attr == name for t in node.targets)
                made = node.value.func
                if kept and isinstance(made, ast.Name):
                    value = init.__globals__.get(made.id)
                    return value if inspect.isclass(value) else None
    return None


def keys_in(node: ast.AST, held: HeldValue) -> Iterator[str]:
    """Keys by which an expression or a pattern reads the value."""
    if (read := reading(node)) is not None and held.is_held(read[0]):
        yield read[1]
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        if held.is_held(node.comparators[0]):
            yield from constant_texts([node.left])
    elif isinstance(node, ast.Match) and held.is_held(node.subject):
        for case in node.cases:
            for pattern in ast.walk(case.pattern):
                if isinstance(pattern, ast.MatchMapping):
                    yield from constant_texts(pattern.keys)


def constant_texts(nodes: Iterable[ast.expr]) -> Iterator[str]:
    """The constant texts among some expressions."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def loops_over(node: ast.expr, held: HeldValue) -> bool:
    """Whether a loop goes through the items of the value."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        several = node.func.id in {"enumerate", "list", "sorted", "reversed", "tuple", "set"}
        return several and bool(node.args) and held.is_held(node.args[0])
    return held.is_held(node)


def types_in(node: ast.AST, held: HeldValue) -> Iterator[str]:
    """The types that an expression holds the value against, or uses it as."""
    if isinstance(node, ast.Call):
        yield from types_by_call(node, held)
    elif isinstance(node, ast.Compare):
        left, right = node.left, node.comparators[0]
        if isinstance(left, ast.Call) and isinstance(left.func, ast.Name):
            asked = left.func.id == "type" and bool(left.args) and held.is_held(left.args[0])
            yield from kinds_of(right) if asked else ()
        elif held.is_held(left):
            by_size = isinstance(node.ops[0], ast.Lt | ast.Gt | ast.LtE | ast.GtE)
            yield from [ORDERED] if by_size else constants_in(right)


def types_by_call(call: ast.Call, held: HeldValue) -> Iterator[str]:
    """The types that a call asks of the value, makes of it, or needs of it."""
    func, args = call.func, call.args
    if isinstance(func, ast.Name) and args and held.is_held(args[0]):
        if func.id == "isinstance" and len(args) > 1:
            yield from kinds_of(args[1])
        elif func.id in {"int", "float", "str"}:
            yield KINDS[func.id]
    elif isinstance(func, ast.Attribute):
        of = func.value
        of = of.args[0] if isinstance(of, ast.Call) and of.args and is_str(of.func) else of
        if held.is_held(of):
            yield from ["string"] if func.attr in OF_TEXTS else []
            yield from ["object"] if func.attr in OF_OBJECTS else []


def defaults_in(node: ast.AST, held: HeldValue) -> Iterator[str]:
    """The type of what stands for the value where it is not there, as in ``action.get("spam", False)``."""
    if not isinstance(node, ast.Call) or reading(node) is None or not held.is_held(node):
        return
    for default in node.args[1:]:
        if isinstance(default, ast.List):
            yield "array"
        elif isinstance(default, ast.Constant) and isinstance(default.value, bool):
            yield "boolean"


def any_or(kinds: Iterable[str]) -> Json:
    """The schema of any value, and of what its default is: that alone may stand for something else."""
    more = [{"type": k, "items": ANY_VALUE} if k == "array" else {"type": k} for k in sorted(kinds)]
    return {"anyOf": [*more, *ANY_VALUE["anyOf"]]} if more else ANY_VALUE


def is_str(node: ast.expr) -> bool:
    """Whether an expression is Python's ``str``."""
    return isinstance(node, ast.Name) and node.id == "str"


def kinds_of(node: ast.expr) -> Iterator[str]:
    """What JSON calls the types that an expression names."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and each.id in KINDS:
            yield KINDS[each.id]


def constants_in(node: ast.expr) -> Iterator[str]:
    """The types of an expression's constants, alone or in a tuple, list or set."""
    several = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    for each in several:
        if isinstance(each, ast.Constant) and type(each.value).__name__ in {"str", "int", "float"}:
            yield KINDS[type(each.value).__name__]
