"""A training that is killed twice goes on as if nothing had been; benchmarks/resume.py does it ten times."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

from benchmarks import resume


@pytest.mark.slow  # five processes that import torch, and each proves its models
@pytest.mark.timeout(900)
def test_runs_that_were_killed_end_as_the_one_that_was_not(tmp_path: Path) -> None:
    seconds = resume.undisturbed(tmp_path / "whole", resume.SETTINGS)
    wanted = resume.result(tmp_path / "whole")
    assert {row["stage"] for row in wanted["curve"]} == {"sft", "grpo"}
    assert {"near", "far"} <= {row.get("level") for row in wanted["curve"]}
    for rows in (12, 40):
        kill, differs = resume.trial(
            tmp_path / str(rows), resume.SETTINGS, wanted, rows, 0.5 * seconds
        )
        assert not differs, kill
