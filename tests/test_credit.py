"""The benchmark of credit, at the smallest size: a record of a seed, which is not run again."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from tests.benchmarking import benchmark

pytest.importorskip("trl", reason="the train extra is not installed")

from gonogo.errors import Misuse
from gonogo.records.files import read_record

credit = benchmark("credit")
LITTLE = {
    "steps": 1, "tasks": 2, "group": 2, "traces": 8, "sft-steps": 2, "validation": 2, "episodes": 3,
}  # fmt: skip


def test_a_folder_answers_one_question(tmp_path: Path) -> None:
    credit.claim(tmp_path, {"config": {"steps": 1}})
    credit.claim(tmp_path, {"config": {"steps": 1}})
    with pytest.raises(
        Misuse, match=r"config.steps was 1 and is 2\. Choose another folder with --out$"
    ):
        credit.claim(tmp_path, {"config": {"steps": 2}})


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_kinds_of_credit_are_compared_and_no_seed_is_run_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, runs = tmp_path / "credit.json", tmp_path / "runs"
    sizes = [word for name, size in LITTLE.items() for word in (f"--{name}", str(size))]
    command = ["credit.py", "--out", str(runs), "--record", str(record), *sizes]
    command += ["--credits", "episode", "turn", "--seeds", "1"]
    monkeypatch.setattr(sys, "argv", command)
    credit.main()
    first = read_record(record, "credit_benchmark", 1)
    (row,) = first["trained"]
    assert [arm["credit"] for arm in row["arms"]] == ["episode", "turn"]
    assert {"sft", "episode", "turn", "turn, sampled"} <= set(row["policies"])

    # What the record holds is not run again, also where the runs are gone.
    shutil.rmtree(runs)
    credit.main()
    assert not runs.exists()
    again = read_record(record, "credit_benchmark", 1)
    assert again["trained"] == first["trained"]
