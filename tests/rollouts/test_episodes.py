"""Episode records: one line each, there and back; those that belong together are a file, a table and a replay."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from gonogo import api
from gonogo.env.environment import Env
from gonogo.errors import MissingRecord, StaleRecord
from gonogo.rollouts.episodes import (
    Episode,
    Episodes,
    Turn,
    read_components,
    read_episodes,
    read_success,
    short_values,
)
from gonogo.rollouts.types import Tokens, Transition
from gonogo.wire import JsonObject as Json


def flown() -> Episode:
    tokens = Tokens((1, 2), (3, 4), (-0.1, -1e-17))
    turns = [
        Turn("a\nb", {"x": 0.1 + 0.2}, {"burn": "ü", "nan": math.nan}, None, None, 0.1, False, 0.5),
        Turn("c", {}, None, "what? \ud800", "not JSON", None, False, 0.5, tokens),
        Turn("d", {"x": None}, {}, "{}", None, 0.2, True, 1.0, noisy=True),
    ]
    return Episode(3, {"seed": 1}, "target", "policy", "sampled", 7, turns)


def test_there_and_back() -> None:
    episode = flown()
    episode.close(
        Transition({"x": 1}, 0.2, True, {"success": True}), out_of_turns=False, error=None
    )
    line = episode.to_json()
    again = Episode.from_json(line)
    assert "\n" not in line
    assert line.isascii()
    assert again.to_json() == line
    assert again.turns[1:] == episode.turns[1:]
    assert again.episode_return == math.fsum([0.1, 0.2])
    assert json.loads(line)["return"] == again.episode_return


def test_an_episode_that_outgrew_a_context_is_marked_and_scored_by_what_was_paid() -> None:
    episode = flown()
    last = Transition({}, 0.2, False, {"success": None})
    episode.close(last, out_of_turns=False, outgrown=True, error=None)
    assert (episode.context_overflow, episode.timeout, episode.success) == (True, False, False)
    assert episode.episode_return == math.fsum([0.1, 0.2])
    assert Episode.from_json(episode.to_json()).context_overflow
    at_once = Episode(0, {}, "", "")
    at_once.close(Transition({}, None, False), out_of_turns=False, outgrown=True, error=None)
    assert (at_once.episode_return, at_once.success) == (0.0, None)
    assert "context_overflow" not in flown().to_json(), "records from before read the same"


def test_what_its_reset_showed_is_kept_as_a_mark_where_somebody_took_it() -> None:
    episode = flown()
    assert "opened" not in json.loads(episode.to_json())
    episode.opened = "3f"
    assert Episode.from_json(episode.to_json()).opened == "3f"


def test_what_was_not_scored_is_none() -> None:
    lost = flown()
    lost.close(Transition({}, 0.2, True, {"success": True}), out_of_turns=False, error="crash")
    assert (lost.episode_return, lost.success, lost.error) == (None, None, "crash")
    unpaid = Episode(0, {}, "", "", turns=[Turn("", {})])
    unpaid.close(Transition({}, None, True), out_of_turns=False, error=None)
    assert unpaid.episode_return is None


def test_a_policy_that_never_acts_has_earned_nothing() -> None:
    mute = Episode(0, {}, "", "", turns=[Turn("", {}, reply="?", invalid="no JSON")] * 2)
    mute.close(Transition({}, None, False, {"success": None}), out_of_turns=True, error=None)
    assert (mute.episode_return, mute.success, mute.timeout) == (0.0, False, True)


def test_undecided_when_the_turns_ran_out_is_no_success_where_success_is_said() -> None:
    slow = flown()
    slow.turns[-1].done = False
    slow.close(Transition({}, 0.2, False, {"success": None}), out_of_turns=True, error=None)
    assert slow.success is False
    silent = flown()
    silent.close(Transition({}, 0.2, False), out_of_turns=True, error=None)
    assert silent.success is None


@pytest.mark.parametrize(
    ("metadata", "observation", "success"),
    [
        ({"success": True}, {}, True),
        ({"success": False}, {"success": True}, False),
        ({"success": None}, {"solved": True}, True),
        ({}, {"won": False}, False),
        ({"success": 1}, {}, None),
        ({}, {}, None),
    ],
)
def test_success_is_what_the_environment_says(
    metadata: Json, observation: Json, success: bool | None
) -> None:
    assert read_success(Transition(observation, None, True, metadata)) is success


def test_components_are_numbers_by_name() -> None:
    given = {"reward_breakdown": {"primary": 1, "process": 0.5, "flag": True, "word": "x"}}
    assert read_components(Transition({}, None, True, given)) == {"primary": 1.0, "process": 0.5}
    assert read_components(Transition(given, None, True, {"components": []})) == {
        "primary": 1.0, "process": 0.5,
    }  # fmt: skip
    assert read_components(Transition({}, None, True)) == {}


def test_a_file_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    line = flown().to_json()
    path.write_text(f"{line}\n{line}\n{line[:-5]}")
    assert [e.to_json() for e in read_episodes(path)] == [flown().to_json()] * 2


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("nonsense", MissingRecord, "line 1: Expecting value"),
        ("[]", MissingRecord, "line 1: not an episode"),
        ('{"schema": "gonogo/episode/0"}', StaleRecord, "gonogo/episode/0"),
        ('{"schema": "gonogo/episode/1"}', MissingRecord, "not an episode"),
        ('{"schema": "gonogo/episode/1", "return": 1, "turns": [3]}', MissingRecord, "not an ep"),
    ],
)
def test_a_line_that_is_no_episode_is_named(
    tmp_path: Path, text: str, error: type[Exception], said: str
) -> None:
    path = tmp_path / "episodes.jsonl"
    path.write_text(text + "\n")
    with pytest.raises(error, match=said):
        list(read_episodes(path))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(MissingRecord, match="cannot be read"):
        list(read_episodes(tmp_path / "nothing"))


@pytest.fixture(scope="module")
def env(gridworld: Path) -> Iterator[Env]:
    with api.load_environment(gridworld, num_envs=4) as opened:
        yield opened


def test_episodes_are_a_file_a_table_and_a_replay(env: Env, tmp_path: Path) -> None:
    flown = api.rollout(env, ["idle", "walker"], tasks=env.tasks("test", 3))
    flown.save(tmp_path / "flown.jsonl")
    assert list(Episodes.load(tmp_path / "flown.jsonl")) == list(flown)
    frame = flown.to_frame()
    assert list(frame["policy"]) == ["idle"] * 3 + ["walker"] * 3
    assert frame.groupby("policy")["success"].sum().to_dict() == {"idle": 0, "walker": 3}
    assert "walker" in flown._repr_html_()
    assert len(flown[1:3]) == 2 and flown.by("walker")[0] == flown[3]
    for recorded in (flown, flown[3], tmp_path / "flown.jsonl"):
        assert api.replay(env, recorded).reproduced
    flown[3].turns[-1].reward = 0.5
    report = api.replay(env, flown[3])
    assert not report.reproduced and "reward 0.5 recorded, 1.0 now" in report.said[1]


def test_of_metadata_on_the_way_only_short_values_are_kept() -> None:
    told = {
        "ok": True, "say": "x" * 1000, "list": [1], "none": None,
        "info": {"n": 1.5, "a": {"deep": 1, "b": {"deeper": 1}}},
    }  # fmt: skip
    assert short_values(told) == {"ok": True, "info": {"n": 1.5, "a": {"deep": 1}}}


def test_running_totals_are_counted_by_step_and_written_as_they_were_answered() -> None:
    turns = [Turn("", {}, action={}, reward=reward) for reward in (0.5, None, 0.7, 0.6)]
    episode = Episode(0, {}, "t", "p", turns=turns, episode_return=1.8)
    episode.count_by_step()
    counted = [turn.reward for turn in episode.turns]
    assert counted == [0.5, None, pytest.approx(0.2), pytest.approx(-0.1)]
    assert episode.episode_return == 0.6
    assert episode.rewards == (0.5, None, 0.7, 0.6)
    episode.count_by_step()
    assert [turn.reward for turn in episode.turns] == counted
    read = Episode.from_json(episode.to_json())
    assert [turn.reward for turn in read.turns] == [0.5, None, 0.7, 0.6]
    episode.turns.append(Turn("", {}, action={}, reward=0.6))
    assert episode.rewards == (0.5, None, 0.7, 0.6, 0.6)
