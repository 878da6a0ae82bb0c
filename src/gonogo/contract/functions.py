"""Functions of a source: what each changes, calls and reads, by the names that stand in it. Parsed and never run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from gonogo.contract.source import File
from gonogo.contract.syntax import (
    Function,
    assignments,
    elements_of,
    name_of,
    names_in,
    variables_in,
)
from gonogo.records.contract import SourcePlace

CHANGES = frozenset({
    "add", "append", "appendleft", "extend", "insert", "update", "setdefault", "discard", "remove", "pop", "popleft",
    "popitem", "clear", "sort", "reverse", "difference_update", "intersection_update",
})  # fmt: skip
"""Methods that change what they are called on."""
TAKES = frozenset({"discard", "remove", "pop", "popleft", "popitem", "clear", "difference_update"})
LOOKS = frozenset({
    "get", "items", "keys", "values", "copy", "intersection", "union", "difference", "issubset", "issuperset",
    "isdisjoint", "index", "count", "model_dump", "join", "format", "lower", "upper", "strip", "split", "startswith",
    "endswith",
})  # fmt: skip
"""Methods that change nothing."""
CONTAINERS = frozenset({"set", "list", "dict", "deque", "defaultdict", "Counter", "OrderedDict"})
ASKING = (ast.If, ast.While, ast.IfExp)


@dataclass(frozen=True)
class Code:
    """A function, its class and its file."""

    function: Function
    cls: ast.ClassDef | None
    file: File

    @cached_property
    def nodes(self) -> list[tuple[ast.AST, tuple[ast.expr, ...]]]:
        """All that stands in it, each with the conditions under which it does."""
        out: list[tuple[ast.AST, tuple[ast.expr, ...]]] = []
        waiting: list[tuple[ast.AST, tuple[ast.expr, ...]]] = [(self.function, ())]
        while waiting:
            node, tests = waiting.pop()
            out.append((node, tests))
            inner = (*tests, node.test) if isinstance(node, ASKING) else tests
            waiting += [(child, inner) for child in ast.iter_child_nodes(node)]
        return out

    @cached_property
    def changes(self) -> list[StateChange]:
        """What it changes."""
        return list(changes(node for node, _ in self.nodes))

    @cached_property
    def called(self) -> frozenset[str]:
        """The names of what it calls, or may read as a property."""
        return frozenset(name for node, _ in self.nodes for name in called_here(node))

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """The same, with every name that stands in it."""
        return self.called | {node.id for node, _ in self.nodes if isinstance(node, ast.Name)}

    @property
    def owner(self) -> str:
        """Its class's name, or its file's."""
        return self.file.name if self.cls is None else self.cls.name

    @cached_property
    def foreign(self) -> frozenset[str]:
        """The names in it that are not its own, those that it declares as its module's among them."""
        nodes = [node for node, _ in self.nodes]
        declared = {name for n in nodes if isinstance(n, ast.Global) for name in n.names}
        taken = {n.arg for n in nodes if isinstance(n, ast.arg)}
        named = [n for n in nodes if isinstance(n, ast.Name)]
        taken |= {n.id for n in named if isinstance(n.ctx, ast.Store)} - declared
        return frozenset({n.id for n in named} - taken)

    def conditions(self, wanted: ast.AST) -> tuple[ast.expr, ...]:
        """The conditions under which a node of it stands."""
        return next(tests for node, tests in self.nodes if node is wanted)

    def place(self, node: ast.stmt | ast.expr) -> SourcePlace:
        """A node's place in it."""
        return self.file.place(node, f"{self.owner}.{self.function.name}" if self.cls else "")


@dataclass(frozen=True)
class StateChange:
    """A change of something: the names from its root on, where, and whether it gives another value outright."""

    names: tuple[str, ...]
    node: ast.stmt | ast.expr
    outright: bool

    @property
    def of_self(self) -> bool:
        """Whether it is of an attribute of ``self``."""
        return self.names[0] == "self"


PlacedChange = tuple[Code, StateChange]


def places_of(changed: Sequence[PlacedChange]) -> tuple[SourcePlace, ...]:
    """The places of changes, in their order; of those that only take away if there are no others."""
    leaving = [(code, change) for code, change in changed if not takes_away(change.node)]
    places = [code.place(change.node) for code, change in leaving or changed]
    return tuple(sorted(places, key=lambda place: (place.file, place.line)))


def takes_away(node: ast.stmt | ast.expr) -> bool:
    """Whether a change takes away from what is there."""
    func = node.func if isinstance(node, ast.Call) else None
    return isinstance(node, ast.Delete) or (isinstance(func, ast.Attribute) and func.attr in TAKES)


