"""Literals of an environment's source by the name that they stand near, parsed and never run.

A name is an attribute, a variable, a key or an argument; what an action's field is called is one. Nearest to it are the
literals that it is compared with or looked up among, further ones those that it is given somewhere. A variable that is
made of something stands for it, too, and so does the parameter that it is handed to.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from gonogo.contract.syntax import (
    ChosenFunction,
    Function,
    assignments,
    called_in,
    calls_of,
    chosen_in,
    ends_of,
    is_name,
    keys_asked,
    lookup,
    lookups,
    name_of,
    nodes_of,
    positional_names,
    taken_names,
    text_items,
    text_of,
    variables_in,
)
from gonogo.wire import Action, JsonValue

MOST = 64
"""Values of one name."""
MOST_CHARS = 400
MOST_ALIASES = 6
ALIASED = 3
"""Steps from a name to what it stands for in the end."""
LEAST_LISTED, MOST_LISTS = 3, 8
MOST_ACTIONS = 400
COMPARED, LISTED, GIVEN = 3.0, 2.0, 1.0
"""How near a literal is: compared with or looked up; one of a type's values; given somewhere."""
PASSING = frozenset({"str", "int", "float", "bool", "set", "list", "sorted", "tuple", "frozenset"})
SPLITTING = frozenset({"split", "partition"})
GETTERS = frozenset({"get", "pop", "setdefault"})
GROWING = frozenset({"startswith", "endswith", "count", "index", "find"})
DRAWING = frozenset({"sample", "choice", "choices", "permutation"})
"""Methods that draw from what they are given."""
Comprehension = ast.SetComp | ast.ListComp | ast.GeneratorExp | ast.DictComp
Scalar = str | int | float | bool


