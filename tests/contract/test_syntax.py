"""The words in which source is read: parameters, names, imports, and the methods that can run."""

from __future__ import annotations

import ast

from gonogo.contract.syntax import (
    argument_names,
    chosen_in,
    ends_of,
    functions_of,
    imports,
    is_self,
    looked_up,
    lookups,
    name_of,
    parameters,
    reachable,
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


def test_the_names_of_parameters() -> None:
    tree = ast.parse("def reset(self, a, /, b, *, seed=None, **rest): pass")
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    assert argument_names(function) == {"self", "a", "b", "seed"}


def test_a_name_is_the_last_one_and_self_stands_alone() -> None:
    names = ["a", "a.b.c", "a()", "self", "self.a"]
    nodes = [ast.parse(text, mode="eval").body for text in names]
    assert [name_of(node) for node in nodes] == ["a", "c", "", "self", "a"]
    assert [is_self(node) for node in nodes] == [False, False, False, True, False]


def test_what_a_statement_imports() -> None:
    found = [imports(node) for node in ast.parse("import a.b, c\nfrom d.e import f\ng = 1").body]
    assert found == [["a.b", "c"], ["d.e"], []]


def test_an_overridden_method_runs_only_where_something_calls_it() -> None:
    classes = [node for node in ast.parse(CLASSES).body if isinstance(node, ast.ClassDef)]
    assert [f.name for f in functions_of(classes[1])] == ["reset", "step", "watch"]
    run = [f.name for f in reachable(classes)]
    assert run == ["reset", "step", "begin", "step", "watch"]


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def test_a_function_that_looks_up_one_parameter_in_another() -> None:
    tree = ast.parse("def need(self, args, name, other):\n    return args[name], other['x']")
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    assert parameters(function) == ["args", "name", "other"]
    assert lookups(function) == (("args", "name"),)


def test_what_is_looked_up_in_what() -> None:
    for text in ("held['key']", "held.get('key', 1)", "'key' not in held"):
        found = looked_up(expression(text))
        assert found is not None and [ast.unparse(each) for each in found] == ["held", "'key'"]
    assert looked_up(expression("held.find('key')")) is None


def test_the_ends_of_a_text_that_is_made_and_the_functions_that_a_mapping_names() -> None:
    assert ends_of(expression("'do_' + name + '_now'")) == ("do_", "_now")
    assert ends_of(expression("f'do_{name}'")) == ("do_", "")
    table = expression("{'open': self.open, 'shut': (shut, 2), 3: other}")
    assert isinstance(table, ast.Dict)
    assert chosen_in(table) == [("open", "open"), ("shut", "shut")]
