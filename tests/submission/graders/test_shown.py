"""What a reset shows and solves the task is a leak in the places that are asked about, and in no others."""

from __future__ import annotations

import pytest
from openenv.validation import CheckStatus
from tests.records_made import audit_report, contract_report, grade_report, graded_task
from tests.submission.graders.sound import FAIL, LEAK, PASS, SKIP

from gonogo.records.submission import ShownAnswers, ShownLeak
from gonogo.submission.graders.base import GraderAnswer, RunRecords
from gonogo.submission.graders.shown import judge_shown


def judged(*places: str, leaks: tuple[str, ...] = (), judged: bool = True) -> GraderAnswer:
    """The answer about some places of a reset that leaks in others."""
    found = tuple(ShownLeak(where=where, **LEAK) for where in leaks)
    tried = {"observation": 3, "state": 2, "metadata": 1}
    task = graded_task(shown=ShownAnswers(tried=tried, leaks=found, judged=judged))
    records = RunRecords(contract_report(), audit_report(), grade_report(tasks=(task,)))
    return judge_shown(records, frozenset(places))


@pytest.mark.parametrize(
    ("places", "leaks", "status"),
    [
        (("observation",), ("observation",), FAIL),
        (("observation",), ("state", "metadata"), PASS),
        (("state", "metadata"), ("metadata",), FAIL),
        (("state", "metadata"), ("observation",), PASS),
    ],
)
def test_a_leak_counts_where_it_is_asked_for(
    places: tuple[str, ...], leaks: tuple[str, ...], status: CheckStatus
) -> None:
    assert judged(*places, leaks=leaks).status is status


def test_a_leak_is_told_with_its_control() -> None:
    assert judged("state", leaks=("state",)).said == (
        "default: answer of the state at reset, sent back as number, solves 4 of 4 episodes; "
        "another seed's value solves 0",
    )


def test_ways_are_counted_over_the_places() -> None:
    (measured,) = judged("state", "metadata").measured["tasks"]
    assert measured["tried"] == 3


def test_where_nothing_is_said_of_success_only_a_leak_is_known() -> None:
    assert judged("state", judged=False).status is SKIP
    assert judged("state", leaks=("state",), judged=False).status is FAIL
