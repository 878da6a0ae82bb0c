"""Tokens of episodes are those that a training will see."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

from gonogo.config import ModelConfig
from gonogo.models import saved as models
from gonogo.models.vocabulary import scratch_format, train_tokenizer
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.training.token_counts import count_tokens
from gonogo.training.transcripts import taught, texts

EPISODES = [
    Episode(
        n, {}, "x", "teacher",
        turns=[Turn(f"goal at {n}, {k} left", {}, action={"move": "north"}) for k in range(n + 1)],
    )
    for n in range(3)
]  # fmt: skip


def test_a_model_from_scratch_counts_by_the_tokenizer_that_it_will_get() -> None:
    counts = count_tokens(ModelConfig(vocabulary=300), EPISODES, ["told"] * 3)
    tokenizer = train_tokenizer(texts(EPISODES), 300)
    wanted = [taught(each, tokenizer, scratch_format(tokenizer)) for each in EPISODES]
    assert counts == [(len(t.ids), sum(turn >= 0 for turn in t.turn)) for t in wanted]
    assert counts is not None and all(said < whole for whole, said in counts)
    other = [Episode(0, {}, "x", "t", turns=[Turn("something else", {}, action={"a": 1})])]
    bytewise = count_tokens(ModelConfig(vocabulary=300), EPISODES, ["told"] * 3, spelled=other)
    assert bytewise is not None and bytewise[2][0] > counts[2][0]


def test_a_chat_model_counts_what_it_is_told_too(chat: Path) -> None:
    config = ModelConfig(pretrained=str(chat))
    short, long = (count_tokens(config, EPISODES, [told] * 3) for told in ("fly", "fly " * 20))
    assert short is not None and long is not None
    speaker = models.load_pretrained(str(chat), 512, "fly")
    wanted = taught(EPISODES[1], speaker.tokenizer, speaker.turns)
    assert short[1] == (len(wanted.ids), sum(turn >= 0 for turn in wanted.turn))
    for (whole, said), (longer, same) in zip(short, long, strict=True):
        assert longer > whole and same == said


def test_where_the_tokenizer_is_not_here_nothing_is_counted() -> None:
    assert count_tokens(ModelConfig(pretrained="some/body"), EPISODES, [""] * 3) is None
