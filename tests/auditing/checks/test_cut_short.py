"""Episodes cut short: suspicious where a full mark is for a moment alone, and silent where the whole counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit
from tests.auditing.rows import row

from gonogo.auditing.checks.cut_short import CUT, WHOLE, CutShort, shows
from gonogo.auditing.survey import SurveyRow
from gonogo.records.findings import EpisodeWitness, Severity

pytestmark = pytest.mark.usefixtures("from_the_root")


def audit_stall(case: str, out: Path) -> Audit:
    """Audit an environment of the zoo with nothing to help."""
    given = {
        "target": f"tests.zoo.stalls:{case}",
        "audit.seeds": 12,
        "audit.search": 300,
        "audit.budget": 14_000,
    }
    return fly_audit(out, given, {})


def test_a_full_mark_for_one_good_moment_is_suspicious(tmp_path: Path) -> None:
    _, report = audit_stall("BestSoFar", tmp_path)
    found = [each for each in report.findings if each.id == "truncated_window_satisfied"]
    assert [each.severity for each in found] == [Severity.SUSPICIOUS]
    seen = found[0].witness
    assert isinstance(seen, EpisodeWitness)
    assert (seen.total, seen.actions[-1]) == (1.0, {"do": "close"})
    assert len(seen.actions) < 8
    assert "without the end, with a late one, or with the action all along" in found[0].explanation


@pytest.mark.parametrize("case", ["BestOfAll", "InTime"])
def test_whole_episodes_and_the_right_moment_are_not_accused(case: str, tmp_path: Path) -> None:
    _, report = audit_stall(case, tmp_path)
    assert "truncated_window_satisfied" not in [each.id for each in report.findings]


def flown(name: str, kind: str, turns: int, pays: list[float]) -> SurveyRow:
    """A row that is paid at the end of its episodes, of which the environment makes it."""
    made = row(name, kind, [0.0] * turns)
    for episode, pay in zip(made.episodes, pays, strict=True):
        episode.turns[-1].done, episode.episode_return = True, pay
    return replace(made, about="x" if kind == WHOLE else None)


def test_it_is_asked_on_most_seeds_and_beside_whole_episodes() -> None:
    full = flown("x", CUT, 2, [1.0] * 6)
    assert shows(full, flown("y", WHOLE, 9, [0.2] * 6))
    assert not shows(full, flown("y", WHOLE, 9, [0.9] * 6))
    assert not shows(flown("x", CUT, 2, [1.0] * 3 + [0.0] * 3), flown("y", WHOLE, 9, [0.2] * 6))


def test_the_end_is_early() -> None:
    way = CutShort({"do": "sell"}, {"do": "close"}, {"do": "wait"}, 10)
    assert list(way.waits) == [0, 1, 2, 3, 4]
