"""A state of any shape is a finding and never an error of ours."""

from __future__ import annotations

import typing
from pathlib import Path

import pytest
from tests.zoo.states import Kind

from gonogo import config
from gonogo.contract import run as station
from gonogo.records.contract import ContractReport

ROOT = Path(__file__).parents[2]


def test_every_state_that_does_not_count_steps_by_whole_numbers_breaks_the_contract(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    given = {"target": "tests.zoo.states:Stated", "out": str(tmp_path), "map.tasks": 30}
    station.run(config.load(None, {**given, "map.steps": 4, "map.seeds": 2}))
    record = ContractReport.load(tmp_path)
    broken = {(f.task or {})["kind"] for f in record.findings if f.id == "state_contract"}
    assert broken == set(typing.get_args(Kind)) - {"sound"}
    assert {f.id for f in record.findings} == {"state_contract"}
    assert max(len(f.explanation) for f in record.findings) < 300
