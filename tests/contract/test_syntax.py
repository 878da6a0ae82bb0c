"""The words in which source is read: parameters, names, texts, assignments, look-ups, and the methods that can run."""

from __future__ import annotations

import ast

import pytest

from gonogo.contract.syntax import (
    Function,
    argument_names,
    assignments,
    called_in,
    chosen_in,
    elements_of,
    ends_of,
    functions_of,
    is_name,
    is_self,
    lookup,
    lookups,
    name_of,
    names_in,
    nodes_of,
    packages_of,
    positional_names,
    reachable,
    taken_names,
    text_items,
    text_of,
    variables_in,
)

CLASSES = """
class Near:
    def reset(self): self.begin()
    def step(self): return super().step()
    def begin(self): pass

class Far:
    def reset(self): pass
    def step(self): pass
    async def watch(self): pass
"""


def expression(text: str) -> ast.expr:
    """A text as an expression."""
    return ast.parse(text, mode="eval").body


def test_the_names_of_parameters() -> None:
    (function,) = ast.parse("def reset(self, a, /, b, *, seed=None, **rest): pass").body
    assert isinstance(function, Function)
    assert argument_names(function) == {"self", "a", "b", "seed"}
    assert positional_names(function) == ["b"]
    (function,) = ast.parse("def reset(self, a, b=1, *, seed=None): pass").body
    assert isinstance(function, Function)
    assert positional_names(function) == ["a", "b"]


def test_a_name_is_the_last_one_and_self_stands_alone() -> None:
    nodes = [expression(text) for text in ["a", "a.b.c", "a()", "self", "self.a"]]
    assert [name_of(node) for node in nodes] == ["a", "c", "", "self", "a"]
    assert [is_self(node) for node in nodes] == [False, False, False, True, False]
    assert [is_name(node, "a") for node in nodes] == [True, False, False, False, False]


def test_the_names_in_an_expression() -> None:
    node = expression("self.a(b['c'], d.e)()")
    assert sorted(names_in(node)) == ["a", "b", "d", "e", "self"]
    assert sorted(variables_in(node)) == ["b", "d", "self"]
    assert sorted(called_in(node)) == ["", "a"]


def test_texts_and_elements() -> None:
    assert [text_of(expression(text)) for text in ["'a'", "''", "1", "a"]] == ["a", "", None, None]
    items = [(key, name_of(value)) for key, value in text_items(expression("{'a': b, 1: c, **d}"))]
    assert items == [("a", "b")]
    assert list(text_items(expression("{'a'}"))) == []
    parts = [elements_of(expression(text)) for text in ["(a, b)", "[a, b]", "{a, b}"]]
    assert [len(each) for each in parts] == [2, 2, 1]


@pytest.mark.parametrize(
    ("statement", "plain", "augmented"),
    [
        ("a = b.c = 1", ["a", "c"], ["a", "c"]),
        ("a: int = 1", ["a"], ["a"]),
        ("a: int", [], []),
        ("a += 1", [], ["a"]),
        ("(a := 1)", [], []),
    ],
)
def test_the_targets_of_an_assignment(
    statement: str, plain: list[str], augmented: list[str]
) -> None:
    (node,) = ast.parse(statement).body
    assert [name_of(target) for target, _ in assignments(node)] == plain
    both = assignments(node, augmented=True)
    assert [name_of(target) for target, _ in both] == augmented
    assert all(ast.unparse(value) == "1" for _, value in both)


@pytest.mark.parametrize("text", ["a[k]", "a.get(k)", "a.pop(k, 1)", "k in a", "k not in a"])
def test_what_is_looked_up(text: str) -> None:
    found = lookup(expression(text))
    assert found is not None
    assert [ast.unparse(each) for each in found] == ["a", "k"]


@pytest.mark.parametrize("text", ["a.k", "a.pop()", "a.setdefault(k)", "get(k)", "k == a"])
def test_what_is_no_look_up(text: str) -> None:
    assert lookup(expression(text)) is None


def test_the_nodes_of_a_file_are_found_once() -> None:
    tree = ast.parse("speed = 1")
    assert nodes_of(tree) == tuple(ast.walk(tree)) and nodes_of(tree) is nodes_of(tree)


def test_the_packages_that_a_file_imports() -> None:
    assert packages_of(ast.parse("import a.b, c\nfrom d.e import f\ng = 1")) == {"a", "c", "d"}


def test_an_overridden_method_runs_only_where_something_calls_it() -> None:
    classes = [node for node in ast.parse(CLASSES).body if isinstance(node, ast.ClassDef)]
    assert [f.name for f in functions_of(classes[1])] == ["reset", "step", "watch"]
    run = [f.name for f in reachable(classes)]
    assert run == ["reset", "step", "begin", "step", "watch"]


def test_a_function_that_looks_up_one_parameter_in_another() -> None:
    tree = ast.parse("def need(self, args, name, other):\n    return args[name], other['x']")
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    assert taken_names(function) == ["args", "name", "other"]
    assert lookups(function) == (("args", "name"),)


def test_the_ends_of_a_text_that_is_made_and_the_functions_that_a_mapping_names() -> None:
    assert ends_of(expression("'do_' + name + '_now'")) == ("do_", "_now")
    assert ends_of(expression("f'do_{name}'")) == ("do_", "")
    table = expression("{'open': self.open, 'shut': (shut, 2), 3: other}")
    assert isinstance(table, ast.Dict)
    assert chosen_in(table) == [("open", "open"), ("shut", "shut")]
