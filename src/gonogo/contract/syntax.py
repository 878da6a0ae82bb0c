"""What Python's syntax trees say of functions, classes and names: the words in which source is read here."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

Function = ast.FunctionDef | ast.AsyncFunctionDef
GETS = frozenset({"get", "pop"})
"""Methods of a mapping that give what it has under a key."""
ChosenFunction = tuple[str, str]
"""A value, and the name of the function that it chooses."""
KEPT_FILES, KEPT_SOURCES = 512, 8
"""Files, and whole sources, of which is kept what was read: an audit asks some ten questions of each."""


@lru_cache(KEPT_FILES)
def nodes_of(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a file, in the order of :func:`ast.walk`."""
    return tuple(ast.walk(tree))


def argument_names(function: Function) -> set[str]:
    """The names of a function's parameters."""
    taken = function.args
    return {each.arg for each in [*taken.posonlyargs, *taken.args, *taken.kwonlyargs]}


def positional_names(function: Function) -> list[str]:
    """The names of the parameters that a call gives by position, without ``self`` and ``cls``."""
    return [each.arg for each in function.args.args if each.arg not in {"self", "cls"}]


def packages_of(tree: ast.Module) -> set[str]:
    """The packages that a file imports."""
    modules: list[str] = []
    for node in nodes_of(tree):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules.append(node.module or "")
    return {module.partition(".")[0] for module in modules}


def name_of(node: ast.AST) -> str:
    """The name that a node is, or its last one where it is an attribute; empty of any other node."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def names_in(node: ast.AST) -> Iterator[str]:
    """The names and attributes that stand in a node."""
    return (name_of(n) for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute))


def variables_in(node: ast.AST) -> Iterator[str]:
    """The names that stand in a node, without attributes."""
    return (each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def called_in(node: ast.AST) -> Iterator[str]:
    """The names of what a node calls; an empty one for what has none."""
    return (name_of(each.func) for each in ast.walk(node) if isinstance(each, ast.Call))


def text_of(node: ast.AST | None) -> str | None:
    """The text that a node is; None of any other."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def text_items(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The keys of a dictionary that are texts, each with its value; nothing of any other node."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if (text := text_of(key)) is not None:
                yield text, value


def elements_of(node: ast.expr) -> list[ast.expr]:
    """The elements of a tuple or a list; of any other expression itself."""
    return node.elts if isinstance(node, ast.Tuple | ast.List) else [node]


def assignments(node: ast.AST, *, augmented: bool = False) -> list[tuple[ast.expr, ast.expr]]:
    """The targets of an assignment statement, each with the value; nothing of any other node.

    Args:
        node: The statement.
        augmented: Whether it counts where it is an augmented one, such as ``x += 1``.
    """
    if isinstance(node, ast.Assign):
        return [(target, node.value) for target in node.targets]
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return [(node.target, node.value)]
    return [(node.target, node.value)] if augmented and isinstance(node, ast.AugAssign) else []


def lookup(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """What an expression looks in, and for which key: ``of[key]``, ``of.get(key)``, ``key in of``; None of others."""
    if isinstance(node, ast.Subscript):
        return node.value, node.slice
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        return node.comparators[0], node.left
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        return (node.func.value, node.args[0]) if node.func.attr in GETS else None
    return None


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


def is_name(node: ast.AST, name: str) -> bool:
    """Whether a node is a name and no more."""
    return isinstance(node, ast.Name) and node.id == name


def is_self(node: ast.AST) -> bool:
    """Whether a node is ``self`` and no more."""
    return is_name(node, "self")


def taken_names(function: Function) -> list[str]:
    """The names of all parameters that a call can give, without ``self`` and ``cls``."""
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return [each.arg for each in every if each.arg not in {"self", "cls"}]


@lru_cache(4096)
def lookups(function: Function) -> tuple[tuple[str, str], ...]:
    """The parameters of a function that it looks up something in, each with the parameter that says what."""
    names = set(taken_names(function))
    pairs = [pair for node in ast.walk(function) if (pair := lookup(node)) is not None]
    return tuple(
        (one.id, other.id)
        for one, other in pairs
        if isinstance(one, ast.Name) and isinstance(other, ast.Name) and {one.id, other.id} <= names
    )


@lru_cache(4096)
def keys_asked(function: Function) -> tuple[tuple[str, str], ...]:
    """The variables of a function that it asks for a key that stands there, each with the key."""
    pairs = [pair for node in ast.walk(function) if (pair := lookup(node)) is not None]
    return tuple(
        (one.id, key)
        for one, other in pairs
        if isinstance(one, ast.Name) and (key := text_of(other)) is not None
    )


@lru_cache(4096)
def calls_of(function: Function) -> tuple[ast.Call, ...]:
    """The calls in a function."""
    return tuple(node for node in ast.walk(function) if isinstance(node, ast.Call))


def chosen_in(node: ast.Dict) -> list[ChosenFunction]:
    """The functions that a mapping names, each by its key; also those of pairs that begin with one."""
    pairs = [(key, value) for key, value in zip(node.keys, node.values, strict=True) if key]
    firsts = [(k, v.elts[0] if isinstance(v, ast.Tuple) and v.elts else v) for k, v in pairs]
    named = [(text_of(key), name_of(value)) for key, value in firsts]
    return [(text, name) for text, name in named if text is not None and name]


def ends_of(node: ast.expr) -> tuple[str, str]:
    """The constant texts that an expression which makes a text begins and ends with."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return ends_of(node.left)[0], ends_of(node.right)[1]
    if isinstance(node, ast.JoinedStr) and node.values:
        first, last = node.values[0], node.values[-1]
        return text_of(first) or "", text_of(last) or ""
    said = text_of(node) or ""
    return said, said
