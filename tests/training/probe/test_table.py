"""The probe's record as tables: what is known of each candidate, what was measured, the choice."""

from __future__ import annotations

from tests.records_made import idle_comparison, measured_policy, probe_report, ranked_model

from gonogo.records.probe import ContextFit, ModelChoice
from gonogo.training.probe.table import (
    UNKNOWN,
    choice_sheet,
    count,
    facts_row,
    measured_row,
    number,
    sheets_of,
)


def test_a_record_has_a_table_of_each_kind_and_one_without_rows_is_empty() -> None:
    candidates, flown, axes, failed, advice, choice = sheets_of(probe_report())
    assert "Candidates for x, on 16.0 GB of RAM" in candidates.title
    assert [row[0] for row in candidates.rows] == ["a", "b"] == [row[0] for row in axes.rows]
    assert [row[0] for row in flown.rows] == ["idle", "random", "a"]  # b has no weights here
    assert (list(failed.rows), list(advice.rows)) == ([], [])
    assert (choice.title, list(choice.rows)) == ("Choice", [("a", "It is.")])
    for sheet in (candidates, flown, axes):
        assert all(len(row) == len(sheet.columns) for row in sheet.rows)


def test_who_could_not_be_flown_is_named_with_the_reason() -> None:
    broken = ranked_model("c", None, failure="no chat template")
    failed = sheets_of(probe_report().model_copy(update={"candidates": (broken,)}))[3]
    assert list(failed.rows) == [("c", "no chat template")]


def test_what_is_known_of_a_candidate_is_in_its_row() -> None:
    assert facts_row(ranked_model("a", None))[:8] == (
        "a", "1.00 B", "5.0 / 17.0", "8.0 / 20.0", "LoRA, 4 bit", "about 100 / 8192", "mit", "yes",
    )  # fmt: skip
    nothing = ranked_model(
        "b", None, parameters=None, memory=None, fits=None, licence=None, unsloth=None,
        context=ContextFit(need=100, basis="at most", had=None, enough=None),
    )  # fmt: skip
    unknown = facts_row(nothing)
    assert unknown[1:5] == (UNKNOWN,) * 4
    assert unknown[5:8] == (f"at most 100 / {UNKNOWN}", UNKNOWN, UNKNOWN)


def test_what_a_policy_did_is_in_its_row() -> None:
    row = measured_row("random", measured_policy(invalid_rate=0.25, lost={"slow": 2, "gone": 1}))
    assert row[0] == "random" and row[1].startswith("0.50")
    assert row[2:] == ("-", "-", "25 %", "3.0", "40", "3")
    beside = measured_policy(against_idle=idle_comparison(better=9), tokens=None, invalid_rate=None)
    assert measured_row("a", beside)[3:7] == ("9 of 10", "-", "3.0", "-")


def test_a_choice_that_was_not_flown_is_to_be_tried_first() -> None:
    first = choice_sheet(ModelChoice(name="a", measured=False, why="It fits."))
    assert (first.title, list(first.rows)) == ("To try first", [("a", "It fits.")])
    assert list(choice_sheet(None).rows) == []


def test_numbers_are_in_words_of_a_table() -> None:
    assert [count(134_515_008), count(7_615_616_512)] == ["134.5 M", "7.62 B"]
    assert [number(None), number(0.5)] == ["?", "0.50"]
