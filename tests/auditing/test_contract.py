"""What an audit takes from the run's map: the tasks that can be flown, each once, and what broke the contract."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.records_made import contract_item, contract_report, finding

from gonogo import config
from gonogo.auditing.contract import read_contract
from gonogo.errors import MissingRecord, StaleRecord


def run_in(folder: Path) -> config.RunConfig:
    return config.load(None, {"target": "a:B", "out": str(folder)})


def test_tasks_are_without_their_seeds_and_each_once(tmp_path: Path) -> None:
    tasks = ({"level": 1, "seed": 4}, {"level": 1, "seed": 5}, {"seed": 6}, {})
    contract_report(*tasks).save(tmp_path)
    assert read_contract(run_in(tmp_path), None).tasks == ({"level": 1}, {})


def test_a_task_that_the_map_could_not_fly_is_left_out(tmp_path: Path) -> None:
    items = (
        contract_item("episode", "fail", task={"level": 2}),
        contract_item("reward_range", "fail", task={"level": 1}),
    )
    card = contract_report({"level": 1}, {"level": 2}, items=items, findings=[finding("dies")])
    card.save(tmp_path)
    known = read_contract(run_in(tmp_path), None)
    assert known.tasks == ({"level": 1},)
    assert [found.id for found in known.findings] == ["dies"]
    assert (known.reason, known.card.tasks) == ("mapped", card.tasks)


def test_without_a_map_or_with_another_versions_there_is_nothing_to_audit(tmp_path: Path) -> None:
    with pytest.raises(MissingRecord):
        read_contract(run_in(tmp_path), None)
    contract_report(source_hash="1" * 64).save(tmp_path)
    with pytest.raises(StaleRecord):
        read_contract(run_in(tmp_path), "2" * 64)