def codes_in(file: File) -> Iterator[Code]:
    """The functions of a file and the methods of its classes; what stands inside of one is part of it."""
    for node in file.tree.body:
        cls = node if isinstance(node, ast.ClassDef) else None
        for each in node.body if isinstance(node, ast.ClassDef) else [node]:
            # a route or a tool may be defined within what sets it up
            inner = ast.walk(each) if isinstance(each, Function) else ()
            yield from (Code(f, cls, file) for f in inner if isinstance(f, Function))


def called_here(node: ast.AST) -> Iterator[str]:
    """The name that a node calls, or may read as a property."""
    if isinstance(node, ast.Call):
        yield name_of(node.func)
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        yield node.attr


def chain_of(node: ast.expr) -> tuple[str, ...]:
    """The names from a root to a node, as ``self``, ``site``, ``passed``; empty where it has no name at its root."""
    names: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            names.append(node.attr)
        node = node.value
    return (node.id, *reversed(names)) if isinstance(node, ast.Name) else ()


def changes(nodes: Iterable[ast.AST]) -> Iterator[StateChange]:
    """What some nodes change: assignments, deletions, and methods that change what they are called on."""
    for node in nodes:
        if isinstance(node, ast.stmt):
            targets = [target for target, _ in assignments(node, augmented=True)]
            targets += node.targets if isinstance(node, ast.Delete) else []
            for each in (each for target in targets for each in elements_of(target)):
                names = chain_of(each)
                plain = not isinstance(each, ast.Subscript) and len(names) <= 2
                if names:
                    outright = plain and isinstance(node, ast.Assign | ast.AnnAssign)
                    yield StateChange(names, node, outright)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            names = chain_of(node.func.value)
            if node.func.attr in CHANGES and names:
                yield StateChange(names, node, False)


def touched(code: Code) -> Iterator[str]:
    """The names that a reset may have set, emptied or handed to who does; reading one alone leaves it."""
    for change in code.changes:
        yield from change.names
    for node, _ in code.nodes:
        func = node.func if isinstance(node, ast.Call) else None
        if isinstance(func, ast.Attribute) and func.attr not in LOOKS:
            yield from chain_of(func.value)[1:]
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield node.attr  # also where a loop, a with or a pattern sets it
        if isinstance(node, ast.Assign | ast.For | ast.comprehension):
            value = node.value if isinstance(node, ast.Assign) else node.iter
            for each in elements_of(value):
                yield from chain_of(each)[1:]


def bound_names(node: ast.AST) -> Iterator[str]:
    """The names that a statement of a class or a module gives a value, or a type alone."""
    if isinstance(node, ast.Assign):
        yield from (name for target in node.targets for name in variables_in(target))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def fills(code: Code, wanted: ast.AST, name: str) -> bool:
    """Whether a change only fills in what was missing there, as a cache does: it stands under a question for that."""
    for test in code.conditions(wanted):
        absent = isinstance(test, ast.Compare) and any(
            isinstance(op, ast.NotIn | ast.Is) for op in test.ops
        )
        absent = absent or (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not))
        if absent and name in set(names_in(test)) and hands_out(code, name):
            return True
    return False


def hands_out(code: Code, name: str) -> bool:
    """Whether a function returns what it looks up under a name."""
    returned = [n.value for n, _ in code.nodes if isinstance(n, ast.Return) and n.value]
    return any(
        name in chain_of(each)
        for each in returned
        if isinstance(each, ast.Subscript | ast.Attribute)
    )


def reads(code: Code, name: str) -> bool:
    """Whether a function reads something of a name, and does not only change it."""
    if name not in code.mentioned:
        return False
    called = [node.func for node, _ in code.nodes if isinstance(node, ast.Call)]
    idle = {id(f.value) for f in called if isinstance(f, ast.Attribute) and f.attr in CHANGES}
    return any(
        name_of(node) == name
        for node, _ in code.nodes
        if isinstance(node, ast.Attribute | ast.Name)
        and isinstance(node.ctx, ast.Load)
        and id(node) not in idle
    )


def mutable_defaults(function: Function) -> Iterator[tuple[int, str]]:
    """The parameters whose default is a set, list or mapping, each after its place."""
    taken = [*function.args.posonlyargs, *function.args.args]
    first = len(taken) - len(function.args.defaults)
    pairs = [(first + n, taken[first + n], d) for n, d in enumerate(function.args.defaults)]
    pairs += [
        (len(taken), each, d)
        for each, d in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
        if d is not None
    ]
    for place, each, default in pairs:
        made = isinstance(default, ast.Call) and name_of(default.func) in CONTAINERS
        if made or isinstance(default, ast.List | ast.Dict | ast.Set):
            yield place, each.arg


def is_change(func: ast.expr) -> bool:
    """Whether what is called is a method that changes something that has a name."""
    return isinstance(func, ast.Attribute) and func.attr in CHANGES and bool(chain_of(func.value))
