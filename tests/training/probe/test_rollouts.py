"""What is flown once is not flown again, and what a probe that was stopped or lost episodes goes on with."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.answering import Answering
from tests.training.probing import measured_of, row, run_of, solver

from gonogo.env.environment import Env
from gonogo.errors import Misuse
from gonogo.records.probe import (
    ProbeReport,
)
from gonogo.records.record import Verdict
from gonogo.training.probe import report, rollouts


def test_what_was_flown_is_not_flown_again(
    probed: Path, gridworld: Path, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "again"
    shutil.copytree(probed, out)

    def no_flight(*_: Any, **__: Any) -> None:
        raise AssertionError("everything was flown before")

    monkeypatch.setattr(Env, "rollout", no_flight)
    monkeypatch.setattr(rollouts, "open_weights", no_flight)
    report.run(run_of(gridworld, out, str(tiny)))
    before, after = measured_of(probed, "tiny"), measured_of(out, "tiny")
    assert after.seconds is None and before.model_copy(update={"seconds": None}) == after
    unflown = {"measured": None}
    rows = [row(folder, "tiny").model_copy(update=unflown) for folder in (probed, out)]
    assert rows[0] == rows[1]


def test_an_interrupted_probe_goes_on_and_gives_the_same(
    probed: Path, gridworld: Path, tiny: Path, tmp_path: Path
) -> None:
    out = tmp_path / "torn"
    shutil.copytree(probed, out)
    (file,) = (out / "probe" / "folder-tiny").glob("*.jsonl")
    whole = file.read_text().splitlines(keepends=True)
    file.write_text(whole[0] + whole[1][:50])
    report.run(run_of(gridworld, out, str(tiny)))
    assert measured_of(out, "tiny").scores == measured_of(probed, "tiny").scores
    again = sorted(file.read_text().splitlines())
    assert again == sorted(line.rstrip("\n") for line in whole)


def test_other_weights_are_flown_anew(
    probed: Path, gridworld: Path, tiny: Path, tmp_path: Path
) -> None:
    out, other = tmp_path / "run", tmp_path / "tiny"
    shutil.copytree(probed, out)
    shutil.copytree(tiny, other)
    (other / "note.json").write_text("{}")
    report.run(run_of(gridworld, out, str(other)))
    assert row(out, "tiny").weights_hash != row(probed, "tiny").weights_hash


def test_lost_episodes_are_left_out_and_flown_again(
    gridworld: Path, served: Answering, address: str, tmp_path: Path
) -> None:
    number = itertools.count()
    served.answer = lambda body: b"oops" if next(number) == 1 else solver(body)
    run = run_of(gridworld, tmp_path, f"Qwen3-0.6B={address}#served")
    assert report.run(run) is Verdict.HOLD  # a quarter of the episodes is more than is borne
    measured = measured_of(tmp_path, "Qwen3-0.6B")
    assert (measured.episodes, sum(measured.lost.values())) == (3, 1)
    assert measured.against_idle.episodes == 3
    assert "1 episodes were lost" in str(ProbeReport.load(tmp_path).advice)
    served.answer = solver
    report.run(run)
    assert measured_of(tmp_path, "Qwen3-0.6B").episodes == 4


def test_a_folder_that_cannot_be_loaded_does_not_stop_the_others(
    gridworld: Path, tiny: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "config.json").write_text('{"model_type": "no such thing"}')
    out = tmp_path / "run"
    assert report.run(run_of(gridworld, out, str(broken), str(tiny))) is Verdict.NO_GO
    assert "cannot be loaded" in row(out, "broken").failure
    assert measured_of(out, "tiny").episodes == 4


@pytest.mark.parametrize("model", ["nowhere", "NAME=nowhere", "x=none.gguf"])
def test_a_model_that_is_not_there_is_misuse_before_anything_flies(
    model: str, gridworld: Path, tmp_path: Path
) -> None:
    with pytest.raises(Misuse, match="names no model"):
        report.run(run_of(gridworld, tmp_path / "run", model))
    assert not (tmp_path / "run").exists()


def test_two_models_of_one_name_are_misuse(gridworld: Path, tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="different names"):
        report.run(run_of(gridworld, tmp_path / "run", str(tiny), f"tiny={tiny}"))
