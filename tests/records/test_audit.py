"""The record of an audit comes back as it was written, and names the field that was edited."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.records_made import audit_report, audited_task, finding

from gonogo.errors import StaleRecord
from gonogo.records.audit import AuditReport, BrokenOffTask, TaskSheet, conclude
from gonogo.records.findings import (
    ContractWitness,
    Severity,
)
from gonogo.records.record import Verdict


def broken_off() -> BrokenOffTask:
    return BrokenOffTask(**{name: getattr(audited_task(), name) for name in TaskSheet.model_fields})


def test_it_comes_back_as_it_was_written(tmp_path: Path) -> None:
    lost = ContractWitness(reset={"seed": 3}, actions=({"move": "up"},), state=None)
    found = finding("paid_for_idling"), finding("dies", witness=lost)
    record = audit_report(*found, tasks=(audited_task(), broken_off()))
    record.save(tmp_path)
    loaded = AuditReport.load(tmp_path)
    assert loaded == record and loaded.digest() == record.digest()
    body = json.loads(AuditReport.path(tmp_path).read_text())
    assert body["findings"][0]["witness"]["return"] == 0.5
    assert body["findings"][1]["witness"] == {
        "reset": {"seed": 3},
        "actions": [{"move": "up"}],
        "state": None,
    }
    assert [task["broken_off"] for task in body["tasks"]] == [False, True]
    assert "components" not in body["tasks"][1]


@pytest.mark.parametrize(
    ("place", "value", "field"),
    [
        (("findings", 0, "id"), "no_such", "findings.0.id"),
        (("findings", 0, "witness", "done"), "perhaps", "findings.0.witness.done"),
        (("tasks", 0, "components", "rule"), 3, "tasks.0.components.rule"),
        (("tasks", 0, "distinct", "note"), 3, "tasks.0.distinct."),
        (("tasks", 0, "policies", 0, "return"), 3, "tasks.0.policies.0.return"),
    ],
)
def test_an_edited_field_is_named(
    tmp_path: Path, place: tuple[Any, ...], value: object, field: str
) -> None:
    audit_report(finding("paid_for_idling")).save(tmp_path)
    file = AuditReport.path(tmp_path)
    body = json.loads(file.read_text())
    held = body
    for step in place[:-1]:
        held = held[step]
    held[place[-1]] = value
    file.write_text(json.dumps(body))
    with pytest.raises(StaleRecord, match=rf"audit\.json: {field}.*run audit again"):
        AuditReport.load(tmp_path)


def test_a_config_that_lacks_what_others_read_is_a_stale_record() -> None:
    whole = audit_report(config={"reward": None, "rollout": {"max_turns": 4}, "audit": {}})
    with pytest.raises(StaleRecord, match=r"audit.json: config\.\S+: .*; run audit again"):
        assert whole.made_by


def test_a_broken_contract_is_no_go_and_what_is_not_known_is_said_too() -> None:
    broken = [finding("seed_ignored", severity=Severity.CONTRACT)]
    assert conclude(broken, ["no policy succeeded"], "3 episodes") == (
        Verdict.NO_GO,
        "the contract is broken: seed_ignored; not known: no policy succeeded",
    )
    assert conclude([], ["no policy succeeded"], "3 episodes")[0] is Verdict.HOLD
    assert conclude([], [], "3 episodes") == (Verdict.GO, "none found in 3 episodes")


def test_what_is_accepted_or_suspicious_blocks_nothing_and_is_said() -> None:
    found = [
        finding("paid_for_idling", accepted="a game of patience"),
        finding("constant_answer_pays", severity=Severity.SUSPICIOUS),
    ]
    assert conclude(found, [], "3 episodes") == (
        Verdict.GO,
        "accepted: paid_for_idling (a game of patience); suspicious, and no proof of a fault: constant_answer_pays; "
        "nothing else found in 3 episodes",
    )
    assert conclude(found, ["no policy succeeded"], "3 episodes")[0] is Verdict.HOLD
    more = [*found, finding("farmable_cycle")]
    assert conclude(more, [], "3 episodes")[0] is Verdict.NO_GO


@pytest.mark.parametrize(
    "name", ["success_costs_nothing", "blind_plan_pays", "shotgun_answer_pays"]
)
def test_an_assumed_success_that_may_take_no_skill_is_no_go_ahead(name: str) -> None:
    under = ["under the assumed success `score >= 1`"]
    doubtful = finding(name, severity=Severity.SUSPICIOUS)
    verdict, reason = conclude([doubtful], [], "3 episodes", under)
    assert verdict is Verdict.HOLD
    assert f"whether the assumed success takes any skill ({name}): say what success is" in reason
    assert conclude([doubtful], [], "3 episodes")[0] is Verdict.GO
    meant = finding(name, severity=Severity.SUSPICIOUS, accepted="as easy as that")
    assert conclude([meant], [], "3 episodes", under)[0] is Verdict.GO
    other = finding("constant_answer_pays", severity=Severity.SUSPICIOUS)
    assert conclude([other], [], "3 episodes", under)[0] is Verdict.GO
    verdict, reason = conclude([finding(name)], [], "3 episodes", under)
    assert verdict is Verdict.NO_GO and "takes any skill" not in reason


def test_what_is_accepted_later_makes_another_verdict_of_the_same_record() -> None:
    found = finding("paid_for_idling"), finding("seed_ignored", severity=Severity.CONTRACT)
    record = audit_report(*found, verdict="NO_GO", missing=("no policy succeeded",))
    assert record.accepting(lambda _: None) is record
    one = record.accepting(lambda each: "meant" if each.id == "paid_for_idling" else None)
    assert one.verdict is Verdict.NO_GO and one.reason.startswith(
        "the contract is broken: seed_ignored; "
    )
    both = record.accepting(lambda each: "meant")
    assert (both.verdict, both.reason) == (
        Verdict.HOLD,
        "not known: no policy succeeded; accepted: paid_for_idling (meant), seed_ignored (meant)",
    )
    assert both.accepting(lambda _: None).verdict is Verdict.NO_GO
