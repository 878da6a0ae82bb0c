"""Which tokens learn: a model's own, a teacher's own, never what was shown or refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers", reason="the train extra is not installed")

from gonogo.models.vocabulary import scratch_format, train_tokenizer
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.types import Reply, Tokens, View
from gonogo.training.transcripts import NoisyTeacher, flown, taught, texts, written


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


@pytest.mark.parametrize(("together", "shared"), [(False, 0.03), (True, 0.1)])
def test_noise_replaces_each_field_as_often_as_it_says_where_it_says(
    together: bool, shared: float
) -> None:
    teacher, explorer = Fixed("teacher"), Fixed("explorer")
    noise = {"by": 0.3, "where": 0.1, "unsaid": 0.9}
    noisy = NoisyTeacher(
        teacher,
        explorer,
        lambda options: noise if options["level"] == "easy" else {},
        np.random.default_rng(0),
        together=together,
    )
    noisy.begin(iter([0, 1]))
    views = {
        slot: View("", {}, {"level": "easy" if slot < 4000 else "hard"}, 0) for slot in range(4100)
    }
    replies = noisy.act(views)
    assert all(
        replies[slot].action == {"by": "teacher", "where": "teacher"} for slot in range(4000, 4100)
    )
    assert not any(replies[slot].noisy for slot in range(4000, 4100))
    actions = [replies[slot].action or {} for slot in range(4000)]
    for slot, action in enumerate(actions):
        assert replies[slot].noisy == ("explorer" in action.values())
    noisy.end(iter([0]))
    noisy.close()
    assert all(set(action) == {"by", "where"} for action in actions)
    for name in ("by", "where"):
        share = sum(action[name] == "explorer" for action in actions) / 4000
        assert share == pytest.approx(noise[name], abs=0.025)
    both = sum(action == {"by": "explorer", "where": "explorer"} for action in actions) / 4000
    assert both == pytest.approx(shared, abs=0.01)
    for policy in (teacher, explorer):
        assert policy.heard == [("begin", [0, 1]), ("end", [0]), "close"]
