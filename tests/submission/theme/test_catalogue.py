"""How near an environment is to those that OpenEnv ships, on texts whose answer is known."""

from __future__ import annotations

import pytest
from tests.records_made import contract_report

from gonogo.submission.theme.catalogue import (
    LEAST_WORDS,
    NEAR,
    Catalogue,
    distance,
    load_catalogue,
    terms,
    words_of,
)

NEARBY = {
    "control a robot arm in simulated physics": "dm_control_env",
    "drive a car through city traffic": "carla_env",
    "optimise CUDA kernels for speed": "kernrl",
    "browse web pages, click buttons and fill forms": "browsergym_env",
    "fight a forest fire with firebreaks": "wildfire_env",
    "questions about annual reports of companies with SQL": "finqa_env",
    "solve logic puzzles and arithmetic questions": "reasoning_gym_env",
    "run shell commands in a linux terminal": "tbench2_env",
    "chess puzzles: find the mate in two moves on the board": "chess_env",
    "trading stocks on a market": "finrl_env",
    "guess the five letter word of wordle": "textarena_env",
    "schedule meetings in a calendar with invitations": "calendar_env",
}
FAR = (
    "operate a power grid and keep its frequency",
    "a hotel concierge who rebooks guests",
    "triage patients in an emergency room",
    "a nuclear reactor is cooled",
    "negotiate a treaty between countries",
    "diagnose faults of a satellite from telemetry",
    "design the layout of a chip",
)


@pytest.mark.parametrize("text", NEARBY)
def test_a_paraphrase_of_an_entry_is_near_it(text: str) -> None:
    name, alike = load_catalogue().nearest(text)[0]
    assert name == NEARBY[text] and alike >= NEAR


@pytest.mark.parametrize("text", FAR)
def test_a_foreign_domain_is_near_nothing(text: str) -> None:
    assert load_catalogue().nearest(text)[0][1] < NEAR


def test_a_name_is_nearest_to_its_own_entry() -> None:
    catalogue = load_catalogue()
    assert len(catalogue.names) == 30 and len(catalogue.commit) == 40
    for name in catalogue.names:
        assert catalogue.nearest(name)[0][0] == name


def test_words_that_say_nothing_of_a_domain_and_a_plural_s_count_for_nothing() -> None:
    assert terms("The GridWorld environment, by default: grids") == ["grid", "world", "grid"]


def test_a_word_that_few_entries_have_says_more_than_one_that_many_have() -> None:
    entries = {"one": "chess board", "two": "chess clock", "three": "chess board clock violin"}
    catalogue = Catalogue("x", "0", entries)
    assert catalogue.nearest("violin")[0][0] == "three"
    similar = dict(catalogue.nearest("chess board"))
    assert similar["one"] > similar["three"] > similar["two"]
    assert [alike for _, alike in catalogue.nearest("submarine")] == [0.0] * 3


@pytest.mark.parametrize(
    ("description", "holds"),
    [
        ("the game of chess: find the mate in two moves on the board of chess", False),
        ("operators cool a nuclear reactor, whose turbine valves stick and whose pumps fail", True),
        ("a reactor", None),
    ],
)
def test_a_domain_is_underexplored_where_enough_words_are_near_no_entry(
    description: str, holds: bool | None
) -> None:
    fact = distance(contract_report(metadata={"description": description}))
    assert fact.holds is holds, fact.said
    assert (fact.entries, fact.near_from) == (30, NEAR)
    if holds is False:
        assert fact.nearest[0].name == "chess_env" and fact.nearest[0].similarity >= NEAR


def test_fields_are_named_only_where_the_description_says_little() -> None:
    fields = ({"name": "valve", "words": "integer", "description": "of steam", "example": 1},)
    short = contract_report(observation=fields, metadata={"description": "A boiler."})
    assert "valve of steam" in words_of(short)
    long = {"description": "boiler turbine condenser pump chimney furnace"}
    assert len(set(terms(long["description"]))) >= LEAST_WORDS
    assert "valve" not in words_of(contract_report(observation=fields, metadata=long))
