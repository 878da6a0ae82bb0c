"""How long turns and replies are, from the episodes that can say it."""

from __future__ import annotations

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

from dataclasses import replace
from pathlib import Path

from tests.contract.walking import LONGEST, run

from gonogo.config import ModelConfig
from gonogo.env.environment import Env
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.types import Schemas
from gonogo.training.plan.measurements import by_length, measure, tokens_of, told_off
from gonogo.training.plan.task_splits import Level

ROOT = Path(__file__).parents[3]


def flown(turns: int, *, refused: bool = False, power: float = 0.5) -> Episode:
    turn = Turn("It is cold. " * 8, {}, action=None if refused else {"power": power})
    if refused:
        turn.invalid = "no"
    return Episode(0, {}, "cold", "somebody", turns=[turn] * turns, episode_return=0.0)


def test_a_reply_is_as_long_as_any_that_was_taken_also_where_the_longest_episodes_took_none() -> (
    None
):
    model = ModelConfig(vocabulary=300)
    episodes = [flown(40, refused=True), flown(2)]
    _, _, first, reply = tokens_of(model, episodes, "told to nobody", flown(2))
    assert first == 0  # one made from scratch is told nothing
    assert reply >= 3


def test_without_the_tokenizer_bytes_stand_for_tokens() -> None:
    model = ModelConfig(pretrained="nobody/has-this")
    turn, _, first, reply = tokens_of(model, [flown(40), flown(2)], "told", flown(2))
    assert (first, reply) == (4, len('{"power": 0.5}'))
    assert turn >= len("It is cold. " * 8)


def test_levels_come_from_the_shortest_episodes_to_the_longest() -> None:
    levels = [Level("level", name) for name in ("long", "short", "short too")]
    episodes = [flown(turns) for turns in (9, 9, 9, 9, 2, 2, 2, 2, 2, 2, 2, 2)]
    assert [level.name for level in by_length(levels, episodes)] == ["short", "short too", "long"]


def test_a_refused_reply_counts_at_the_size_of_its_refusal() -> None:
    words = [f"word{number}" for number in range(4000)]
    action = {"properties": {"word": {"enum": words}}, "required": ["word"]}
    seen = Turn("hint: w", {"hint": "w"}, action={"word": "word7"})
    episode = Episode(0, {}, "words", "somebody", turns=[seen] * 3, episode_return=0.0)
    off = told_off(episode, Schemas(action, {}, {}), [episode])
    assert off.turns[2].text.startswith("Your last reply was not accepted: word: enum [")
    assert "… and 39" in off.turns[0].text
    assert len(off.turns[0].text) < 600, "bounded"
    turn, refused, _, _ = tokens_of(ModelConfig(vocabulary=300), [episode], "", off)
    assert refused > 4 * turn
    said = Turn("", {}, action={"word": "word7"}, invalid="x" * 900)
    again = replace(episode, turns=[said])
    assert "x" * 900 in told_off(episode, Schemas(action, {}, {}), [again]).turns[0].text


def test_a_plan_flies_to_the_ends_and_leaves_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    pytest.importorskip("trl", reason="the train extra is not installed")
    planned = run("Marathon", tmp_path).within(600)
    measured = measure(planned, Env.of(planned), {}, 0, [], None)
    assert measured.cut == (0, 8)
    assert measured.ended is not None
    assert 128 < measured.ended <= LONGEST
    short = run("Marathon", tmp_path)
    cut = measure(short, Env.of(short), {}, 0, [], None)
    assert (cut.cut, cut.ended, cut.limit) == ((8, 8), None, 64)
