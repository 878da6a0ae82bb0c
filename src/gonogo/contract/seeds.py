"""What is known of a reset's seed, and whether it reaches Gymnasium's own reset alone, which seeds ``np_random``.

An environment of Gymnasium hands its seed on to that reset, whatever it draws from. If nothing of its code reads
``np_random``, the seed decides nothing there. If the code draws from a generator of its own all the same, the seed was
meant to decide that, and does not: it is dropped. An environment that draws nothing is one fixed task, and drops no
seed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef
OWN = frozenset({"np_random", "_np_random", "np_random_seed", "_np_random_seed"})
PACKAGES = frozenset({"gymnasium", "gym"})
MADE = frozenset({"default_rng", "RandomState", "Random"})
"""What makes a generator."""


@dataclass(frozen=True, slots=True)
class SeedUse:
    """What is known of a reset's seed.

    Attributes:
        dropped: Whether it is taken, and nothing of the code uses it.
        why: Where it is not known to be dropped: what that rests on, in words.
        unclear: Whether it may be dropped all the same.
    """

    dropped: bool
    why: str
    unclear: bool = False


def argument_names(function: Function) -> set[str]:
    """The names of a function's parameters."""
    taken = function.args
    return {each.arg for each in [*taken.posonlyargs, *taken.args, *taken.kwonlyargs]}


def kept_by_gymnasium(reset: Function, trees: Iterable[ast.Module], seed: str) -> bool:
    """Whether a reset hands its seed to Gymnasium's alone, whose generator nobody reads, and the code draws elsewhere.

    Args:
        reset: The environment's.
        trees: The files of its classes.
        seed: The parameter's name.
    """
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {name.partition(".")[0] for node in nodes for name in imports(node)}
    read = any(isinstance(node, ast.Attribute) and node.attr in OWN for node in nodes)
    made = any(isinstance(node, ast.Call) and name_of(node.func) in MADE for node in nodes)
    if not imported & PACKAGES or read or not made:
        return False
    given = {
        id(keyword.value)
        for node in ast.walk(reset)
        if isinstance(node, ast.Call) and is_reset_above(node.func)
        for keyword in node.keywords
    }
    mentions = [n for n in ast.walk(reset) if isinstance(n, ast.Name) and n.id == seed]
    return bool(mentions) and all(id(mention) in given for mention in mentions)


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


def is_reset_above(node: ast.expr) -> bool:
    """Whether a node is ``super().reset``."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "reset"
        and isinstance(node.value, ast.Call)
        and name_of(node.value.func) == "super"
    )
