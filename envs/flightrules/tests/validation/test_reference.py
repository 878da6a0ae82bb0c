"""The tables read off the code: every kind and mode has its row, every number its range."""

from __future__ import annotations

from flightrules.directives.language import KINDS, SUPERSEDE
from flightrules.flight.command import MODES
from flightrules.missions.generator import candidate
from flightrules.missions.splits import LEVELS
from flightrules.validation.reference import (
    drawn_missions,
    modes_table,
    orders_table,
    table,
    world_table,
)


def rows(text: str) -> list[list[str]]:
    """The cells of a Markdown table's rows, without its head."""
    return [line.strip("| ").split(" | ") for line in text.splitlines()[2:]]


def test_a_table() -> None:
    assert table(("a", "b"), [["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_every_mode_has_its_row() -> None:
    found = {row[0].strip("`"): row for row in rows(modes_table())}
    assert tuple(found) == tuple(MODES)
    assert found["trim"][1:] == ["small (0.333 s)", "10", "on"]
    assert found["detumble"][-1] == "off"


def test_every_kind_of_order_has_its_row_and_two_wordings() -> None:
    """The formula's numbers stand in both."""
    found = {row[0].strip("`"): row for row in rows(orders_table(drawn_missions()))}
    assert tuple(found) == KINDS
    assert all(len(row) == 4 and row[2] != row[3] for row in found.values())
    assert found[SUPERSEDE][2].startswith("D3 no longer applies; instead: ")
    _, formula, training, held_out = found["stay_quiet"]
    first, last = formula.strip("`G[").split("]")[0].split(",")
    assert all(f"{first} s" in words and f"{last} s" in words for words in (training, held_out))


def test_a_range_is_what_was_drawn() -> None:
    """One mission is within the ranges of many; a constant has no range."""
    missions = [candidate(level, "train", index, 0) for level in LEVELS for index in range(20)]
    found = dict(rows(world_table(missions)))
    low, high = map(float, found["altitude, km"].split(" to "))
    assert 450 <= low < high <= 650
    assert found["star tracker: fastest rate, deg/s"] == "1"
    low, high = map(float, found["torque of a thruster pair, N m"].split(" to "))
    assert 0.025 < low < high < 0.032
