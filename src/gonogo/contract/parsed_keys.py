"""The keys that a source asks for in the objects that it parses from a text, such as an answer.

Source that reads an answer as JSON names its keys: it looks one up, holds the object's keys against a list of them, or
asks of each name of a list whether it is there. What is parsed from a file or from another service is no answer, so
only what comes from a function's own arguments counts. Nothing is run.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gonogo.contract.syntax import (
    Function,
    argument_names,
    assignments,
    called_in,
    is_name,
    lookup,
    name_of,
    names_in,
    nodes_of,
    packages_of,
    positional_names,
    text_of,
    variables_in,
)

PARSES = frozenset({"loads", "raw_decode"})
"""What makes an object of a text."""
ELSEWHERE = frozenset({
    "open", "read", "read_text", "read_bytes", "readline", "readlines", "urlopen", "requests", "httpx", "urllib",
    "request", "client", "subprocess", "Path", "environ", "receive", "receive_text", "recv", "create", "generate",
    "completions", "invoke", "ainvoke", "chat", "dumps",
})  # fmt: skip
"""Names in an expression whose text comes from a file, from another service or from the source itself."""
PLAYERS = frozenset({
    "openai", "anthropic", "litellm", "requests", "httpx", "websockets", "transformers", "trl", "vllm", "gradio",
    "streamlit",
})  # fmt: skip
"""Packages of who plays or shows an environment: what such a file parses are a model's or a server's words to it."""
FILES = re.compile(
    r"(?i)(path|file|filename|handle|stream|folder|url|config|lines?|rows?|^fp?|^fh)$"
)
"""Names of arguments that are, or come from, a file."""
COLLECTS = frozenset({"set", "frozenset", "tuple", "list", "sorted"})
HOLDS = frozenset({"issubset", "issuperset", "difference", "intersection"})
HOPS = 3
"""Calls through which a text or an object is followed."""

Keys = dict[str, str | None]
"""Names, and what JSON calls the type of each; None of those that are not known."""
Lists = dict[str, tuple[str, ...]]
"""Lists of texts that never change, by their name."""


class Scope(NamedTuple):
    """A function, the lists that it can see, and the names of what it calls."""

    function: Function
    lists: Lists
    calls: frozenset[str]


def parsed_keys(trees: Sequence[ast.Module]) -> Iterator[Keys]:
    """For each object that is parsed from an argument, the keys that are asked of it, as far as it is followed.

    Args:
        trees: Files of the source.
    """
    trees = [tree for tree in trees if not packages_of(tree) & PLAYERS]
    scopes, everywhere = list[Scope](), dict[str, tuple[str, ...]]()
    own = [lists_in(tree) for tree in trees]
    for lists in own:
        everywhere |= lists
    for tree, lists in zip(trees, own, strict=True):
        seen = {**everywhere, **lists}
        functions = (node for node in nodes_of(tree) if isinstance(node, Function))
        scopes += [Scope(each, seen, frozenset(called_in(each))) for each in functions]
    parsers = parsers_of(scopes)
    by_name: dict[str, list[Scope]] = defaultdict(list)
    for scope in scopes:
        by_name[scope.function.name].append(scope)
    for scope in scopes:
        for name in parsed_in(scope, parsers):
            if keys := keys_asked(scope, name, by_name):
                yield keys


def lists_in(tree: ast.Module) -> Lists:
    """The lists of texts, and the keys of mappings, that a file gives a name; not of a name that has several."""
    found: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for node in nodes_of(tree):
        for target, value in assignments(node):
            if (name := name_of(target)) and (texts := texts_of(value, {})):
                found[name].add(texts)
    return {name: values.pop() for name, values in found.items() if len(values) == 1}


def texts_of(node: ast.expr, lists: Lists) -> tuple[str, ...]:
    """The texts that a list, a set or a mapping's keys hold; empty for what is no such thing, or holds others too."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
        parts = node.keys if isinstance(node, ast.Dict) else node.elts
        texts = tuple(text for part in parts if (text := text_of(part)) is not None)
        return texts if len(texts) == len(parts) else ()
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in {"keys", "items"}:
            return texts_of(node.func.value, lists)
        one = len(node.args) == 1 and name_of(node.func) in COLLECTS
        return texts_of(node.args[0], lists) if one else ()
    return lists.get(name_of(node), ())


