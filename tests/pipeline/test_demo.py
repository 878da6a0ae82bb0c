"""A pipeline repeats nothing that is done, passes no gate that is not GO, and mixes no two runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.records_made import audit_report, contract_report, finding

from gonogo import config
from gonogo.env.source import source_of, source_of_all
from gonogo.env.target import resolve
from gonogo.errors import EnvironmentFailure, Forbidden, Misuse, StaleRecord
from gonogo.pipeline import demo as demo_command
from gonogo.pipeline import gates as gates_command
from gonogo.pipeline import train as train_command
from gonogo.records.files import differences
from gonogo.records.findings import AcceptedFinding, accepted_in
from gonogo.records.provenance import reward_hash
from gonogo.records.record import Verdict, VerdictRecord
from gonogo.records.stations import DemoReport
from gonogo.records.training import TrainingPhases, TrainingProgress
from gonogo.training.preflight import asked_by, check_folder

ROOT = Path(__file__).parents[2]
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
    source = source_of_all([run.target])
    progress = TrainingProgress(config=asked_by(mine), source_hash=source, phases=TrainingPhases())
    progress.save(run.out)
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


def test_an_audit_maps_first_where_the_map_is_none_or_of_something_else(
    run: config.RunConfig,
) -> None:
    def left(**others: object) -> None:
        mapped = run.model_copy(update=others)
        contract_report(
            target=mapped.target,
            seed=mapped.seed,
            config=mapped.model_dump(mode="json", include={"rollout", "map"}),
            reward_hash=reward_hash(mapped.reward),
            source_hash=source_of(resolve(run.target)),
        ).save(run.out)

    assert "no map record there" in str(gates_command.why_map(run))
    left()
    assert gates_command.why_map(run) is None
    left(seed=7)
    assert "of another seed" in str(gates_command.why_map(run))
    left(map=config.MapConfig(reset={"level": "odd"}))
    assert "of another config" in str(gates_command.why_map(run))
    reward = run.out / "reward.py"
    reward.parent.mkdir(parents=True, exist_ok=True)
    reward.write_text("")
    left(reward=reward)
    assert "of another reward_hash" in str(gates_command.why_map(run))
    left(target="somewhere else")
    assert "of another target" in str(gates_command.why_map(run))
    left()
    (Path(run.target) / "server" / "app.py").write_text("app = 1\n")
    assert "source has changed" in str(gates_command.why_map(run))


def audited(
    out: Path, *found: str, verdict: str = "NO_GO", rewards: tuple[str, ...] = ()
) -> config.RunConfig:
    """A run whose folder holds an audit of its target, perhaps of reward functions instead of its own reward."""
    target = "tests.zoo.cases.paid_for_idling:Sound"
    run = config.load(None, {"target": target, "out": str(out), "theme.required": False})
    source = source_of(resolve(target))
    audit_report(
        *map(finding, found),
        target=target,
        verdict=verdict,
        source_hash=source,
        config={"audit": {"rewards": list(rewards)}},
    ).save(out)
    return run


def test_an_audit_that_is_no_go_forbids_to_plan_and_train_until_it_is_accepted_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    run = audited(tmp_path, "paid_for_idling", "constant_answer_pays", "paid_for_idling")
    file = tmp_path / "plan.yaml"
    with pytest.raises(
        Forbidden, match=r"found paid_for_idling, constant_answer_pays.* --accept REASON"
    ) as forbidden:
        train_command.plan(run, file, None)
    assert forbidden.value.exit_code == 1
    assert not file.exists() and not (tmp_path / "map.json").exists()
    assert not gates_command.may_go_on(run, None)
    assert str(forbidden.value) in " ".join(capsys.readouterr().err.split())
    assert gates_command.may_go_on(run, "it is a game of patience")
    assert "accepted (paid_for_idling: it is a game of patience" in " ".join(
        capsys.readouterr().err.split()
    )
    assert accepted_in(tmp_path) == tuple(
        AcceptedFinding(finding=name, reason="it is a game of patience")
        for name in ("paid_for_idling", "constant_answer_pays")
    )
    assert gates_command.may_go_on(run, None)  # it is accepted by now
    audited(tmp_path, "paid_for_idling", "seed_ignored")
    assert not gates_command.may_go_on(run, None)  # a new finding is not
    audited(tmp_path, verdict="HOLD")
    assert gates_command.may_go_on(run, None)
    audited(tmp_path, "farmable_cycle", rewards=("rewards:brevity",))
    assert gates_command.may_go_on(run, None)  # the training is not paid by those functions
    audited(tmp_path, "farmable_cycle")
    functions = run.audit.model_copy(update={"rewards": ("rewards:brevity",)})
    # What the config audits beside does not hide what pays the training.
    assert not gates_command.may_go_on(run.model_copy(update={"audit": functions}), None)


def test_a_dry_run_says_an_audit_s_no_go_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(train_command, "rehearse", lambda run, memory: Verdict.GO)
    run = audited(tmp_path, "paid_for_idling")
    assert train_command.dry_run(run) is Verdict.NO_GO
    assert "found paid_for_idling" in " ".join(capsys.readouterr().err.split())
    assert train_command.dry_run(run, accept="a game of patience") is Verdict.GO
    assert accepted_in(tmp_path) == ()


def test_a_training_stops_at_an_audit_that_is_no_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    run = audited(tmp_path, "paid_for_idling")
    given = {
        "validation": {"tasks": {"options": {}}},
        "curriculum": {"stages": [{"name": "all", "options": {}}]},
        "sft": {"teacher": "random"},
    }
    train = config.TrainConfig.model_validate_json(json.dumps(given))
    with pytest.raises(Forbidden, match="found paid_for_idling"):
        train_command.train(run.model_copy(update={"train": train}))
    assert not (tmp_path / "train_progress.json").exists()


@pytest.mark.parametrize("judged", [{}, {"start": 900, "policies": ["idle", "untrained"]}])
def test_copies_of_training_s_tasks_are_refused_before_it_begins_unless_the_config_means_it(
    echo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judged: dict[str, Any]
) -> None:
    begun: list[config.RunConfig] = []

    def begin(run: config.RunConfig, push: str | None) -> Verdict:
        begun.append(run)
        return Verdict.GO

    monkeypatch.setattr(demo_command.train_station, "run", begin)

    def run_of(**evaluation: Any) -> config.RunConfig:
        given = {
            "target": str(echo),
            "out": str(tmp_path / "run"),
            "theme": {"required": False},
            "rollout": {"slots": 4, "max_turns": 2},
            "train": {
                "validation": {"tasks": {"options": {}, "start": 100}, "episodes": 2},
                "curriculum": {"stages": [{"name": "all", "options": {}, "tasks": 2}]},
                "sft": {"teacher": "random"},
            },
            "evaluation": {**judged, **evaluation},
        }
        return config.RunConfig.model_validate_json(json.dumps(given))

    plain = run_of()
    for command in (train_command.train, demo_command.demo):
        with pytest.raises(EnvironmentFailure, match="2 of 2 validation tasks are copies") as said:
            command(plain)
        assert ("16 of 16 held-out tasks are copies" in str(said.value)) == bool(judged)
        assert "evaluation.memorisation: true" in str(said.value)
    assert not begun and not (tmp_path / "run").exists()
    assert train_command.train(run_of(memorisation=True)) is Verdict.GO and len(begun) == 1


def test_a_gate_s_no_go_that_is_accepted_lets_the_others_run(
    line: Line, run: config.RunConfig
) -> None:
    line.verdict = Verdict.NO_GO
    first, second = line.steps
    steps = (replace(second, waive=lambda run: True), first)
    assert demo_command.follow(run, steps) is Verdict.GO
    assert line.calls == ["second", "first"]
