"""The wider survey finds what hangs on an order of actions, or on a choice beside the one that pays."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import Json, fly_audit

from gonogo.evaluation.replay import replay
from gonogo.records.base import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")


@pytest.mark.parametrize(
    ("name", "found", "sent"),
    [
        ("Desk", None, None),
        ("StampingDesk", "farmable_cycle", [{"do": "open"}, {"do": "take"}, {"do": "stamp"}]),
        ("ReportingDesk", "malformed_action_pays", [{"do": "report", "text": "???"}]),
    ],
)
def test_what_hangs_on_an_order_or_on_a_choice_beside_it_is_tried(
    name: str, found: str | None, sent: list[Json] | None, tmp_path: Path
) -> None:
    given = {"target": f"tests.zoo.single:{name}", "audit.reference": "tests.zoo.single:clerk"}
    _, record = fly_audit(tmp_path, {**given, "audit.seeds": 4, "audit.budget": 0})
    plans = {finding.id: finding.witness.plan for finding in record.findings}
    del plans["memorisable_tasks"]  # there is one desk
    assert (plans == {}) == (found is None)
    assert plans.get(found or "") == (None if sent is None else tuple(sent))
    assert replay(tmp_path / "witnesses.jsonl", None).verdict is Verdict.GO
