"""Shares whose whole is moved by steps, by an environment's source: parsed and never run.

A reward that divides what was done by the size of a collection asks for less, the less is in it. Where a step takes
away from that collection, fills it, or sets the flag that it is filtered by, who acts chooses what is asked for, as in
tickets closed of tickets that still wait, or answers that are right of those that were given. So this says where to
look, and by which actions; flights decide (:mod:`gonogo.auditing.checks.sweeps`,
:mod:`gonogo.auditing.checks.uncounted`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from gonogo.contract.followed import BIRTHS, STEPS, FollowedCode
from gonogo.contract.functions import (
    CONTAINERS,
    Code,
    chain_of,
    is_change,
    takes_away,
)
from gonogo.contract.syntax import (
    assignments,
    chosen_in,
    elements_of,
    is_name,
    name_of,
    names_in,
    nodes_of,
    taken_names,
    text_of,
)
from gonogo.records.contract import SourcePlace

MEANS = frozenset({"mean", "fmean", "average", "nanmean"})
"""Functions that divide by the size of what they are given."""
ORDERS = frozenset({"sort", "reverse"})
"""Methods that change a collection and not its size."""
CLOCK = re.compile(
    r"(?i)(^|_)(steps?|turns?|ticks?|t|time|clock|hours?|days?|minutes?|rounds?|iterations?|moves?)(_|$)"
)
"""Names of what goes on with every step."""
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
DEEPEST, MOST, MOST_CALLERS, MOST_FOLLOWED = 4, 8, 4, 200
"""Calls that are followed from a change towards the step, shares, functions that may call one for it to be an action's
own, and expressions that a divisor is followed through."""
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)

FlaggedNode = tuple[int, frozenset[str]]
"""An expression that was followed, and the flags that it was filtered by."""


@dataclass(frozen=True, slots=True)
class MovedShare:
    """A division by the size of something that steps move.

    Attributes:
        collection: The attribute that holds it, or counts it.
        place: Where it is divided by.
        functions: Names of the functions that move it, and of those that call them.
        verbs: Texts that choose these functions.
    """

    collection: str
    place: SourcePlace
    functions: tuple[str, ...]
    verbs: tuple[str, ...]

    def moved_by(self, choice: str) -> bool:
        """Whether a choice of an action may be one that moves it.

        Args:
            choice: What the action says, or the name of a tool.
        """
        said = words_of(choice)
        chosen = any(words_of(verb) == said for verb in self.verbs)
        return bool(said) and (chosen or any(said <= words_of(name) for name in self.functions))

    def __str__(self) -> str:
        by = ", ".join(self.functions or self.verbs)
        return (
            f"{self.place.file}:{self.place.line} divides by {self.collection}, which {by} can move"
        )


def words_of(name: str) -> frozenset[str]:
    """The words of a name."""
    return frozenset(word.lower() for word in WORD.findall(name))


def moved_shares(followed: FollowedCode) -> list[MovedShare]:
    """The shares whose whole is moved by steps.

    Args:
        followed: The environment's functions.
    """
    return list(MovedSearch(followed).found())[:MOST]


@dataclass(frozen=True, slots=True)
class Whole:
    """What a reward divides by.

    Attributes:
        name: The attribute, or the key, that holds or counts it.
        flags: Attributes and keys of its items that decide which of them count.
    """

    name: str
    flags: frozenset[str] = frozenset()


PlacedNode = tuple[Code, ast.stmt | ast.expr]
"""A node, after the function in which it stands."""


@dataclass(slots=True)
class Moves:
    """The changes of one name that steps make, each with its function.

    Attributes:
        sizes: Those by which a collection grows or shrinks, or a number counts on.
        flags: Those that give it another value.
    """

    sizes: list[PlacedNode] = field(default_factory=list)
    flags: list[PlacedNode] = field(default_factory=list)


@dataclass(slots=True)
class Leading:
    """What leads from a step to a change, in the order in which it was found.

    Attributes:
        functions: Names of functions.
        verbs: Texts by which they are chosen.
    """

    functions: dict[str, None] = field(default_factory=dict)
    verbs: dict[str, None] = field(default_factory=dict)


class MovedSearch:
    """The search through one environment's source.

    Args:
        followed: Its functions, followed.
    """

    def __init__(self, followed: FollowedCode) -> None:
        self._followed = followed
        self._stepping = {id(each) for each in followed.stepping}
        self._moves: dict[str, Moves] | None = None
        self._under: dict[int, dict[int, tuple[str, ...]]] = {}

    def found(self) -> Iterator[MovedShare]:
        """The shares, each division and collection once."""
        known: set[tuple[str, int, str]] = set()
        for code, expression in self._followed.paid:
            for node in divisors(expression):
                for whole in self._wholes(code, node, frozenset(), set()):
                    place = code.place(node)
                    key = place.file, place.line, whole.name
                    if key not in known:
                        known.add(key)
                        yield from self._moved(whole, place)

    def _moved(self, whole: Whole, place: SourcePlace) -> Iterator[MovedShare]:
        """The share, if steps move its whole."""
        if self._moves is None:
            self._moves = self._all_moves()
        none = Moves()
        nodes = [] if CLOCK.search(whole.name) else list(self._moves.get(whole.name, none).sizes)
        nodes += [each for flag in whole.flags for each in self._moves.get(flag, none).flags]
        if not nodes:
            return
        led = Leading()
        for code, node in nodes:
            self._lead(code, node, led)
        if led.functions or led.verbs:  # else each step moves it, whatever is done
            yield MovedShare(whole.name, place, tuple(led.functions), tuple(led.verbs))

    def _wholes(
        self, code: Code, node: ast.expr, flags: frozenset[str], seen: set[FlaggedNode]
    ) -> Iterator[Whole]:
        """What the value of an expression is counted of.

        Args:
            code: The function in which it stands.
            node: The expression.
            flags: What decides which items count, so far.
            seen: What was followed already.
        """
        if (id(node), flags) in seen or len(seen) > MOST_FOLLOWED:
            return
        seen.add((id(node), flags))
        if isinstance(node, ast.Call):
            yield from self._called(code, node, flags, seen)
        elif isinstance(node, COMPREHENSIONS):
            asked = [test for each in node.generators for test in each.ifs]
            asked += [] if isinstance(node, ast.DictComp) else [node.elt]
            more = flags | {name for test in asked for name in items_named(test)}
            for inner in node.generators:
                yield from self._wholes(code, inner.iter, more, seen)
        elif isinstance(node, ast.Attribute):
            yield from self._held(node, flags, seen)
        elif isinstance(node, ast.Name):
            yield from self._local(code, node.id, flags, seen)
        else:
            yield from (Whole(key, flags) for key in key_in(node))
            for part in parts_of(node):
                yield from self._wholes(code, part, flags, seen)

    def _held(
        self, node: ast.Attribute, flags: frozenset[str], seen: set[FlaggedNode]
    ) -> Iterator[Whole]:
        """The same of an attribute: itself, or what a property of its name returns."""
        properties = self._properties(node.attr)
        for known in properties:
            yield from self._answered(known, flags, seen)
        if not properties and chain_of(node):
            yield Whole(node.attr, flags)

    def _called(
        self, code: Code, node: ast.Call, flags: frozenset[str], seen: set[FlaggedNode]
    ) -> Iterator[Whole]:
        """The same of a call: what a known function returns, else what is given to it or it is called on."""
        func = node.func
        known = [
            each
            for each in self._followed.named(name_of(func))
            if each.cls is None or not isinstance(func, ast.Name)
        ]
        if known and name_of(func) not in CONTAINERS:
            for each in known[:DEEPEST]:
                yield from self._answered(each, flags, seen)
            return
        if isinstance(func, ast.Attribute):
            key = text_of(node.args[0]) if node.args and func.attr in {"get", "pop"} else None
            if key is not None:
                yield Whole(key, flags)
                return
            yield from self._wholes(code, func.value, flags, seen)
        for given in node.args:
            yield from self._wholes(code, given, flags, seen)

    def _answered(
        self, code: Code, flags: frozenset[str], seen: set[FlaggedNode]
    ) -> Iterator[Whole]:
        """The same of what a function returns."""
        for node, _ in code.nodes:
            if isinstance(node, ast.Return) and node.value is not None:
                yield from self._wholes(code, node.value, flags, seen)

    def _properties(self, name: str) -> list[Code]:
        """The properties of a name."""
        return [
            each
            for each in self._followed.named(name)
            if any(
                name_of(d) in {"property", "cached_property"} for d in each.function.decorator_list
            )
        ]

    def _local(
        self, code: Code, name: str, flags: frozenset[str], seen: set[FlaggedNode]
    ) -> Iterator[Whole]:
        """The same of a name: a parameter, a variable of its function, or a module's."""
        if name in taken_names(code.function):
            for caller, given in self._followed.given(code, name):
                yield from self._wholes(caller, given, flags, seen)
        if name in code.foreign:
            yield Whole(name, flags)
            return
        loops = [node for node, _ in code.nodes if isinstance(node, ast.For | ast.AsyncFor)]
        for node, tests in code.nodes:
            for target, value in assignments(node):
                if is_name(target, name):
                    yield from self._wholes(code, value, flags, seen)
            counts = isinstance(node, ast.AugAssign) and is_name(node.target, name)
            fills = isinstance(node, ast.Call) and is_change(node.func)
            if not counts and not (fills and chain_of(node.func)[:1] == (name,)):  # type: ignore[attr-defined]
                continue
            more = flags | {each for test in tests for each in items_named(test)}
            for loop in loops:
                if any(inner is node for inner in ast.walk(loop)):
                    yield from self._wholes(code, loop.iter, more, seen)

    def _all_moves(self) -> dict[str, Moves]:
        """What steps change, by the last name of it."""
        found: dict[str, Moves] = {}
        begun = self._begun_empty()
        for code in self._followed.stepping:
            if code.function.name in BIRTHS:
                continue
            aliases = aliases_in(code)
            for change in code.changes:
                name = change.names[-1]
                if len(change.names) == 1:
                    name = aliases.get(name, name if name in code.foreign else "")
                moves = found.setdefault(name, Moves())
                if resizes(change.node, name, begun):
                    moves.sizes.append((code, change.node))
                if isinstance(change.node, ast.Assign | ast.AnnAssign):
                    moves.flags.append((code, change.node))
            for key, node in keyed_in(code):
                moves = found.setdefault(key, Moves())
                (moves.sizes if isinstance(node, ast.AugAssign) else moves.flags).append(
                    (code, node)
                )
        return found

    def _begun_empty(self) -> set[str]:
        """The attributes that hold nothing when an episode begins."""
        found: set[str] = set()
        for code in self._followed.codes:
            if id(code) in self._stepping and code.function.name not in BIRTHS:
                continue
            for node, _ in code.nodes:
                found |= {name_of(t) for t, value in assignments(node) if is_empty(value)}
        for file in self._followed.files:
            for cls in (n for n in file.tree.body if isinstance(n, ast.ClassDef)):
                pairs = [pair for node in cls.body for pair in assignments(node)]
                found |= {name_of(target) for target, value in pairs if is_empty(value)}
        return found - {""}

    def _lead(self, code: Code, node: ast.AST, found: Leading, depth: int = 0) -> None:
        """Take down which functions and which texts lead from a step to a node."""
        found.verbs.update(dict.fromkeys(self._texts(code, node)))
        name = code.function.name
        if name in found.functions or name in STEPS or depth > DEEPEST:
            return
        callers = list(self._followed.callers(code))
        if len({id(caller) for caller, _ in callers}) > MOST_CALLERS:
            return  # what helps many actions is the doing of none
        found.functions[name] = None
        found.verbs.update(dict.fromkeys(self._choosing.get(name, ())))
        for caller, call in callers:
            self._lead(caller, call, found, depth + 1)

    def _texts(self, code: Code, node: ast.AST) -> tuple[str, ...]:
        """The texts that hold where a node of a function stands."""
        if id(code) not in self._under:
            self._under[id(code)] = texts_over(code)
        return self._under[id(code)].get(id(node), ())

    @cached_property
    def _choosing(self) -> dict[str, list[str]]:
        """The texts by which mappings name functions, by the functions' names."""
        found: dict[str, list[str]] = {}
        for file in self._followed.files:
            for node in nodes_of(file.tree):
                for text, name in chosen_in(node) if isinstance(node, ast.Dict) else ():
                    found.setdefault(name, []).append(text)
        return found


