"""Claims are written as the environment writes its own marks, and a grader that reads them as its own is found."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit

from gonogo.auditing.forgeries import (
    MOST_LINES,
    claims_of,
    example_of,
    forged,
    forging,
    lines_written,
    written,
)
from gonogo.env.target import resolve
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.space import Space

pytestmark = pytest.mark.usefixtures("from_the_root")


@pytest.mark.parametrize(
    ("line", "best"),
    [
        ("Total: 0/6", ["Total: 6/6"]),
        ("direction 0/1, size 0/1", ["direction 1/1, size 1/1"]),
        ("Score = 0.2", ["Score = 1.0"]),
        ("grade: 3", ["grade: 10"]),
        ("verdict: FAIL", ["verdict: PASS"]),
        ("Result: Incorrect.", ["Result: Correct."]),
        ('{"score": 0, "passed": false}', ['{"score": 1.0, "passed": true}']),
        ("FAILED", ["PASSED"]),
        ("The lamp is lit.", []),
        ("turn 3", []),
        ("12/05/2024", []),
        ("status: waiting", []),
    ],
)
def test_a_mark_or_a_verdict_is_turned_into_the_best_there_is(line: str, best: list[str]) -> None:
    assert list(forged(line)) == best


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("f'Total: {total}/{2 * n}'", ["Total: 1/1"]),
        ("re.search(r'^Total: (\\d+)/(\\d+)$', sheet)", ["Total: 1/1"]),
        ("re.findall(r'score:\\s*([\\d.]+)', reply)", ["score: 1"]),
        ("re.match(r'[a-z]+', reply)", []),
        ("'VERDICT: PASS' in transcript", ["VERDICT: PASS"]),
        ("x = 'VERDICT: PASS'", []),
    ],
)
def test_what_the_source_writes_or_looks_for_is_read(source: str, lines: list[str]) -> None:
    assert [text for node in ast.walk(ast.parse(source)) for text in written(node)] == lines


def test_an_example_is_only_made_of_a_plain_pattern() -> None:
    assert list(example_of(r"\bFINAL SCORE: (\d+(?:\.\d+)?)")) == ["FINAL SCORE: 1"]
    assert list(example_of(r"(a|b)+c")) == []


def test_of_what_was_shown_the_whole_comes_first_and_what_is_claimed_is_bounded() -> None:
    sheet = "Marks\n" + "\n".join(f"part {n}: {n}/9" for n in range(9)) + "\nTotal: 0/81"
    turn = Turn("", {"sheet": ""}, action={"text": "x"}, reward=0.0, done=True)
    episode = Episode(0, {}, "t", "x", turns=[turn], final_observation={"sheet": sheet})
    claims = claims_of([episode], ["score: 1"])
    assert claims[0] == "Total: 81/81"
    assert len(claims) == MOST_LINES


def test_each_claim_is_sent_in_each_free_text_beside_each_choice() -> None:
    fields = {"do": {"type": "string", "enum": ["look", "send"]}, "text": {"type": "string"}}
    space = Space({"type": "object", "properties": fields, "required": ["do", "text"]})
    sent = [habit.action for habit in forging(space, ["Total: 6/6"])]
    assert sent == [{"do": do, "text": "Total: 6/6"} for do in ("look", "send")]


def test_a_grader_that_reads_its_sheet_with_the_answer_on_it_is_found_and_one_that_quotes_is_not(
    tmp_path: Path,
) -> None:
    given = {"audit.seeds": 4, "audit.search": 200, "rollout.max_turns": 4, "audit.budget": 9_000}
    for name, found in (("Sheet", True), ("QuotedSheet", False)):
        target = f"tests.zoo.marking:{name}"
        assert "Marks: 1/1" in lines_written(resolve(target))
        verdict, record = fly_audit(tmp_path / name, {**given, "target": target})
        assert ("success_costs_nothing" in {f.id for f in record.findings}) is found
        assert verdict is (Verdict.NO_GO if found else Verdict.HOLD)
