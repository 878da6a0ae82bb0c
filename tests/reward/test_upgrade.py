"""The reward station end to end: a zoo pair's defect is NO-GO by its own reward and GO by the one that is written."""

from __future__ import annotations

import ast
import io
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tests.records_made import (
    audit_report,
    audited_task,
    component_exploits,
    exploit_case,
    headline_numbers,
    reward_report,
    written_reward,
)

from gonogo import config
from gonogo.config import RunConfig
from gonogo.env.target import resolve
from gonogo.errors import MissingRecord, Misuse, PolicyFailure, StaleRecord
from gonogo.pipeline import audit as pipeline
from gonogo.records.audit import AuditReport
from gonogo.records.provenance import reward_hash
from gonogo.records.record import Verdict
from gonogo.records.reward import AuditSide, RewardReport, SideNumber, SuiteOutcome
from gonogo.reward import upgrade as station
from gonogo.reward.ablations import Trials, fly_with, read_cases
from gonogo.reward.facts import Facts
from gonogo.reward.upgrade import WIDTH, docstring, markdown, plain, print_upgrade, sides

ROOT = Path(__file__).parents[2]
CASE = "tests.zoo.cases.paid_for_idling__watch"
NASTY = 'say """end""" \\ and é ' + "word " * 60


@pytest.fixture(autouse=True)
def _from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import paths are looked up from the working directory."""
    monkeypatch.chdir(ROOT)


def settings(out: Path, **fields: Any) -> RunConfig:
    """The config of a small upgrade."""
    given = {
        "target": f"{CASE}:Defect",
        "out": str(out),
        "audit.reference": f"{CASE}:solve",
        "audit.seeds": 12,
        "audit.search": 200,
        "theme.required": False,
    }
    return config.load(None, {**given, **fields})


def ours(out: Path) -> RunConfig:
    """The config of an upgrade of the valve, which never says done and has no word for success."""
    given = {
        "target": "tests.reward.endless:Valve",
        "audit.reference": "tests.reward.endless:turn",
        "rollout.success": "stands == mark",
        "rollout.max_turns": 12,
    }
    return settings(out, **given)


def upgrade(run: RunConfig) -> Path:
    """The folder of an upgrade; a fixture of the module runs before the one that changes the directory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        assert pipeline.upgrade(run) is Verdict.GO
    return run.out


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the watch's upgrade."""
    return upgrade(settings(tmp_path_factory.mktemp("upgrade")))


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the valve's upgrade."""
    return upgrade(ours(tmp_path_factory.mktemp("endless")))


@pytest.mark.long
def test_the_upgrade_turns_a_no_go_into_a_go(upgraded: Path) -> None:
    record = RewardReport.load(upgraded)
    assert (record.before.verdict, record.after.verdict) == (Verdict.NO_GO, Verdict.GO)
    assert "paid_for_idling" in record.before.findings
    assert record.after.findings == ()
    paid = next(row for row in record.sides if row.number == "paid for nothing")
    assert paid.before is not None and paid.after is not None
    assert paid.before > 0.9 and paid.after < 0.05
    failure, success = record.flown.best_failure[1], record.flown.worst_success[1]
    assert failure is not None and success is not None
    assert failure <= 0.05 < success
    assert sum(part.weight for part in record.components) == pytest.approx(1)
    for part in record.components:
        assert len({case.exploit for case in part.cases}) >= 3
        assert {case.guard for case in part.cases} <= set(part.guards)
    assert any(
        case.origin == "finding paid_for_idling"
        for part in record.components
        for case in part.cases
    )
    assert record.reward_hash == reward_hash(upgraded / "reward.py")
    assert "paid for nothing" in (upgraded / "reward.md").read_text()


def test_the_pages_of_map_and_audit_name_files_without_this_machine(upgraded: Path) -> None:
    for page in ("map.md", "audit.md"):
        text = (upgraded / page).read_text()
        assert "tests/zoo/cases/_base.py:" in text
        assert str(ROOT) not in text