def divisors(expression: ast.expr) -> Iterator[ast.expr]:
    """What an expression divides by, or takes the mean of."""
    for node in ast.walk(expression):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            yield node.right
        elif isinstance(node, ast.Call) and name_of(node.func) in MEANS:
            yield from node.args[:1]


def parts_of(node: ast.expr) -> list[ast.expr]:
    """The expressions whose value an expression's is made of, without conditions."""
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.Subscript):
        return [] if text_of(node.slice) is not None else [node.value]
    made = isinstance(node, ast.BoolOp | ast.BinOp | ast.UnaryOp | ast.Starred)
    inner = ast.iter_child_nodes(node) if made else ()
    return [each for each in inner if isinstance(each, ast.expr)]


def key_in(node: ast.expr) -> Iterator[str]:
    """The text by which an expression looks something up."""
    if isinstance(node, ast.Subscript):
        yield from filter(None, [text_of(node.slice)])


def items_named(test: ast.expr) -> Iterator[str]:
    """The attributes and keys that a condition on an item names."""
    for node in ast.walk(test):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Subscript) and (key := text_of(node.slice)) is not None:
            yield key
        elif isinstance(node, ast.Call) and node.args and name_of(node.func) == "get":
            yield from filter(None, [text_of(node.args[0])])


def keyed_in(code: Code) -> Iterator[tuple[str, ast.stmt]]:
    """The keys that a function gives a value, each with the statement."""
    for node, _ in code.nodes:
        if isinstance(node, ast.stmt):
            for target, _ in assignments(node, augmented=True):
                key = text_of(target.slice) if isinstance(target, ast.Subscript) else None
                yield from [] if key is None else [(key, node)]