def parsers_of(scopes: Sequence[Scope]) -> set[str]:
    """The names of the functions that give back what they parse from an argument."""
    found = set[str]()
    for _ in range(HOPS):
        before = len(found)
        for scope in scopes:
            function = scope.function
            if not scope.calls & {*PARSES, *found}:
                continue
            names = parsed_in(scope, found)
            given = [n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value]
            texts = texts_in(function)
            if any(
                name_of(part) in names or is_parsed(part, found, texts)
                for value in given
                for part in branches(value)
            ):
                found.add(function.name)
        if len(found) == before:
            break
    return found


def parsed_in(scope: Scope, parsers: Iterable[str]) -> list[str]:
    """The variables of a function that hold what was parsed from its arguments."""
    if not scope.calls & {*PARSES, *parsers}:
        return []
    texts, found = texts_in(scope.function), dict[str, None]()
    for target, value in assigned_in(scope.function):
        if any(is_parsed(part, parsers, texts) for part in branches(value)):
            found |= dict.fromkeys(n.id for n in branches(target) if isinstance(n, ast.Name))
    return list(found)


def texts_in(function: Function) -> set[str]:
    """The names in a function that hold an argument, or what is made of one."""
    own = {"self", "cls"}
    known = {name for name in argument_names(function) - own if not FILES.search(name)}
    for _ in range(HOPS):
        for target, value in (*assigned_in(function), *gone_through(function)):
            if is_made_of(value, known):
                known |= {n.id for n in branches(target) if isinstance(n, ast.Name)}
    return known


def is_made_of(value: ast.expr, texts: set[str]) -> bool:
    """Whether an expression is made of some names, and of nothing that comes from elsewhere."""
    return bool(texts & set(variables_in(value))) and not ELSEWHERE & set(names_in(value))


def is_parsed(value: ast.expr, parsers: Iterable[str], texts: set[str]) -> bool:
    """Whether an expression is the call that makes an object of one of some texts."""
    if isinstance(value, ast.Await):
        return is_parsed(value.value, parsers, texts)
    if not isinstance(value, ast.Call) or name_of(value.func) not in {*PARSES, *parsers}:
        return False
    given = [*value.args, *(keyword.value for keyword in value.keywords)]
    return any(is_made_of(each, texts) for each in given)


def assigned_in(function: Function) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What a function assigns, each value after its target; in expressions, too."""
    for node in ast.walk(function):
        yield from assignments(node)
        if isinstance(node, ast.NamedExpr):
            yield node.target, node.value


def gone_through(function: Function) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What a function goes through, each after what stands for its items."""
    for node in ast.walk(function):
        if isinstance(node, ast.For | ast.comprehension):
            yield node.target, node.iter


def branches(node: ast.expr) -> Iterator[ast.expr]:
    """What an expression may come to: each side of a choice, each of several values at once."""
    if isinstance(node, ast.IfExp):
        inner = [node.body, node.orelse]
    elif isinstance(node, ast.BoolOp):
        inner = node.values
    elif isinstance(node, ast.Tuple):
        inner = node.elts
    else:
        inner = []
    yield node
    for each in inner:
        yield from branches(each)


def keys_asked(scope: Scope, name: str, by_name: dict[str, list[Scope]]) -> Keys:
    """The keys that are asked of an object, here and in the functions that it is handed to.

    Where its keys have to be just those of a list, no others are asked for.

    Args:
        scope: Where it is parsed.
        name: The variable that holds it.
        by_name: All functions.
    """
    keys, exact = Keys(), tuple[str, ...]()
    places, known = [(scope, name)], set[tuple[int, str]]()
    for _ in range(HOPS):
        further: list[tuple[Scope, str]] = []
        for at, held in places:
            if (id(at.function), held) in known:
                continue
            known.add((id(at.function), held))
            for key, kind in asked(at, held):
                if not key.startswith("_"):  # such a key is the source's own
                    keys[key] = keys.get(key) or kind
            exact = exact or equalled(at, held)
            further += handed(at.function, held, by_name)
            again = (target for target, value in assigned_in(at.function) if is_keys(value, held))
            further += [(at, target.id) for target in again if isinstance(target, ast.Name)]
        places = further
    return {key: keys.get(key) for key in exact} if exact else keys


