"""What is known of an environment before its reward is written, on episodes whose answer is known."""

from __future__ import annotations

from gonogo.reward.facts import (
    PolicyEpisode,
    clocks,
    least_lengths,
    standing,
    success_field,
    turns_of,
)
from gonogo.rollouts.episodes import Episode, Turn


def test_a_clock_moves_alike_at_every_step() -> None:
    shown = [{"hour": n, "left": 9 - n, "noise": n * n, "door": 0, "open": n > 1} for n in range(4)]
    episode = Episode(0, {}, "t", "p", turns=[Turn("", seen) for seen in shown])
    assert clocks([episode]) == ["hour", "left"]


def test_success_is_said_in_the_metadata_or_the_observation() -> None:
    said = Episode(0, {}, "t", "p", final_metadata={"success": True}, final_observation={})
    assert success_field(said) == "success"
    said.final_metadata, said.final_observation = {"success": False}, {"solved": True}
    assert success_field(said) == "solved"


def test_a_success_that_stood_until_the_limit_took_the_turns_until_it_stood() -> None:
    turns = [Turn("", {"at": at, "solved": at == 2}) for at in (0, 1, 2, 2, 2)]
    kept = Episode(0, {}, "t", "p", turns=turns, timeout=True)
    flown = PolicyEpisode("solve", "reference", kept)
    by_field, by_rule = standing(None, ["at"], "solved"), standing("at == 2", ["at"], None)
    # The turn that was shown a success is not needed for it.
    assert turns_of(flown, by_field) == turns_of(flown, by_rule) == 2
    kept.timeout = False
    assert turns_of(flown, by_field) == 5


def test_half_of_the_shortest_text_that_succeeded_is_asked_for() -> None:
    schema = {
        "type": "object",
        "properties": {"note": {"type": "string"}, "move": {"enum": ["long", "short"]}},
    }
    notes = ("1234567890", "1234", "123456")
    good = [
        PolicyEpisode(
            "solve",
            "reference",
            Episode(0, {}, "t", "p", turns=[Turn("", {}, {"note": note, "move": "long"})]),
        )
        for note in notes
    ]
    assert least_lengths(schema, good) == {"note": 2}
    assert least_lengths(schema, []) == {}