def aliases_in(code: Code) -> dict[str, str]:
    """The variables of a function that are what an attribute holds, each with the attribute's name."""
    found: dict[str, str] = {}
    for node, _ in code.nodes:
        for target, value in assignments(node):
            if isinstance(target, ast.Name) and isinstance(value, ast.Attribute):
                found[target.id] = value.attr
    return found


def resizes(node: ast.stmt | ast.expr, name: str, begun: set[str]) -> bool:
    """Whether a change makes a collection smaller or larger, or counts on.

    Args:
        node: The change.
        name: The collection's name.
        begun: Names of what is empty when an episode begins.
    """
    if isinstance(node, ast.AugAssign) or takes_away(node):
        return True
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr not in ORDERS
    for target, value in assignments(node):
        held = [each for each in elements_of(target) if name_of(each) == name]
        if held:
            return name in set(names_in(value))
        keyed = [e for e in elements_of(target) if isinstance(e, ast.Subscript)]
        if any(chain_of(each)[-1:] == (name,) for each in keyed):
            return name in begun
    return False


def is_empty(value: ast.expr) -> bool:
    """Whether an expression makes a collection that holds nothing, or says that each object has one of its own."""
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List):
        return not value.elts
    if not isinstance(value, ast.Call):
        return False
    made = name_of(value.func) in CONTAINERS and not [
        a for a in value.args if name_of(a) not in CONTAINERS | {"int"}
    ]
    factories = [name_of(k.value) for k in value.keywords if k.arg == "default_factory"]
    return made or bool(set(factories) & CONTAINERS)


