"""What may not matter is changed in real flights: most of it does not matter, and what does is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.records_made import contract_item, contract_report

from gonogo.auditing.checks.metamorphic import (
    checked,
    mapped,
    metamorphic,
    respaced,
    same_number,
    without_chance,
)
from gonogo.records.audit import TransformCheck
from gonogo.records.contract import ContractReport

CARD = contract_report()


def checks(
    opened: Callable[..., Any], case: str, *names: str, card: ContractReport = CARD
) -> dict[str, TransformCheck]:
    found, _ = metamorphic(*opened(case, *names), card)
    return {check.id: check for check in found}


def test_a_sound_environment_passes_what_applies(opened: Callable[..., Any]) -> None:
    found = checks(opened, "reward_from_agent_text:Sound")
    assert "fail" not in {check.verdict for check in found.values()}
    assert found["same_seed"].verdict == "pass"
    assert found["seed_matters"].verdict == "pass"
    assert found["after_another_episode"].verdict == "pass"
    assert found["key_order"].verdict == "pass"


def test_words_that_move_the_reward_are_suspected(opened: Callable[..., Any]) -> None:
    found, (suspicion,) = metamorphic(*opened("reward_from_agent_text:Defect"), CARD)
    assert suspicion.id == "reward_from_agent_text"
    assert suspicion.worth > 0.15
    (check,) = [c for c in found if c.id.startswith("free_text")]
    assert check.verdict == "fail"


def test_words_that_are_part_of_the_task_move_only_a_success(opened: Callable[..., Any]) -> None:
    case = "reward_from_agent_text__packages"
    found, suspected = metamorphic(*opened(f"{case}:Sound"), CARD)
    (check,) = [c for c in found if c.id.startswith("free_text")]
    assert (check.verdict, suspected) == ("fail", [])
    _, (suspicion,) = metamorphic(*opened(f"{case}:Defect"), CARD)
    assert suspicion.id == "reward_from_agent_text"


def test_a_seed_that_is_not_obeyed_shows(opened: Callable[..., Any]) -> None:
    assert checks(opened, "seed_ignored:Defect")["same_seed"].verdict == "fail"


def test_no_change_is_blamed_where_an_episode_cannot_be_repeated() -> None:
    moved = [
        checked("key_order", "fail", "moved"),
        checked("idle_inserted", "pass", "same"),
    ]
    seeds = [
        checked("same_seed", "fail", "differs"),
        checked("seed_matters", "fail", "alike"),
    ]
    judged = without_chance((*seeds, *moved))
    assert [check.verdict for check in judged] == ["fail", "fail", "na", "pass"]
    assert "another episode" in judged[2].said
    steady = [checked("same_seed", "pass", "same"), *moved]
    assert without_chance(steady) == steady


def test_an_episode_between_shows(opened: Callable[..., Any]) -> None:
    for name, verdict in (("Defect", "fail"), ("Sound", "pass")):
        found = checks(opened, f"episode_state_leak:{name}", "random")
        assert found["after_another_episode"].verdict == verdict


def test_what_the_map_proved_is_not_flown_again(opened: Callable[..., Any]) -> None:
    item = contract_item("seed_control", "fail", "alike", task={"seed": 3})
    card = contract_report(items=[item])
    found = checks(opened, "reward_from_agent_text:Sound", card=card)
    assert found["seed_matters"] == checked("seed_matters", "fail", "alike", "map")
    assert mapped({"level": "hard"}, card) == {}


def test_json_text_and_numbers_are_written_otherwise() -> None:
    assert json.loads(respaced('{"a": 1}')) == {"a": 1}
    assert respaced('{"a": 1}') != '{"a": 1}'
    assert respaced('{"a":1}') != '{"a":1}'
    assert respaced("plain") == "plain"
    assert (same_number(1), same_number(2.0), same_number(True)) == (1.0, 2, True)
    assert isinstance(same_number(1), float)
    assert isinstance(same_number(2.0), int)


def test_json_replies_keep_their_pay(opened: Callable[..., Any]) -> None:
    found = checks(opened, "format_outweighs_task:Sound")
    assert found["json_whitespace"].verdict == "pass"