class Literals:
    """What the trees of an environment's files say.

    Args:
        trees: The files.

    Attributes:
        near: Values by name, each with how near it is.
        lists: Lists of texts that a name is held against or looked up among, by that name.
        keys: Keys that a mapping of a name is asked for.
        split: What stands between the words of a text that is taken apart, by the name of the text.
        beside: Names that are used where something was found to be a value, by that value; also in the function that
            is chosen by it, as ``getattr(self, "_do_" + value)`` is.
        asked: Keys that a mapping of a name is asked for where something was found to be a value, by that value: what
            that one does.
        actions: Keywords and keys that are given together.
    """

    def __init__(self, trees: Sequence[ast.Module]) -> None:
        self.near: dict[str, dict[JsonValue, float]] = defaultdict(dict)
        self.lists: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        self.keys: dict[str, list[str]] = defaultdict(list)
        self.split: dict[str, str] = {}
        self.beside: dict[str, set[str]] = defaultdict(set)
        self.asked: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self.actions: list[Action] = []
        self._tables: dict[str, list[Scalar]] = defaultdict(list)
        self._linked: list[tuple[list[str], list[str]]] = []
        self._members: dict[tuple[str, str], Scalar] = {}
        self._aliases: dict[str, list[str]] = defaultdict(list)
        self._functions: dict[str, list[Function]] = defaultdict(list)
        self._modules = {"json", "re"}
        self._passed: dict[str, list[str]] = defaultdict(list)
        self._choices: dict[str, list[ChosenFunction]] = defaultdict(list)
        self._picked: dict[str, list[ChosenFunction]] = defaultdict(list)
        self._asked_of: dict[tuple[Function, str, int], list[str]] = {}
        nodes = [node for tree in trees for node in nodes_of(tree)]
        for node in nodes:
            self._define(node)
        for node in nodes:
            self._pass(node)
        for node in nodes:
            self._alias(node)
        for node in nodes:
            self._read(node)
        self._link()

    def _define(self, node: ast.AST) -> None:
        """Functions, enumerations, and what is assigned to a name as a collection."""
        if isinstance(node, Function):
            self._functions[node.name].append(node)
        elif isinstance(node, ast.Import):
            self._modules |= {name.asname or name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ClassDef):
            self._enumeration(node)
        for target, value in assignments(node):
            holds = ast.Dict | ast.Set | ast.List | ast.Tuple | ast.Call | Comprehension
            if (name := name_of(target)) and isinstance(value, holds):
                add(self._tables[name], self.values(value))
            if name and isinstance(value, ast.Dict):
                self._choices[name] += chosen_in(value)

    def _enumeration(self, cls: ast.ClassDef) -> None:
        is_one = any("Enum" in ast.unparse(base) for base in cls.bases)
        for each in cls.body if is_one else ():
            if isinstance(each, ast.Assign) and isinstance(each.value, ast.Constant):
                value = each.value.value
                if (name := name_of(each.targets[0])) and isinstance(value, Scalar):
                    self._members[cls.name, name] = value
                    add(self._tables[cls.name], [value])

    def _alias(self, node: ast.AST) -> None:
        """A variable stands for what it is made of, a parameter for what it is handed."""
        for target, value in bindings(node):
            for name in variables_in(target):
                add(self._aliases[name], self.names(value))
        if isinstance(node, ast.NamedExpr):
            add(self._aliases[node.target.id], self.names(node.value))
        elif isinstance(node, ast.For | ast.comprehension):
            for name in variables_in(node.target):
                add(self._aliases[name], self.names(node.iter))
                add(self._tables[name], self.values(node.iter))
        elif isinstance(node, ast.Call):
            for function in self._called_by(node):
                for name, given in zip(positional_names(function), node.args, strict=False):
                    add(self._aliases[name], self.names(given))

    def _called_by(self, node: ast.Call) -> list[Function]:
        """The functions that a call may be of: by its name, or each of those that a value chooses between."""
        plain = self._functions.get(name_of(node.func), [])[:2]
        chosen = [] if plain else self._chosen_by(node.func)
        return plain or [f for _, name in chosen for f in self._functions.get(name, ())[:1]]

    def _chosen_by(self, node: ast.expr) -> list[ChosenFunction]:
        """The functions that an expression chooses between by a value: by part of their name, or in a mapping."""
        if isinstance(node, ast.Name):
            return self._picked.get(node.id, [])
        if isinstance(node, ast.Call):
            by_name = isinstance(node.func, ast.Name) and node.func.id == "getattr"
            if by_name and len(node.args) > 1 and text_of(node.args[1]) is None:
                first, last = ends_of(node.args[1])
                return [
                    (name[len(first) : len(name) - len(last)], name)
                    for name in self._functions
                    if first + last and name.startswith(first) and name.endswith(last)
                    if len(name) > len(first + last)
                ][:MOST]
            if isinstance(node.func, ast.Attribute) and node.func.attr in GETTERS:
                return self._listed_in(node.func.value)
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant):
            return self._listed_in(node.value)
        return []

    def _listed_in(self, node: ast.expr) -> list[ChosenFunction]:
        """The functions that a mapping holds."""
        if isinstance(node, ast.Dict):
            return chosen_in(node)
        found = self._choices.get(name_of(node), ())
        return [each for each in found if each[1] in self._functions][:MOST]

    def _pass(self, node: ast.AST) -> None:
        """A key or keyword stands for the attribute that is passed on under it, a variable for what it is chosen of."""
        for target, value in bindings(node):
            if isinstance(target, ast.Name):
                self._picked[target.id] += self._chosen_by(value)
        given = list(text_items(node))
        if isinstance(node, ast.Call):
            given = [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
        for key, value in given:
            if isinstance(value, ast.Attribute) and value.attr != key:
                add(self._passed[key], [value.attr][: MOST_ALIASES - len(self._passed[key])])

    def _read(self, node: ast.AST) -> None:
        if isinstance(node, ast.Compare):
            self._compare(node)
        elif isinstance(node, ast.Match):
            self._match(node)
        elif isinstance(node, ast.Call):
            self._call(node)
        elif isinstance(node, ast.Subscript):
            self._subscript(node)
        elif isinstance(node, ast.Dict):
            self._dictionary(node)
        elif isinstance(node, ast.If):
            self._branch(node.test, node.body)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            self._assignment(node)

    def _compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        for one, operator, other in zip(sides, node.ops, sides[1:], strict=False):
            if isinstance(operator, ast.Is | ast.IsNot):
                continue
            self._add(self.names(one), self.values(other), COMPARED)
            self._add(self.names(other), self.values(one), COMPARED)
            self._linked.append((self.names(one), self.names(other)))

    def _link(self) -> None:
        """A name that is compared with another may take what that one is given somewhere."""
        found = [
            (one, [value for name in other for value in self.near.get(name, {})])
            for pair in self._linked
            for one, other in (pair, pair[::-1])
        ]
        for names, values in found:
            self._add(names, [v for v in values if isinstance(v, Scalar)], GIVEN)

    def _match(self, node: ast.Match) -> None:
        names = self.names(node.subject)
        for case in node.cases:
            held = [p.value for p in ast.walk(case.pattern) if isinstance(p, ast.MatchValue)]
            values = [value for each in held for value in self.values(each)]
            self._add(names, values, COMPARED)
            self._note(values, case.body)

    def _call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in SPLITTING:
            between = text_of(node.args[0]) if node.args else None
            for name in self.names(function.value):
                self.split.setdefault(name, between or " ")
        if isinstance(function, ast.Attribute) and node.args:
            first = node.args[0]
            if function.attr in GROWING:
                self._add(self.names(function.value), self.values(first), COMPARED)
            if function.attr in GETTERS:
                self._add(self.names(first), self._table(function.value), COMPARED)
                if (key := text_of(first)) is not None:
                    self._key(function.value, key)
        given = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        for name, value in given.items():
            self._add([name], self.values(value), GIVEN)
        self._together(given)
        self._hand_over(node)

    def _hand_over(self, node: ast.Call) -> None:
        """What is called asks for keys of what it is given, and uses something beside the value that chose it."""
        for called_then in self._called_by(node):
            for name, keys in self._given(called_then, node).items():
                add(self.keys[name], keys)
        for value, function in self._chosen_by(node.func):
            for each in self._functions.get(function, ())[:1]:
                self._note([value], each.body)
                self.beside[value] |= set(taken_names(each))
                self._ask(value, self._given(each, node))

    def _ask(self, value: str, asked: dict[str, list[str]]) -> None:
        for name, keys in asked.items():
            self.asked[value][name] |= set(keys)

    def _asked_by(self, body: Sequence[ast.AST]) -> dict[str, list[str]]:
        """The keys that some code, and what it calls, asks mappings for, by the names of these."""
        found: dict[str, list[str]] = defaultdict(list)
        for node in (node for part in body for node in ast.walk(part)):
            read = lookup(node)
            if read is not None and (key := text_of(read[1])) is not None:
                for name in self.names(read[0]):
                    add(found[name], [key])
            if isinstance(node, ast.Call):
                for function in self._called_by(node):
                    for name, keys in self._given(function, node).items():
                        add(found[name], keys)
        return found

    def _given(self, function: Function, call: ast.Call) -> dict[str, list[str]]:
        """The keys that a function asks what it is given for, by the names of that; all it takes of what is spread."""
        found: dict[str, list[str]] = defaultdict(list)
        taken = taken_names(function)
        given = dict(zip(taken, call.args, strict=False))
        for name, value in given.items():
            for each in self.names(value):
                add(found[each], self._keys_of(function, name))
        for holder, name in lookups(function):
            if holder in given and (key := text_of(given.get(name, call))) is not None:
                for each in self.names(given[holder]):
                    add(found[each], [key])
        for keyword in call.keywords:
            if keyword.arg is None:
                for each in self.names(keyword.value):
                    add(found[each], taken)
        return {name: keys for name, keys in found.items() if keys}

    def _keys_of(self, function: Function, name: str, depth: int = ALIASED) -> list[str]:
        """The keys that a function asks one of its parameters for, itself or by what it hands it to."""
        known = self._asked_of.get((function, name, depth))
        if known is not None:
            return known
        found = [key for holder, key in keys_asked(function) if holder == name]
        for call in calls_of(function) if depth else ():
            if not any(is_name(each, name) for each in call.args):
                continue
            for then in self._functions.get(name_of(call.func), ())[:1]:
                pairs = list(zip(taken_names(then), call.args, strict=False))
                held = [one for one, value in pairs if is_name(value, name)]
                add(found, [k for one in held for k in self._keys_of(then, one, depth - 1)])
                said = dict(pairs)
                asked = [said.get(key) for one, key in lookups(then) if one in held]
                add(found, [t for each in asked if each and (t := text_of(each)) is not None])
        self._asked_of[function, name, depth] = found
        return found

    def _subscript(self, node: ast.Subscript) -> None:
        if (key := text_of(node.slice)) is not None:
            self._key(node.value, key)
        else:
            self._add(self.names(node.slice), self._table(node.value), COMPARED)

    def _dictionary(self, node: ast.Dict) -> None:
        given = dict(text_items(node))
        for name, value in given.items():
            self._add([name], [] if isinstance(value, ast.Dict) else self.values(value), GIVEN)
            for function in self._functions.get(name_of(value), ()):
                self.beside[name] |= set(used_in(function.body))
        self._together(given)

    def _assignment(self, node: ast.Assign | ast.AnnAssign) -> None:
        for target, value in bindings(node):
            if name := name_of(target):
                self._add([name], self.values(value), GIVEN)
        if isinstance(node, ast.AnnAssign) and (name := name_of(node.target)):
            for inner in ast.walk(node.annotation):
                if isinstance(inner, ast.Subscript) and "Literal" in ast.unparse(inner.value):
                    self._add([name], self.values(inner.slice), LISTED)
                elif isinstance(inner, ast.Name):
                    self._add([name], self._tables.get(inner.id, ()), LISTED)

    def _branch(self, test: ast.expr, body: Sequence[ast.stmt]) -> None:
        for node in ast.walk(test):
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                self._note([v for side in sides for v in self.values(side)], [test, *body])

    def _note(self, values: Iterable[Scalar], body: Sequence[ast.AST]) -> None:
        """What is used where something has a value; also in the functions that are called there."""
        used = set(used_in(body))
        for name in (name for part in body for name in called_in(part)):
            for function in self._functions.get(name, ())[:1]:
                used |= set(used_in(function.body))
        asked = self._asked_by(body)
        for value in values:
            self.beside[str(value)] |= used
            self._ask(str(value), asked)

    def _together(self, given: dict[str, ast.expr]) -> None:
        """Take down what is given together, as far as it is plain."""
        if given and len(self.actions) < MOST_ACTIONS:
            plain = {name: plainly(value, self._members) for name, value in given.items()}
            self.actions.append({name: v for name, v in plain.items() if v is not None})

    def _table(self, node: ast.expr) -> list[Scalar]:
        return [] if isinstance(node, ast.Constant) else self.values(node)

    def _key(self, holder: ast.expr, key: str) -> None:
        for name in self.names(holder):
            if key not in self.keys[name] and len(self.keys[name]) < MOST:
                self.keys[name].append(key)

    def _add(self, names: Iterable[str], values: Iterable[Scalar], near: float) -> None:
        values = [v for v in values if not isinstance(v, str) or 0 < len(v) <= MOST_CHARS]
        texts = tuple(v for v in values if isinstance(v, str))
        for name in names if values else ():
            lists = self.lists[name]
            if len(texts) >= LEAST_LISTED and near == COMPARED and texts not in lists[:MOST_LISTS]:
                lists.append(texts)
            known = self.near[name]
            for value in values:
                if value in known:
                    known[value] = max(near, known[value])
                elif len(known) < MOST:
                    known[value] = near

    def names(self, node: ast.expr | None, depth: int = 6) -> list[str]:
        """What an expression is made of, by name."""
        if node is None or depth == 0:
            return []
        if isinstance(node, ast.Name):
            return self._with_aliases(node.id)
        if isinstance(node, ast.Attribute) and node.attr != "value":
            return [node.attr, *self._passed.get(node.attr, ())]
        if isinstance(node, ast.Subscript) and (key := text_of(node.slice)) is not None:
            return [key, *self._passed.get(key, ())]
        if isinstance(node, ast.Call):
            return self._names_of_call(node, depth)
        return [name for each in inner_of(node) for name in self.names(each, depth - 1)]

    def _with_aliases(self, name: str) -> list[str]:
        """A name, what it stands for, and what that stands for."""
        found = [name]
        for level in range(ALIASED):
            before = len(found)
            for known in tuple(found) if level else (name,):
                add(found, self._aliases.get(known, ())[:MOST_ALIASES])
            if len(found) == before:
                break
        return found

    def _names_of_call(self, node: ast.Call, depth: int) -> list[str]:
        function, first = node.func, node.args[0] if node.args else None
        if isinstance(function, ast.Attribute):
            if isinstance(function.value, ast.Name) and function.value.id in self._modules:
                return [name for given in node.args for name in self.names(given, depth - 1)]
            if function.attr in GETTERS and first is not None:
                key = text_of(first)
                return [] if key is None else [key, *self._passed.get(key, ())]
            return self.names(function.value, depth - 1)
        if not isinstance(function, ast.Name):
            return []
        if function.id == "getattr" and len(node.args) > 1:
            text = text_of(node.args[1])
            return [] if text is None else [text]
        return self.names(first, depth - 1) if function.id in PASSING else []

    def values(self, node: ast.expr, depth: int = 4) -> list[Scalar]:
        """The plain values that an expression is, or holds: a mapping's keys, an enumeration's values."""
        if depth == 0:
            return []
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, Scalar) else []
        if isinstance(node, ast.Name):
            return self._tables.get(node.id, [])[:MOST]
        if isinstance(node, ast.Attribute):
            member = self._members.get((name_of(node.value), node.attr))
            if member is None and node.attr == "value" and isinstance(node.value, ast.Attribute):
                return self.values(node.value, depth - 1)
            return self._tables.get(node.attr, [])[:MOST] if member is None else [member]
        return [v for each in held_by(node) for v in self.values(each, depth - 1)][:MOST]


