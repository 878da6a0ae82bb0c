"""One verdict for each item of a queue: suspicious where most items are of one class and nothing else is earned so."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit
from tests.auditing.rows import row

from gonogo.auditing.checks.lopsided import flawless, others_earn, same_items
from gonogo.exploits.panel import Kind
from gonogo.records.findings import EpisodeWitness, Severity
from gonogo.records.record import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")


def audit_belt(case: str, out: Path) -> Audit:
    """Audit an environment of the zoo with nothing to help."""
    given = {
        "target": f"tests.zoo.parcels:{case}",
        "audit.seeds": 12,
        "audit.search": 300,
        "audit.budget": 5_000,
    }
    return fly_audit(out, given, {})


def test_one_verdict_for_all_is_suspicious_where_most_items_are_of_one_class(
    tmp_path: Path,
) -> None:
    verdict, report = audit_belt("MostlyRight", tmp_path)
    assert verdict is not Verdict.NO_GO
    (finding,) = [each for each in report.findings if each.id == "paid_without_trying"]
    assert finding.severity == Severity.SUSPICIOUS
    assert isinstance(finding.witness, EpisodeWitness)
    assert finding.witness.plan == ({"side": "right"},)
    assert "0.80 of a flawless episode" in finding.explanation


@pytest.mark.parametrize("case", ["AsMany", "WrongCosts"])
def test_classes_that_are_as_common_and_verdicts_that_cost_are_not_accused(
    case: str, tmp_path: Path
) -> None:
    _, report = audit_belt(case, tmp_path)
    assert "paid_without_trying" not in [each.id for each in report.findings]


def test_one_verdict_that_is_paid_as_the_right_one_is_for_each_item_is_proven(
    tmp_path: Path,
) -> None:
    verdict, report = audit_belt("AskAlways", tmp_path)
    (finding,) = [each for each in report.findings if each.blocks]
    assert verdict is Verdict.NO_GO
    assert (finding.id, finding.severity) == ("paid_without_trying", Severity.EFFORTLESS)
    assert isinstance(finding.witness, EpisodeWitness)
    assert finding.witness.plan == ({"side": "ask"},)
    assert (
        "none for all, and mixes of them earn no more: nothing has to be read"
        in finding.explanation
    )


@pytest.mark.parametrize("case", ["AskRarely", "AllRight", "BonusForRead", "BonusForBoth"])
def test_a_verdict_that_is_right_or_costs_is_not_accused(case: str, tmp_path: Path) -> None:
    _, report = audit_belt(case, tmp_path)
    assert [each.id for each in report.findings if each.blocks] == []


def test_a_flawless_episode_takes_the_best_verdict_for_each_item() -> None:
    left = row("left", Kind.CONSTANT, [1.0, 0.0, 1.0], action={"side": "left"})
    right = row("right", Kind.CONSTANT, [0.0, 1.0, 0.0], action={"side": "right"})
    assert flawless([left.episodes[0], right.episodes[0]]) == 3.0
    assert flawless([left.episodes[0]]) is None
    assert others_earn(left, [left, right]) == 1.0
    assert others_earn(left, [left]) is None
    skipped = row("skip", Kind.CONSTANT, [0.0] * 3, action={"side": "left", "skip": True})
    assert others_earn(left, [left, right, skipped]) == 1.0  # to leave all is no answer


def test_a_queue_shows_the_same_items_whatever_is_said() -> None:
    one = row("one", Kind.CONSTANT, [0.0] * 6, action={"side": "left"}).episodes[0]
    other = row("other", Kind.CONSTANT, [0.0] * 6, action={"side": "right"}).episodes[0]
    assert not same_items([one, other])
    for episode in (one, other):
        for turn, town in zip(episode.turns, "abcdef", strict=True):
            turn.observation = {"town": town}
    assert same_items([one, other])
    other.turns[2].observation = {"town": "z"}
    assert not same_items([one, other])
