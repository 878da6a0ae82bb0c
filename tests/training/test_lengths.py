"""How long an episode is before any tokenizer is there."""

from __future__ import annotations

import pytest

from gonogo.rollouts.episodes import Episode, Turn
from gonogo.training.lengths import MARKERS, bytes_of, most_tokens


def episode(*turns: Turn) -> Episode:
    return Episode(0, {}, "x", "someone", turns=list(turns))


def test_bytes_are_those_of_all_that_is_shown_and_said() -> None:
    assert bytes_of(episode()) == most_tokens(episode()) == 0
    shown, replied = Turn("é", {}), Turn("ab", {}, reply="🚀")
    assert bytes_of(episode(shown)) == 2
    assert bytes_of(episode(shown, replied)) == 2 + 2 + 4
    assert most_tokens(episode(shown, replied)) == 8 + 2 * MARKERS


def test_an_action_counts_where_there_is_no_reply() -> None:
    action = {"move": "north"}
    silent, said = Turn("", {}, action=action), Turn("", {}, action=action, reply="north!")
    assert bytes_of(episode(silent)) >= len('{"move":"north"}')
    assert bytes_of(episode(said)) == len("north!")


def test_no_tokenizer_of_bytes_exceeds_it() -> None:
    pytest.importorskip("trl", reason="the train extra is not installed")
    from gonogo.models.vocabulary import scratch_format, train_tokenizer
    from gonogo.training.transcripts import taught

    tokenizer = train_tokenizer([], 260)  # bytes alone
    flown = episode(*(Turn(f"seen {n}", {}, action={"move": "north", "n": n}) for n in range(3)))
    counted = taught(flown, tokenizer, scratch_format(tokenizer))
    assert len("seen 0" * 3) < len(counted.ids) <= most_tokens(flown)
