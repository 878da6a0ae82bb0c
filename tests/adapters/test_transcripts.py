"""Which tokens learn: a model's own, a teacher's own, never what was shown or refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers", reason="the train extra is not installed")

from gonogo.adapters.transcripts import NoisyTeacher, flown, taught, texts, written
from gonogo.adapters.vocabulary import scratch_format, train_tokenizer
from gonogo.rollout.episodes import Episode, Turn
from gonogo.rollout.protocols import Reply, Tokens, View


class Fixed:
    """Always the same action."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.heard: list[Any] = []

    def begin(self, slots: Iterable[int]) -> None:
        self.heard.append(("begin", list(slots)))

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        action = {"by": self.name, "where": self.name}
        return {slot: Reply(action=action) for slot in views}

    def end(self, slots: Iterable[int]) -> None:
        self.heard.append(("end", list(slots)))

    def close(self) -> None:
        self.heard.append("close")


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


def test_noise_replaces_one_field_of_a_share_of_the_actions() -> None:
    teacher, explorer = Fixed("teacher"), Fixed("explorer")
    noisy = NoisyTeacher(teacher, explorer, 0.3, np.random.default_rng(0))
    noisy.begin(iter([0, 1]))
    views = {slot: View("", {}, {}, 0) for slot in range(4000)}
    actions = [reply.action or {} for reply in noisy.act(views).values()]
    noisy.end(iter([0]))
    noisy.close()
    own, drawn = {"by": "teacher", "where": "teacher"}, {"by": "explorer", "where": "explorer"}
    neighbours = [{**own, name: drawn[name]} for name in own]
    for neighbour in neighbours:
        assert actions.count(neighbour) / 4000 == pytest.approx(0.15, abs=0.02)
    assert actions.count(own) == 4000 - sum(actions.count(each) for each in neighbours)
    for policy in (teacher, explorer):
        assert policy.heard == [("begin", [0, 1]), ("end", [0]), "close"]
