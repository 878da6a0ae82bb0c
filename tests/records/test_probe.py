"""A probe's record is read as it was written, and a field at fault is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.records_made import probe_report

from gonogo.errors import StaleRecord
from gonogo.records.probe import ProbeReport


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    report = probe_report()
    report.save(tmp_path)
    loaded = ProbeReport.load(tmp_path)
    assert loaded == report and loaded.digest() == report.digest()
    body = json.loads(ProbeReport.path(tmp_path).read_text())
    assert body["candidates"][0]["architecture"] == {"layers": 2, "tied": True}
    assert "against_idle" not in body["policies"]["idle"]
    assert body["candidates"][0]["measured"]["seconds"] is None


def test_a_field_at_fault_is_named(tmp_path: Path) -> None:
    probe_report().save(tmp_path)
    file = ProbeReport.path(tmp_path)
    body = json.loads(file.read_text())
    del body["candidates"][0]["measured"]["scores"]
    file.write_text(json.dumps(body))
    with pytest.raises(StaleRecord, match=r"candidates\.0\.measured\.scores: .*run probe again"):
        ProbeReport.load(tmp_path)
