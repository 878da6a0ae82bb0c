"""Whether a reset takes a seed and drops it, as far as its signature and its code tell.

Flights alone cannot: where every seed gives the same episode, the seed may decide something that nobody has seen yet.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from gonogo.rollout.protocols import Description
from gonogo.stations.map.source import Function, Source

__all__ = ["SeedUse", "seed_use"]

SEED = "seed"
SHOWS = re.compile(r"(?i)(state|observation|obs|info|metadata|dict)$")
"""What is made to be shown."""
LOGS = re.compile(r"(^print|(^|\.)(log|debug|info|warning))$")


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


def seed_use(described: Description, source: Source, tasks: int) -> SeedUse:
    """What the reset's signature and code say of the seed.

    Args:
        described: What the environment says of itself.
        source: Its source.
        tasks: How many tasks were found; where there are several, they are told apart by reset options.
    """
    if tasks > 1:
        return SeedUse(False, "its tasks are told apart by reset options")
    if described.reset is None:
        why = "one task only, or a seed that is dropped: the code cannot be seen"
        return SeedUse(False, why, unclear=True)
    if not any(parameter["name"] == SEED for parameter in described.reset["parameters"]):
        return SeedUse(False, "one task only: its reset takes no seed")
    place = (described.code or {}).get("reset") or {}
    found = source.function(place.get("file"), place.get("line"))
    if found is not None and is_used(*found):
        why = "its code uses the seed, and nothing that was seen depends on it"
        return SeedUse(False, why, unclear=True)
    return SeedUse(True, "")


def is_used(cls: ast.ClassDef, reset: Function) -> bool:
    """Whether a reset does anything with its seed but keep it where nobody reads it."""
    kept = {id(name): target for name, target in keepings(reset)}
    idle = {*tests_of_none(reset), *echoes(reset)}
    for node in ast.walk(reset):
        if not (isinstance(node, ast.Name) and node.id == SEED and isinstance(node.ctx, ast.Load)):
            continue
        if id(node) in idle:
            continue
        target = kept.get(id(node))
        if target is None or is_read(cls, reset, target):
            return True
    return False


def keepings(reset: Function) -> list[tuple[ast.Name, ast.expr]]:
    """Mentions of the seed in the value of an assignment to one name, each with the name."""
    return [
        (name, node.targets[0] if isinstance(node, ast.Assign) else node.target)
        for node in ast.walk(reset)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for name in ast.walk(node.value)
        if isinstance(name, ast.Name) and name.id == SEED
    ]


def tests_of_none(reset: Function) -> set[int]:
    """Mentions of the seed that only ask whether there is one."""
    return {
        id(node.left)
        for node in ast.walk(reset)
        if isinstance(node, ast.Compare)
        and all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops)
    }


def echoes(reset: Function) -> set[int]:
    """Mentions of the seed that only say it again: as a field of that name, or in what is printed or logged."""
    said: list[ast.expr] = []
    for node in ast.walk(reset):
        if isinstance(node, ast.Dict):
            keys = zip(node.keys, node.values, strict=True)
            said += [v for k, v in keys if isinstance(k, ast.Constant) and k.value == SEED]
        if isinstance(node, ast.Call) and SHOWS.search(ast.unparse(node.func)):
            said += [keyword.value for keyword in node.keywords if keyword.arg == SEED]
        if isinstance(node, ast.Call) and LOGS.search(ast.unparse(node.func)):
            said += [
                inner
                for given in node.args
                for inner in ast.walk(given)
                if isinstance(inner, ast.expr)
            ]
    return {id(value) for value in said}


def is_read(cls: ast.ClassDef, reset: Function, target: ast.expr) -> bool:
    """Whether what the seed is kept in is read anywhere: an attribute in its class, a name in the reset."""
    where: ast.AST = cls if isinstance(target, ast.Attribute) else reset
    name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", None)
    if name is None or name == SEED:
        return True
    return any(
        isinstance(node, ast.Attribute | ast.Name)
        and (node.attr if isinstance(node, ast.Attribute) else node.id) == name
        and isinstance(node.ctx, ast.Load)
        for node in ast.walk(where)
    )
