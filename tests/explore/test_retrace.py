"""A way that was found on one seed is gone on another, by what is shown there."""

from __future__ import annotations

import pytest

from gonogo.explore.retrace import RetracingPolicy, WayStep, way_of
from gonogo.rollouts.episodes import Turn
from gonogo.rollouts.types import View
from gonogo.wire import Action, JsonValue, Observation

CHOICES = frozenset({"dig", "deliver"})


def again(actions: list[Action], then: list[Observation], *shown: Observation) -> list[Action]:
    """What is sent where something else is shown, after a way of which this was seen."""
    turns = [Turn("", seen, action=action) for seen, action in zip(shown, actions, strict=True)]
    policy = RetracingPolicy("again", way_of(turns, CHOICES), None)
    policy.begin([0])
    sent = [policy.act({0: View("", seen, {}, n)})[0].action for n, seen in enumerate(then)]
    return [action or {} for action in sent]


@pytest.mark.parametrize(
    ("seen", "action", "now", "sent"),
    [
        ({"pits": [{"id": "p-9"}]}, {"pit": "p-9"}, {"pits": [{"id": "p-4"}]}, {"pit": "p-4"}),
        ({"pits": {"p-9": [1]}}, {"pit": "p-9"}, {"pits": {"p-4": [1]}}, {"pit": "p-4"}),
        ({"say": "go to 'oak'."}, {"to": "oak"}, {"say": "go to 'elm'."}, {"to": "elm"}),
        ({"x": {"price": 37}}, {"price": 37}, {"x": {"price": 12}}, {"price": 12}),
        ({"a": 37, "left": 5}, {"price": 37}, {"a": 12, "left": 5}, {"price": 37}),
        ({"a": "dig"}, {"do": "dig"}, {"a": "deliver"}, {"do": "dig"}),
        ({"a": 1}, {"a": 1}, {"a": 2}, {"a": 1}),
        ({"ids": ["r7"]}, {"all": [{"id": "r7"}]}, {"ids": ["r8"]}, {"all": [{"id": "r8"}]}),
        ({"ids": ["r7"]}, {"id": "r7"}, {"ids": []}, {"id": "r7"}),
    ],
)
def test_what_was_shown_is_taken_from_there_again(
    seen: Observation, action: Action, now: Observation, sent: Action
) -> None:
    assert again([action], [now], seen) == [sent]


def test_what_only_the_first_observation_shows_is_remembered() -> None:
    seen: list[Observation] = [{"ids": ["r7"]}, {"ids": []}]
    now: list[Observation] = [{"ids": ["r8"]}, {"ids": []}]
    actions: list[Action] = [{"do": "dig"}, {"id": "r7"}]
    assert again(actions, now, *seen) == [{"do": "dig"}, {"id": "r8"}]


@pytest.mark.parametrize("then", [None, {"do": "nothing"}])
def test_after_the_way_one_thing_is_done_to_the_end(then: Action | None) -> None:
    policy = RetracingPolicy("again", [WayStep({"do": "dig"}, ())], then)
    policy.begin([3])
    sent: list[JsonValue] = [policy.act({3: View("", {}, {}, turn)})[3].action for turn in range(3)]
    last = {"do": "dig"} if then is None else then
    assert sent == [{"do": "dig"}, last, last]


def test_no_turns_are_no_way() -> None:
    assert way_of([], CHOICES) == []
