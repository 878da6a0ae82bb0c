"""What functions of a source change, call and read, by the names in them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gonogo.contract.functions import (
    Code,
    chain_of,
    codes_in,
    fills,
    mutable_defaults,
    reads,
    touched,
)
from gonogo.contract.source import parse

TEXT = """
class Game:
    def play(self, key, seen=[], *, done={}, name=""):
        self.board[key] = 1
        self.score += 2
        self.best = key
        self.site.doors.add(key)
        del self.rest[key]
        if key:
            self.said.append(key)

    def worth(self, key):
        if key not in self.worths:
            self.worths[key] = 1
        return self.worths[key]

    def open(self):
        @tool
        def turn():
            return COUNT, self.best
"""


@pytest.fixture
def codes(tmp_path: Path) -> dict[str, Code]:
    """The functions of the text, by name."""
    file = tmp_path / "game.py"
    file.write_text(TEXT)
    parsed = parse(file, "game.py")
    assert parsed is not None
    return {code.function.name: code for code in codes_in(parsed)}


def test_functions_inside_of_others_are_functions(codes: dict[str, Code]) -> None:
    assert set(codes) == {"play", "worth", "open", "turn"}
    assert {code.owner for code in codes.values()} == {"Game"}


def test_what_is_changed_and_how(codes: dict[str, Code]) -> None:
    found = {change.names: change.outright for change in codes["play"].changes}
    assert found == {
        ("self", "board"): False,
        ("self", "score"): False,
        ("self", "best"): True,
        ("self", "site", "doors"): False,
        ("self", "rest"): False,
        ("self", "said"): False,
    }
    assert {"board", "said", "doors"} <= set(touched(codes["play"]))


def test_what_stands_under_a_condition(codes: dict[str, Code]) -> None:
    (said,) = [c for c in codes["play"].changes if c.names[-1] == "said"]
    assert [ast.unparse(test) for test in codes["play"].conditions(said.node)] == ["key"]


def test_a_cache_only_fills_in_what_was_missing(codes: dict[str, Code]) -> None:
    (filled,) = codes["worth"].changes
    assert fills(codes["worth"], filled.node, "worths")
    (first,) = [c for c in codes["play"].changes if c.names[-1] == "board"]
    assert not fills(codes["play"], first.node, "board")


def test_what_is_read_and_what_is_foreign(codes: dict[str, Code]) -> None:
    assert reads(codes["turn"], "best")
    assert not reads(codes["play"], "said")
    assert codes["turn"].foreign == {"COUNT", "self", "tool"}


def test_defaults_that_are_one_object_for_all_calls(codes: dict[str, Code]) -> None:
    assert [name for _, name in mutable_defaults(codes["play"].function)] == ["seen", "done"]


def test_a_chain_has_a_name_at_its_root() -> None:
    asked = ast.parse("a.b[0].c", mode="eval").body
    assert chain_of(asked) == ("a", "b", "c")
    assert chain_of(ast.parse("f().c", mode="eval").body) == ()
