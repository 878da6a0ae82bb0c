"""Values that are told beside the task are sent back: where that is the answer, it is a leak, without any success."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit

from gonogo.auditing.checks.handed_out import (
    beside_choices,
    diagonal,
    hidden_values,
    names_answer,
    told_in_words,
    told_one_to_one,
)
from gonogo.auditing.checks.told_values import Fit, ToldValue
from gonogo.auditing.resets import Opening, next_other
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict
from gonogo.rollouts.space import Space

pytestmark = pytest.mark.usefixtures("from_the_root")
KINDS = ["mark_spam", "mark_not_spam", "mark_high_risk"]
SPACE = Space(
    {
        "properties": {"mark": {"type": "string", "enum": KINDS}, "text": {"type": "string"}},
        "required": ["mark", "text"],
    }
)
_, TEXT = SPACE.leaves()
ENOUGH = 4000
"""Steps after which each defect is proven."""
SOUND = [
    "NumberedLetter", "WordedLetter", "StampedLetters", "TaughtLetters", "OtherTable", "SeenTable", "SpokenTable",
    "ToldWay",
]  # fmt: skip


def audit_handed(case: str, out: Path) -> Audit:
    """Audit an environment of the zoo with nothing to help; what is told is sent early."""
    given = {"target": f"tests.zoo.handed:{case}", "audit.seeds": 12, "audit.budget": ENOUGH}
    return fly_audit(out, given, {})


@pytest.mark.parametrize(
    ("case", "copied"),
    [
        ("OneLetter", "to: state.filed_under sent back"),
        ("SolvedLetters", "to: observation.ground_truth_desk sent back"),
        (
            "HiddenTable",
            "valve: the one key of state.losses whose value differs from all the others sent back beside do=mend",
        ),
        (
            "HiddenList",
            "valve: the one valve in state.parts whose open is true sent back beside do=mend",
        ),
    ],
)
def test_an_answer_that_is_told_beside_the_task_is_proven(
    case: str, copied: str, tmp_path: Path
) -> None:
    verdict, report = audit_handed(case, tmp_path)
    (finding,) = [each for each in report.findings if each.id == "leaked_answer"]
    assert verdict == Verdict.NO_GO
    assert finding.blocks
    assert finding.severity in {None, Severity.EFFORTLESS}
    assert f"{copied}: earns" in finding.explanation


@pytest.mark.parametrize("case", SOUND)
def test_a_value_that_is_the_task_or_comes_too_late_is_no_leak(case: str, tmp_path: Path) -> None:
    _, report = audit_handed(case, tmp_path)
    assert [each.id for each in report.findings if each.blocks] == []


def test_a_name_that_may_mean_something_else_makes_suspicious(tmp_path: Path) -> None:
    _, report = audit_handed("KeyedLetters", tmp_path)
    (finding,) = [each for each in report.findings if each.id == "leaked_answer"]
    assert finding.severity is Severity.SUSPICIOUS
    assert "to: observation.right_key sent back: earns" in finding.explanation
    assert [each.id for each in report.findings if each.blocks] == []


def test_an_entry_that_is_as_good_as_any_other_is_no_leak(tmp_path: Path) -> None:
    _, report = audit_handed("AnyValve", tmp_path)
    assert "leaked_answer" not in {each.id for each in report.findings}


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("observation.ground_truth_decision", True),
        ("state.trueLabel", True),
        ("observation.cases[0].expected_action", True),
        ("observation.answer_key", True),
        ("observation.expected_arrival", False),
        ("observation.target", False),
        ("observation.is_correct", False),
        ("observation.action", False),
    ],
)
def test_a_name_promises_the_answer_or_not(path: str, said: bool) -> None:
    assert names_answer(path) is said


def test_another_case_is_the_next_that_was_sent_and_differs() -> None:
    sent = [{"to": "a"}, {"to": "a"}, {"to": "b"}]
    assert [next_other(sent, n) for n in range(3)] == [{"to": "b"}, {"to": "b"}, {"to": "a"}]
    assert next_other(sent[:2], 0) is None


def test_a_value_stands_alone_and_beside_each_choice_of_another_field() -> None:
    copies = list(beside_choices(ToldValue("state.note", ("a", "b")), Fit.of(TEXT, ()), SPACE))
    assert [copy.name for copy in copies[:2]] == [
        "text: state.note sent back",
        "text: state.note sent back beside mark=mark_not_spam",
    ]
    assert copies[1].action("a", {}) == {"mark": "mark_not_spam", "text": "a"}
    assert [copy.context is None for copy in copies] == [True, False, False]
    first, *others = diagonal([iter(copies), iter(copies), iter(copies[:1])])
    assert (first, others[:3]) == (copies[0], [copies[1], copies[0], copies[2]])
    assert len(others) == 6


def test_the_seed_of_a_reset_is_no_value_that_is_told() -> None:
    openings = [Opening({"seed": n}, {}, {}, {"seed": n, "at": n % 2}) for n in range(4)]
    assert [told.path for told in hidden_values(openings, set())] == ["state.at"]


def test_what_is_seen_in_other_words_is_not_hidden() -> None:
    values = ["spam", "fair", "spam"]
    choices = {"observation.task": "spam or fair?"}
    told = [{"observation.text": f"this is {value}"} for value in values]
    assert told_in_words(values, told)
    assert not told_in_words(values, [choices] * 3)
    assert told_one_to_one(values, [{"observation.code": n} for n in (1, 2, 1)])
    assert not told_one_to_one(values, [{"observation.code": n} for n in (1, 1, 1)])
    assert not told_one_to_one(values, [{"observation.code": n} for n in (1, 2, 3)])
