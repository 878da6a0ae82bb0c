"""The benchmarks still fit what they measure; their figures take long, and one round of each less."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from benchmarks import audit
from benchmarks.command_line import next_at

ROOT = Path(__file__).parents[1]


def test_a_survey_is_flown_and_a_planted_defect_has_a_right_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    once = audit.audited(audit.load(audit.TWENTY_STEPS, str(tmp_path)), tmp_path, episodes=1)
    assert once() > audit.SEEDS
    assert audit.right_names("constant_answer_pays") >= {"constant_answer_pays", "paid_for_idling"}


@pytest.mark.parametrize(
    ("script", "flags", "said"),
    [
        ("ablation", ["--draw", "0"], "--draw is 1 to"),
        ("ablation", ["--draw", "99"], "--draw is 1 to"),
        ("ablation", ["--until", "25:00"], "a time such as 09:30 is wanted, not '25:00'"),
        ("fixes", ["--limit-s", "0"], "a number above 0 is wanted, not '0'"),
        ("fixes", ["--limit-s=-1"], "a number above 0 is wanted, not '-1'"),
        ("fixes", ["--limit-s", "nan"], "a number above 0 is wanted, not 'nan'"),
        *(
            (name, ["--jobs", "0"], "a whole number from 1 on is wanted, not '0'")
            for name in ("fixes", "wild", "zoo", "rivals", "reward")
        ),
        ("field", ["--clones", "no/such/folder"], "there is no folder no/such/folder"),
    ],
)
def test_what_a_benchmark_cannot_do_is_refused_in_a_line(
    script: str, flags: list[str], said: str
) -> None:
    words = [sys.executable, f"benchmarks/{script}.py", *flags]
    ran = subprocess.run(words, check=False, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 2 and ran.stdout == ""
    assert said in ran.stderr.splitlines()[-1]


def test_an_hour_that_the_clock_has_shown_is_tomorrows() -> None:
    late = datetime(2026, 11, 27, 23, 50)
    assert next_at(late, 23, 55) == datetime(2026, 11, 27, 23, 55)
    assert next_at(late, 0, 30) == datetime(2026, 11, 28, 0, 30)
    assert next_at(late, 23, 50) == datetime(2026, 11, 28, 23, 50)


@pytest.mark.parametrize("kind", ["learned", "nothing happens", "nearly never succeeds"])
def test_the_watch_lets_honest_trainings_be(kind: str) -> None:
    from benchmarks import watch

    assert [watch.made_up(watch.MADE_UP[kind], 60, seed) for seed in range(3)] == [None] * 3


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", ["pays for idling", "sound cashier"])
def test_the_watch_stops_a_hacked_reward_and_no_sound_one(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("trl", reason="the train extra is not installed")
    from benchmarks import watch

    monkeypatch.chdir(ROOT)
    case = watch.CASES[name]
    found = watch.flown(case, tmp_path / "run", 0, 60, watch.audited(case.module, tmp_path))
    assert found["as_wanted"], found
    assert found["verdict"] == ("NO_GO" if case.hackable else "GO")
    kept = tmp_path / "run" / "models" / "trained" / "model.safetensors"
    assert kept.is_file()  # the best model before the alarm


def test_the_zoo_s_rates_are_what_its_record_says() -> None:
    from benchmarks import zoo

    record = json.loads(zoo.RECORD.read_text())
    figures = zoo.rates(record["pairs_audited"])
    assert figures == {name: record[name] for name in figures}
    assert figures["pairs"] == len(record["pairs_audited"]) > 100
