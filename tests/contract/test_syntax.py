"""The words in which source is read: parameters, names, imports, and the methods that can run."""

from __future__ import annotations

import ast

from gonogo.contract.syntax import (
    argument_names,
    functions_of,
    imports,
    is_self,
    name_of,
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
