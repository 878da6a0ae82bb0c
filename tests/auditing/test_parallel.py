"""Where an audit's tasks are audited: what is refused before anything is flown."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

import pytest

from gonogo import config
from gonogo.auditing.outcome import Outcome
from gonogo.auditing.parallel import CLOSING_S, Auditor, Rounds, TaskTurn, flown_within
from gonogo.cli import main
from gonogo.errors import MissingExtra, Misuse
from gonogo.pipeline import audit as pipeline
from gonogo.records.contract import ContractReport
from gonogo.rollouts.watch import Watch

ROOT = Path(__file__).parents[2]
CASE = "tests.zoo.cases.rotten_third_task"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> config.RunConfig:
    """The config of an audit whose map is still to be made."""
    monkeypatch.chdir(ROOT)
    return config.load(None, {"target": f"{CASE}:Defect", "out": str(tmp_path)})


def test_without_ray_it_is_refused_before_the_map(
    run: config.RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    hidden = lambda name: None if name == "ray" else find(name)  # noqa: E731
    monkeypatch.setattr("gonogo.runners.runner.find_spec", hidden)
    with pytest.raises(MissingExtra, match=r"--ray needs an extra: pip install 'gonogo\[ray\]'"):
        pipeline.audit(run, over_ray=True)
    assert not ContractReport.path(run.out).exists()


def test_a_server_is_refused_before_the_map(
    run: config.RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gonogo.runners.runner.find_spec", lambda _: object())
    served = run.model_copy(update={"target": "http://127.0.0.1:9"})
    with pytest.raises(Misuse, match="is one server"):
        pipeline.audit(served, over_ray=True)


def test_jobs_are_of_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = ["gonogo", "audit", f"{CASE}:Defect", "--ray", "--jobs", "2", "--out", str(tmp_path)]
    monkeypatch.setattr("sys.argv", said)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == Misuse.exit_code
    assert "--jobs 2 is for one machine" in " ".join(capsys.readouterr().err.split())


def test_a_node_without_the_runs_folder_is_told(run: config.RunConfig, tmp_path: Path) -> None:
    auditor = Auditor(run, {}, [1, 2], tmp_path / "elsewhere")
    with pytest.raises(Misuse, match="the nodes need the run's folder at the same place"):
        auditor.do((0, {}))


def test_the_flights_end_a_little_before_the_time_so_that_the_verdict_is_there_by_then() -> None:
    assert flown_within(Watch(120.0, 5.0)) == Watch(120.0 - CLOSING_S, 5.0)
    assert flown_within(Watch(1.0, 5.0)).seconds == pytest.approx(0.96)
    endless = Watch(None, 5.0)
    assert flown_within(endless) is endless


@pytest.mark.parametrize(("together", "asked"), [(1, [10]), (2, [10, 10])])
def test_a_turn_whose_last_flight_went_beyond_its_end_is_not_done_again(
    together: int, asked: list[int]
) -> None:
    turns: list[TaskTurn] = []

    def audit(given: Sequence[TaskTurn]) -> list[Outcome]:
        turns.extend(given)
        return [
            Outcome(None, [], [], [], 0, 0, (turn.most or 0) + 2, False, ("more",), None)
            for turn in given
        ]

    rounds = Rounds(10, Watch(), [{"level": each} for each in range(together)])
    (first, *_) = rounds.fly(audit, together)
    assert first is not None and first.spent == 12
    assert [turn.most for turn in turns] == asked
    assert rounds.over