def test_each_components_docstring_holds_its_table(upgraded: Path) -> None:
    tree = ast.parse((upgraded / "reward.py").read_text())
    docs = {
        node.name.lower(): ast.get_docstring(node) or ""
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    for part in RewardReport.load(upgraded).components:
        assert docs[part.name].count("\n- ") >= 3
    assert "finding paid_for_idling" in docs["primary"]


def copy_of(upgraded: Path, to: Path) -> Path:
    """The upgrade's folder, to be spoiled."""
    shutil.copytree(upgraded, to)
    return to


def failing(folder: Path) -> list[str]:
    """The components' guards whose exploits get past the reward as it stands in a folder."""
    trials = Trials(folder / "exploits.json")
    cases = read_cases(folder / "exploits.json")
    return sorted({f"{c.component}.{c.guard}" for c in cases if trials.paid(c) > c.bound})


@pytest.mark.parametrize("guard", ["primary.word", "process.ended", "efficiency.refused"])
def test_a_guard_that_is_lost_fails_the_tests(guard: str, upgraded: Path, tmp_path: Path) -> None:
    folder = copy_of(upgraded, tmp_path / "copy")
    assert failing(folder) == []
    text = (folder / "reward.py").read_text()
    broken = text.replace("frozenset(without)", f"frozenset([{guard!r}])")
    assert broken != text
    (folder / "reward.py").write_text(broken)
    assert guard in failing(folder)


def test_the_written_tests_run_by_themselves_and_fail_where_a_failure_is_paid(
    upgraded: Path, tmp_path: Path
) -> None:
    folder = copy_of(upgraded, tmp_path / "copy")
    text = (folder / "reward.py").read_text()
    (folder / "reward.py").write_text(text.replace("FAILED = 0.1", "FAILED = 0.9"))
    ended = station.run_tests(folder / "test_reward.py")
    assert not ended.passed and "failed" in ended.said
    assert RewardReport.load(upgraded).tests.passed


@pytest.mark.long
def test_an_edited_reward_is_kept_unless_told(upgraded: Path, tmp_path: Path) -> None:
    folder = copy_of(upgraded, tmp_path / "copy")
    file = folder / "reward.py"
    written = file.read_text()
    file.write_text(written.replace("FAILED = 0.1", "FAILED = 0.05"))
    run = settings(folder)
    kept = station.prepare(run, overwrite=False)
    assert "FAILED = 0.05" in file.read_text()
    assert "was edited and is kept" in kept.notes[0]
    assert kept.tests.passed
    assert kept.written_hash != kept.reward_hash
    station.prepare(run, overwrite=True)
    assert file.read_text() == written


def test_no_audit_or_another_one_is_refused(upgraded: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingRecord, match="gonogo audit writes it"):
        station.prepare(settings(tmp_path), overwrite=False)
    audit = AuditReport.load(upgraded)
    audit.model_copy(update={"reward_hash": "other"}).save(tmp_path)
    with pytest.raises(StaleRecord, match="another target or reward"):
        station.prepare(settings(tmp_path), overwrite=False)
    with pytest.raises(Misuse, match="is a URL"):
        station.prepare(settings(tmp_path, target="http://127.0.0.1:1"), overwrite=False)


def test_without_a_success_there_is_nothing_to_pay(upgraded: Path, tmp_path: Path) -> None:
    audit = AuditReport.load(upgraded)
    tasks = tuple(
        sheet.model_copy(
            update={"policies": tuple(row for row in sheet.policies if row.kind != "reference")}
        )
        for sheet in audit.tasks
    )
    audit.model_copy(update={"tasks": tasks}).save(tmp_path)
    with pytest.raises(PolicyFailure, match="give one that does with --reference"):
        station.prepare(settings(tmp_path), overwrite=False)


@pytest.mark.parametrize(
    ("changes", "after", "verdict", "said"),
    [
        ({}, Verdict.GO, Verdict.GO, "9 passed"),
        ({}, Verdict.NO_GO, Verdict.NO_GO, "the re-audit"),
        ({}, Verdict.HOLD, Verdict.HOLD, "the re-audit"),
        ({"tests": SuiteOutcome(passed=False, said="1 failed")}, Verdict.GO, Verdict.NO_GO, "1 failed"),
        ({"alike": (("process", "format"),)}, Verdict.GO, Verdict.HOLD, "pay the same"),
        ({"components": (component_exploits("format", *"aaa"),)}, Verdict.GO, Verdict.HOLD, "1 exploits"),
    ],
)  # fmt: skip
def test_the_verdict(changes: dict[str, Any], after: Verdict, verdict: Verdict, said: str) -> None:
    reaudit = AuditSide(verdict=after, reason="because", findings=())
    found, reason = station.judge(written_reward(**changes), reaudit)
    assert found is verdict
    assert said in reason


@pytest.mark.slow
def test_the_command_refuses_a_reward_that_is_not_there(tmp_path: Path) -> None:
    words = ["audit", f"{CASE}:Defect", "--out", str(tmp_path), "--reward", "none.py"]
    ended = subprocess.run(
        [sys.executable, "-m", "gonogo", *words], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "none.py" in ended.stderr


@pytest.mark.long
def test_by_an_expression_what_never_ends_is_paid_by_how_it_was_left(endless: Path) -> None:
    record = RewardReport.load(endless)
    assert (record.before.verdict, record.after.verdict) == (Verdict.NO_GO, Verdict.GO)
    run = ours(endless)
    turns = [{"turn": "right"}] * 5
    away = [*turns, {"turn": "left"}, {"turn": "leave"}]
    plans = [({"seed": seed}, plan) for seed in range(12) for plan in (turns, away)]
    _, episodes = fly_with(resolve(run.target), endless / "reward.py", plans, run.rollout)
    assert {e.success for e in episodes} == {True, False}
    for episode in episodes:
        # One rule: what the connection calls a success is what the reward pays as one.
        assert episode.components["primary"] == float(bool(episode.success))
        assert episode.episode_return == pytest.approx(
            sum(part.weight * episode.components[part.name] for part in record.components)
        )
        assert (episode.episode_return > 0.5) is episode.success
    left = [e for e in episodes if any((t.reward or 0) < -0.3 for t in e.turns)]
    assert left and not all(e.success for e in left)  # success that was left is taken back


def test_an_audit_by_another_success_is_refused(upgraded: Path, tmp_path: Path) -> None:
    shutil.copytree(upgraded, tmp_path / "copy")
    run = settings(tmp_path / "copy", **{"rollout.success": "done and noise < 0"})
    with pytest.raises(StaleRecord, match="another config"):
        station.prepare(run, overwrite=False)


@pytest.mark.parametrize("success", ["state.solved", "done and reward >= 0.95"])
def test_a_success_that_a_reward_cannot_see_is_refused(success: str) -> None:
    with pytest.raises(Misuse, match="which a reward does not see"):
        station.check_success(success)
    station.check_success("done and solved")


def test_what_the_environment_ends_is_paid_once_by_the_same_expression(tmp_path: Path) -> None:
    run = settings(tmp_path, **{"rollout.success": "done and solved == True"})
    target = resolve(run.target)
    facts = Facts(
        success=None,
        fields=["hour", "noise", "solved", "done", "metadata", "reward"],
        at_the_end=True,
        guide="none",
        good=[],
        bad=[],
        par_steps=10.0,
        par=1.0,
        floor=0.0,
        texts={},
        clocks=[],
        idle={},
    )
    file = tmp_path / "reward.py"
    file.write_text(station.fill(target, facts, run.rollout.success, {}))
    plans = [({"seed": seed}, [{"call": "quiet"}]) for seed in range(12)]
    _, episodes = fly_with(target, file, plans, run.rollout)
    assert {e.success for e in episodes} == {True, False}
    for episode in episodes:
        assert episode.components["primary"] == float(bool(episode.success))
        assert [turn.reward for turn in episode.turns[:-1]] == [0.0] * 9


def test_what_an_exploit_is_called_cannot_end_the_docstring() -> None:
    text = docstring([exploit_case(NASTY)], {"word": "Success is what it says."})
    assert text.isascii() and max(map(len, text.splitlines())) <= WIDTH
    tree = ast.parse(f'class A:\n    """It pays.\n\n{text}\n    """\n')
    (found,) = tree.body
    assert isinstance(found, ast.ClassDef) and "without `word`" in str(ast.get_docstring(found))
    assert len(plain(NASTY)) <= 90
    assert docstring([], {}) == "    No exploit was found that a guard keeps out."


def test_each_number_stands_by_both_rewards_task_by_task() -> None:
    def audit(best: float | None) -> list[object]:
        numbers = headline_numbers(best_known_return=best)
        return [audited_task(task={"level": n}, numbers=numbers) for n in range(2)]

    rows = list(sides(audit_report(tasks=audit(1.0)), audit_report(tasks=audit(None))))
    assert len(rows) == 2 * len({row.number for row in rows})
    known = [row for row in rows if row.number == "best known return"]
    assert [(row.task, row.before, row.after) for row in known] == [
        ({"level": 0}, 1.0, None),
        ({"level": 1}, 1.0, None),
    ]


SIDE = SideNumber(number="best known return", task={}, before=1.0, after=None)


def test_the_page_has_both_sides_and_every_exploit() -> None:
    part = component_exploits("primary", "idle", "a\nline")
    text = markdown(reward_report(sides=(SIDE,), components=(part,)))
    for line in (
        "# Reward of x",
        "**GO**: 4 components",
        "| best known return | 1.000 | unknown |",
        "| findings | paid_for_idling | none |",
        "| verdict | NO_GO | GO |",
        "## primary (0.5)",
        "| idle | the panel's idle | `word` | 0.050 | 0.600 |",
        "| a line | the panel's idle | `word` | 0.050 | 0.600 |",
    ):
        assert line in text.splitlines()


def test_the_terminal_has_the_same_and_the_notes() -> None:
    console = Console(width=120, file=io.StringIO(), record=True)
    print_upgrade(reward_report(sides=(SIDE,), notes=("[red]kept[/red]",)), console)
    said = console.export_text()
    for word in ("best known return", "unknown", "worst success flown here", "paid_for_idling"):
        assert word in said
    assert said.splitlines()[-2:] == ["Note: [red]kept[/red]", "GO: 4 components"]
