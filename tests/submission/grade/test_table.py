"""The report for a reader: every check with its first evidence, counts, and both verdicts."""

from __future__ import annotations

import io

from openenv.validation import CheckResult, CheckStatus
from rich.console import Console

from gonogo.records.record import Verdict
from gonogo.submission.grade.table import STYLES, print_report


def shown(*results: CheckResult, verdict: Verdict = Verdict.NO_GO) -> str:
    """What is printed."""
    console = Console(width=160, file=io.StringIO(), record=True)
    print_report(results, "fail", verdict, console)
    return console.export_text()


def result(check: str, status: CheckStatus, *evidence: str) -> CheckResult:
    return CheckResult(check_id=check, status=status, evidence=list(evidence), duration_s=0.0)


def test_each_check_is_a_line_and_all_are_counted() -> None:
    said = shown(
        result("runtime.a", CheckStatus.PASS, "all well"),
        result("runtime.b", CheckStatus.FAIL, "one", "two", "three"),
        result("runtime.c", CheckStatus.PASS, "well too"),
        result("runtime.d", CheckStatus.SKIP),
    )
    lines = said.splitlines()
    for check, status, evidence in (
        ("runtime.a", "pass", "all well"),
        ("runtime.b", "fail", "one (and 2 more)"),
        ("runtime.d", "skip", ""),
    ):
        (line,) = (each for each in lines if check in each)
        assert status in line and evidence in line
    assert lines[-1] == "NO_GO: 2 pass, 1 fail, 1 skip; OpenEnv's severity policy says fail"


def test_what_an_environment_says_is_no_markup() -> None:
    assert "[red]it is[/red]" in shown(result("runtime.a", CheckStatus.FAIL, "[red]it is[/red]"))


def test_every_status_of_openenv_has_a_style() -> None:
    assert set(STYLES) == {status.value for status in CheckStatus}
