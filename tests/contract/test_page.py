"""The map for a reader: each line says what the record says, and what it does not know."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from tests.records_made import contract_item, contract_report, finding, rubric_node, source_place

from gonogo.contract.items import CHECKS
from gonogo.contract.page import (
    card_rows,
    contract_rows,
    end_text,
    ends_text,
    limit_text,
    markdown,
    method_text,
    parameters_text,
    places_text,
    print_map,
    range_text,
    reward_rows,
    shown,
    splits_text,
)
from gonogo.records.contract import ContractReport, MethodCode, SourcePlace
from gonogo.records.inspection import TaskSplit


def test_what_is_not_seen_is_said_so() -> None:
    rows = dict(card_rows(contract_report()))
    assert rows["reset"] == rows["step"] == "its code cannot be seen"
    assert rows["reset takes"] == "its signature cannot be seen"
    assert rows["ends decided"] == "its code cannot be seen"
    assert rows["reward computed"] == "nowhere"
    assert (rows["tools"], rows["splits"]) == ("none", "no task API")
    assert rows["ends seen"] == "none in 0 flights"


def test_a_method_says_where_it_is_and_what_it_sets() -> None:
    code = MethodCode(file="env.py", line=3, doc="Start.", sets=("goal", "count"))
    assert method_text(code, "initialises") == "env.py:3 Start.; initialises goal, count"


@pytest.mark.parametrize(
    ("reset", "said"),
    [
        ({"parameters": [], "open": False}, "nothing"),
        ({"parameters": [], "open": True}, "any other"),
        (
            {
                "parameters": [
                    {"name": "who", "schema": {}, "default": None, "required": True},
                    {"name": "seed", "schema": {}, "default": None, "required": False},
                ],
                "open": True,
            },
            "who (needed), seed, any other",
        ),
    ],
)
def test_what_a_reset_takes(reset: dict[str, object], said: str) -> None:
    assert parameters_text(contract_report(reset=reset).reset) == said


def test_ends_and_where_the_limit_cut() -> None:
    ends = [
        {"success": True, "timeout": False, "episodes": 3},
        {"success": None, "timeout": True, "episodes": 1},
    ]
    terminal = contract_report(
        terminal={"ended": 4, "flown": 6, "steps": (2, 9), "ends": ends, "sought": 5, "cut": (7, 9)}
    ).terminal
    assert ends_text(terminal) == (
        "4 of 6 flights, after 2 to 9 steps: 3 succeeded, 1 without a word of success by timeout"
    )
    assert limit_text(terminal) == (
        "64: so much was flown; 2 of 5 flights that looked for an end were broken off at step 7 to 9"
    )
    assert end_text(False, False) == "failed"


def test_the_rewards_range_is_declared_or_seen() -> None:
    told = contract_report(reward={"declared": (0, 1), "seen": (-0.5, 1)}).reward
    assert range_text(told) == "declared [0, 1], seen -0.5 to 1"
    assert range_text(contract_report().reward) == "no range declared"


def test_places_are_the_first_few_with_what_they_stand_under() -> None:
    places = [source_place("env.py", line) for line in range(8)]
    said = places_text(places)
    assert said.startswith("env.py:0 ; env.py:1") and said.endswith("; and 2 more")
    under = SourcePlace(file="env.py", line=3, inside="", text="done=True", when="self.lost")
    assert places_text([under]) == "env.py:3 done=True (if self.lost)"


def test_rubrics_are_indented_and_the_breakdown_comes_after_them() -> None:
    tree = rubric_node(
        "", rubric_node("reach", weight=0.25, file="r.py", line=9), file="r.py", line=1
    )
    reward = contract_report(
        reward={"rubric": tree, "breakdown": [{"name": "speed", "place": None}]}
    ).reward
    assert list(reward_rows(reward)) == [
        ("Rubric", "", "r.py:1"),
        ("· reach: Rubric", "0.25", "r.py:9"),
        ("speed", "", "its code was not found"),
    ]


def test_a_check_is_told_with_its_task() -> None:
    item = contract_item("episode", "fail", "it died", task={"level": 2})
    ((what, verdict, said),) = contract_rows(contract_report(contract=[item]))
    assert (what, verdict) == (CHECKS["episode"], "FAIL")
    assert said.endswith(": it died") and "level" in said


def test_splits_with_their_numbers() -> None:
    split = TaskSplit(name="train", num_tasks=3, preview=())
    assert splits_text([split, split.model_copy(update={"name": "test"})]) == "train (3), test (3)"
    assert splits_text([]) == "none"


def test_a_value_is_one_line_of_a_bounded_length() -> None:
    assert shown({"a": "é"}) == '{"a": "é"}' and shown(None) == ""
    assert shown("two\n  lines") == "two lines"
    assert len(shown("x" * 500)) == 161


def both(report: ContractReport) -> list[str]:
    console = Console(file=io.StringIO(), width=400)
    print_map(report, console)
    assert isinstance(console.file, io.StringIO)
    return [markdown(report), console.file.getvalue()]


def test_the_page_and_the_terminal_say_the_same() -> None:
    report = contract_report(
        findings=[finding("seed_ignored", task=None)], unknown=("manifest (a URL)",)
    )
    for text in both(report):
        for said in ("seed_ignored", "seed_ignored happened", "manifest (a URL)", "Findings"):
            assert said in text
