"""A map is read as it was written, and refused with the field at fault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.records_made import contract_item, contract_report, finding, rubric_node, source_place

from gonogo.errors import StaleRecord
from gonogo.records.contract import ContractReport, ItemEvidence
from gonogo.records.findings import FirstDifference


def whole() -> ContractReport:
    """A map in which every part that may be absent is there."""
    difference = FirstDifference(step=1, field="reward", values=(0.5, None))
    evidence = ItemEvidence(difference=difference, actions=({"move": 1}, "9 more"))
    place = source_place("env.py", 3).model_copy(update={"when": "done"})
    return contract_report(
        reward={
            "declared": (0.0, 1.0),
            "rubric": rubric_node("", rubric_node("speed", weight=0.5), file="env.py", line=1),
            "breakdown": [{"name": "speed", "place": place}],
        },
        terminal={"ends": [{"success": None, "timeout": True, "episodes": 2}]},
        tasks={"splits": [{"name": "train", "num_tasks": 2, "preview": [{}], "type": "train"}]},
        items=[contract_item("seed_control", "fail", evidence=evidence, finding="seed_ignored")],
        findings=[finding("seed_ignored")],
    )


def test_a_map_is_read_as_it_was_written(tmp_path: Path) -> None:
    for report in (whole(), contract_report()):
        report.save(tmp_path)
        loaded = ContractReport.load(tmp_path)
        assert loaded == report and loaded.digest() == report.digest()
    assert json.loads(ContractReport.path(tmp_path).read_text())["reward"]["rubric"] == {}


def test_a_rubric_names_its_parts_before_theirs() -> None:
    assert [node.name for node in whole().reward.rubrics()] == ["", "speed"]
    assert not list(contract_report().reward.rubrics())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("terminal.limit", "many"),
        ("terminal.ends.0.timeout", 1),
        ("items.0.evidence.difference.step", None),
        ("reward.breakdown.0.place.line", "three"),
    ],
)
def test_a_field_at_fault_is_named(tmp_path: Path, field: str, value: object) -> None:
    whole().save(tmp_path)
    file = ContractReport.path(tmp_path)
    body = json.loads(file.read_text())
    *places, last = (int(name) if name.isdigit() else name for name in field.split("."))
    part = body
    for name in places:
        part = part[name]
    part[last] = value
    file.write_text(json.dumps(body))
    with pytest.raises(StaleRecord, match=rf"map\.json: {field}: .*run map again"):
        ContractReport.load(tmp_path)
