"""A pipeline repeats nothing that is done, passes no gate that is not GO, and mixes no two runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from gonogo import config
from gonogo.errors import EnvironmentFailure, Misuse, StaleRecord
from gonogo.pipeline import demo as demo_command
from gonogo.pipeline import train as train_command
from gonogo.records.files import differences
from gonogo.records.record import Verdict, VerdictRecord
from gonogo.records.stations import DemoReport
from gonogo.training.preflight import check_folder, progress_of

Station = Callable[[config.RunConfig], Verdict]


class First(VerdictRecord):
    kind: ClassVar[str] = "first"
    station: ClassVar[str] = "first"


class Second(VerdictRecord):
    kind: ClassVar[str] = "second"
    station: ClassVar[str] = "second"


class Line:
    """Two stations that leave records and count their calls; the second's verdict can be set."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.verdict = Verdict.GO
        self.failure: Exception | None = None
        self.refusal: Exception | None = None
        self.steps = (
            demo_command.PipelineStep(self.first, ("target", "seed"), First, claim=self.claim),
            demo_command.PipelineStep(self.second, ("target", "seed", "evaluation"), Second),
        )

    def first(self, run: config.RunConfig) -> Verdict:
        self.calls.append("first")
        (run.out / "first.json").write_text("{}")
        return Verdict.GO

    def claim(self, run: config.RunConfig) -> None:
        if self.refusal is not None:
            raise self.refusal

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
    assert demo_command.follow(run, line.steps) is Verdict.GO
    assert demo_command.follow(run, line.steps) is Verdict.GO
    assert line.calls == ["first", "second"]


def test_an_interrupted_run_goes_on_where_it_stopped(line: Line, run: config.RunConfig) -> None:
    line.failure = EnvironmentFailure("the worker died")
    with pytest.raises(EnvironmentFailure):
        demo_command.follow(run, line.steps)
    line.failure = None
    assert demo_command.follow(run, line.steps) is Verdict.GO
    assert line.calls == ["first", "second", "second"]


@pytest.mark.parametrize(("verdict", "calls"), [(Verdict.NO_GO, 1), (Verdict.HOLD, 2)])
def test_a_no_go_stands_and_a_hold_is_asked_again(
    line: Line, run: config.RunConfig, verdict: Verdict, calls: int
) -> None:
    line.verdict = verdict
    assert demo_command.follow(run, line.steps) is verdict
    assert demo_command.follow(run, line.steps) is verdict
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
    assert demo_command.follow(run, (replace(second, gate=gate), first)) is verdict
    assert line.calls == calls


def test_a_station_whose_record_is_gone_runs_again(line: Line, run: config.RunConfig) -> None:
    demo_command.follow(run, line.steps)
    (run.out / "second.json").unlink()
    demo_command.follow(run, line.steps)
    assert line.calls == ["first", "second", "second"]


def test_another_evaluation_repeats_only_the_evaluation(line: Line, run: config.RunConfig) -> None:
    demo_command.follow(run, line.steps)
    changed = run.model_copy(update={"evaluation": config.EvaluationConfig(episodes=3)})
    demo_command.follow(changed, line.steps)
    assert line.calls == ["first", "second", "second"]


def test_another_run_is_not_mixed_into_the_folder(line: Line, run: config.RunConfig) -> None:
    demo_command.follow(run, line.steps)
    line.refusal = Misuse("the folder holds another")
    with pytest.raises(Misuse, match="holds another"):
        demo_command.follow(run.model_copy(update={"seed": 1}), line.steps)
    assert line.calls == ["first", "second"]


def test_another_training_is_told_by_its_fields_and_restart_keeps_what_is_not_its(
    run: config.RunConfig,
) -> None:
    """Whoever follows the message loses the training alone, and not the author's words."""
    stages = {
        "validation": {"tasks": {"options": {}}},
        "curriculum": {"stages": [{"name": "all", "options": {}}]},
        "sft": {"episodes": 12, "max_steps": 30},
    }
    given = {"target": run.target, "out": str(run.out), "train": stages}
    mine = config.load(None, given)
    progress_of(mine).save(run.out)
    kept = ("theme.yaml", "map.json", "audit.json", "flags.json", "notes.txt", "models/mine/a")
    made = ("training.jsonl", "traces.jsonl", "sft/checkpoint-1/a", "models/sft/a", "report.html")
    for name in (*kept, *made, "evaluation/sft/a.jsonl", "demo.json"):
        (run.out / name).parent.mkdir(parents=True, exist_ok=True)
        (run.out / name).write_text("")
    check_folder(mine)
    other = config.load(None, {**given, "seed": 4, "train.sft.max_steps": 31})
    with pytest.raises(Misuse) as caught:
        demo_command.follow(other, demo_command.DEMO)
    said = "seed was 0 and is 4; train.sft.max_steps was 30 and is 31. Choose another folder with --out, or"
    assert said in str(caught.value) and "--restart" in str(caught.value)
    assert "rm -r" not in str(caught.value)
    (Path(run.target) / "openenv.yaml").write_text("name: y\n")
    with pytest.raises(StaleRecord, match=r"another version of .*--restart"):
        check_folder(mine)
    train_command.restart(other)
    left = {path.relative_to(run.out).as_posix() for path in run.out.rglob("*") if path.is_file()}
    assert left == set(kept)
    check_folder(other)


def test_differences_are_named_with_dots_and_both_values() -> None:
    old = {"a": {"b": 1, "c": [1]}, "d": None, "e": 1}
    new = {"a": {"b": 2, "c": [1]}, "d": {"f": "x" * 99}, "g": True}
    assert differences(old, new) == [
        "a.b was 1 and is 2",
        f'd was null and is {{"f": "{"x" * 70}...',
        "e was 1 and is null",
        "g was null and is true",
    ]


def test_a_record_of_another_schema_is_refused(line: Line, run: config.RunConfig) -> None:
    demo_command.follow(run, line.steps)
    path = DemoReport.path(run.out)
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": "gonogo/demo/99"}))
    with pytest.raises(StaleRecord):
        demo_command.follow(run, line.steps)


def test_a_demo_without_training_is_misuse(run: config.RunConfig) -> None:
    with pytest.raises(Misuse, match="train"):
        demo_command.demo(run)


def test_a_gate_s_no_go_that_is_accepted_lets_the_others_run(
    line: Line, run: config.RunConfig
) -> None:
    line.verdict = Verdict.NO_GO
    first, second = line.steps
    steps = (replace(second, waive=lambda run: True), first)
    assert demo_command.follow(run, steps) is Verdict.GO
    assert line.calls == ["second", "first"]
