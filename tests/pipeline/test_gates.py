"""What has to be so before a command begins."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pipeline.audited_runs import ROOT, audited

from gonogo.env.acceptance import acceptances
from gonogo.errors import Forbidden
from gonogo.pipeline import gates as gates_command
from gonogo.pipeline import train as train_command
from gonogo.records.findings import AcceptedFinding


def test_an_audit_that_is_no_go_forbids_to_plan_and_train_until_it_is_accepted_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    run = audited(tmp_path, "paid_for_idling", "constant_answer_pays", "paid_for_idling")
    file = tmp_path / "plan.yaml"
    with pytest.raises(
        Forbidden, match=r"found paid_for_idling, constant_answer_pays.* --accept REASON"
    ) as forbidden:
        train_command.plan(run, file, None)
    assert not file.exists() and not (tmp_path / "map.json").exists()
    assert not gates_command.may_go_on(run, None)
    # The terminal breaks the line anywhere, within a long path too.
    assert "".join(str(forbidden.value).split()) in "".join(capsys.readouterr().err.split())
    assert gates_command.may_go_on(run, "it is a game of patience")
    assert "paid_for_idling (it is a game of patience)" in " ".join(capsys.readouterr().err.split())
    known = acceptances(run.target)
    assert known.entries == tuple(
        AcceptedFinding(finding=name, reason="it is a game of patience", environment="Sound")
        for name in ("paid_for_idling", "constant_answer_pays")
    )
    assert known.file == tmp_path / "here" / "gonogo.yaml"
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
