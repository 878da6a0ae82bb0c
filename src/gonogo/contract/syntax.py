"""What Python's syntax trees say of functions, classes and names: the words in which source is read here."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef


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
