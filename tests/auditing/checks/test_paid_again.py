"""What is paid again for the same thing."""

from __future__ import annotations

from tests.auditing.rows import row

from gonogo.auditing.checks.paid_again import Look, repaid
from gonogo.exploits.panel import Kind


def test_a_look_tells_the_laps_of_two_actions_in_turn() -> None:
    episode = row("x", Kind.CONSTANT, [0.1, 0.0] * 6).episodes[0]
    for number, turn in enumerate(episode.turns):
        turn.action = {"op": "ab"[number % 2]}
    look = Look.of(episode)
    assert (look.lap, look.pays_to_the_end) == (2, True)
    for turn in episode.turns[6:]:
        turn.reward = 0.0
    assert not Look.of(episode).pays_to_the_end


def test_what_is_paid_once_is_paid_again_only_where_each_later_step_is_paid_the_same() -> None:
    assert repaid(row("x", Kind.CONSTANT, [0.1] * 8).episodes[0])
    assert not repaid(row("x", Kind.CONSTANT, [0.1, *[0.0] * 7]).episodes[0])
