"""The audits in the wild: the page is what the record and the readings give, and nothing is left unread."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from simpleeval import EvalWithCompoundTypes
from tests.benchmarking import benchmark

from gonogo.env.success import SuccessRule
from gonogo.records.files import read_record

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
wild, wild_page = benchmark("wild"), benchmark("wild_page")


def test_the_page_is_what_the_record_and_the_readings_give() -> None:
    record = read_record(DOCS / "wild" / "record.json", "wild", 1)
    readings, mended = wild_page.read_readings(DOCS / "wild" / "readings.yaml")
    assert wild_page.unread(record, readings) == ([], [])
    assert (DOCS / "wild.md").read_text() == wild_page.page(record, readings, mended)


def test_the_record_holds_eight_environments_that_were_audited() -> None:
    rows = read_record(DOCS / "wild" / "record.json", "wild", 1)["environments"]
    audited = [row["name"] for row in rows if row["stations"].get("audit", {}).get("verdict")]
    assert len(audited) >= 8
    assert {row["name"] for row in rows} <= {w.name for w in wild.ENVIRONMENTS}


def test_every_policy_that_is_to_succeed_is_there() -> None:
    policies = benchmark("wild_policies")
    named = [w.reference for w in wild.ENVIRONMENTS if w.reference is not None]
    assert named
    assert all(callable(getattr(policies, name)) for name in named)


def judged(success: str, **names: Any) -> Any:
    evaluate = EvalWithCompoundTypes(functions=SuccessRule.FUNCTIONS, names=names)
    return evaluate.eval(success)


SUCCESS = {w.name: w.success for w in wild.ENVIRONMENTS if w.success is not None}


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("way", [(0, 1), (1, 0), (1, 1), (1, -1)])
def test_four_in_a_row_is_success_and_three_are_not(side: int, way: tuple[int, int]) -> None:
    board = [[0] * 7 for _ in range(6)]
    for number in range(4):
        assert judged(SUCCESS["connect4_env"], done=True, board=board) is False
        board[2 + number * way[0]][3 + number * way[1]] = side
    assert judged(SUCCESS["connect4_env"], done=True, board=board) is True
    board[2][3] = -side
    assert judged(SUCCESS["connect4_env"], done=True, board=board) is False


INVALID = "[GAME] You attempted an invalid move.\n"


@pytest.mark.parametrize(
    ("said", "won"),
    [
        ("[Player] [5]", True),
        ("[Player] [10]\n[GAME] The target number is lower.\n[Player] [9]", True),
        (f"[Player] x\n{INVALID}[Player] perhaps [9]", True),
        ("[Player] [10]\n[GAME] The target number is lower.", False),
        (f"[Player] x\n{INVALID}[Player] y", False),
        (f"[Player] [10]\n[Player] [10]\n{INVALID}[Player] [10]", False),
        (f"[Player] [21]\n{INVALID}[Player] [21]", False),
    ],
)
def test_a_number_is_guessed_where_the_last_word_is_a_new_guess(said: str, won: bool) -> None:
    messages = [{"content": f"For example, [5]. Enter your guess.\n{said}"}]
    assert judged(SUCCESS["textarena_env"], done=True, messages=messages) is won


def row(*findings: str) -> dict[str, Any]:
    found = [
        {
            "id": name,
            "stations": ["map"],
            "tasks": [{}],
            "explanation": f"{name} happened",
            "witness": {"reset": {"seed": 3}, "actions": [{"go": 1}]},
        }
        for name in findings
    ]
    answer = {"verdict": "NO_GO", "reason": "x", "problem": None}
    return {
        "name": "maze",
        "version": "1.2",
        "commit": "abc",
        "gonogo": "0123456789",
        "success": "x == 4",
        "seconds": 2.8,
        "judged": [
            {
                "task": {},
                "reachability": {"policy": "policies:walks", "mean": 1.0},
                "paid_for_nothing": {"policy": "idle", "mean": -0.25},
            }
        ],
        "reference": None,
        "setup": {"problem": None, "packages": {"openenv": "0.10.0"}},
        "stations": {"map": answer, "audit": {**answer, "verdict": "HOLD", "reason": "no word."}},
        "findings": found,
    }


def reading(finding: str, answer: str) -> dict[str, Any]:
    said = {
        "environment": "maze",
        "finding": finding,
        "reading": answer,
        "why": f"line 3: {answer}",
    }
    return {("maze", finding): said}


def test_the_page_counts_both_answers_and_tells_each_finding() -> None:
    readings = {**reading("hangs", "confirmed"), **reading("dies", "refuted")}
    entry = {"environment": "chess", "finding": "dies", "why": "it lived", "change": "it waits"}
    passed = {"environments": 3, "findings": 7, "refuted": 1, "changed": "it waits."}
    mended = wild_page.Mended([passed], [entry], "it looks.")
    text = wild_page.page({"environments": [row("hangs", "dies")]}, readings, mended)
    assert (
        "| maze | 1.2 | yes | none | NO-GO | HOLD | 2 | 1 | 1 | 3 | 01234567 | contract |" in text
    )
    assert "2 findings, 1 confirmed, 1 refuted" in text
    assert "- maze, audit: no word" in text
    assert "### maze: dies, refuted" in text
    assert 'reset `{"seed": 3}`, actions `[{"go": 1}]`' in text
    assert "line 3: confirmed" in text
    assert "on 3 environments: 7 findings, 6 confirmed, 1 refuted." in text
    assert "The auditor was changed after it: it waits." in text
    assert "After this pass the auditor was changed again: it looks." in text
    assert (
        "- maze: `x == 4`: walks succeeds in 1.00 of its episodes; not trying is paid -0.25" in text
    )
    assert "- chess, dies: it lived. Change: it waits." in text


def test_the_page_is_silent_where_nothing_changed_and_counts_no_audit_without_a_verdict() -> None:
    lost = row()
    lost["stations"]["audit"]["verdict"] = None
    text = wild_page.page({"environments": [row(), lost]}, {}, wild_page.Mended([], [], ""))
    assert "After this pass" not in text
    assert "1 of 2 environments could be installed and were audited" in text


def test_the_page_says_where_nobody_succeeds() -> None:
    shown = row()
    assert not any("nobody succeeds" in line for line in wild_page.unknowns([shown]))
    shown["judged"][0]["reachability"] = {"policy": "walks", "mean": 0.0}
    assert any("nobody succeeds" in line for line in wild_page.unknowns([shown]))
    assert wild_page.told({"reachability": None, "paid_for_nothing": None}) == "nobody succeeds"


@pytest.mark.parametrize(
    ("stations", "said"),
    [([], "nothing"), (["audit"], "audit"), (["map", "audit"], "contract")],
)
def test_the_page_says_whose_findings_there_are(stations: list[str], said: str) -> None:
    shown = row("hangs") if stations else row()
    for found in shown["findings"]:
        found["stations"] = stations
    assert wild_page.blamed(shown) == said


def test_both_kinds_of_findings_are_told_apart() -> None:
    both = row("hangs", "pays")
    both["findings"][1]["stations"] = ["audit"]
    assert wild_page.blamed(both) == "contract and audit"


def test_a_finding_without_a_reading_and_a_reading_without_a_finding_are_named() -> None:
    record = {"environments": [row("hangs")]}
    assert wild_page.unread(record, {}) == ([("maze", "hangs")], [])
    both = {**reading("hangs", "confirmed"), **reading("dies", "refuted")}
    assert wild_page.unread(record, both) == ([], [("maze", "dies")])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("readings: [{environment: a, finding: b, reading: confirmed}]", "a reading has"),
        ("readings: [{environment: a, finding: b, reading: maybe, why: c}]", "not 'maybe'"),
        (
            "readings: [&a {environment: a, finding: b, reading: refuted, why: c}, *a]",
            "read twice",
        ),
        ("readings: []\nmended: [{environment: a, finding: b, why: c}]", "what was mended has"),
        ("readings: []\nmended: []\nearlier: [{findings: 3}]", "an earlier pass has"),
    ],
)
def test_a_reading_that_is_none_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "readings.yaml").write_text(text)
    with pytest.raises(ValueError, match=said):
        wild_page.read_readings(tmp_path / "readings.yaml")


def test_what_both_packages_install_is_left_to_gonogo(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\ndependencies = ["openenv-core[core]>=0.2", "openenv>=1", "openenvoy", "numpy"]'
    )
    wanted, left_out = wild.requirements(tmp_path)
    assert wanted == ["openenvoy", "numpy"]
    assert left_out == ["openenv-core[core]>=0.2", "openenv>=1"]


def test_a_command_that_hangs_is_ended() -> None:
    code, said = wild.command([sys.executable, "-c", "import time; time.sleep(60)"], 0.5)
    assert code is None
    assert said == "no verdict within 0.5 s"


def test_a_command_that_takes_too_much_memory_says_so() -> None:
    hungry = [sys.executable, "-c", "import time; time.sleep(0.5); bytearray(2**31)"]
    code, said = wild.command(hungry, 60, 2**30)
    assert code == 1
    assert wild.last_error(said).endswith("MemoryError")


def test_a_long_witness_is_shortened_and_says_so() -> None:
    short = wild.shortened({"actions": list(range(9)), "text": "x" * 300})
    assert short["actions"] == [0, 1, 2, 3, 4, 5, "and 3 more"]
    assert short["text"].endswith("… (300 characters)")
