"""Destroying what is there: where it is pay for nothing, and where it is the game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.checks.test_free_success import audit_careless
from tests.auditing.rows import row

from gonogo.auditing.checks.emptied import besides, less_is_seen, wiped
from gonogo.auditing.survey import Survey, SurveyRow
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")
ENOUGH = 12_000
"""Steps after which the defect is proven."""


def test_deleting_what_is_checked_and_handing_it_in_is_proven(tmp_path: Path) -> None:
    verdict, report = audit_careless("AnyDraft", tmp_path, ENOUGH)
    (finding,) = [each for each in report.findings if each.blocks]
    assert verdict == Verdict.NO_GO
    assert (finding.id, finding.severity) == ("emptying_pays", Severity.EFFORTLESS)


@pytest.mark.parametrize("case", ["WholeDraft", "Till"])
def test_a_sound_game_in_which_less_is_seen_is_not_accused(case: str, tmp_path: Path) -> None:
    _, report = audit_careless(case, tmp_path, ENOUGH)
    assert [finding for finding in report.findings if finding.blocks] == []


IDLE = row("idle", Kind.IDLE, [0.0] * 3, action={"tool": "view"})
MENDS = row("mend", Kind.CONSTANT, [0.2], action={"tool": "replaceLine"})


def sweeping(verb: str = "delete_line", pay: float = 0.8) -> SurveyRow:
    shown = {"lines": ["a", "b"]}
    made = row("sweep", Kind.EMPTYING, [0.3, pay - 0.3], shown=shown, last={"lines": []})
    return replace(made, context={"tool": verb, "line": 0})


@pytest.mark.parametrize(
    ("swept", "others", "accused"),
    [
        (sweeping(), [MENDS], True),
        (sweeping("serve"), [MENDS], False),
        (sweeping(), [], False),
        (sweeping(), [MENDS, row("mended", Kind.CYCLE, [1.0])], False),
        (replace(sweeping(), kind=Kind.ECHO), [MENDS], False),
        (replace(sweeping(), context=None), [MENDS], False),
    ],
)
def test_three_things_have_to_come_together(
    swept: SurveyRow, others: list[SurveyRow], accused: bool
) -> None:
    assert wiped(swept, Survey({}, [IDLE, swept, *others])) is accused


def swept(pay: float = 1.0, about: str | None = None) -> SurveyRow:
    made = row("sweep" if about is None else "other", Kind.SWEEP, [0.0, pay])
    needs = ("other",) if about is None else ()
    return replace(made, context={"tool": "delete_line", "line": 0}, about=about, needs=needs)


@pytest.mark.parametrize(
    ("rows", "accused"),
    [
        ([swept(), swept(about="sweep")], True),
        ([swept()], False),
        ([swept(), swept(0.5, about="sweep")], False),
        ([swept(0.8), swept(0.8, about="sweep")], False),
        ([swept(3.0), swept(3.0, about="sweep")], False),
    ],
)
def test_a_sweep_earns_all_whatever_it_leaves(rows: list[SurveyRow], accused: bool) -> None:
    survey = Survey({}, [IDLE, MENDS, *rows])
    assert wiped(rows[0], survey) is accused
    assert not any(wiped(other, survey) for other in rows[1:])


def test_an_explanation_names_the_other_sweep() -> None:
    assert besides(swept()) == "; so does other: what is left does not matter"
    assert besides(MENDS) == ""


def test_far_less_text_is_less() -> None:
    (episode, *_) = row(
        "x", Kind.IDLE, [0.0], shown={"file": "a = 1\n" * 9}, last={"file": "a"}
    ).episodes
    assert less_is_seen(episode)
    episode.final_observation = {"file": "a = 1\n" * 8}
    assert not less_is_seen(episode)
