"""Episodes as token sequences, and how many tokens they are."""

from __future__ import annotations

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

from pathlib import Path

from gonogo.config import ModelConfig
from gonogo.models.pretrained import load_pretrained
from gonogo.models.tokenizer import scratch_format, train_tokenizer
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.types import Tokens
from gonogo.training.forecast import written
from gonogo.training.transcripts import count_tokens, flown, taught, texts

EPISODES = [
    Episode(
        n, {}, "x", "teacher",
        turns=[Turn(f"goal at {n}, {k} left", {}, action={"move": "north"}) for k in range(n + 1)],
    )
    for n in range(3)
]  # fmt: skip


def test_a_models_episode_is_joined_as_it_was() -> None:
    turns = [
        Turn("a", {}, tokens=Tokens((1, 2), (3,), (-0.5,))),
        Turn("b", {}),  # fell silent
        Turn("c", {}, tokens=Tokens((4,), (5, 6), (-0.1, -0.2))),
    ]
    transcript = flown(Episode(0, {}, "", "", turns=turns))
    assert transcript.ids == (1, 2, 3, 4, 5, 6)
    assert transcript.turn == (-1, -1, 0, -1, 2, 2)
    assert transcript.logprobs == (0.0, 0.0, -0.5, 0.0, -0.1, -0.2)


def test_a_teachers_refused_actions_are_shown_not_learned() -> None:
    own, other = {"do": "x"}, {"do": "y"}
    turns = [
        Turn("see 1", {}, action=own),
        Turn("see 2", {}, action=other),
        Turn("see 3", {}, action=own, invalid="no"),
        Turn("see 4", {}, action=own),
    ]
    episode = Episode(0, {}, "", "", turns=turns)
    tokenizer = train_tokenizer(texts([episode]), 280)
    form = scratch_format(tokenizer)
    transcript = taught(episode, tokenizer, form)
    assert set(transcript.turn) == {-1, 0, 1, 3}
    learned = [i for i, turn in zip(transcript.ids, transcript.turn, strict=True) if turn == 0]
    assert tokenizer.decode(learned) == '{"do":"x"}<|end|>'
    whole = "".join(
        f"<|user|>{turn.text}<|assistant|>{written(turn.action or {})}<|end|>" for turn in turns
    )
    assert tokenizer.decode(transcript.ids) == whole


@pytest.mark.parametrize(("noise", "learned"), [(True, {-1, 0, 1}), (False, {-1, 1})])
def test_what_noise_has_changed_is_learned_or_only_shown(noise: bool, learned: set[int]) -> None:
    turns = [
        Turn("see 1", {}, action={"do": "x"}, noisy=True),
        Turn("see 2", {}, action={"do": "y"}),
    ]
    episode = Episode(0, {}, "", "", turns=turns)
    tokenizer = train_tokenizer(texts([episode]), 280)
    form = scratch_format(tokenizer)
    transcript = taught(episode, tokenizer, form, noise=noise)
    assert set(transcript.turn) == learned
    assert transcript.ids == taught(episode, tokenizer, form).ids


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
    speaker = load_pretrained(str(chat), 512, "fly")
    wanted = taught(EPISODES[1], speaker.tokenizer, speaker.turns)
    assert short[1] == (len(wanted.ids), sum(turn >= 0 for turn in wanted.turn))
    for (whole, said), (longer, same) in zip(short, long, strict=True):
        assert longer > whole and same == said


def test_where_the_tokenizer_is_not_here_nothing_is_counted() -> None:
    assert count_tokens(ModelConfig(pretrained="some/body"), EPISODES, [""] * 3) is None
