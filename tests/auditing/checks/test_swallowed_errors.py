"""A full mark by an error that the grader swallows itself is proven, and a handler that all reach is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit
from tests.contract.test_moved_shares import code_of

from gonogo.auditing.checks.swallowed_errors import swallowing_handlers
from gonogo.contract.followed import FollowedCode
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
    assert f"reviews.py:{line} (except Exception:" in finding.explanation
    assert "catches every error and raises none: earns 1 or more" in finding.explanation


@pytest.mark.parametrize("case", ["FailedReview", "ReadsPlainly", "OptionalPackage", "MustRaise"])
def test_a_failure_that_costs_and_a_handler_that_reads_are_not_accused(
    case: str, tmp_path: Path
) -> None:
    _, report = audit_review(case, tmp_path)
    assert [each.id for each in report.findings if each.blocks] == []
    assert "verifier_crash_pays" not in [each.id for each in report.findings]


ENV = """
class Env:
    def reset(self, seed=None):
        self.plan = {{}}

    def step(self, action):
        score = self.grade()
        {step}
        return Observation(reward=score, done=True)

    def grade(self):
        faults = []
        try:
            {tried}
        {head}
            {body}
        return 1 - len(faults)
"""


def handlers(folder: Path, **parts: str) -> list[str]:
    """What is tried in an environment's reward and swallowed, by its lines."""
    usual = {
        "step": "pass",
        "tried": "faults.append(look(self.plan))",
        "head": "except Exception:",
        "body": "pass",
    }
    file = folder / "env.py"
    file.write_text(ENV.format(**(usual | parts)).lstrip())
    followed = FollowedCode(read_source(folder, [file]), code_of(file, ["Env"]))
    return list(map(str, swallowing_handlers(followed)))


@pytest.mark.parametrize(
    ("parts", "swallows"),
    [
        ({}, True),
        ({"head": "except:"}, True),
        ({"head": "except (ValueError, BaseException) as error:", "body": "print(error)"}, True),
        ({"tried": "return judge(self.plan)", "body": "return 1.0"}, True),
        ({"tried": "faults = look(self.plan)"}, True),
        ({"head": "except ValueError:"}, False),
        ({"body": "raise"}, False),
        ({"tried": "log.write(str(self.plan))"}, False),
        ({"tried": "import quick; faults = quick.look(self.plan)"}, False),
    ],
)
def test_a_handler_swallows_where_it_is_broad_and_what_is_tried_counts(
    parts: dict[str, str], swallows: bool, tmp_path: Path
) -> None:
    found = handlers(tmp_path, **parts)
    assert len(found) == swallows
    assert all(each.startswith("env.py:14 (except") for each in found)


def test_what_only_saves_what_was_won_swallows_nothing_of_the_reward(tmp_path: Path) -> None:
    save = """if score == 1:
            try:
                with open("winners.txt", "a") as file:
                    file.write("won")
            except Exception:
                self.said = 0"""
    assert handlers(tmp_path, step=save, head="except ValueError:") == []
