"""The same few actions that earn a full mark on each seed are proven where seeds matter, and are none elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import Audit, Json, fly_audit
from tests.auditing.rows import IDLE, row

from gonogo.auditing.checks.blind_plan import apart, blind_plans, constants, moved, said_of
from gonogo.auditing.survey import FIXED, Survey, SurveyRow
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")


def audit_plans(case: str, out: Path) -> Audit:
    """Audit an environment of the zoo with nothing to help."""
    given = {
        "target": f"tests.zoo.fixed_plans:{case}",
        "audit.seeds": 8,
        "audit.search": 600,
        "audit.budget": 12_000,
    }
    return fly_audit(out, given, {})


@pytest.mark.parametrize("case", ["AnyHighBid", "ShippedBoxes"])
def test_a_plan_that_looks_at_nothing_is_proven_where_seeds_matter(
    case: str, tmp_path: Path
) -> None:
    verdict, report = audit_plans(case, tmp_path)
    assert verdict is Verdict.NO_GO
    (finding,) = [each for each in report.findings if each.id == "blind_plan_pays"]
    assert finding.severity is Severity.EXPLOIT
    assert "nobody is known to earn more" in finding.explanation
    assert "so that seeds differ" in finding.explanation


def test_a_plan_is_proven_where_the_code_asks_for_different_things(tmp_path: Path) -> None:
    verdict, report = audit_plans("ClaimedError", tmp_path)
    assert verdict is Verdict.NO_GO
    (finding,) = [each for each in report.findings if each.id == "blind_plan_pays"]
    assert finding.severity is Severity.EXPLOIT
    assert "another number in its place costs nothing" in finding.explanation
    assert "fixed_plans.py:" in finding.explanation


@pytest.mark.parametrize(
    "case", ["NearestBid", "AllBoxes", "OneBox", "SameTarget", "OneOrder", "NarrowError"]
)
def test_a_plan_that_is_right_is_not_accused(case: str, tmp_path: Path) -> None:
    _, report = audit_plans(case, tmp_path)
    assert [each.id for each in report.findings if each.blocks] == []


def test_one_order_that_is_right_everywhere_is_suspicious(tmp_path: Path) -> None:
    _, report = audit_plans("OneOrder", tmp_path)
    (finding,) = [each for each in report.findings if each.id == "blind_plan_pays"]
    assert finding.severity is Severity.SUSPICIOUS and "seeds differ" not in finding.explanation


def fixed(name: str, pays: list[float], shown: Json, action: Json, about: str | None) -> SurveyRow:
    """A row of a plan of one action and waiting that is paid at its end, a seed each."""
    made = row(name, FIXED, [0.0, 0.0], shown=shown, action=action)
    episodes = []
    for episode, pay in zip(made.episodes, pays, strict=False):
        turns = [replace(t, done=n == 1, reward=n * pay) for n, t in enumerate(episode.turns)]
        episodes.append(replace(episode, turns=turns, episode_return=pay, success=None))
    return replace(made, episodes=episodes, about=about)


PART = [1.0, 0.0, 1.0, 0.5]


@pytest.mark.parametrize(
    ("shown", "changed", "pays", "severity"),
    [
        ({"boxes": ["B1", "B2", "B3"]}, "with 9 at n", PART, Severity.EXPLOIT),
        ({"boxes": ["B1", "B2", "B3"]}, "2 later", PART, Severity.EXPLOIT),
        ({"box": "B1"}, "2 later", PART, Severity.SUSPICIOUS),
        ({"wanted": 21}, "with 9 at n", PART, Severity.SUSPICIOUS),
        ({"box": "B1"}, "with 9 at n", [0.5, 0.0, 0.9, 0.5], Severity.SUSPICIOUS),
        ({"box": "B1"}, "with 9 at n", [1.0] * 4, Severity.SUSPICIOUS),
    ],
)
def test_only_a_change_that_is_right_on_some_seeds_says_that_seeds_matter(
    shown: Json, changed: str, pays: list[float], severity: Severity
) -> None:
    action: Json = {"box": "B1", "n": 21}
    same = fixed("the same", [1.0] * 4, shown, action, None)
    other = fixed(f"the same; {changed}", pays, shown, action, same.name)
    (found,) = blind_plans(Survey({}, [IDLE, same, other]))
    assert (found.id, found.severity) == ("blind_plan_pays", severity)
    assert found.least_seeds == 12


@pytest.mark.parametrize("pays", [[1.0, 1.0, 1.0, 0.9], [0.7] * 4, [1.0] * 3])
def test_less_than_a_full_mark_on_each_of_several_seeds_is_none(pays: list[float]) -> None:
    same = fixed("the same", pays, {"box": "B1"}, {"box": "B1"}, None)
    assert list(blind_plans(Survey({}, [IDLE, same]))) == []


@pytest.mark.parametrize(("paid", "said"), [(0.1, False), (0.6, True)])
def test_a_success_that_is_paid_less_than_a_grade_is_no_full_mark(paid: float, said: bool) -> None:
    same = fixed("the same", [paid] * 4, {"box": "B1"}, {"box": "B1"}, None)
    good = [replace(e, success=True) for e in same.episodes]
    flown = Survey({}, [IDLE, replace(same, episodes=good)])
    assert bool(list(blind_plans(flown))) is said


def test_nobody_may_be_known_who_earns_more() -> None:
    same = fixed("the same", [1.0] * 4, {"box": "B1"}, {"box": "B1"}, None)
    better = row("better", Kind.CONSTANT, [2.0])
    assert list(blind_plans(Survey({}, [IDLE, same, better]))) == []


def test_plans_that_differ_in_numbers_alone_have_one_far_beyond_them() -> None:
    plans = [[{"do": "bid", "amount": n}, {"do": "close"}] for n in (150, 170)]
    assert list(apart(plans).values()) == [[150, 170]]
    amounts = [plan[0]["amount"] for plan in constants(plans)]
    assert amounts == [150, 1500, -1500]
    assert list(constants([[{"do": "ship", "box": name}] for name in ("B1", "B2")])) == []
    assert said_of(plans[0]) == "bid/150, then close"


def test_only_a_number_is_moved() -> None:
    assert moved(60) == [120, 30, 61, 59]
    assert moved("sixty") == moved(True) == []
