"""One plan that is paid on every seed, and whether the seeds ask for different things."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from tests.explore.comparing import TEXT, WHOLE, CompareLog, GameWorld, fields

from gonogo.auditing.shared_plan import PlanQuestions, SharedPlan, questioned, shared_plan
from gonogo.contract.sources import Sources
from gonogo.explore.compared import ComparedSearch
from gonogo.wire import Action, Observation

PARTS = ("valve", "coil", "diode", "switch", "aerial", "choke")
FEW = [{"seed": seed} for seed in range(3)]
MORE = [{"seed": seed} for seed in range(3, 12)]


@dataclass
class Radio:
    """One part is broken; whoever replaces it is paid, whatever else was replaced before."""

    seed: int
    shown: Observation = field(default_factory=lambda: {"parts": list(PARTS)})

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        right = log(action["part"], "==", PARTS[self.seed % len(PARTS)], "radio")
        return float(right), right


@dataclass
class DearRadio(Radio):
    """The same, but the first part that is replaced has to be the broken one."""

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        return super().step(action, log)[0], True


@dataclass
class Procedure(Radio):
    """The same two steps are right whatever the seed."""

    at: int = 0

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        right = log(action["part"], "==", ("valve", "coil")[self.at], "procedure")
        self.at += right
        return float(self.at == 2 and right), self.at == 2 or not right


def searched(game: Callable[[int], Radio]) -> tuple[GameWorld, SharedPlan]:
    """A world and the plan for all seeds that is found in it."""
    world = GameWorld(fields(part={"enum": list(PARTS)}), game)
    search = ComparedSearch(world, Sources())
    best = [(task, search.best(task, 200)) for task in FEW]
    return world, shared_plan(world, search, best, MORE, 1_000)


def pays(world: GameWorld, plan: Sequence[Action]) -> set[float]:
    return {world.fly({"seed": seed}, plan).total for seed in range(20, 40)}


def test_seeds_on_which_the_plan_earns_less_join() -> None:
    world, found = searched(Radio)
    assert {action["part"] for action in found.actions} == set(PARTS)
    assert pays(world, found.actions) == {1.0}
    assert "is asked for on some seeds only (radio)" in found.against


def test_no_plan_is_found_where_each_seed_asks_for_its_own() -> None:
    _, found = searched(DearRadio)
    assert found == SharedPlan(())


def test_what_is_compared_with_the_same_on_each_seed_says_nothing_of_seeds() -> None:
    world, found = searched(Procedure)
    assert [action["part"] for action in found.actions] == ["valve", "coil"]
    assert pays(world, found.actions) == {1.0}
    assert found.against == ""


@dataclass
class Rooms(Radio):
    """All rooms have to be cleaned; in one of them a guest sleeps, which changes nothing."""

    cleaned: set[str] = field(default_factory=set)

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        log(action["part"], "==", PARTS[self.seed % len(PARTS)], "sleeps")
        self.cleaned.add(action["part"])
        return float(len(self.cleaned) == len(PARTS)), len(self.cleaned) == len(PARTS)


def test_what_every_seed_needs_is_work_whatever_else_it_is_compared_with() -> None:
    world = GameWorld(fields(part={"enum": list(PARTS)}), Rooms)
    plan = [{"part": part} for part in PARTS]
    assert pays(world, plan) == {1.0}
    assert PlanQuestions(world, plan, [*FEW, *MORE], 1.0).said == ""


@dataclass
class Dating:
    """An age is right within the error that is claimed; or within a limit of the seed, which may be a safe one."""

    seed: int
    by_limit: bool
    shown: Observation = field(default_factory=dict)

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        age = 1000 + self.seed
        if self.by_limit:
            return float(log(action["age"], "<", age, "limit")), True
        log(action["age"], "==", age, "distance")
        return float(abs(action["age"] - age) <= action["error"]), True


@pytest.mark.parametrize(("by_limit", "told"), [(False, True), (True, False)])
def test_a_number_is_asked_for_and_ignored_where_no_limit_compares_it(
    by_limit: bool, told: bool
) -> None:
    world = GameWorld(fields(age=WHOLE, error=WHOLE), lambda seed: Dating(seed, by_limit))
    said = PlanQuestions(world, [{"age": 40, "error": 10**6}], FEW, 1.0).said
    assert ("another number in its place costs nothing (distance)" in said) is told


def test_a_number_that_stands_everywhere_is_known_again_in_another_place() -> None:
    world = GameWorld(fields(age=WHOLE, error=WHOLE), lambda seed: Dating(seed, by_limit=False))
    plan = [{"age": 1, "error": 10**6}]
    assert PlanQuestions(world, plan, FEW, 1.0).said == ""
    found = questioned(world, plan, FEW, 1.0)
    assert list(found.actions) == plan and "(distance)" in found.against


@dataclass
class Essay:
    """A word of the seed is looked for in a text; in the sound one, all are, and the seed's is only counted."""

    seed: int
    asks_for_all: bool
    shown: Observation = field(default_factory=dict)

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        right = log(PARTS[self.seed], "in", action["text"], "essay")
        if self.asks_for_all:
            right = all(word in action["text"] for word in PARTS)
        return float(right), True


@pytest.mark.parametrize(("asks_for_all", "told"), [(False, True), (True, False)])
def test_a_text_of_all_words_holds_the_answers_to_all_seeds(asks_for_all: bool, told: bool) -> None:
    world = GameWorld(fields(text=TEXT), lambda seed: Essay(seed, asks_for_all))
    said = PlanQuestions(world, [{"text": " ".join(PARTS)}], FEW, 1.0).said
    assert bool(said) is told
