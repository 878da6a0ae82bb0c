"""The headline numbers, on rows made by hand: what is not known is None and never 0."""

from __future__ import annotations

import pytest

from gonogo.auditing.numbers import distinct, out_earning, reachability
from gonogo.auditing.survey import REFERENCE, Survey, SurveyRow
from gonogo.exploits.panel import Kind
from gonogo.records.audit import SeedVariety
from gonogo.rollouts.episodes import Episode, Turn


def row(name: str, kind: str, *ends: tuple[float, bool | None]) -> SurveyRow:
    """One episode for each return and success, all seen alike."""
    episodes = [
        Episode(
            n,
            {"seed": n},
            "t",
            name,
            turns=[Turn("", {"same": 1}, reward=paid)],
            episode_return=paid,
            success=success,
        )
        for n, (paid, success) in enumerate(ends)
    ]
    return SurveyRow(name, kind, episodes)


IDLE = row("idle", Kind.IDLE, (0.0, False), (0.0, False))


@pytest.mark.parametrize(
    ("ends", "wanted"),
    [
        ([(1.0, True), (0.0, False)], 0.5),
        ([(0.0, False), (0.0, False)], 0.0),
        ([(1.0, True), (0.0, None)], 0.5),
    ],
)
def test_reachability_is_the_share_of_successes(
    ends: list[tuple[float, bool | None]], wanted: float
) -> None:
    found = reachability(Survey({}, [IDLE, row("guide", REFERENCE, *ends)]))
    assert found is not None
    assert (found.policy, found.mean) == ("guide", wanted)


def test_where_success_is_never_said_nothing_is_known_of_it() -> None:
    silent = Survey({}, [IDLE, row("guide", REFERENCE, (1.0, None), (1.0, None))])
    assert reachability(silent) is None
    assert reachability(Survey({}, [IDLE])) is None


def test_failures_that_out_earn_successes_are_counted_on_the_same_seed() -> None:
    guide = row("guide", REFERENCE, (1.0, True), (-1.0, True))
    found = out_earning(Survey({}, [IDLE, guide]))
    assert found is not None
    assert (found.same_seed, found.auroc) == (0.5, 0.5)
    assert out_earning(Survey({}, [IDLE])) is None


def test_episodes_that_look_alike_are_one() -> None:
    assert distinct(IDLE) == SeedVariety(different=1, seeds=2)
