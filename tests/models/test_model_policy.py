"""A model flies a foreign environment: tokens are kept, groups differ, the batch does not matter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch

from gonogo.config import ModelConfig
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.errors import OutOfMemory
from gonogo.models import saved as models
from gonogo.models.model_policy import ModelPolicy
from gonogo.models.pretrained import load_pretrained
from gonogo.models.tokenizer import Speaker, encode, train_tokenizer
from gonogo.rollouts.engine import Flight, fly
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Connection, Reply, View
from gonogo.training.transcripts import flown

TEXTS = ["goal_east: 1\ngoal_north: -2\nsteps_left: 12", '{"move":"north","stride":1}'] * 9
TASKS = [{"split": "train", "index": n // 2} for n in range(6)]


@pytest.fixture(scope="module")
def speaker() -> Speaker:
    config = ModelConfig(
        hidden=32, intermediate=48, layers=2, heads=2, vocabulary=300, context=2048
    )
    return models.make(config, train_tokenizer(TEXTS, 300), seed=4)


@pytest.fixture(scope="module")
def grid(gridworld: Path) -> Iterator[Connection]:
    connection = connect(resolve(str(gridworld)), 6)
    yield connection
    connection.close()


def flights(
    speaker: Speaker, grid: Connection, slots: int, temperature: float | None
) -> list[Episode]:
    policy = ModelPolicy(speaker, "m", max_reply_tokens=5, temperature=temperature, seed=(1, 2))
    return fly(grid, policy, TASKS, Flight("grid", max_turns=3, slots=slots))


def test_tokens_are_what_was_seen_and_said(speaker: Speaker, grid: Connection) -> None:
    tokenizer, turns = speaker.tokenizer, speaker.turns
    for episode in flights(speaker, grid, 6, 1.0):
        closed = True
        for number, turn in enumerate(episode.turns):
            assert turn.tokens is not None and turn.reply is not None
            seen = encode(tokenizer, turn.text)
            assert turn.tokens.prompt_ids == turns.chunk(seen, turn=number, closed=closed)
            said = turn.tokens.completion_ids
            closed = said[-1] == turns.end
            assert tokenizer.decode(said[:-1] if closed else said) == turn.reply
            assert len(said) <= 5


def test_log_probabilities_are_those_of_one_pass_over_the_episode(
    speaker: Speaker, grid: Connection
) -> None:
    for episode in flights(speaker, grid, 6, 0.7):
        transcript = flown(episode)
        ids = torch.tensor(transcript.ids)
        with torch.inference_mode():
            scores = (speaker.model(ids[None]).logits[0] / 0.7).log_softmax(-1)
        for place, (turn, logprob) in enumerate(
            zip(transcript.turn, transcript.logprobs, strict=True)
        ):
            if turn >= 0:
                assert float(scores[place - 1, ids[place]]) == pytest.approx(logprob, abs=1e-4)
            else:
                assert logprob == 0.0


def said(episodes: list[Episode]) -> list[list[Any]]:
    return [[turn.reply for turn in episode.turns] for episode in episodes]


def test_a_group_differs_and_repeats_whoever_else_flies(speaker: Speaker, grid: Connection) -> None:
    together = said(flights(speaker, grid, 6, 1.0))
    assert together[0] != together[1]  # two episodes of the same task
    assert said(flights(speaker, grid, 2, 1.0)) == together
    greedy = said(flights(speaker, grid, 6, None))
    assert greedy[0] == greedy[1]
    assert said(flights(speaker, grid, 1, None)) == greedy


def test_a_bound_on_memory_flies_fewer_at_once_and_changes_nothing(
    speaker: Speaker, grid: Connection
) -> None:
    # 2 layers of 2 heads of 16 in fp32: 1 MiB for an episode of 2,048 tokens, and one for what is shared.
    policy = ModelPolicy(
        speaker, "m", max_reply_tokens=5, temperature=1.0, seed=(1, 2), cache_mib=3
    )
    assert policy.most == 2
    most = []
    episodes = fly(
        grid, policy, TASKS, Flight("grid", max_turns=3, slots=6),
        on_progress=lambda progress: most.append(progress.flying),
    )  # fmt: skip
    assert max(most) == 2
    assert said(episodes) == said(flights(speaker, grid, 6, 1.0))


def test_an_episode_that_outgrows_the_context_ends_there(speaker: Speaker) -> None:
    short = Speaker(speaker.model, speaker.tokenizer, speaker.turns, context=40)
    policy = ModelPolicy(short, "m", max_reply_tokens=4)
    policy.begin([0, 1])
    replies = []
    for turn in range(12):
        text = "goal" if turn else "goal_east: 1"
        replies.append(policy.act({slot: View(text, {}, {"seed": slot}, turn) for slot in (0, 1)}))
    assert replies[0][0].tokens is not None
    assert replies[-1] == {slot: Reply(overflows=True) for slot in (0, 1)}
    policy.end([0])
    policy.begin([0])
    assert policy.act({0: View("goal", {}, {}, 0)})[0].tokens is not None
    policy.close()


def test_a_flight_that_the_memory_does_not_hold_says_what_to_lower(chat: Path) -> None:
    """Any command that flies a model: the cache of keys and values cannot be made."""
    speaker = load_pretrained(str(chat), 4096, None)
    flying = ModelPolicy(speaker, "it", max_reply_tokens=4)
    flying._decoder._cache._width = 2**50  # type: ignore[attr-defined]
    lower = pytest.raises(OutOfMemory, match=r"lower rollout.slots")
    with lower:
        flying.act({0: View("east", {}, {}, 0)})
    speaker.context = 2**50
    with lower:
        ModelPolicy(speaker, "it", max_reply_tokens=4)