def add(known: list[Scalar] | list[str], values: Iterable[Scalar]) -> None:
    """Add what is not there, up to a bound."""
    for value in values:
        if value not in known and len(known) < MOST:
            known.append(value)  # type: ignore[arg-type]


def inner_of(node: ast.expr) -> Sequence[ast.expr]:
    """The expressions of which an expression is one, or another form."""
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    around = ast.NamedExpr | ast.Await | ast.Starred | ast.Attribute | ast.Subscript
    return [node.value] if isinstance(node, around) else []


def held_by(node: ast.expr) -> Sequence[ast.expr]:
    """The expressions whose values an expression has."""
    found: Sequence[ast.expr] = ()
    if isinstance(node, ast.Dict):
        found = [key for key in node.keys if key is not None]
    elif isinstance(node, ast.Set | ast.List | ast.Tuple):
        found = node.elts
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr | ast.Add):
        found = [node.left, node.right]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        held = node.operand
        number = isinstance(held, ast.Constant) and isinstance(held.value, int | float)
        found = [ast.Constant(-ast.literal_eval(held))] if number else []
    elif isinstance(node, Comprehension):
        found = [node.generators[0].iter]
    elif isinstance(node, ast.Call):
        found = held_by_call(node)
    return found


def held_by_call(node: ast.Call) -> Sequence[ast.expr]:
    """The same of a call that passes on what it is given."""
    if isinstance(node.func, ast.Name) and node.func.id in PASSING:
        return node.args[:1]
    if isinstance(node.func, ast.Attribute) and node.func.attr in {"keys", "lower", "upper"}:
        return [node.func.value]
    if isinstance(node.func, ast.Attribute) and node.func.attr in DRAWING:
        return node.args[:1]
    return []


