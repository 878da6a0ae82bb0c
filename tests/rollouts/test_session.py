"""The identity rule, case by case."""

from __future__ import annotations

import pytest

from gonogo.rollouts.session import Identity, Session, identity_of


def verdicts(*identities: Identity | None, previous: str | None = None) -> list[str | None]:
    session = Session(identities[0], previous)
    return [session.check(identity) for identity in identities[1:]]


@pytest.mark.parametrize(
    "identities",
    [
        [("a", 0), ("a", 1), ("a", 2), ("a", 3)],
        [("a", 5), ("a", 6)],
        [("a", 0), ("a", 10), ("a", 25)],  # counts something else than steps
        [("a", 0), ("a", 1), ("a", 1), ("a", 2)],  # an id tells, so a step may go uncounted
        [(None, 0), (None, 1), (None, 2), (None, 2)],
        [(None, 0), (None, 0), (None, 0)],  # counts nothing
        [("a", None), ("a", None)],
        [(None, None), (None, None)],
        [None, None],
    ],
)
def test_sound_environments_pass(identities: list[Identity | None]) -> None:
    assert verdicts(*identities) == [None] * (len(identities) - 1)


@pytest.mark.parametrize(
    ("identities", "said"),
    [
        ([("a", 0), ("b", 1)], "episode_id changed from 'a' to 'b'"),
        ([("a", 0), (None, 1)], "episode_id changed from 'a' to None"),
        ([(None, 0), ("a", 1)], "episode_id changed from None to 'a'"),
        ([("a", 3), ("a", 2)], "step_count went back from 3 to 2"),
        ([("a", 0), ("a", 1), ("a", 3)], "step_count went from 1 to 3 in one step"),
        ([(None, 0), (None, 1), (None, 1)], "step_count stayed at 1"),
        ([("a", 0), ("a", None)], "came or went"),
        ([("a", None), ("a", 1)], "came or went"),
        ([("a", 0), None], "can no longer be read"),
    ],
)
def test_a_lost_episode_is_seen(identities: list[Identity | None], said: str) -> None:
    verdict = verdicts(*identities)[-1]
    assert verdict is not None
    assert said in verdict


def test_an_id_that_every_episode_shares_tells_nothing() -> None:
    shared = [("same", 0), ("same", 1), ("same", 1)]
    assert verdicts(*shared) == [None, None]
    assert verdicts(*shared, previous="same")[-1] is not None


def test_a_refused_action_may_be_counted_or_not() -> None:
    session = Session(("a", 0))
    assert session.check(("a", 1)) is None
    assert session.check(("a", 1), refused=True) is None
    assert session.check(("a", 2), refused=True) is None
    assert session.check(("a", 3)) is None
    assert session.check(("a", 1), refused=True) is not None


def test_an_error_may_have_come_between_the_count_and_the_state_that_shows_it() -> None:
    session = Session(("a", 0))
    assert session.check(("a", 1)) is None
    assert session.check(("a", 1), refused=True) is None
    assert session.check(("a", 1), refused=True) is None
    assert session.check(("a", 4)) is None
    assert session.check(("a", 6)) == "step_count went from 4 to 6 in one step"
    first = Session(("a", 0))
    assert first.check(("a", 0), refused=True) is None
    assert first.check(("a", 2)) is None
    assert first.check(("a", 4)) is not None


def test_a_step_past_the_end_need_not_count_and_one_before_it_must() -> None:
    for ended, wrong in ((True, False), (False, True)):
        session = Session((None, 0))
        assert session.check((None, 1)) is None
        assert (session.check((None, 1), ended=ended) is not None) is wrong


@pytest.mark.parametrize("count", ["active", 1.0, None, True, [1], {"a": 1}])
def test_what_is_no_whole_number_counts_nothing(count: object) -> None:
    assert identity_of("a", count) == ("a", None)


@pytest.mark.parametrize("name", [7, None, ["a"], True])
def test_what_is_no_text_names_no_episode(name: object) -> None:
    assert identity_of(name, 3) == (None, 3)
