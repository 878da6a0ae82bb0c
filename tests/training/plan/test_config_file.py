"""gonogo plan on environments: what it writes loads, rehearses and names whom it was told to imitate."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from tests.records_made import audit_report, audited_task, judged_success
from tests.training.planning import IDLE, RANDOM, UNPAID, measured
from typer.testing import CliRunner

from gonogo import config
from gonogo.cli.commands import app
from gonogo.errors import Misuse
from gonogo.pipeline import train as pipeline
from gonogo.records.record import Verdict
from gonogo.training.plan.config_file import advice, unsaid
from gonogo.training.plan.measurements import PlanMeasurements

ROOT = Path(__file__).parents[3]
TRAINS = pytest.mark.skipif(find_spec("trl") is None, reason="the train extra is not installed")
FRAIL = """
def solve(observation, memory):
    here = observation["goal_east"], observation["goal_north"]
    assert memory.setdefault("wanted", here) == here, "somebody else has moved"
    east, north = here
    name, way = ("east" if east > 0 else "west", 0) if east else ("north" if north > 0 else "south", 1)
    ahead = [east, north]
    ahead[way] -= 1 if here[way] > 0 else -1
    memory["wanted"] = tuple(ahead)
    return {"move": name}
"""


def run_of(target: str | Path, out: Path) -> config.RunConfig:
    return config.load(
        None, {"target": str(target), "out": str(out), "seed": 3, "theme.required": False}
    )


@TRAINS
def test_a_folder_s_own_teacher_is_planned_with_and_the_plan_rehearses(
    gridworld: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "plan.yaml"
    assert pipeline.plan(run_of(gridworld, tmp_path / "run"), file, None) is Verdict.HOLD
    plan = config.load(file)
    assert plan.train is not None and plan.train.sft is not None and plan.train.grpo is not None
    assert (plan.target, plan.seed, plan.train.sft.teacher) == (str(gridworld), 3, "walker")
    assert plan.train.sft.noise == {"move": 0.1}
    (stage,) = plan.train.curriculum.stages
    assert (stage.options, plan.evaluation.start) == (
        {},
        20_000,
    )  # it has no task API that would show its splits
    assert plan.evaluation.policies == ("idle", "random", "walker", "untrained", "sft", "trained")
    reasons = [line for line in file.read_text().splitlines() if line.strip().startswith("# ")]
    assert len(reasons) > 10
    said = " ".join(capsys.readouterr().out.split())
    assert "What was flown" in said
    assert "HOLD: held-out tasks: in part, this measures memorisation" in said  # it has 48 goals


@TRAINS
def test_a_function_of_the_user_s_is_planned_with_where_the_environment_ships_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    case = "tests.zoo.cases.paid_for_idling"
    file = tmp_path / "plan.yaml"
    run = run_of(f"{case}:Sound", tmp_path / "run")
    assert pipeline.plan(run, file, f"{case}:solve") is Verdict.GO
    plan = yaml.safe_load(file.read_text())
    assert plan["train"]["sft"]["teacher"] == plan["audit"]["reference"] == f"{case}:solve"
    assert plan["train"]["sft"]["noise"] == {"power": 0.1}
    assert plan["rollout"]["max_reply_tokens"] > 12  # its powers have many digits
    assert (
        plan["rollout"]["max_turns"] == 15
    )  # its night of twelve hours, and room for refused replies
    assert plan["train"]["curriculum"]["stages"] == [{"name": "all", "options": {}}]


@TRAINS
def test_a_teacher_that_noise_kills_is_planned_with_without_it_and_the_reason_is_its_last_words(
    gridworld: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "frail.py").write_text(FRAIL)
    file = tmp_path / "plan.yaml"
    pipeline.plan(run_of(gridworld, tmp_path / "run"), file, "frail:solve")
    plan = config.load(file)
    assert plan.train is not None and plan.train.sft is not None and plan.train.sft.noise == {}
    # Without spaces: a line of a narrow terminal ends anywhere in a long path.
    said = "".join(capsys.readouterr().out.split())
    assert "nonoiseiswritten:frail:solveflew" in said and "diedofit" in said
    assert f"{tmp_path / 'frail.py'},line4,insolve:AssertionError:somebodyelse" in said


@TRAINS
def test_what_cannot_be_written_stops_before_anything_flies(
    gridworld: Path, tmp_path: Path
) -> None:
    file = tmp_path / "plan.yaml"
    run = run_of(gridworld, tmp_path / "run")
    with pytest.raises(Misuse, match=r"--teacher must be one of .*, not 'nobody'"):
        pipeline.plan(run, file, "nobody")
    file.write_text("mine: true\n")
    with pytest.raises(
        Misuse, match=r"plan.yaml is there already: choose another --file, or --overwrite it"
    ):
        pipeline.plan(run, file, None)
    assert file.read_text() == "mine: true\n"
    assert not run.out.exists()
    assert pipeline.plan(run, file, "random", overwrite=True) is Verdict.HOLD  # it has 48 goals
    assert config.load(file).train.sft.teacher == "random"  # type: ignore[union-attr]


@TRAINS
def test_the_command_says_what_it_needs(tmp_path: Path) -> None:
    missing = CliRunner().invoke(app, ["plan"]).exception
    assert isinstance(missing, Misuse) and "a TARGET" in str(missing)
    helped = CliRunner().invoke(app, ["plan", "--help"])
    assert helped.exit_code == 0
    for word in ("--teacher", "--pretrained", "--overwrite", "--file"):
        assert word in helped.output


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (measured(None, policies={"idle": IDLE, "random": IDLE}), "nothing to prefer: name who succeeds with --te"),
        (measured(policies={"solver": IDLE, "idle": IDLE, "random": RANDOM}), "solver is not paid more than doing"),
        (measured(None, policies=dict.fromkeys(("idle", "random"), UNPAID)), "say it with --success"),
        (measured(sessions=1), "one session at a time"),
    ],
)  # fmt: skip
def test_what_speaks_against_training_is_said(found: PlanMeasurements, said: str) -> None:
    assert any(said in note for note in advice(found))


def test_where_nothing_does_nothing_is() -> None:
    assert list(advice(measured())) == []


def test_the_success_that_an_audit_took_is_told_until_it_is_said(tmp_path: Path) -> None:
    run = run_of("envs/grid", tmp_path)
    assert list(unsaid(run, None)) == []
    task = audited_task(judged=judged_success("assumed", 'state["won"]'))
    audit_report(tasks=(task,)).save(tmp_path)
    (told,) = unsaid(run, None)
    assert "--success 'state[\"won\"]' says so" in told
    assert list(unsaid(run, "another source")) == []
    rollout = run.rollout.model_copy(update={"success": "won"})
    assert list(unsaid(run.model_copy(update={"rollout": rollout}), None)) == []
