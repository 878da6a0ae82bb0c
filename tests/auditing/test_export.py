"""An audit for other programs: SARIF and a badge beside its record, which say what it says."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.records_made import audit_report, contract_report, finding

from gonogo import config
from gonogo.auditing import export
from gonogo.errors import MissingRecord


def test_three_files_say_what_the_record_says(gridworld: Path, tmp_path: Path) -> None:
    run = config.load(None, {"target": str(gridworld), "out": str(tmp_path)})
    with pytest.raises(MissingRecord):
        export.run(run)
    audit_report(finding("paid_for_idling"), finding("seed_ignored")).save(tmp_path)
    contract_report().save(tmp_path)
    export.run(run)
    (log,) = json.loads((tmp_path / "audit.sarif").read_text())["runs"]
    assert [result["ruleId"] for result in log["results"]] == ["paid_for_idling", "seed_ignored"]
    uris = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].rpartition("/")[2]
        for result in log["results"]
    }
    assert uris == {"openenv.yaml"}  # the map has seen no code
    badge = json.loads((tmp_path / "audit-badge.json").read_text())
    assert badge["message"] == "NO-GO, 2 findings"
    assert badge["message"] in ET.parse(tmp_path / "audit-badge.svg").getroot().attrib["aria-label"]
