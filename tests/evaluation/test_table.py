"""The evaluation as tables: no figure is cut, and what is not known is said so."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console
from tests.records_made import estimate, evaluation_report, paired_comparison, policy_result

from gonogo.evaluation.table import (
    comparison_rows,
    criteria_rows,
    policy_rows,
    print_evaluation,
    tasks_in_words,
)
from gonogo.records.evaluation import EvaluationReport


def test_a_long_name_cuts_no_figure(evaluated: Path) -> None:
    record = EvaluationReport.load(evaluated)
    policies = dict(record.policies)
    walker = policies.pop("walker")
    policies["somebody.else.s.package:a_policy_with_a_long_name"] = walker
    record = record.model_copy(update={"policies": policies})
    console = Console(width=80, file=io.StringIO(), record=True)
    print_evaluation(record, console)
    said = console.export_text()
    assert "…" not in said
    assert f"{walker.score.mean:.3f}" in said and f"{walker.mean_turns:.1f}" in said


POLICIES = {
    "idle": policy_result(estimate(0.0, None), mean_turns=None, invalid_rate=None),
    "trained": policy_result(estimate(0.5), decoding="greedy", timeout_rate=0.25),
}


def test_a_row_for_each_policy_with_what_is_not_known_of_it() -> None:
    idle, trained = policy_rows(evaluation_report(POLICIES))
    assert idle == ("idle", "-", "0.000 (constant)", "0.000 (constant)", "-", "0.0 %", "-")
    assert trained[:2] == ("trained", "greedy")
    assert trained[2] == "0.500 [0.400, 0.600]" and trained[-1] == "4.0"


def test_differences_have_their_sign_and_a_test_that_was_not_made_none() -> None:
    rows = (
        paired_comparison(score_difference=estimate(0.25, 0.125), improvement_percent=50.0),
        paired_comparison(baseline="idle", improvement_percent=None, mcnemar_p=None),
    )
    first, second = comparison_rows(evaluation_report(POLICIES, comparisons=rows))
    assert first[0] == "trained − untrained"
    assert first[1] == "+0.250 [+0.125, +0.375]" and first[3:] == ("+50 %", "1")
    assert second[3:] == ("-", "-")


def test_the_criteria_are_words_and_the_tasks_a_number() -> None:
    criteria = ({"id": "above_untrained", "verdict": "NO_GO", "said": "it is not"},)
    record = evaluation_report(POLICIES, criteria=criteria)
    assert list(criteria_rows(record)) == [("above untrained", "NO-GO", "it is not")]
    said = "20 tasks (level easy, split test), the same for every policy"
    assert tasks_in_words(record) == said
    bare = record.model_copy(update={"episodes": 1, "level": None, "split": None})
    assert tasks_in_words(bare) == "1 task, the same for every policy"


def test_notes_are_no_markup_and_what_is_empty_has_no_table() -> None:
    console = Console(width=120, file=io.StringIO(), record=True)
    print_evaluation(evaluation_report(POLICIES, notes=("[red]so[/red]",)), console)
    said = console.export_text()
    assert said.splitlines()[-1] == "Note: [red]so[/red]"
    assert "McNemar p" not in said and "What GO needs" in said
