"""A full mark by an error that the grader swallows itself is proven, and a handler that all reach is none."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit

from gonogo.auditing.checks.swallowed_errors import swallowing_handlers
from gonogo.contract.source import read_source
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")


def audit_review(case: str, out: Path) -> Audit:
    """Audit an environment of the zoo with nothing to help."""
    given = {
        "target": f"tests.zoo.reviews:{case}",
        "audit.seeds": 12,
        "audit.search": 600,
        "audit.budget": 20_000,
    }
    return fly_audit(out, given, {})


def test_a_mark_by_a_swallowed_error_is_proven_with_its_line(tmp_path: Path) -> None:
    verdict, report = audit_review("AbortedReview", tmp_path)
    assert verdict is Verdict.NO_GO
    (finding,) = [each for each in report.findings if each.id == "verifier_crash_pays"]
    assert finding.severity is Severity.EXPLOIT
    source = Path("tests/zoo/reviews.py").read_text(encoding="utf-8").splitlines()
    line = next(n for n, text in enumerate(source, start=1) if "except Exception" in text)
    said = f"reviews.py:{line} swallows what goes wrong (except Exception:"
    assert said in finding.explanation


@pytest.mark.parametrize("case", ["FailedReview", "ReadsPlainly"])
def test_a_failure_that_costs_and_a_handler_that_reads_are_not_accused(
    case: str, tmp_path: Path
) -> None:
    _, report = audit_review(case, tmp_path)
    assert [each.id for each in report.findings if each.blocks] == []
    assert "verifier_crash_pays" not in [each.id for each in report.findings]


@pytest.mark.parametrize(
    ("head", "body", "swallows"),
    [
        ("except Exception:", "score = 1.0", True),
        ("except:", "pass", True),
        ("except (ValueError, Exception) as error:", "print(error)", True),
        ("except BaseException:", "score = 0.0", True),
        ("except ValueError:", "score = 1.0", False),
        ("except Exception:", "raise", False),
    ],
)
def test_a_handler_swallows_where_it_is_broad_and_goes_on(
    head: str, body: str, swallows: bool, tmp_path: Path
) -> None:
    text = f"""
        def grade(plan):
            try:
                score = judge(plan)
            {head}
                {body}
            return score
        """
    file = tmp_path / "env.py"
    file.write_text(textwrap.dedent(text).lstrip())
    found = list(swallowing_handlers(read_source(tmp_path, [file])))
    assert [(each.place.line, each.lines) for each in found] == [(4, range(5, 6))] * swallows
    assert all(str(each).startswith("env.py:4 swallows what goes wrong (except") for each in found)
