"""Lost episodes: counted, explained by their commonest reason, and too many above a share."""

from __future__ import annotations

import pytest

from gonogo.errors import EnvironmentFailure
from gonogo.rollouts.losses import Losses, check_losses, losses_in_words, too_many


def test_the_commonest_reason_is_told_although_its_numbers_differ() -> None:
    errors = ["it died", "no answer within 2 s in slot 3", "no answer within 2 s in slot 4"]
    said = losses_in_words(errors, 40)
    assert said.startswith(
        "3 of 40 episodes lost; the commonest reason (of 2): no answer within 2 s in slot 3"
    )


@pytest.mark.parametrize(("lost", "answer"), [(0, False), (5, False), (6, True), (100, True)])
def test_more_than_a_twentieth_is_too_many(lost: int, answer: bool) -> None:
    assert too_many(lost, 100) is answer


def test_few_are_said_and_many_are_a_failure_that_is_held() -> None:
    assert check_losses("traces", [], 100) is None
    assert check_losses("traces", ["it died"], 100) == (
        "traces: 1 of 100 episodes lost; the commonest reason: it died"
    )
    with pytest.raises(EnvironmentFailure, match=r"traces: 64 of 100 .* more than 5%") as caught:
        check_losses("traces", ["no answer within 5 s"] * 64, 100)
    assert caught.value.exit_code == 3


def test_what_is_lost_batch_by_batch_holds_as_soon_as_it_is_more_than_is_borne_of_all() -> None:
    losses = Losses("flights", 100)
    assert losses.take([]) is None
    assert losses.take(["it died"] * 3) == (
        "flights: 3 of 100 episodes lost; the commonest reason: it died"
    )
    resumed = Losses("flights", 100)
    resumed.restore(losses.state())
    resumed.take(["it died"] * 2)
    with pytest.raises(EnvironmentFailure, match="flights: 6 of 100 episodes lost"):
        resumed.take(["it died"])
    assert len(losses.errors) == 3
