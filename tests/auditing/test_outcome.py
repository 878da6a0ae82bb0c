"""What one task's audit came to: what it lacked says how many minutes the next one takes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gonogo import config
from gonogo.auditing import audit as auditing
from gonogo.auditing.outcome import Outcome


def test_what_is_left_of_the_panel_takes_as_long_as_it_did(tmp_path: Path) -> None:
    target = "tests.zoo.helpdesk:Helpdesk"
    run = config.load(None, {"target": target, "out": str(tmp_path)})
    flown = Outcome(None, [], [], [], 9, 9, 9, exhausted=False, unreached=(), first_s=None)
    rest = replace(flown, panel_s=300.0)
    assert auditing.minutes_needed(run, [flown], 130.0) == 5
    assert auditing.minutes_needed(run, [flown, rest], 130.0) == 8
    assert auditing.minutes_needed(run, [flown], 10.0) == 4  # twice the two that it had
    asked = run.model_copy(update={"audit": run.audit.model_copy(update={"budget": 9})})
    assert auditing.minutes_needed(asked, [rest], 130.0) is None
