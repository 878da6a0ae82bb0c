"""Which comparisons, calls and operators of a file are changed, and which stay as they are."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any

import pytest

from gonogo.env.worker.rewriting import Rewriting, rewritten


def compiled(tree: Any, path: str) -> CodeType:
    code: CodeType = compile(tree, path, "exec", dont_inherit=True)
    return code


def changed(source: str) -> str:
    """A file as it is changed."""
    trees: list[ast.AST] = []

    def kept(tree: Any, path: str) -> CodeType:
        trees.append(tree)
        return compiled(tree, path)

    assert rewritten(source.encode(), "own.py", "own.py", kept) is not None
    return ast.unparse(trees[0])


def body(expression: str, before: str = "") -> str:
    """What becomes of an expression in a function."""
    return changed(f"{before}\ndef f():\n return {expression}").partition("return ")[2]


SIDES = "__gonogo_left__, __gonogo_right__"


@pytest.mark.parametrize(
    ("expression", "becomes"),
    [
        ("a < 5", "__gonogo_compared__('<', 'own.py:3:8', a, 5, a < 5)"),
        (
            "f() < a",
            f"(lambda {SIDES}: __gonogo_compared__('<', 'own.py:3:8', {SIDES}, __gonogo_left__ < __gonogo_right__))"
            "(f(), a)",
        ),
        (
            "0 < a < b",
            "__gonogo_compared__('<', 'own.py:3:8', 0, a, 0 < a) and "
            "__gonogo_compared__('<', 'own.py:3:8', a, b, a < b)",
        ),
        ("a is b", "__gonogo_identical__('==', 'own.py:3:8', a, b, a is b)"),
        ("a & b", "__gonogo_operated__('', 'own.py:3:8', a, b, a & b)"),
        ("abs(a - 5)", "abs(__gonogo_differed__('', 'own.py:3:12', a, 5, a - 5))"),
        ("(a - 1) ** 2", "__gonogo_differed__('', 'own.py:3:9', a, 1, a - 1) ** 2"),
        (
            "a.b.count(c, d=e)",
            "__gonogo_call__(*__gonogo_called__('own.py:3:12', a.b.count, c, d=e))",
        ),
        ("a.get(b)", "__gonogo_call__(*__gonogo_got__('own.py:3:10', a.get, b))"),
        ("a[b]", "__gonogo_item__(*__gonogo_looked_up__('own.py:3:8', a, b))"),
    ],
)
def test_what_may_compare_is_changed(expression: str, becomes: str) -> None:
    assert body(expression) == becomes


@pytest.mark.parametrize(
    "expression",
    [
        "a - 1",
        "-a - b",
        "len(a) - b",
        "math.sqrt(a) - b",
        "(a - 1) * (a - 1)",
        "a * b - c / d",
        "[1] - b",
        "a + b",
        "a | b",
        "(a - 1) ** 3",
        "(a - 1) * (b - 1)",
        "abs(a)",
        "a.count(*b)",
        "a.count(b, **c)",
        "a.count()",
        "a.strip(b)",
        "search(a, b)",
        "count(a)",
        "a is None",
        "a is not True",
    ],
)
def test_what_compares_nothing_stays_as_it_is(expression: str) -> None:
    assert ast.dump(ast.parse(body(expression))) == ast.dump(ast.parse(expression))


def test_a_function_is_known_by_the_name_that_it_is_imported_by() -> None:
    called = "__gonogo_call__(*__gonogo_called__('own.py:3:8', s, a, b))"
    assert body("s(a, b)", "from re import search as s") == called
    assert body("s(a, b)", "from .re import search as s") == "s(a, b)"
    assert body("s(a, b)", "from re import escape as s") == "s(a, b)"


def test_code_outside_of_functions_stays_as_it_is() -> None:
    source = "A = 1 == 2 & B\nclass B:\n    c = A == 3\n    d: 1 < 2 = {}.get(A)\n"
    source += "@(lambda f: f)\ndef g(x: 1 < 2): ...\n"
    assert ast.dump(ast.parse(changed(source))) == ast.dump(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "def (",
        "x = '\0'",
        "def f(x):\n    return " + "-" * 5000 + "x == 1",
        "from numba import njit\n@njit\ndef f(x):\n    return x == 1",
        "from .fast import njit\n@njit(cache=True)\ndef f(x):\n    return x == 1",
        "import numba.core\ndef f(x):\n    return x == 1",
        "import torch\n@torch.jit.script\ndef f(x):\n    return x == 1",
        "import cloudpickle\ndef f(x):\n    return x == 1",
        "from joblib.parallel import Parallel\ndef f(x):\n    return x == 1",
        "import gymnasium as gym\ndef f(x):\n    return gym.vector.AsyncVectorEnv([lambda: x == 1])",
    ],
)
def test_a_file_that_cannot_be_changed_is_loaded_as_it_is(source: str) -> None:
    assert rewritten(source.encode(), "own.py", "own.py", compiled) is None


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np\nf = np.vectorize(lambda x: x == 1)",
        "def f(x, jit=False, ray=None):\n    return jit == x",
        "from .ray import cast\ndef f(x):\n    return x == cast",
    ],
)
def test_a_file_that_only_has_such_a_name_is_changed(source: str) -> None:
    assert "__gonogo_compared__" in changed(source)


def test_a_mistake_of_ours_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def mistaken(self: Rewriting, node: ast.Compare) -> ast.AST:
        raise ValueError("a mistake")

    monkeypatch.setattr(Rewriting, "visit_Compare", mistaken)
    with pytest.raises(ValueError, match="a mistake"):
        changed("def f(x):\n    return x == 1")
