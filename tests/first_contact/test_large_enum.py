"""``large_enum``: instructions and refusals count what they leave out, and a plan reckons with their size."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.errors import CodecError
from gonogo.rollouts.engine import Flight, fly
from gonogo.rollouts.builtin_policies import ScriptedPolicy
from gonogo.rollouts.types import Reply

WORDS = str(Path(__file__).with_name("large_enum") / "words_env")
REFUSED = 1000
"""Characters that no refusal exceeds."""


def test_a_choice_of_thousands_is_told_and_refused_in_few_words() -> None:
    with closing(connect(resolve(WORDS), 2)) as connection:
        codec = connection.schemas.codec()
        wrong, unread = Reply(action={"word": "nosuch"}), Reply(text='{"word": "nosuch"}')
        policy = ScriptedPolicy([[wrong], [unread]])
        episodes = fly(connection, policy, [{"seed": 1}, {"seed": 1}], Flight("words", 2))
    told = codec.instructions()
    assert "… and 39" in told and len(told) < 2 * REFUSED
    with pytest.raises(CodecError, match=r"… and 39\d\d more"):
        codec.parse('{"word": "nosuch"}')
    for episode in episodes:  # the environment's own words, and the codec's
        assert all(turn.invalid for turn in episode.turns)
        assert max(len(turn.invalid or "") for turn in episode.turns) < REFUSED
        assert len(episode.turns[1].text) < REFUSED + 200
