"""Which of two audits knows more: a weaker one, or one of another reward, replaces none unasked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.records_made import audit_report
from tests.test_cli import called

from gonogo import config
from gonogo.auditing import replacement
from gonogo.auditing.flight_log import FOLDER
from gonogo.env.environment import Env
from gonogo.errors import Misuse
from gonogo.pipeline import audit as pipeline
from gonogo.records.audit import AuditReport
from gonogo.records.record import Verdict

SUCCESS = "done and position == goal"


@pytest.fixture
def audited(walked: Path, tmp_path: Path) -> config.RunConfig:
    """A run with an audit that came to a verdict."""
    run = config.load(
        None,
        {
            "target": str(walked),
            "out": str(tmp_path),
            "map.steps": 4,
            "audit.seeds": 5,
            "audit.search": 40,
        },
    )
    assert pipeline.audit(run) is Verdict.GO
    return run


def changed(run: config.RunConfig, **fields: object) -> config.RunConfig:
    return run.model_copy(update={"audit": run.audit.model_copy(update=fields)})


def test_a_weaker_audit_replaces_no_stronger_one(audited: config.RunConfig) -> None:
    held = AuditReport.path(audited.out).read_text()
    less = changed(audited, search=0, seeds=4)
    with pytest.raises(
        Misuse, match=r"audit.search 0 instead of 40, --seeds 4 instead of 5; .*--force"
    ):
        pipeline.audit(less)
    assert AuditReport.path(audited.out).read_text() == held
    record = json.loads(held)
    record["config"]["audit"]["reference"] = "policies:walker"
    record["config"]["rollout"]["success"] = SUCCESS
    AuditReport.path(audited.out).write_text(json.dumps(record))
    assert replacement.weaker(audited) == [
        f"without --success {SUCCESS}",
        "without --reference policies:walker",
    ]
    with pytest.raises(Misuse, match=r"came to GO .* could not tell \(lame\)"):
        replacement.check_result(audited, audit_report(verdict="HOLD", reason="lame"))
    short = {"spent": 9, "ended": "cut", "unreached": ("the panel",)}
    with pytest.raises(Misuse, match=r"flew more .* this one 9"):
        replacement.check_result(audited, audit_report(budget=short))
    (Path(audited.target) / "server" / "more.py").write_text("")
    try:
        assert replacement.weaker(less) == []  # another version of the environment
    finally:
        (Path(audited.target) / "server" / "more.py").unlink()
    assert pipeline.audit_unless_stronger(less) is Verdict.GO
    assert AuditReport.load(audited.out).config["audit"]["search"] == 40
    assert pipeline.audit(less, force=True) is Verdict.GO
    assert AuditReport.load(audited.out).config["audit"]["search"] == 0


@pytest.mark.long
def test_an_audit_of_another_reward_replaces_none_unasked(
    audited: config.RunConfig, flat_reward: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = AuditReport.path(audited.out).read_text()
    asked = ["audit", audited.target, "--out", str(audited.out)]
    assert called(monkeypatch, *asked, "--rewards", "tests.zoo.paid_outside:length") == 2
    paid = audited.model_copy(update={"reward": flat_reward})
    for other in (changed(audited, rewards=("tests.zoo.paid_outside:length",)), paid):
        for command in (pipeline.audit, pipeline.audit_unless_stronger):
            with pytest.raises(Misuse, match=r"of the environment's own reward, .* --force"):
                command(other)
    assert AuditReport.path(audited.out).read_text() == held
    assert pipeline.audit(changed(paid, search=0), force=True) is not Verdict.GO  # it pays nobody
    flat_reward.write_text(flat_reward.read_text() + "\n")
    replacement.check_settings(changed(paid, search=0))  # it was edited, and is the same
    with pytest.raises(Misuse, match=rf"of the reward of {flat_reward}, .* environment's own"):
        pipeline.audit(audited)


def test_what_pays_is_told_in_the_same_words_for_the_same(tmp_path: Path) -> None:
    reward = tmp_path / "reward.py"
    other = tmp_path / "beside" / ".." / "reward.py"
    assert replacement.pay(reward, ()) == replacement.pay(other, ()) != replacement.pay(None, ())
    assert replacement.pay(None, ["m:one", "m:two"]) == "the reward functions m:one, m:two"


def test_a_folder_without_an_audit_holds_none_that_is_stronger(
    gridworld: Path, tmp_path: Path
) -> None:
    run = config.load(None, {"target": str(gridworld), "out": str(tmp_path)})
    assert replacement.weaker(run) == []
    replacement.check_settings(run)
    replacement.check_result(run, audit_report(verdict="HOLD"))


def test_the_same_budget_again_is_no_weaker_although_its_last_flight_went_beyond_it(
    gridworld: Path, tmp_path: Path
) -> None:
    fields = {"target": str(gridworld), "out": str(tmp_path), "audit.budget": 9}
    run = config.load(None, fields)
    asked = run.model_dump(mode="json", include={"reward", "rollout", "audit"})
    spent = {"spent": 12, "ended": "cut", "unreached": ()}
    audit_report(
        source_hash=Env.of(run).source, target=str(gridworld), budget=spent, config=asked
    ).save(tmp_path)
    assert replacement.weaker(run) == []
    assert replacement.weaker(changed(run, budget=8)) == ["--budget 8 instead of 9"]
    said = r"larger audit \(9 steps and resets; you asked for 8\): give --budget 9 or more"
    with pytest.raises(Misuse, match=said):
        replacement.check_settings(changed(run, budget=8))


def test_an_audit_of_fewer_minutes_is_refused_before_it_flies_unless_it_goes_on(
    gridworld: Path, tmp_path: Path
) -> None:
    run = config.load(None, {"target": str(gridworld), "out": str(tmp_path), "audit.minutes": 10.0})
    source = Env.of(run).source
    asked = run.model_dump(mode="json", include={"reward", "rollout", "audit"})

    def stands(verdict_s: float, minutes: float | None, ended: str = "cut") -> None:
        clock = {"minutes": minutes, "first_finding_s": None, "verdict_s": verdict_s}
        spent = {"spent": 9, "ended": ended, "unreached": ()}
        audit_report(
            source_hash=source, target=str(gridworld), clock=clock, budget=spent, config=asked
        ).save(tmp_path)

    stands(601.0, 10.0)
    with pytest.raises(Misuse, match=r"--minutes 1 instead of 10; .*--force"):
        replacement.check_settings(changed(run, minutes=1.0))
    replacement.check_settings(run)
    replacement.check_settings(changed(run, minutes=1.0, budget=9))
    log = tmp_path / FOLDER / "x" / "task-0.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("")
    replacement.check_settings(changed(run, minutes=1.0))  # it goes on with these flights
    assert replacement.weaker(changed(run, minutes=1.0, seeds=30)) == ["--minutes 1 instead of 10"]
    stands(90.0, 10.0, "flown")
    replacement.check_settings(changed(run, minutes=2.0))
    assert replacement.weaker(changed(run, minutes=1.0)) == ["--minutes 1 instead of 1.5"]
    stands(601.0, None)
    replacement.check_settings(changed(run, minutes=1.0))
