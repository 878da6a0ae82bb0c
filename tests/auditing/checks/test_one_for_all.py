"""One thing done again and again until the episode succeeds: a finding where others were to be done as well."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit

PORT = "tests.zoo.port"
ENOUGH = 8_000
"""Steps after which each counter is proven: twice what it takes."""


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("CountsStrokes", True),
        ("CountsUnseen", True),
        ("EachOnce", False),
        ("OneBell", False),
        ("AnyBell", False),
    ],
)
def test_a_counter_of_repeats_is_no_work(case: str, says: bool, tmp_path: Path) -> None:
    given = {"target": f"{PORT}:{case}", "audit.seeds": 8, "audit.search": 300}
    _, report = fly_audit(tmp_path, {**given, "audit.budget": ENOUGH}, {})
    again = [f for f in report.findings if f.id == "paid_again" and f.blocks]
    assert bool(again) is says
    assert all("only" in f.explanation and "is paid as well" in f.explanation for f in again)
