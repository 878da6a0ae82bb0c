"""An action that raises after the step was counted: that is the defect, and not a silent reset."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gonogo.records.contract import ContractReport
from gonogo.records.record import Verdict
from gonogo.api import replay_file

Json = dict[str, Any]


def test_an_error_after_the_count_is_named_and_the_audit_goes_on(
    audited: Callable[..., tuple[int, Json]], tmp_path: Path
) -> None:
    code, record = audited("late", budget=16_000)
    assert code == Verdict.NO_GO
    found = {finding["id"]: finding for finding in record["findings"]}
    # It takes a seed and drops it; and whoever does nothing for twenty turns succeeds.
    assert found.keys() == {"action_raises", "seed_ignored", "success_costs_nothing"}
    finding = found["action_raises"]
    assert finding["witness"]["actions"][-1]["kind"] == "replace"
    raised = finding["witness"]["raised"]
    assert (raised["type"], raised["file"], raised["line"]) == ("TypeError", "server/env.py", 14)
    assert "step_count is 2 after the next action, not 1" in finding["explanation"]
    assert record["tasks"][0]["numbers"]["best_known_return"] == 1.0
    assert [f.id for f in ContractReport.load(tmp_path).findings] == ["seed_ignored"]
    assert replay_file(tmp_path / "witnesses.jsonl", None).verdict is Verdict.GO
