"""What Python's syntax trees say of functions, classes and names: the words in which source is read here."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

Function = ast.FunctionDef | ast.AsyncFunctionDef
GETTERS = frozenset({"get", "pop", "setdefault"})
ChosenFunction = tuple[str, str]
"""A value, and the name of the function that it chooses."""


def argument_names(function: Function) -> set[str]:
    """The names of a function's parameters."""
    taken = function.args
    return {each.arg for each in [*taken.posonlyargs, *taken.args, *taken.kwonlyargs]}


def imports(node: ast.AST) -> list[str]:
    """The modules that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


def name_of(node: ast.expr) -> str:
    """The last name of what is called; empty where it has none."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def functions_of(cls: ast.ClassDef) -> list[Function]:
    """The methods that a class defines."""
    return [node for node in cls.body if isinstance(node, Function)]


def reachable(classes: Sequence[ast.ClassDef]) -> Iterator[Function]:
    """The methods that can run: those that no nearer class overrides, and overridden ones that something calls."""
    everything = [function for cls in classes for function in functions_of(cls)]
    calls = (n.func for f in everything for n in ast.walk(f) if isinstance(n, ast.Call))
    called = {c.attr for c in calls if isinstance(c, ast.Attribute) and not is_self(c.value)}
    overridden: set[str] = set()
    for cls in classes:
        yield from (f for f in functions_of(cls) if f.name not in overridden - called)
        overridden |= {f.name for f in functions_of(cls)}


def is_self(node: ast.expr) -> bool:
    """Whether a node is ``self`` and no more."""
    return isinstance(node, ast.Name) and node.id == "self"


def text_of(node: ast.expr) -> str | None:
    """The text that an expression is; None for any other."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def last_names(target: ast.expr) -> Iterator[str]:
    """What an expression is called at its end."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Attribute):
        yield target.attr


def parameters(function: Function) -> list[str]:
    """What a function takes by place or name, but for the object that it is a method of."""
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return [each.arg for each in every if each.arg not in {"self", "cls"}]


@lru_cache(4096)
def lookups(function: Function) -> tuple[tuple[str, str], ...]:
    """The parameters of a function that it looks up something in, each with the parameter that says what."""
    names = set(parameters(function))
    pairs = [pair for node in ast.walk(function) if (pair := looked_up(node)) is not None]
    return tuple(
        (one.id, other.id)
        for one, other in pairs
        if isinstance(one, ast.Name) and isinstance(other, ast.Name) and {one.id, other.id} <= names
    )


def looked_up(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """What an expression looks up something in, and what: ``of[key]``, ``of.get(key)``, ``key in of``."""
    if isinstance(node, ast.Subscript):
        return node.value, node.slice
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        return node.comparators[0], node.left
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        return (node.func.value, node.args[0]) if node.func.attr in GETTERS else None
    return None


def is_name(node: ast.expr, name: str) -> bool:
    """Whether an expression is a variable."""
    return isinstance(node, ast.Name) and node.id == name


def chosen_in(node: ast.Dict) -> list[ChosenFunction]:
    """The functions that a mapping names, each by its key; also those of pairs that begin with one."""
    pairs = [(key, value) for key, value in zip(node.keys, node.values, strict=True) if key]
    firsts = [(k, v.elts[0] if isinstance(v, ast.Tuple) and v.elts else v) for k, v in pairs]
    named = [(text_of(key), name) for key, value in firsts for name in last_names(value)]
    return [(text, name) for text, name in named if text is not None]


def ends_of(node: ast.expr) -> tuple[str, str]:
    """The constant texts that an expression which makes a text begins and ends with."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return ends_of(node.left)[0], ends_of(node.right)[1]
    if isinstance(node, ast.JoinedStr) and node.values:
        first, last = node.values[0], node.values[-1]
        return text_of(first) or "", text_of(last) or ""
    said = text_of(node) or ""
    return said, said
