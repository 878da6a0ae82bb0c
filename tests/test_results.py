"""The results' benchmark, from a config to its page: a small experiment on a seed, then on another."""

from __future__ import annotations

import shutil
import sys
from copy import deepcopy
from pathlib import Path

import pytest
import yaml
from tests.benchmarking import benchmark

pytest.importorskip("trl", reason="the train extra is not installed")

from gonogo import config
from gonogo.records.files import read_record, write_record

ROOT = Path(__file__).parents[1]
results, results_page = benchmark("results"), benchmark("results_page")

LITTLE = {
    "model": {"hidden": 32, "intermediate": 48, "layers": 2, "heads": 2, "vocabulary": 400, "context": 4096},
    "rollout": {"slots": 8, "max_turns": 24, "max_reply_tokens": 16},
    "train": {
        "validation": {"tasks": {"options": {"split": "validation", "level": "detumble"}}, "episodes": 2},
        "curriculum": {"stages": [{"name": "all", "options": {"split": "train", "level": "detumble"}}]},
        "sft": {"teacher": "tuned_pd", "episodes": 8, "max_steps": 4, "batch": 2, "validate_every": 2},
        "grpo": {"steps": 2, "tasks_per_step": 2, "group_size": 2, "validate_every": 1},
    },
}  # fmt: skip


def test_the_page_says_what_the_records_say() -> None:
    said = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert said == results_page.page(results_page.stored(ROOT / "docs"))


@pytest.mark.parametrize(
    "kept", sorted((ROOT / "docs" / "results").glob("*.json")), ids=lambda path: path.stem
)
def test_no_seed_of_a_committed_record_would_be_run_again(kept: Path) -> None:
    experiment = results.EXPERIMENTS[kept.stem]
    if not (ROOT / "envs").exists():
        pytest.skip("envs/ was deleted")
    rows = results.known(kept, "results", results.asked(experiment))
    assert list(rows) == [row["seed"] for row in read_record(kept, "results", 1)["trained"]]


def test_a_field_that_configs_have_got_since_is_no_other_question(tmp_path: Path) -> None:
    now = config.load(ROOT / "configs" / "cpu-tiny.yaml").model_dump(mode="json")
    then = deepcopy(now)
    assert then["train"]["sft"].pop("learn_noise") is True  # its default
    kept = tmp_path / "kept.json"
    write_record(kept, "results", 1, {"config": then, "trained": [{"seed": 3}]})
    assert list(results.known(kept, "results", {"config": now})) == [3]
    now["train"]["sft"]["learn_noise"] = False
    assert results.known(kept, "results", {"config": now}) == {}
    then["train"]["sft"]["no_more"] = 1
    write_record(kept, "results", 1, {"config": then, "trained": [{"seed": 3}]})
    assert results.known(kept, "results", {"config": now}) == {}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_an_experiment_becomes_a_record_and_a_page_and_is_not_done_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "little.yaml"
    file.write_text(yaml.safe_dump({"target": str(ROOT / "envs" / "flightrules"), **LITTLE}))
    little = results.Experiment(str(file), {"detumble": 3}, ("test",), ("sft", "trained"), "sft")
    monkeypatch.setattr(results, "DOCS", tmp_path / "docs")
    monkeypatch.setattr(results, "AUDIT_BUDGET", 50)
    monkeypatch.setitem(results.EXPERIMENTS, "little", little)
    monkeypatch.setitem(results_page.TITLES, "little", "Little")
    kept = tmp_path / "docs" / "results" / "little.json"
    command = ["results.py", "little", "--out", str(tmp_path / "runs"), "--seeds"]
    monkeypatch.setattr(sys, "argv", [*command, "2"])
    results.main()
    record = read_record(kept, "results", 1)
    assert [row["seed"] for row in record["trained"]] == [2]
    (place,) = record["trained"][0]["judged"]
    assert place["policies"]["oracle"]["success"]["mean"] == 1.0
    assert len(record["over_seeds"]) == len(place["comparisons"])
    page = (tmp_path / "docs" / "results.md").read_text()
    assert "| trained, seed 2 |" in page and "| oracle |" in page
    assert (tmp_path / "docs" / "results" / "little.png").stat().st_size > 10_000

    # What the record holds is not run again, also where the runs are gone; what it lacks is added.
    shutil.rmtree(tmp_path / "runs")
    monkeypatch.setattr(sys, "argv", [*command, "1", "2"])
    results.main()
    assert [path.name for path in (tmp_path / "runs" / "little").iterdir()] == ["1"]
    again = read_record(kept, "results", 1)
    assert [row["seed"] for row in again["trained"]] == [1, 2]
    assert again["trained"][1:] == record["trained"]
    assert all(len(row["score_difference"]["seeds"]) == 2 for row in again["over_seeds"])

    # Another config is another question, which none of its rows answer.
    file.write_text(file.read_text().replace("max_steps: 4", "max_steps: 2"))
    assert results.known(kept, "results", results.asked(little)) == {}
