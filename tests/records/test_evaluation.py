"""An evaluation is read back as it was written, one that is published too, and a field at fault is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.records_made import estimate, evaluation_report, policy_result

from gonogo.errors import StaleRecord
from gonogo.records.evaluation import BestConstant, ConstantChoice, EvaluationReport
from gonogo.records.files import digest

ROOT = Path(__file__).parents[2]
PUBLISHED = sorted(ROOT.glob("envs/*/plots/evaluation.json"))


@pytest.mark.parametrize("file", PUBLISHED, ids=lambda file: file.parts[-3])
def test_a_published_record_is_read_and_keeps_its_digest(file: Path) -> None:
    assert EvaluationReport.load(file.parent).digest() == digest(json.loads(file.read_text()))


def test_what_is_absent_is_no_null_and_what_is_unknown_is_one(tmp_path: Path) -> None:
    record = evaluation_report({"idle": policy_result(estimate(0.5))})
    record.save(tmp_path)
    assert EvaluationReport.load(tmp_path) == record
    body = json.loads(record.path(tmp_path).read_text())
    assert digest(body) == record.digest()
    assert {"accepted", "wording"}.isdisjoint(body) and body["held_out"] is None
    idle = body["policies"]["idle"]
    assert {"model_hash", "context_overflows"}.isdisjoint(idle) and idle["decoding"] is None
    assert "note" not in idle["score"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"policies": {}}, "policies"),
        ({"criteria": []}, "criteria"),
        ({"criteria": [{"id": "a", "verdict": "MAYBE", "said": ""}]}, r"criteria\.0\.verdict"),
        ({"shown_task": "first"}, "shown_task"),
        ({"likeness": {"trained": [{"exploit": "idle"}]}}, r"likeness\.trained\.0\.distance"),
    ],
)
def test_a_field_at_fault_is_named(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    record = evaluation_report({"idle": policy_result(estimate(0.5))})
    record.save(tmp_path)
    file = record.path(tmp_path)
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(StaleRecord, match=rf"evaluation\.json: {field}: .*run evaluate again"):
        EvaluationReport.load(tmp_path)


def test_the_best_constant_is_kept_with_what_it_depends_on(tmp_path: Path) -> None:
    record = BestConstant(fingerprint="ab", tried=6, tasks=4, policy=None)
    record.save(tmp_path)
    assert BestConstant.load(tmp_path) == record
    assert record.choice == ConstantChoice(tried=6, tasks=4, policy=None)
