"""Whether a reset takes a seed and drops it, as far as its signature and its code tell.

Flights alone cannot: where every seed gives the same episode, the seed may decide something that nobody has seen yet.
The code is read and never run; what cannot be followed counts as a use.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gonogo.contract.source import Function, Source
from gonogo.records.inspection import Description

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
    unseen = "one task only, or a seed that is dropped: the code cannot be seen"
    if described.reset is None:
        return SeedUse(False, unseen, unclear=True)
    if not any(parameter.name == SEED for parameter in described.reset.parameters):
        return SeedUse(False, "one task only: its reset takes no seed")
    code = described.code
    found = source.function(code.reset) if code else None
    if code is None or found is None:
        return SeedUse(False, unseen, unclear=True)
    classes = [source.cls(each) for each in code.environment.classes]
    if Trail(source, classes).is_used(found[1], SEED):
        why = "its code uses the seed, and nothing that was seen depends on it"
        return SeedUse(False, why, unclear=True)
    return SeedUse(True, "")


class Trail:
    """Where a seed goes from a reset: on to other methods, into names and attributes, until it is used or lost.

    Args:
        source: The environment's source.
        classes: The environment's own classes, the nearest first; None for each that cannot be seen.
    """

    def __init__(self, source: Source, classes: Sequence[ast.ClassDef | None]) -> None:
        self._source = source
        seen = [cls for cls in classes if cls is not None]
        self._whole = bool(seen) and len(seen) == len(classes)
        self._methods: dict[str, list[Function]] = {}
        for cls in seen:
            for name, function in {f.name: f for f in functions_of(cls)}.items():
                self._methods.setdefault(name, []).append(function)
        self._live = list(reachable(seen))
        self._known: set[tuple[int | None, str]] = set()

    def is_used(self, function: Function, name: str) -> bool:
        """Whether a method does anything with a name but keep it or hand it on to where nobody uses it."""
        if (id(function), name) in self._known:
            return False
        self._known.add((id(function), name))
        named = (n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name)
        return self._any_used(function, named)

    def _is_read(self, name: str) -> bool:
        """Whether anything uses an attribute of the environment; what an overridden method does counts for nothing."""
        if (None, name) in self._known:
            return False
        self._known.add((None, name))
        hooked = name in self._methods or "__setattr__" in self._methods
        if not self._whole or hooked or self._source.reads_from_outside(name):
            return True
        return any(self._reads(function, name) for function in self._live)

    def _reads(self, function: Function, name: str) -> bool:
        """Whether a method uses an attribute of this name, or gives the whole environment away."""
        nodes = list(ast.walk(function))
        bases = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        if any(isinstance(n, ast.Name) and is_self(n) and id(n) not in bases for n in nodes):
            return True
        named = (n for n in nodes if isinstance(n, ast.Attribute) and n.attr == name)
        return self._any_used(function, named)

    def _any_used(self, function: Function, named: Iterator[ast.Name | ast.Attribute]) -> bool:
        """Whether any mention in a method is a use."""
        idle = {*tests_of_none(function), *echoes(function)}
        return any(
            self._ends_in_use(function, node)
            for node in named
            if isinstance(node.ctx, ast.Load) and id(node) not in idle
        )

    def _ends_in_use(self, function: Function, mention: ast.expr) -> bool:
        """Whether a mention is a use, or becomes one where it is kept or handed on."""
        kept = [target for value, target in keepings(function) if holds(value, mention)]
        taken = [
            self._parameter(function, call, called, argument)
            for call, called, argument in handed_on(function)
            if holds(argument, mention)
        ]
        if not kept and not taken:
            return True
        return any(self._is_kept(function, target) for target in kept) or any(
            parameter is None or self.is_used(*parameter) for parameter in taken
        )

    def _is_kept(self, function: Function, target: ast.expr) -> bool:
        """Whether what an assignment keeps is used."""
        if isinstance(target, ast.Name):
            return self.is_used(function, target.id)
        if isinstance(target, ast.Attribute) and is_self(target.value):
            return self._is_read(target.attr)
        return True

    def _parameter(
        self,
        function: Function,
        call: ast.Call,
        called: ast.Attribute,
        argument: ast.expr | ast.keyword,
    ) -> tuple[Function, str] | None:
        """The method that takes an argument, and by what name; None where that cannot be told."""
        named = self._methods.get(called.attr, [])
        if is_above(called.value) and function in named:
            named = named[named.index(function) + 1 :]
        elif not is_self(called.value):
            named = []
        name = parameter_of(named[0], call, argument) if named and self._whole else None
        return None if name is None else (named[0], name)


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


def holds(outer: ast.AST, inner: ast.expr) -> bool:
    """Whether a node stands inside another."""
    return any(node is inner for node in ast.walk(outer))


def is_self(node: ast.expr) -> bool:
    """Whether a node is ``self`` and no more."""
    return isinstance(node, ast.Name) and node.id == "self"


def is_above(node: ast.expr) -> bool:
    """Whether a node is ``super()``."""
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
    )


def is_within(node: ast.expr) -> bool:
    """Whether a node is ``self``, ``super()`` or something that the environment holds."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return is_self(node) or is_above(node)


def handed_on(
    function: Function,
) -> Iterator[tuple[ast.Call, ast.Attribute, ast.expr | ast.keyword]]:
    """Each argument of calls of the environment's methods and of what it holds, after the call and what is called."""
    for node in ast.walk(function):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        given: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
        if is_within(node.func.value):
            yield from ((node, node.func, argument) for argument in given)


def parameter_of(
    function: Function, call: ast.Call, argument: ast.expr | ast.keyword
) -> str | None:
    """The name by which a method takes an argument; None where that cannot be told."""
    taken = function.args
    if isinstance(argument, ast.keyword):
        names = [each.arg for each in [*taken.args, *taken.kwonlyargs]]
        return argument.arg if argument.arg in names else None
    before = call.args[: call.args.index(argument) + 1]
    places = [*taken.posonlyargs, *taken.args][1:]
    if function.decorator_list or any(isinstance(each, ast.Starred) for each in before):
        return None
    return places[len(before) - 1].arg if len(before) <= len(places) else None


def keepings(function: Function) -> list[tuple[ast.expr, ast.expr]]:
    """The value of each assignment, with each of its targets."""
    return [
        (node.value, target)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]


def tests_of_none(function: Function) -> set[int]:
    """What is only asked whether there is any."""
    return {
        id(node.left)
        for node in ast.walk(function)
        if isinstance(node, ast.Compare)
        and all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops)
    }


def echoes(function: Function) -> set[int]:
    """What is only said again: as a field of the seed's name, or in what is printed or logged."""
    said: list[ast.expr] = []
    for node in ast.walk(function):
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
