"""What a run's folder holds: what is missing is named, and what cannot be read is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reporting.reading import Reader, page_of

from gonogo.errors import MissingRecord
from gonogo.records.record import Verdict
from gonogo.records.stations import PageReport
from gonogo.reporting import run as station
from gonogo.reporting.gather import gather, missing_record


def test_all_that_a_run_left_is_there_in_the_order_of_the_poll(run: Path) -> None:
    found = gather(run)
    assert list(found.records.by_station) == ["map", "audit", "train", "evaluate"]
    assert {name: [e.index for e in flown] for name, flown in found.episodes.items()} == {
        name: list(range(5)) for name in ("idle", "random")
    }
    assert [row.step for row in found.training] == list(range(1, 7))
    assert found.witnesses and found.missing == []


def test_a_missing_record_is_named_with_the_command_that_writes_it() -> None:
    assert missing_record("evaluate") == "evaluation.json (gonogo evaluate)"


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("audit.json", "audit.json (gonogo audit)"),
        ("train.json", "train.json (gonogo train)"),
        ("evaluation.json", "evaluation.json (gonogo evaluate)"),
        ("training.jsonl", "training.jsonl (gonogo train)"),
        ("witnesses.jsonl", "witnesses.jsonl (gonogo audit)"),
    ],
)
def test_what_is_missing_is_a_hold_that_names_it(run: Path, file: str, said: str) -> None:
    (run / file).unlink()
    assert station.run(run) is Verdict.HOLD
    assert said in PageReport.load(run).reason
    assert said in Reader(page_of(run)).text


def test_an_evaluation_without_its_episodes_is_a_hold(run: Path) -> None:
    for file in (run / "evaluation" / "random").iterdir():
        file.unlink()
    assert station.run(run) is Verdict.HOLD
    assert "evaluation/{random}" in PageReport.load(run).reason


def test_a_record_that_is_no_json_is_refused(run: Path) -> None:
    (run / "audit.json").write_text("{")
    with pytest.raises(MissingRecord, match=r"audit\.json: not readable"):
        station.run(run)


def test_a_folder_without_records_is_said(tmp_path: Path) -> None:
    with pytest.raises(MissingRecord, match=r"none of map\.json"):
        station.run(tmp_path)
    with pytest.raises(MissingRecord, match="no such folder"):
        station.run(tmp_path / "nowhere")
