"""A pipeline repeats nothing that is done, passes no gate that is not GO, and mixes no two runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gonogo import config, pipeline
from gonogo.adapters.sources import source_of
from gonogo.adapters.targets import resolve
from gonogo.errors import EnvironmentFailure, Misuse, StaleRecord
from gonogo.records import MAP, Shared, Verdict, provenance, reward_hash

Station = Callable[[config.RunConfig], Verdict]


FIRST, SECOND = Shared("first", 1, "first"), Shared("second", 1, "second")


class Line:
    """Two stations that leave records and count their calls; the second's verdict can be set."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.verdict = Verdict.GO
        self.failure: Exception | None = None
        self.steps = (
            pipeline.Step(self.first, ("target", "seed"), FIRST, claims=True),
            pipeline.Step(self.second, ("target", "seed", "evaluation"), SECOND),
        )

    def first(self, run: config.RunConfig) -> Verdict:
        self.calls.append("first")
        (run.out / "first.json").write_text("{}")
        return Verdict.GO

    def second(self, run: config.RunConfig) -> Verdict:
        self.calls.append("second")
        if self.failure is not None:
            raise self.failure
        (run.out / "second.json").write_text("{}")
        return self.verdict


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
def run(tmp_path: Path) -> config.RunConfig:
    target = tmp_path / "environment"
    (target / "server").mkdir(parents=True)
    (target / "server" / "app.py").write_text("app = None\n")
    (target / "openenv.yaml").write_text("name: x\n")
    return config.load(None, {"target": str(target), "out": str(tmp_path / "out")})


def test_what_is_done_is_not_repeated(line: Line, run: config.RunConfig) -> None:
    assert pipeline.follow(run, line.steps) is Verdict.GO
    assert pipeline.follow(run, line.steps) is Verdict.GO
    assert line.calls == ["first", "second"]


def test_an_interrupted_run_goes_on_where_it_stopped(line: Line, run: config.RunConfig) -> None:
    line.failure = EnvironmentFailure("the worker died")
    with pytest.raises(EnvironmentFailure):
        pipeline.follow(run, line.steps)
    line.failure = None
    assert pipeline.follow(run, line.steps) is Verdict.GO
    assert line.calls == ["first", "second", "second"]


@pytest.mark.parametrize(("verdict", "calls"), [(Verdict.NO_GO, 1), (Verdict.HOLD, 2)])
def test_a_no_go_stands_and_a_hold_is_asked_again(
    line: Line, run: config.RunConfig, verdict: Verdict, calls: int
) -> None:
    line.verdict = verdict
    assert pipeline.follow(run, line.steps) is verdict
    assert pipeline.follow(run, line.steps) is verdict
    assert line.calls.count("second") == calls
    assert line.calls.count("first") == 1


@pytest.mark.parametrize(
    ("verdict", "gate", "calls"),
    [
        (Verdict.NO_GO, True, ["second"]),
        (Verdict.NO_GO, False, ["second", "first"]),
        (Verdict.HOLD, True, ["second", "first"]),
    ],
)
def test_a_no_go_at_a_gate_stops_the_line_and_the_worst_is_the_answer(
    line: Line, run: config.RunConfig, verdict: Verdict, gate: bool, calls: list[str]
) -> None:
    line.verdict = verdict
    first, second = line.steps
    assert pipeline.follow(run, (replace(second, gate=gate), first)) is verdict
    assert line.calls == calls


def test_a_station_whose_record_is_gone_runs_again(line: Line, run: config.RunConfig) -> None:
    pipeline.follow(run, line.steps)
    (run.out / "second.json").unlink()
    pipeline.follow(run, line.steps)
    assert line.calls == ["first", "second", "second"]


def test_another_evaluation_repeats_only_the_evaluation(line: Line, run: config.RunConfig) -> None:
    pipeline.follow(run, line.steps)
    changed = run.model_copy(update={"evaluation": config.EvaluationConfig(episodes=3)})
    pipeline.follow(changed, line.steps)
    assert line.calls == ["first", "second", "second"]


def test_another_run_is_not_mixed_into_the_folder(line: Line, run: config.RunConfig) -> None:
    pipeline.follow(run, line.steps)
    with pytest.raises(Misuse, match="choose another folder with --out"):
        pipeline.follow(run.model_copy(update={"seed": 1}), line.steps)
    (Path(run.target) / "openenv.yaml").write_text("name: y\n")
    with pytest.raises(Misuse, match="another version of the environment"):
        pipeline.follow(run, line.steps)
    assert line.calls == ["first", "second"]


def test_a_record_of_another_schema_is_refused(line: Line, run: config.RunConfig) -> None:
    pipeline.follow(run, line.steps)
    path = run.out / pipeline.RECORD
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": "gonogo/demo/99"}))
    with pytest.raises(StaleRecord):
        pipeline.follow(run, line.steps)


def test_a_demo_without_training_is_misuse(run: config.RunConfig) -> None:
    with pytest.raises(Misuse, match="train"):
        pipeline.demo(run)


def test_an_audit_maps_first_where_the_map_is_none_or_of_something_else(
    run: config.RunConfig,
) -> None:
    def left(**others: object) -> None:
        mapped = run.model_copy(update=others)
        body = {
            "target": mapped.target,
            "seed": mapped.seed,
            "config": mapped.model_dump(mode="json", include={"rollout", "map"}),
            "reward_hash": reward_hash(mapped.reward),
            "source_hash": source_of(resolve(run.target)),
        }
        MAP.write(run.out, {**body, **provenance()})

    assert "no map record there" in str(pipeline.why_map(run))
    left()
    assert pipeline.why_map(run) is None
    left(seed=7)
    assert "of another seed" in str(pipeline.why_map(run))
    left(map=config.MapConfig(reset={"level": "odd"}))
    assert "of another config" in str(pipeline.why_map(run))
    reward = run.out / "reward.py"
    reward.parent.mkdir(parents=True, exist_ok=True)
    reward.write_text("")
    left(reward=reward)
    assert "of another reward_hash" in str(pipeline.why_map(run))
    left(target="somewhere else")
    assert "of another target" in str(pipeline.why_map(run))
    left()
    (Path(run.target) / "server" / "app.py").write_text("app = 1\n")
    assert "source has changed" in str(pipeline.why_map(run))
