"""A probe's record is read as it was written, and a field at fault is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.records_made import idle_comparison, measured_model, measured_policy, ranked_model

from gonogo.errors import StaleRecord
from gonogo.records.base import Verdict
from gonogo.records.probe import ContextNeed, MemoryBudget, ModelChoice, ProbedTasks, ProbeReport
from gonogo.records.record import made


def probe_report() -> ProbeReport:
    """A probe that flew one model of two."""
    flown = measured_model()
    return ProbeReport(
        target="envs/x",
        environment="x",
        source_hash=None,
        reward_hash=None,
        seed=0,
        episodes=10,
        tasks=ProbedTasks(first={"split": "test"}, count=10),
        verdict=Verdict.GO,
        reason="a scores above idle",
        choice=ModelChoice(name="a", measured=True, why="It is."),
        advice=(),
        notes=("one",),
        machine_memory=MemoryBudget(gb=16.0, whose="RAM", on_cpu=True),
        context_need=ContextNeed(bytes=400, tokens=None, at_most=500, tokens_a_byte=None),
        weights={"reward": 4},
        policies={
            "idle": measured_policy(),
            "random": measured_policy(against_idle=idle_comparison(above=False)),
        },
        candidates=(
            ranked_model("a", flown, architecture={"layers": 2, "tied": True}),
            ranked_model("b", None),
        ),
        config={},
        **made(),
    )


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    report = probe_report()
    report.save(tmp_path)
    loaded = ProbeReport.load(tmp_path)
    assert loaded == report and loaded.digest() == report.digest()
    body = json.loads(ProbeReport.path(tmp_path).read_text())
    assert body["candidates"][0]["architecture"] == {"layers": 2, "tied": True}
    assert "against_idle" not in body["policies"]["idle"]
    assert body["candidates"][0]["measured"]["seconds"] is None


def test_a_field_at_fault_is_named(tmp_path: Path) -> None:
    probe_report().save(tmp_path)
    file = ProbeReport.path(tmp_path)
    body = json.loads(file.read_text())
    del body["candidates"][0]["measured"]["scores"]
    file.write_text(json.dumps(body))
    with pytest.raises(StaleRecord, match=r"candidates\.0\.measured\.scores: .*run probe again"):
        ProbeReport.load(tmp_path)
