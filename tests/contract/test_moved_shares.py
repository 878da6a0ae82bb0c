"""Shares whose whole steps move, read from small sources and from the zoo's desks; and wholes that stay."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from gonogo.contract.followed import FollowedCode
from gonogo.contract.moved_shares import MovedShare, moved_shares
from gonogo.contract.source import first_line, read_source
from gonogo.records.inspection import CodePlace, EnvironmentClass, EnvironmentCode

ROOT = Path(__file__).parents[2]


def shares(folder: Path, text: str) -> list[MovedShare]:
    """The shares of a small environment."""
    file = folder / "env.py"
    file.write_text(textwrap.dedent(text))
    return shares_of(file, ["Env"])


def shares_of(file: Path, chain: list[str]) -> list[MovedShare]:
    """The shares of a class of a file, the nearest of its bases after it."""
    return moved_shares(FollowedCode(read_source(None, [file]), code_of(file, chain)))


def code_of(file: Path, chain: list[str]) -> EnvironmentCode:
    """Where the code of a class of a file lies."""
    tree = ast.parse(file.read_text())
    found = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    places = [CodePlace(file=str(file), line=first_line(found[name]), name=name) for name in chain]
    inner = {
        n.name: first_line(n)
        for name in reversed(chain)
        for n in found[name].body
        if isinstance(n, ast.FunctionDef)
    }
    return EnvironmentCode(
        environment=EnvironmentClass(
            **places[0].model_dump(), bases=tuple(chain[1:]), classes=tuple(places)
        ),
        reset=CodePlace(file=str(file), line=inner["reset"], name="reset"),
        step=CodePlace(file=str(file), line=inner["step"], name="step"),
        action=places[0],
        observation=places[0],
    )


HEAD = """
class Env:
    def reset(self, seed=None):
        self.tickets = {{n: Ticket() for n in range(5)}}
        self.tried = {{}}
        self.attempts = 0
        self.size = 5
        return {{}}

    def step(self, action):
        if action.kind == "withdraw":
            {move}
        elif action.kind == "close":
            self.done += 1
        reward = {reward}
        return {{}}, reward, False, {{}}
"""


def moved(folder: Path, move: str, reward: str) -> list[MovedShare]:
    """The shares of an environment in which one action moves something."""
    return shares(folder, HEAD.format(move=move, reward=reward))


DONE = "self.done / max(1, {})"


@pytest.mark.parametrize(
    ("move", "reward"),
    [
        ("del self.tickets[action.name]", DONE.format("len(self.tickets)")),
        ("self.tickets.pop(action.name)", DONE.format("len(self.tickets)")),
        ("tickets = self.tickets; tickets.pop(action.name)", DONE.format("len(self.tickets)")),
        (
            "self.tickets = {n: t for n, t in self.tickets.items() if n != action.name}",
            DONE.format("sum(1 for _ in self.tickets.values())"),
        ),
        (
            "self.tickets[action.name].status = 'declined'",
            DONE.format("len([t for t in self.tickets.values() if t.status != 'declined'])"),
        ),
        (
            "self.tickets[action.name]['status'] = 'declined'",
            DONE.format("sum(t['status'] != 'declined' for t in self.tickets.values())"),
        ),
    ],
)
def test_a_collection_that_a_step_shrinks(move: str, reward: str, tmp_path: Path) -> None:
    (found,) = moved(tmp_path, move, reward)
    assert (found.collection, found.verbs) == ("tickets", ("withdraw",))
    assert "reward = self.done" in found.place.text
    assert found.moved_by("Withdraw")
    assert not found.moved_by("close")
    assert not found.moved_by("") and not found.moved_by("7")


@pytest.mark.parametrize(
    ("move", "reward", "collection"),
    [
        ("self.tried[action.name] = 1", "sum(self.tried.values()) / len(self.tried)", "tried"),
        ("self.tried[action.name] = 1", "fmean(self.tried.values())", "tried"),
        ("self.attempts += 1", "self.done / self.attempts", "attempts"),
        ("self.stats['attempts'] += 1", "self.done / self.stats['attempts']", "attempts"),
    ],
)
def test_a_collection_that_a_step_fills(
    move: str, reward: str, collection: str, tmp_path: Path
) -> None:
    (found,) = moved(tmp_path, move, reward)
    assert (found.collection, found.verbs) == (collection, ("withdraw",))


def test_a_whole_is_followed_through_calls_and_parameters(tmp_path: Path) -> None:
    (found,) = shares(
        tmp_path,
        """
        class Env:
            def reset(self, seed=None):
                self.tickets = {}
                return {}

            def step(self, action):
                match action.kind:
                    case "withdraw":
                        self._take(action.name)
                return {}, self.reward_of(), False, {}

            def _take(self, name):
                self.tickets[name].declined = True

            def reward_of(self):
                return share(self.done, self.left())

            def left(self):
                out = []
                for ticket in self.tickets.values():
                    if not ticket.declined:
                        out.append(ticket)
                return out

        def share(done, left):
            total = len(left)
            return done / total
        """,
    )
    assert (found.collection, found.functions, found.verbs) == (
        "tickets",
        ("_take",),
        ("withdraw",),
    )
    assert found.place.text == "return done / total"


@pytest.mark.parametrize(
    ("move", "reward"),
    [
        ("del self.tickets[action.name]", "self.done / self.size"),
        ("self.tickets[action.name] = 1", "self.done / len(self.tickets)"),
        ("self.tickets.sort()", "self.done / len(self.tickets)"),
        ("del self.tickets[action.name]", "len(self.tickets) / 5"),
        ("self.steps_taken += 1", "self.done / self.steps_taken"),
    ],
)
def test_a_whole_that_no_action_moves(move: str, reward: str, tmp_path: Path) -> None:
    assert moved(tmp_path, move, reward) == []


def test_what_a_mapping_of_functions_chooses_moves_it(tmp_path: Path) -> None:
    found = shares(
        tmp_path,
        """
        class Env:
            def reset(self, seed=None):
                self.tickets = [1, 2]
                return {}

            def step(self, action):
                {"pull_back": self._drop, "close": self._close}[action.kind](action.name)
                reward = self.done / len(self.tickets)
                return {}, reward, False, {}

            def _drop(self, name):
                self.tickets.remove(name)

            def _close(self, name):
                self.done += 1
        """,
    )
    assert [each.verbs for each in found] == [("pull_back",)]


@pytest.mark.parametrize(
    ("case", "whole"),
    [
        ("ShareOfWaiting", {"waiting", "answered"}),
        ("MeanOfAttempted", {"answered"}),
        ("ShareOfAll", set()),
        ("SpamWithdrawn", set()),
        ("HealthyOfLeft", {"services"}),
        ("HealthyOfAll", set()),
    ],
)
def test_the_desks_of_the_zoo(case: str, whole: set[str], tmp_path: Path) -> None:
    file = tmp_path / "desk.py"
    base = (ROOT / "tests" / "zoo" / "untold.py").read_text()
    file.write_text(base + (ROOT / "tests" / "zoo" / "desk.py").read_text())
    own = "HealthyOfAll" if case.startswith("Healthy") else "ShareOfAll"
    chain = list(dict.fromkeys([case, own, "Untold"]))
    assert {each.collection for each in shares_of(file, chain)} == whole