def plainly(node: ast.expr, members: dict[tuple[str, str], Scalar], depth: int = 4) -> JsonValue:
    """An expression that says a value outright; None for any other."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, Scalar) else None
    if isinstance(node, ast.Attribute):
        inner = (
            node.value if node.attr == "value" and isinstance(node.value, ast.Attribute) else node
        )
        return members.get((name_of(inner.value), inner.attr))
    if not depth:
        return None
    if isinstance(node, ast.List | ast.Tuple):
        held = [plainly(each, members, depth - 1) for each in node.elts]
        return None if any(each is None for each in held) else held
    if isinstance(node, ast.Dict):
        found = {key: plainly(value, members, depth - 1) for key, value in text_items(node)}
        return {name: value for name, value in found.items() if value is not None}
    return None


def bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets of an assignment statement with their values; each of several at once with its own."""
    for target, value in assignments(node):
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            several = len(target.elts) == len(value.elts)
            pairs = list(zip(target.elts, value.elts, strict=True)) if several else pairs
        yield from pairs


def used_in(body: Sequence[ast.AST]) -> Iterator[str]:
    """The attributes, keys and variables that some code uses."""
    for node in (node for part in body for node in ast.walk(part)):
        if name := name_of(node):
            yield name
        elif (text := text_of(node)) is not None and len(text) < 40:
            yield text
