"""The search for the plan that is paid most, led by what actions are compared with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from tests.explore.comparing import NUMBER, TEXT, WHOLE, CompareLog, GameWorld, fields

from gonogo.contract.sources import Sources
from gonogo.explore.changes import ComparedFlight
from gonogo.explore.compared import BestPlan, ComparedSearch, texts_shown
from gonogo.wire import Action, JsonSchema, JsonValue, Observation, TaskOptions

BUDGET = 1000
NAMES = ("Ada", "Bruno", "Celia", "Dario", "Edith", "Farid")


def best(world: GameWorld, budget: int = BUDGET, seed: int = 3) -> BestPlan:
    return ComparedSearch(world, Sources()).best({"seed": seed}, budget)


@dataclass
class Answer:
    """One answer, which has to be right."""

    right: JsonValue
    shown: Observation = field(default_factory=lambda: {"question": "What is it?"})

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        given = action["answer"]
        if isinstance(self.right, list):
            return float(log(set(given), "==", set(self.right))), True
        if isinstance(given, str):
            return float(log(given.strip().lower(), "==", str(self.right).lower())), True
        return float(log(abs(given - self.right), "<=", 0.01)), True


@pytest.mark.parametrize(
    ("schema", "right"),
    [
        (TEXT, "Ljubljana"),
        (NUMBER, 41.37),
        (WHOLE, -12),
        ({"type": "array", "items": TEXT}, ["B2", "B7", "B9"]),
    ],
)
def test_an_answer_that_has_to_be_right_is_found(schema: JsonSchema, right: JsonValue) -> None:
    found = best(GameWorld(fields(answer=schema), lambda _: Answer(right)), 300)
    assert found.total == 1.0
    assert len(found.actions) == 1


@dataclass
class Form:
    """Fields that all have to be right before handing it in is paid."""

    seed: int
    shown: Observation = field(default_factory=lambda: {"message": "empty"})
    held: dict[str, str] = field(default_factory=dict)

    @property
    def right(self) -> dict[str, str]:
        return {f"field-{n}": f"{name}-{self.seed + n}" for n, name in enumerate(NAMES)}

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        if log(action["do"], "==", "submit", "verb"):
            right = all(log(self.held.get(n, ""), "==", v, "form") for n, v in self.right.items())
            return float(right), True
        if log(action["name"], "in", self.right, "name"):
            self.held[action["name"]] = action["value"]
        return 0.0, False


FORM = fields(do={"enum": ["set", "submit"]}, name=TEXT, value=TEXT)


def test_what_is_only_paid_at_the_end_and_together_is_found() -> None:
    world = GameWorld(FORM, Form)
    found = best(world)
    assert found.total == 1.0
    assert found.actions[-1]["do"] == "submit"
    assert {(a["name"], a["value"]) for a in found.actions[:-1]} >= set(Form(3).right.items())


@dataclass
class Ward:
    """A note has to name some troubles of many, and names of others cost nothing."""

    seed: int
    shown: Observation = field(default_factory=lambda: {"message": "A note, please."})

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        troubles = [f"trouble {(self.seed + n) % 6}" for n in range(3)]
        named = [log(each, "in", action["note"].lower(), "note") for each in troubles]
        return sum(named) / 3, True


def test_all_that_is_looked_for_on_any_task_is_kept() -> None:
    search = ComparedSearch(GameWorld(fields(note=TEXT), Ward), Sources())
    assert [search.best({"seed": seed}, 40).total for seed in (0, 3)] == [1.0, 1.0]
    assert search.asked == []  # each was looked for on one task alone
    assert search.best({"seed": 1}, 40).total == 1.0
    (asked,) = search.asked
    assert asked.path == ("note",)
    assert sorted(asked.words) == ["trouble 1", "trouble 2", "trouble 3"]
    assert asked.filled == {"note": " ".join(asked.words)}


@dataclass
class Marked(Form):
    """Each field that is right has its mark, at the end."""

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        if action["do"] == "submit":
            right = [log(self.held.get(n, ""), "==", v, "form") for n, v in self.right.items()]
            return sum(right) / len(right), True
        self.held[action["name"]] = action["value"]
        return 0.0, False


def test_a_plan_that_is_known_to_be_paid_is_put_right() -> None:
    world = GameWorld(FORM, Marked)
    held = [{"do": "set", "name": n, "value": v} for n, v in Form(3).right.items()]
    held[2] = {**held[2], "value": "zqbx"}
    known: list[Action] = [*held, {"do": "submit", "name": "", "value": ""}]
    found = ComparedSearch(world, Sources()).best({"seed": 3}, 60, known)
    assert found.total == 1.0


def steps_until_paid(world: GameWorld, after: int) -> int:
    """Steps of the flights after some, until one of them is paid in full."""
    totals = world.totals[after:]
    return sum(len(sent) + 1 for sent in world.sent[after : after + totals.index(1.0) + 1])


@dataclass
class Riddles(Form):
    """A thing of many has to be named, then its word."""

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        name = f"{NAMES[self.seed % 6]}-{self.seed}"
        if not log(action["do"], "==", "b", "verb") or not log(action["name"], "==", name, "name"):
            return 0.0, False
        return float(log(action["value"], "==", f"word-{self.seed}", "value")), True


def test_what_was_paid_on_one_task_is_tried_first_on_the_next() -> None:
    schema = fields(do={"enum": ["a", "c", "d", "e", "f", "b"]}, name=TEXT, value=TEXT)
    world = GameWorld(schema, Riddles)
    search = ComparedSearch(world, Sources())
    assert search.best({"seed": 3}, 200).total == 1.0
    after = len(world.totals)
    assert search.best({"seed": 4}, 200).total == 1.0
    without = GameWorld(schema, Riddles)
    assert best(without, 200, seed=4).total == 1.0
    assert steps_until_paid(world, after) < steps_until_paid(without, 0)


@dataclass
class Locked:
    """A drawer has to be opened, which is not paid, before its things can be taken."""

    seed: int
    shown: Observation = field(default_factory=lambda: {"drawers": ["north", "south"]})
    opened: bool = False

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        if log(action["do"], "==", "open", "verb"):
            self.opened |= log(action["drawer"], "==", "south", "drawer")
            self.shown = {"message": "open" if self.opened else "shut"}
            return 0.0, False
        if not self.opened:
            return 0.0, False
        return float(log(action["thing"], "==", "the brass key", "thing")), False


def test_a_step_that_is_not_paid_comes_before_one_that_is() -> None:
    schema = fields(do={"enum": ["open", "take"]}, drawer=TEXT, thing=TEXT)
    found = best(GameWorld(schema, Locked))
    assert found.total >= 1.0
    assert found.actions[0]["do"] == "open"


STATIONS = {"Isby": (4.2, 3), "Brekke": (11.7, 0), "Granvik": (-2.4, 9)}
CASES = {"RX-1": "hold", "RX-2": "pass", "RX-3": "query", "RX-4": "pass"}


@dataclass
class Bulletin:
    """Numbers of several stations, measured at the end."""

    seed: int
    shown: Observation = field(default_factory=lambda: {"message": "write"})
    written: dict[str, Action] = field(default_factory=dict)

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        if log(action["do"], "==", "publish", "verb"):
            good = [
                log(abs(said[name] - right), "<=", 0.05, "tolerance")
                for station, said in self.written.items()
                for name, right in zip(("mean", "days"), STATIONS[station], strict=True)
            ]
            return sum(good) / 6, True
        if log(action["station"], "in", STATIONS, "station"):
            self.written[action["station"]] = action
        return 0.0, False


def test_numbers_are_found_by_their_distance_in_earlier_actions() -> None:
    schema = fields(do={"enum": ["write", "publish"]}, station=TEXT, mean=NUMBER, days=WHOLE)
    assert best(GameWorld(schema, Bulletin)).total == pytest.approx(1.0)


@dataclass
class Verdicts:
    """Cases that are decided one after another and judged when all are."""

    seed: int
    shown: Observation = field(default_factory=lambda: {"message": "decide"})
    decided: dict[str, str] = field(default_factory=dict)

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        if log(action["case"], "in", CASES, "case"):
            self.decided[action["case"]] = action["verdict"]
        if len(self.decided) < len(CASES):
            return 0.0, False
        good = [log(CASES[n], "==", v, "verdict") for n, v in self.decided.items()]
        return sum(good) / 4, True


@pytest.mark.parametrize("verbs", [["decide"], ["decide", "look"]])
def test_what_the_end_compares_is_shared_out_among_the_actions(verbs: list[str]) -> None:
    choices: JsonSchema = {"enum": ["pass", "hold", "query"]}
    schema = fields(do={"enum": verbs}, case=TEXT, verdict=choices)
    world = GameWorld(schema, Verdicts)
    assert best(world).total == 1.0
    assert steps_until_paid(world, 0) < 60


@dataclass
class Board:
    """A field of a board, counted from one."""

    seed: int
    shown: Observation = field(default_factory=lambda: {"message": "place"})

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        row, column = action["row"] - 1, action["column"] - 1
        for value, size in ((row, 3), (column, 4)):
            if not (log(0, "<=", value, "low") and log(value, "<", size, f"below {size}")):
                return 0.0, False
        return float((row, column) == (2, 1)), False


def test_numbers_below_a_bound_are_tried() -> None:
    found = best(GameWorld(fields(row=WHOLE, column=WHOLE), Board))
    assert found.total >= 1.0
    assert {"row": 3, "column": 2} in found.actions


@dataclass
class Dump:
    """It raises for all but one verb, and compares nothing."""

    seed: int
    shown: Observation = field(default_factory=lambda: {"message": "hm"})

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        if action["do"] == "break":
            raise ValueError(action["do"])
        return 0.0, False


def test_where_nothing_is_compared_little_is_flown() -> None:
    world = GameWorld(fields(do={"enum": ["look", "break"]}), Dump)
    found = best(world, 3000)
    assert found.total == 0.0
    assert found.actions == ()
    assert found.steps == world.steps < 150


@pytest.mark.parametrize("budget", [50, 60, 200])
def test_the_budget_is_kept(budget: int) -> None:
    world = GameWorld(FORM, Form)
    assert best(world, budget).steps == world.steps <= budget


class LostWorld(GameWorld):
    """Its process is lost: nothing is flown any more."""

    def fly(self, task: TaskOptions, actions: Sequence[Action]) -> ComparedFlight:
        """Fly nothing."""
        self.totals.append(0.0)
        return ComparedFlight({}, [], over=True, refused=True)


def test_where_the_process_is_lost_no_more_plans_are_made() -> None:
    world = LostWorld(FORM, Form)
    assert best(world).actions == ()
    assert len(world.totals) == 1


def test_what_was_sent_is_no_news() -> None:
    assert texts_shown({"a": ["3 of abc", 7]}, {"x": "ab", "y": "bc", "z": ""}) == {"# of *c"}


def flown() -> str:
    """What a search sends."""
    world = GameWorld(FORM, Form)
    best(world, 300)
    news = [texts_shown({"a": f"{a}{b}"}, {"x": a[1:] + b, "y": a + b[1:]}) for a, b in PAIRS]
    return json.dumps([world.sent, [sorted(each) for each in news]])


PAIRS = [(f"a{n}", f"{n}b") for n in range(20)]


def test_the_same_search_flies_the_same_in_any_process() -> None:
    code = "from tests.explore.test_compared import flown; print(flown())"
    sent = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(sent) == 1