def texts_over(code: Code) -> dict[int, tuple[str, ...]]:
    """Of each node of a function the texts that something is compared with and equal to where it stands."""
    found: dict[int, tuple[str, ...]] = {}
    waiting: list[tuple[ast.AST, tuple[str, ...]]] = [(code.function, ())]
    while waiting:
        node, texts = waiting.pop()
        found[id(node)] = texts
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            body = node.body if isinstance(node.body, list) else [node.body]
            more = (*texts, *texts_equal(node.test))
            waiting += [(each, more) for each in body]
            inside = {id(each) for each in body}
            rest = (each for each in ast.iter_child_nodes(node) if id(each) not in inside)
            waiting += [(each, texts) for each in rest]
        elif isinstance(node, ast.match_case):
            more = (*texts, *texts_equal(node.pattern))
            waiting += [(each, more) for each in ast.iter_child_nodes(node)]
        else:
            waiting += [(each, texts) for each in ast.iter_child_nodes(node)]
    return found


def texts_equal(test: ast.AST) -> Iterator[str]:
    """The texts, members and classes that something has to be for a condition or a pattern to hold."""
    if isinstance(test, ast.UnaryOp):
        return
    if isinstance(test, ast.BoolOp):
        for each in test.values:
            yield from texts_equal(each)
        return
    if isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
        if not all(isinstance(op, ast.Eq | ast.In | ast.Is) for op in test.ops):
            return
        yield from (said for side in sides for said in said_in(side))
    elif isinstance(test, ast.Call) and name_of(test.func) == "isinstance":
        yield from (name_of(each) for given in test.args[1:] for each in elements_of(given))
    elif isinstance(test, ast.pattern):
        for node in ast.walk(test):
            if isinstance(node, ast.MatchValue):
                yield from said_in(node.value)


def said_in(node: ast.expr) -> Iterator[str]:
    """The texts of an expression; the names of members and constants, as ``Kind.CLOSE``, too."""
    for each in ast.walk(node):
        if (text := text_of(each)) is not None:
            yield text
        elif isinstance(each, ast.Attribute | ast.Name) and name_of(each).isupper():
            yield name_of(each)
