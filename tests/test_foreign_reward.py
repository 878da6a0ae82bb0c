"""The foreign upgrade: the page is what the records give, and the record is the upgrade that it claims."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarking import benchmark

from gonogo.records.files import read_record

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
pages = benchmark("foreign_reward_page")


def test_the_page_is_what_the_records_give() -> None:
    foreign = read_record(DOCS / "reward" / "record.json", "foreign_reward", 1)
    trainings = pages.trainings(ROOT / "benchmarks")
    assert (DOCS / "reward.md").read_text() == pages.page(foreign, trainings)


def test_the_upgrade_turns_no_go_into_go() -> None:
    upgrade = read_record(DOCS / "reward" / "record.json", "foreign_reward", 1)["upgrade"]
    assert (upgrade["before"]["verdict"], upgrade["after"]["verdict"]) == ("NO_GO", "GO")
    assert upgrade["before"]["findings"] == ["paid_after_done"]
    assert upgrade["verdict"] == "GO" and upgrade["tests"]["passed"]


def test_the_trainings_have_a_table() -> None:
    rate = {"mean": 0.5, "ci95": [0.4, 0.6]}
    pair = {"baseline": "own", "candidate": "new", "success_difference": rate, "mcnemar_p": 0.02}
    row = {"seed": 7, "success": {"own": rate, "new": rate}, "comparisons": [pair]}
    record = {"trained": [row], "steps": 3, "held_out": 9, "setting": "So.", "tried": "Else."}
    text = "\n".join(pages.trained(record))
    assert "| 7 | 0.500 [0.400, 0.600] | 0.500 [0.400, 0.600] |" in text
    assert "| 7 | new less own | 0.500 [0.400, 0.600] | 0.02 |" in text
    assert "the watch" not in text


def test_how_the_trainings_ended_is_told_where_the_record_says_it() -> None:
    last = {"reward/overall": -0.25, "episode/success_rate": 0.0, "episode/invalid_rate": 0.9}
    alarms = [{"step": 8, "reason": "0.1 -> 0.7 of the replies were refused"}]
    rows = [
        {
            "seed": 7,
            "learned": {
                "own": {"best_step": 0, "last": last, "alarms": alarms},
                "new": {"best_step": 4, "last": last, "alarms": []},
            },
        }
    ]
    text = "\n".join(pages.learned(rows))
    own = (
        "| 7 | own | -0.250 | 0.0 % | 90.0 % | 0 | step 8: 0.1 -> 0.7 of the replies were refused |"
    )
    assert own in text and "| 7 | new | -0.250 | 0.0 % | 90.0 % | 4 | silent |" in text
