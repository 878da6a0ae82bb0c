"""One plan that is paid on every seed, and whether the code holds it against what differs from seed to seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from tests.explore.comparing import TEXT, WHOLE, CompareLog, GameWorld, fields

from gonogo.auditing.shared_plan import SharedPlan, held_against, shared_plan
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
    assert "on one seed" in found.against and found.against.endswith("(radio)")


def test_no_plan_is_found_where_each_seed_asks_for_its_own() -> None:
    _, found = searched(DearRadio)
    assert found == SharedPlan(())


def test_what_is_compared_with_the_same_on_each_seed_says_nothing_of_seeds() -> None:
    world, found = searched(Procedure)
    assert [action["part"] for action in found.actions] == ["valve", "coil"]
    assert pays(world, found.actions) == {1.0}
    assert found.against == ""


@dataclass
class Meter:
    """A reading has to be below a limit of the seed; or it is the clock that is compared with it."""

    seed: int
    of_clock: bool
    shown: Observation = field(default_factory=dict)

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        held = 40 if self.of_clock else action["reading"]
        log(held, "<", 1000 + self.seed, "meter")
        return 1.0, True


@pytest.mark.parametrize(("of_clock", "told"), [(False, True), (True, False)])
def test_a_number_that_only_happens_to_be_compared_tells_nothing(
    of_clock: bool, told: bool
) -> None:
    world = GameWorld(fields(reading=WHOLE), lambda seed: Meter(seed, of_clock))
    assert bool(held_against(world, [{"reading": 40}], FEW)) is told


@dataclass
class Essay:
    """A word of the seed is looked for in a text; and the text in a list of the seed."""

    seed: int
    in_list: bool
    shown: Observation = field(default_factory=dict)

    def step(self, action: Action, log: CompareLog) -> tuple[float, bool]:
        word = PARTS[self.seed]
        known = ["all parts", word]
        log(
            *((action["text"], "in", known) if self.in_list else (word, "in", action["text"])),
            "essay",
        )
        return 1.0, True


@pytest.mark.parametrize(("in_list", "told"), [(False, True), (True, False)])
def test_a_name_that_is_one_of_many_is_no_answer(in_list: bool, told: bool) -> None:
    world = GameWorld(fields(text=TEXT), lambda seed: Essay(seed, in_list))
    assert bool(held_against(world, [{"text": "all parts"}], FEW)) is told
