"""``clock``: a time stamp at the end of a long text is noted, and no dropped seed."""

from __future__ import annotations

from pathlib import Path

from gonogo import config
from gonogo.records.contract import ContractReport
from gonogo.records.record import Verdict
from gonogo.contract import check_env as station

HERE = Path(__file__).parent


def test_a_time_stamp_is_told_from_a_dropped_seed(tmp_path: Path) -> None:
    verdict = station.run(
        config.load(None, {"target": str(HERE / "clock"), "out": str(tmp_path)})
    )
    record = ContractReport.load(tmp_path)
    assert verdict is Verdict.GO
    assert record.findings == ()
    (note,) = record.notes
    assert "observation.note holds a clock" in note
    here, there = note.split("', then '")
    assert here[-15:] != there[:15]  # shown is where they differ
    answers = {item.id: item.verdict for item in record.contract}
    assert answers["seed_control"] == answers["determinism_new_process"] == "pass"
