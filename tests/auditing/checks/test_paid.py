"""What is seen while something is paid, and whether it stays the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.auditing.rows import IDLE, row

from gonogo.auditing.checks.paid import Paid, shown_differently, standstill, tells_pay
from gonogo.auditing.survey import COMPARED, REFERENCE, Survey, SurveyRow
from gonogo.exploits.panel import Kind
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import JsonObject as Json


def watched(*seen: dict[str, object]) -> Episode:
    """An episode that saw some observations, each paid 0.1."""
    episode = row("x", Kind.CONSTANT, [0.1] * len(seen)).episodes[0]
    for turn, observation in zip(episode.turns, seen, strict=True):
        turn.observation, turn.reward = observation, 0.1  # type: ignore[assignment]
    return episode


def test_a_history_that_grows_and_what_repeats_with_the_lap_leave_all_as_it_was() -> None:
    facts = Paid(Survey({}, [IDLE]))
    turns = watched(*({"log": ["x"] * n, "stage": "ab"[n % 2]} for n in range(9))).turns
    assert facts.seen_still(turns, 2)
    assert not facts.seen_still(turns, 1)


@pytest.mark.parametrize(
    ("said", "still"),
    [
        ("Hour {n} of 60. The pot is warm.", True),
        ("Reward so far: {n}.", True),
        ("Room 7, at 13:0{n}.", True),
        ("{n} strokes are left.", False),
        ("Ore: {n}, hour 3.", False),
        ("What is {n} * 8? Reply with a number.", False),
    ],
)
def test_numbers_in_texts_are_products_but_for_clocks_and_scores(said: str, still: bool) -> None:
    idle = row("idle", Kind.IDLE, [0.0] * 9)
    for episode in idle.episodes:
        for number, turn in enumerate(episode.turns):
            turn.observation = {"text": f"Hour {number} of 60. The pot is warm."}
    facts = Paid(Survey({}, [idle]))
    turns = watched(*({"text": said.format(n=n)} for n in range(9))).turns
    assert facts.seen_still(turns) is still
    assert facts.makes(turns, 1) is not still


@pytest.mark.parametrize(
    ("name", "score"),
    [
        (".score", True), (".total", True), (".total_points", True), (".info.credits", True),
        (".total_fields_harvested", False), (".points_of_interest", False), (".learned", False),
    ],
)  # fmt: skip
def test_a_score_is_named_so_and_a_total_of_something_is_none(name: str, score: bool) -> None:
    assert tells_pay(name) is score


@pytest.mark.parametrize(("pays", "free"), [([0.5] * 6, True), ([0.5, 0.0] * 3, False)])
def test_an_end_that_is_paid_on_each_seed_alike_is_there_at_will(
    pays: list[float], free: bool
) -> None:
    leaving = row("x", Kind.CONSTANT, [0.5], action={"do": "close"})
    for episode, pay in zip(leaving.episodes, pays, strict=True):
        episode.turns[0].reward, episode.turns[0].done = pay, True
    facts = Paid(Survey({}, [IDLE, leaving]))
    assert facts.at_will(leaving.episodes[0]) is free


def test_what_gets_less_is_no_standing_still() -> None:
    facts = Paid(Survey({}, [IDLE]))
    assert not facts.seen_still(watched(*({"stock": 9 - n} for n in range(9))).turns)


def openings(*shown: Json) -> SurveyRow:
    made = row("idle", Kind.IDLE, [0.0, 0.0], action={"do": "wait"}, shown={"hello": "again"})
    for number, episode in enumerate(made.episodes):
        episode.turns[1].observation = shown[number % len(shown)]
    return made


@pytest.mark.parametrize(
    ("shown", "differ"),
    [
        ([{"page": "red"}, {"page": "blue"}, {"page": "green"}], True),
        ([{"page": "red"}, {"page": "blue"}], False),
        ([{"won": 0.1}, {"won": 0.2}, {"won": 0.3}], False),
        ([{"page": "won 1"}, {"page": "won 2"}, {"page": "won 3"}], False),
    ],
)
def test_tasks_differ_by_the_words_that_come_after_an_action(
    shown: list[Json], differ: bool
) -> None:
    assert shown_differently(Survey({}, [openings(*shown)])) is differ


def test_tasks_differ_by_what_is_seen_at_the_beginning_but_for_ids() -> None:
    made = openings({"page": "red"})
    for number, episode in enumerate(made.episodes):
        episode.turns[0].observation = {"size": number}
    assert shown_differently(Survey({}, [made]))
    for number, episode in enumerate(made.episodes):
        episode.turns[0].observation = {"id": f"3f2a9c1e-0000-4000-8000-00000000000{number}"}
    assert not shown_differently(Survey({}, [made]))


@pytest.mark.parametrize(("size", "takes"), [(10**9, True), (5, False)])
def test_a_number_without_narrow_bounds_is_told_by_what_was_tried(size: int, takes: bool) -> None:
    tried = row("x", Kind.EXTREME, [0.0], field="size", action={"size": size})
    assert Paid(Survey({}, [IDLE, tried])).takes_numbers is takes


def idling(rewards: list[float], *, cut: bool = True) -> Survey:
    """A survey of idling alone, in which a clock counts."""
    made = row("idle", Kind.IDLE, rewards, action={"do": "wait"})
    for episode in made.episodes:
        episode.turns[-1].done = not cut
        for n, turn in enumerate(episode.turns):
            turn.observation = {"clock": n, "seed": episode.task["seed"]}
    return Survey({}, [made])


def test_nothing_goes_on_where_only_what_idling_counts_changes_and_nothing_is_paid() -> None:
    still = standstill(idling([0.0] * 6))
    assert still is not None

    def turns(water: int, pays: list[float], last: str = "push") -> list[Turn]:
        (episode, *_) = row("x", Kind.CONSTANT, pays, action={"do": "push"}).episodes
        for n, turn in enumerate(episode.turns):
            turn.observation = {"clock": n, "water": water * n}
        episode.turns[-1].action = {"do": last}
        return episode.turns

    assert still(turns(0, [0.0] * 8))
    assert not still(turns(0, [0.3, 0.0, *[0.0] * 6]))  # what is paid has a length that counts
    assert not still(turns(1, [0.0] * 8))
    assert not still(turns(0, [0.0] * 7 + [0.1]))
    assert not still(turns(0, [0.0] * 8, last="pull"))


@pytest.mark.parametrize(("rewards", "cut"), [([0.0] * 6, False), ([-0.1] * 6, True)])
def test_where_idling_ends_or_is_paid_all_is_flown_to_the_end(
    rewards: list[float], cut: bool
) -> None:
    assert standstill(idling(rewards, cut=cut)) is None


def test_a_row_is_held_against_who_is_meant_to_succeed_in_the_same_episode() -> None:
    guide, other = row("solve", REFERENCE, [0.5]), row("x", Kind.CONSTANT, [0.5])
    survey = Survey({}, [IDLE, guide, other])
    assert Paid(survey).out_earns_reference(other)
    assert not Paid(replace(survey, drawn=True)).out_earns_reference(other)
    for episode in guide.episodes:
        episode.opened = "a short file"
    for episode in other.episodes:
        episode.opened = "a long file"
    assert not Paid(survey).out_earns_reference(other)


@pytest.mark.parametrize(("pays", "outdone"), [(0.95, True), (0.9, False), (0.5, False)])
def test_a_row_is_outdone_where_what_the_code_compares_earns_more_on_each_seed(
    pays: float, outdone: bool
) -> None:
    copy, found = row("copy", Kind.ECHO, [0.9]), row("put in", COMPARED, [pays])
    found.episodes[:] = found.episodes[:4]  # it is flown on few seeds
    survey = Survey({}, [IDLE, row("a", Kind.CONSTANT, [1.0]), copy, found])
    assert Paid(survey).is_outdone(copy) is outdone
    found.episodes[:] = found.episodes[:2]
    assert not Paid(survey).is_outdone(copy)
