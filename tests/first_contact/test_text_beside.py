"""``text_beside``: a field ``text`` stands beside the other fields; only a declared one stands for them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from gonogo.policies.named import find_policy
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.rollouts.engine import Flight, fly

FOLDER = Path(__file__).with_name("text_beside")
FLAGSHIP = Path(__file__).parents[2] / "envs" / "flightrules"


def test_the_question_and_the_options_are_read_beside_the_passage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(FOLDER)
    where = resolve("reading_env")
    with closing(connect(where, 4)) as connection:
        with closing(find_policy("pol:solve", where, connection.schemas, seed=0).policy) as policy:
            episodes = fly(connection, policy, [{"seed": n} for n in range(4)], Flight("reading"))
    for episode in episodes:
        assert episode.final_observation["correct"] is True
        passage, question, options, _ = episode.turns[0].text.splitlines()
        seen = episode.turns[0].observation
        assert passage == seen["text"]
        assert question == f"question: {seen['question']}"
        assert options.startswith('options: {"A": "')


@pytest.mark.skipif(not FLAGSHIP.is_dir(), reason="envs/flightrules is not there")
def test_the_flagship_declares_its_text_the_whole_view() -> None:
    with closing(connect(resolve(str(FLAGSHIP)), 1)) as connection:
        codec = connection.schemas.codec()
        answer = connection.reset({0: {"seed": 1}})[0]
        observation = answer.observation  # type: ignore[union-attr]
    assert codec.render(observation) == observation["text"]
    assert set(codec.left_out(observation)) == set(observation) - {"text"}
