"""The record of ``gonogo reward`` and its exploits are read as they were written."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from tests.records_made import exploit_case, reward_report

from gonogo.errors import StaleRecord
from gonogo.exploits.witness import decode, encode
from gonogo.records.reward import ExploitCases, RewardReport
from gonogo.reward.ablations import read_cases


def test_a_reward_is_read_as_it_was_written(tmp_path: Path) -> None:
    report = reward_report()
    report.save(tmp_path)
    loaded = RewardReport.load(tmp_path)
    assert loaded == report and loaded.digest() == report.digest()


def test_exploits_are_read_as_they_were_written(tmp_path: Path) -> None:
    case = exploit_case(plan=encode([{"angle": float("nan")}]))
    cases = ExploitCases(target="envs/x", rollout={"slots": 1}, cases=(case,))
    cases.save(tmp_path)
    assert ExploitCases.load(tmp_path) == cases
    (action,) = decode(read_cases(tmp_path / "exploits.json")[0].plan)
    assert math.isnan(action["angle"])
    row = json.loads((tmp_path / "exploits.json").read_text())["cases"][0]
    assert row["plan"] == [{"angle": {"$number": "NaN"}}]


def test_a_weight_that_is_none_is_named(tmp_path: Path) -> None:
    reward_report().save(tmp_path)
    file = RewardReport.path(tmp_path)
    body = json.loads(file.read_text())
    body["components"][0]["weight"] = "half"
    file.write_text(json.dumps(body))
    with pytest.raises(
        StaleRecord, match=r"reward\.json: components\.0\.weight: .*run reward again"
    ):
        RewardReport.load(tmp_path)
