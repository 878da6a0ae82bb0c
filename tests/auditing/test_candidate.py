"""The trained policy under audit is held against every exploit; what it has become is proven."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import audit

from gonogo.evaluation.replay import replay
from gonogo.records.audit import AuditReport
from gonogo.records.base import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")


@pytest.mark.long
def test_a_policy_that_has_become_an_exploit_is_found_and_one_that_has_not_is_left(
    tmp_path: Path,
) -> None:
    found = {}
    for name in ("idle", "random"):
        _, record = audit("paid_for_idling:Defect", tmp_path / name, **{"audit.policy": name})
        found[name] = [finding.id for finding in record.findings]
        (task,) = record.tasks
        assert task.candidate.policy == name
    assert "policy_is_an_exploit" in found["idle"]
    assert "policy_is_an_exploit" not in found["random"]
    near = AuditReport.load(tmp_path / "idle").tasks[0].candidate.likeness
    assert near[0].distance == 0.0
    assert replay(tmp_path / "idle" / "witnesses.jsonl", None).verdict is Verdict.GO
