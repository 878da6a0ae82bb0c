"""The splits stay apart, in parameters, words and combinations, and each has its two million missions.

What a split may hold is proved on what it is drawn from; that draws keep to it, on missions all over its indices.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from flightrules.directives.directive import Directive
from flightrules.directives.language import KINDS, NEVER, SUPERSEDE, phrase, phrasings
from flightrules.missions.generator import candidate
from flightrules.missions.mission import Mission
from flightrules.missions.splits import LEVELS, SPLITS, TASKS_PER_SPLIT, num_tasks, vehicle_ranges
from flightrules.missions.store import MissionStore

LAST = TASKS_PER_SPLIT - 1
INDICES = (*range(40), *range(40, LAST, 16_000), LAST)
TESTS = {"test", "test_compositions", "test_phrasings"}
TRAINS = {"train", "train_compositions"}
SHARING = {"validation": {"validation"}} | {
    split: alike for alike in (TESTS, TRAINS) for split in alike
}
"""The splits that draw their vehicles where a split does: those differ in other things."""
by_level = pytest.mark.parametrize("level", LEVELS)


@cache
def drawn(level: str, split: str) -> list[Mission]:
    """Neighbours and missions from one end of the split to the other."""
    return [candidate(level, split, index, 0) for index in INDICES]


def orders(level: str, *splits: str) -> list[Directive]:
    return [order for split in splits for each in drawn(level, split) for order in each.directives]


def owners(scale: float) -> set[str]:
    """Splits that have a bin with an inertia scale; a bin ends before its upper edge."""
    return {
        split
        for split in SPLITS
        for low, high in vehicle_ranges(split, 0.1).inertia_scale
        if low <= scale < high
    }


def test_bins_do_not_overlap() -> None:
    """All bins in a row: each begins where the one before has ended, to the bit, and each edge is one split's."""
    of = {split: vehicle_ranges(split, 0.1).inertia_scale for split in SPLITS}
    bins = sorted(piece for split in ("train", "validation", "test") for piece in of[split])
    assert len(bins) == 40
    assert all(low < high for low, high in bins)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(bins))
    for split, pieces in of.items():
        assert all(owners(low) == SHARING[split] for low, _ in pieces)
    assert owners(bins[-1][1]) == set()


@by_level
def test_vehicles_are_of_their_own_bins(level: str) -> None:
    """The mean principal moment, a third of the trace, gives back the scale that was drawn."""
    for split in SPLITS:
        for mission in drawn(level, split):
            scale = float(mission.vehicle.inertia.trace()) / 3.0 / 20.0
            assert owners(scale) == SHARING[split]


@by_level
def test_held_out_phrasings_are_of_one_split(level: str) -> None:
    """Every training phrasing of every kind of order is used, every held-out one too, each where it belongs."""
    for split in SPLITS:
        used: dict[str, set[int]] = {}
        for order in orders(level, split):
            for kind in (order.kind, *((SUPERSEDE,) if order.replaces else ())):
                used.setdefault(kind, set()).add(order.phrasing)
        held_out = split == "test_phrasings"
        assert used == {kind: set(phrasings(kind, held_out)) for kind in used}


def wordings(given: Iterable[Directive], held_out: bool) -> set[str]:
    """Every wording of orders with the numbers blanked; what says that one replaces another counts by itself."""
    told = set()
    for order in given:
        for index in phrasings(order.kind, held_out):
            words = phrase(order.formula, index)
            told |= {words, phrase(order.formula, index, "D1").removesuffix(words)}
    return {re.sub(r"\d+(\.\d+)?", "#", words) for words in told}


def test_held_out_words_are_in_no_training_text() -> None:
    """Not even inside one: all orders that are drawn anywhere, in all phrasings."""
    given = [order for level in LEVELS for order in orders(level, *SPLITS)]
    assert {order.kind for order in given} | {SUPERSEDE} == set(KINDS)
    assert all(
        order.text == phrase(order.formula, order.phrasing, order.replaces) for order in given
    )
    training, held_out = wordings(given, held_out=False), wordings(given, held_out=True)
    assert not [(new, old) for new in held_out for old in training if new in old]


@by_level
def test_compositions_of_the_test_are_not_in_training(level: str) -> None:
    """As the kinds that are ordered together, with how often each is.

    Kinds alone tell them apart; so does then every closer look, at what replaces what or at what happens on the way.
    """

    def compositions(split: str) -> set[tuple[str, ...]]:
        return {
            tuple(sorted(order.kind for order in mission.directives))
            for mission in drawn(level, split)
        }

    training = compositions("train")
    assert compositions("validation") == compositions("test") == training
    assert compositions("test_phrasings") == training
    assert not compositions("test_compositions") & (training | compositions("train_compositions"))


@by_level
def test_training_shows_parts_of_the_held_out_compositions(level: str) -> None:
    """One order is missing in each mission, or a limit of the rates stands in; each of the whole is in some part."""

    def kinds(split: str) -> set[tuple[str, ...]]:
        return {
            tuple(order.kind for order in mission.directives) for mission in drawn(level, split)
        }

    (whole,) = kinds("test_compositions")
    parts = kinds("train_compositions")
    stand_in = () if NEVER in whole else (NEVER,)
    assert parts <= {whole[:gone] + stand_in + whole[gone + 1 :] for gone in range(len(whole))}
    assert {kind for part in (*parts, *kinds("train")) for kind in part} >= set(whole)


@by_level
def test_a_mission_whose_order_was_left_out_is_numbered_without_a_gap(level: str) -> None:
    for mission in drawn(level, "train_compositions"):
        names = [order.id for order in mission.directives]
        assert names == [f"D{place}" for place in range(1, len(names) + 1)]
        assert all(order.replaces in (None, *names) for order in mission.directives)


@by_level
@pytest.mark.parametrize("split", SPLITS)
def test_two_million_missions(level: str, split: str, tmp_path: Path) -> None:
    """The last is as good as the first, and there is nothing beyond."""
    assert num_tasks(split) >= 2_000_000
    store = MissionStore(tmp_path)
    for index in (0, LAST):
        assert store.task(split, index, level).proof is not None
    for index in (-1, LAST + 1):
        with pytest.raises(IndexError, match=f"index must be from 0 to 1999999, got {index}"):
            store.task(split, index, level)


def test_no_two_missions_are_the_same() -> None:
    """Whatever their addresses, they share no vehicle, no start and no noise."""
    missions = [mission for level in LEVELS for split in SPLITS for mission in drawn(level, split)]
    for shared in (
        {mission.vehicle.inertia.tobytes() for mission in missions},
        {mission.q_BN.tobytes() for mission in missions},
        {mission.noise_seed for mission in missions},
    ):
        assert len(shared) == len(missions)
