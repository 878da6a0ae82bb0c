"""The benchmark of the audit still fits the audit; its figures take minutes, and one round of each seconds."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks import audit

ROOT = Path(__file__).parents[1]


def test_a_survey_is_flown_and_a_planted_defect_has_a_right_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    once = audit.audited(audit.load(audit.TWENTY_STEPS, str(tmp_path)), tmp_path, episodes=1)
    assert once() > audit.SEEDS
    assert audit.right_names("constant_answer_pays") >= {"constant_answer_pays", "paid_for_idling"}