def handed(
    function: Function, name: str, by_name: dict[str, list[Scope]]
) -> Iterator[tuple[Scope, str]]:
    """The functions that a variable is handed to, each with the argument that it is there."""
    for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
        for scope in by_name.get(name_of(call.func), [])[:1]:
            places = [*zip(positional_names(scope.function), call.args, strict=False)]
            places += [(k.arg, k.value) for k in call.keywords if k.arg]
            yield from ((scope, arg) for arg, value in places if is_name(value, name))


def asked(scope: Scope, name: str) -> Iterator[tuple[str, str | None]]:
    """The keys that a function asks of a variable, each with its type where what is done with it says one."""
    lists, nodes = dict(looped(scope)), list(ast.walk(scope.function))
    made = {
        id(node.args[0])
        for node in nodes
        if isinstance(node, ast.Call) and name_of(node.func) in {"float", "int"} and node.args
    }
    for node in nodes:
        key, kind = looked_up(node, name)
        kind = "number" if id(node) in made else kind
        if (text := text_of(key)) is not None:
            yield text, kind
        elif isinstance(key, ast.Name):
            yield from ((each, kind) for each in lists.get(key.id, ()))
        yield from ((each, None) for each in held_against(compared(node), scope.lists, name))


def looked_up(node: ast.AST, name: str) -> tuple[ast.expr | None, str | None]:
    """The key that a variable is asked for, and the type of what stands for a missing one."""
    if (found := lookup(node)) is None:
        return None, None
    of, key = found
    if not (is_keys(of, name) if isinstance(node, ast.Compare) else is_name(of, name)):
        return None, None
    return key, kind_of(node.args[1]) if isinstance(node, ast.Call) and node.args[1:] else None


def compared(node: ast.AST) -> list[ast.expr]:
    """The two sides of what asks whether one collection holds another; empty of anything else."""
    if isinstance(node, ast.Compare) and isinstance(
        node.ops[0], ast.LtE | ast.GtE | ast.Lt | ast.Gt
    ):
        return [node.left, node.comparators[0]]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.BitAnd):
        return [node.left, node.right]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        return [node.func.value, node.args[0]] if node.func.attr in HOLDS else []
    return []


def looped(scope: Scope) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The variables that go through a list of texts, or through a mapping by its keys."""
    for target, value in gone_through(scope.function):
        first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
        if isinstance(first, ast.Name) and (names := texts_of(value, scope.lists)):
            yield first.id, names


def held_against(sides: Sequence[ast.expr], lists: Lists, name: str) -> Iterator[str]:
    """The list that the keys of a variable are held against, of two sides; nothing where neither is its keys."""
    for one, other in (sides, sides[::-1]) if sides else ():
        if is_keys(one, name):
            yield from texts_of(other, lists)


def equalled(scope: Scope, name: str) -> tuple[str, ...]:
    """The list that the keys of a variable have to be the same as; empty where there is none."""
    for node in ast.walk(scope.function):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq):
            sides = [node.left, node.comparators[0]]
            if any(isinstance(side, ast.Dict) for side in sides):
                continue  # the object itself is compared, and not its keys
            if names := tuple(held_against(sides, scope.lists, name)):
                return names
    return ()


def is_keys(node: ast.expr, name: str) -> bool:
    """Whether an expression is a variable, or the collection of its keys."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr == "keys":
            return is_name(node.func.value, name)
        one = len(node.args) == 1 and name_of(node.func) in COLLECTS
        return one and is_keys(node.args[0], name)
    return is_name(node, name)


def kind_of(node: ast.expr) -> str | None:
    """What JSON calls the type of a value that stands in the source; None where it does not."""
    if isinstance(node, ast.List | ast.Tuple):
        return "array"
    if isinstance(node, ast.Dict):
        return "object"
    if not isinstance(node, ast.Constant) or node.value is None:
        return None
    if isinstance(node.value, bool):
        return "boolean"
    return "number" if isinstance(node.value, int | float) else "string"
