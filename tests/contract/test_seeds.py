"""A seed that only Gymnasium's own reset gets is dropped where the code draws from a generator of its own."""

from __future__ import annotations

import ast

import pytest

from gonogo.contract.seeds import argument_names, kept_by_gymnasium

HEAD = """
import gymnasium as gym
import numpy as np

class Probe(gym.Env):
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._draw({drawn})
"""


def dropped(code: str) -> bool:
    """Whether a file's reset drops its seed so."""
    tree = ast.parse(code)
    reset = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "reset")
    return kept_by_gymnasium(reset, [tree], "seed")


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ("np.random.default_rng(self.seed)", True),
        ("random.Random(2024)", True),
        ("self.np_random", False),
        ("np.random.default_rng(seed)", False),
        ("seed", False),
        ("4", False),  # one fixed task draws nothing
    ],
)
def test_a_seed_that_only_gymnasium_gets_is_dropped_where_something_is_drawn_elsewhere(
    drawn: str, expected: bool
) -> None:
    assert dropped(HEAD.format(drawn=drawn)) is expected


def test_of_another_package_nothing_is_known() -> None:
    code = HEAD.format(drawn="np.random.default_rng(1)")
    assert not dropped(code.replace("import gymnasium as gym", "import other as gym"))
    assert not dropped(code.replace("super().reset(seed=seed)", "pass"))


def test_the_names_of_parameters() -> None:
    tree = ast.parse("def reset(self, a, /, b, *, seed=None, **rest): pass")
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    assert argument_names(function) == {"self", "a", "b", "seed"}
