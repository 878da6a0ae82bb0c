"""A survey flies every policy on the same seeds; its rows say who failed, who succeeded and who was lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.auditing.conftest import Opened
from tests.auditing.rows import IDLE, SOLVED, row

from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import (
    FARM,
    MILESTONE,
    MOST_LOST,
    REFERENCE,
    Survey,
    SurveyRow,
    is_paid,
    late_pay,
    lessened,
    out_earns,
    screened,
    size,
    survey,
)
from gonogo.exploits.panel import Kind
from gonogo.rollouts.episodes import Episode, Turn

TAKE = {"op": "take", "box": 7}


def test_episodes_in_which_all_was_refused_are_no_failures() -> None:
    refused = Episode(0, {}, "t", "p", turns=[Turn("", {}, invalid="no")], success=False)
    refused.episode_return = 0.0
    ended = replace(refused, turns=[*refused.turns, Turn("", {}, action=TAKE, reward=0.0)])
    assert SurveyRow("x", "nan", [refused, ended]).failed == [ended]


def test_everything_is_flown_on_the_same_seeds(opened: Callable[..., Opened]) -> None:
    session, _ = opened("paid_for_idling:Sound")
    flown = survey(session, {}, [3, 4])
    assert {tuple(e.task["seed"] for e in row.episodes) for row in flown.rows} >= {(3, 4)}
    assert flown.idle.kind == Kind.IDLE and not flown.broken_off
    (guide,) = flown.of_kind(REFERENCE)
    assert len(guide.succeeded) == 2 and guide.failed == []
    assert flown.of_kind(MILESTONE)
    names = [row.name for row in flown.rows]
    assert len(names) == len(set(names))
    assert len(flown.episodes) == sum(len(row.episodes) for row in flown.rows)
    seen = {
        bool(row.episodes[0].turns[0].observation) for row in flown.of_kind(Kind.IDLE, REFERENCE)
    }
    assert seen == {True}
    (random,) = flown.of_kind(Kind.RANDOM)
    assert not random.episodes[0].turns[0].observation


def test_a_survey_is_broken_off_where_everything_is_lost(
    session_of: Callable[[str], AuditSession],
) -> None:
    flown = survey(session_of("tests.zoo.single:Fragile"), {}, [5, 6])
    assert flown.broken_off and len(flown.rows) == MOST_LOST
    assert all(row.lost and row.failed == row.succeeded == [] for row in flown.rows)


def test_a_plan_is_flown_on_all_seeds_only_where_a_few_promise(
    opened: Callable[..., Opened],
) -> None:
    session, flown = opened("paid_for_idling:Defect")
    plans = [(episode.task, [{"power": 0.0}]) for episode in flown.idle.episodes[:5]]
    assert screened(session, "none", plans, lambda _: False) == []
    assert len(screened(session, "all", plans, is_paid)) == 5
    assert screened(session, "nothing", [], is_paid) == []


def test_rows_are_found_by_kind() -> None:
    flown = Survey({}, [IDLE, SOLVED, farm := row("round", FARM, [0.5])])
    assert flown.idle is IDLE
    assert flown.of_kind(FARM, REFERENCE) == [SOLVED, farm]
    assert (IDLE.lost, SOLVED.lost) == (False, False)


def test_what_is_paid_late_is_the_second_half_after_what_was_begun() -> None:
    (episode,) = row("x", FARM, [1.0, 2.0, 4.0, 8.0, 16.0]).episodes[:1]
    assert late_pay(episode, 0) == 28.0
    assert late_pay(episode, 3) == 16.0


def test_an_episode_out_earns_the_guide_on_its_own_seed() -> None:
    good = [(e.task, e.turns) for e in SOLVED.episodes]
    more = out_earns(good)
    assert [more(e) for e in row("x", FARM, [1.5]).episodes[:2]] == [True, True]
    assert not more(row("x", FARM, [1.0]).episodes[0])
    assert (is_paid(SOLVED.episodes[0]), is_paid(IDLE.episodes[0])) == (True, False)


@pytest.mark.parametrize(
    ("value", "items"), [({"a": [1, [2, 3]], "b": {}}, 6), ([], 0), ("text", 0), (None, 0)]
)
def test_what_is_seen_has_a_size(value: object, items: int) -> None:
    assert size(value) == items


def test_less_is_seen_at_the_end_than_at_the_beginning() -> None:
    full, empty = {"rows": [1, 2]}, {"rows": []}
    for first, last, less in ((full, empty, True), (empty, full, False), (full, full, False)):
        episode = Episode(0, {}, "t", "p", turns=[Turn("", first)], final_observation=last)
        assert lessened(episode) is less
    assert not lessened(Episode(0, {}, "t", "p"))
