"""The engine, on the zoo's gridworld and rogue in real worker processes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gonogo.config import RolloutConfig
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.errors import Misuse, PolicyFailure
from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.builtin_policies import IdlePolicy, RandomPolicy, ScriptedPolicy
from gonogo.rollouts.engine import Flight, Progress, fly
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Connection, Reply, Tokens, View


@pytest.fixture(scope="module")
def grid(gridworld: Path) -> Iterator[Connection]:
    connection = connect(resolve(str(gridworld)), 8)
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def rogues(rogue: Path) -> Iterator[Connection]:
    connection = connect(resolve(str(rogue)), 4, RolloutConfig(timeout_s=5))
    yield connection
    connection.close()


def move(direction: str) -> Reply:
    return Reply(text=f'{{"move": "{direction}"}}')


class Walker:
    """Reads the text as a model would, and remembers what the engine told it."""

    name = "walker"

    def __init__(self) -> None:
        self.began: list[int] = []
        self.ended: list[int] = []
        self.views: list[View] = []

    def begin(self, slots: Iterable[int]) -> None:
        self.began += slots

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        self.views += views.values()
        return {slot: self.walk(view.text) for slot, view in views.items()}

    def walk(self, text: str) -> Reply:
        fields = dict(line.split(": ") for line in text.splitlines())
        east, north = int(fields["goal_east"]), int(fields["goal_north"])
        if east:
            return move("east" if east > 0 else "west")
        return move("north" if north > 0 else "south")

    def end(self, slots: Iterable[int]) -> None:
        self.ended += slots

    def close(self) -> None:
        """Nothing to close."""


@pytest.mark.parametrize("refill", [True, False])
def test_more_tasks_than_slots(grid: Connection, refill: bool) -> None:
    walker = Walker()
    finished: list[Episode] = []
    rounds: list[Progress] = []
    tasks = [{"seed": i} for i in range(21)]
    episodes = fly(
        grid, walker, tasks, Flight("grid", refill=refill), on_episode=finished.append,
        on_progress=rounds.append,
    )  # fmt: skip
    assert [e.task for e in episodes] == tasks
    assert [e.index for e in episodes] == list(range(21))
    assert sorted(finished, key=lambda e: e.index) == episodes
    assert all(e.success and e.error is None and not e.timeout for e in episodes)
    assert len(walker.began) == len(walker.ended) == 21
    assert walker.began[:8] == list(range(8))
    assert {v.turn for v in walker.views} == set(range(max(len(e.turns) for e in episodes)))
    assert rounds[-1] == Progress(21, 21, sum(len(e.turns) for e in episodes), 0)
    assert any(0 < r.flying < 8 for r in rounds)


def test_an_episode_records_what_was_seen_said_and_paid(grid: Connection) -> None:
    (episode,) = fly(grid, Walker(), [{"seed": 4}], Flight("grid", decoding="greedy"))
    first, last = episode.turns[0], episode.turns[-1]
    assert first.text.startswith("goal_east: ")
    assert "reward" not in first.text
    assert first.observation["steps_left"] == 12
    assert first.reply is not None
    assert first.action == {"move": first.reply[10:-2]}
    assert [turn.reward for turn in episode.turns[:-1]] == [0.0] * (len(episode.turns) - 1)
    assert last.done
    assert episode.episode_return == last.reward == 1.0 - 0.05 * (len(episode.turns) - 1)
    assert episode.components == {"reach": 1.0, "speed": last.reward}
    assert last.potential == 1.0
    assert episode.potential_at_start == 1 / (1 + len(episode.turns))
    assert episode.final_observation["goal_east"] == episode.final_observation["goal_north"] == 0
    assert episode.decoding == "greedy"


def test_the_state_of_a_decision_is_what_the_metadata_said_before_it(grid: Connection) -> None:
    flight = Flight("grid", max_turns=12, anchor_key="progress")
    [episode] = fly(grid, Walker(), [{"split": "train", "index": 0}], flight)
    before = [episode.potential_at_start, *(turn.potential for turn in episode.turns)]
    assert [turn.anchor for turn in episode.turns] == [json.dumps(value) for value in before[:-1]]
    [without] = fly(grid, Walker(), [{"split": "train", "index": 0}], Flight("grid", max_turns=12))
    assert [turn.anchor for turn in without.turns] == [None] * len(without.turns)
    assert '"anchor"' in episode.to_json() and '"anchor"' not in without.to_json()


def test_the_short_metadata_of_each_step_is_kept_where_success_is_looked_for(
    grid: Connection,
) -> None:
    flight = Flight("grid", max_turns=12, sees_state=True)
    [episode] = fly(grid, Walker(), [{"split": "train", "index": 0}], flight)
    kept = [turn.aside.get("progress") for turn in episode.turns]
    assert kept == [*(turn.potential for turn in episode.turns[:-1]), None]  # its end has its own
    [without] = fly(grid, Walker(), [{"split": "train", "index": 0}], Flight("grid", max_turns=12))
    assert not any(turn.aside for turn in without.turns)


def test_a_policy_that_leaves_keeps_what_it_flew_and_is_not_scored(grid: Connection) -> None:
    scripts = [[move("stay"), Reply(leaves=True)], [Reply(leaves=True)], [move("stay")]]
    policy = ScriptedPolicy(scripts)
    rounds: list[Progress] = []
    left, never, stayed = fly(
        grid, policy, [{"seed": i} for i in (1, 2, 3)], Flight("grid", slots=2),
        on_progress=rounds.append,
    )  # fmt: skip
    assert [len(e.turns) for e in (left, never, stayed)] == [1, 0, 12]
    assert left.error == "left unfinished by the policy after 1 decisions"
    assert (left.episode_return, left.success, left.timeout) == (None, None, False)
    assert left.turns[0].reward == 0.0
    assert left.final_observation["steps_left"] == 11
    assert (never.error, never.final_observation["steps_left"]) == (
        "left unfinished by the policy after 0 decisions",
        12,
    )
    assert (stayed.error, stayed.timeout) == (None, True)
    assert rounds[-1] == Progress(3, 3, 13, 0)


def test_a_view_says_what_was_wrong_with_the_last_reply(grid: Connection) -> None:
    class Careless(Walker):
        def walk(self, text: str) -> Reply:
            return [Reply(text="up"), Reply(action={"move": "up"}), move("stay")][
                len(self.views) - 1
            ]

    policy = Careless()
    fly(grid, policy, [{"seed": 1}], Flight("grid", max_turns=3))
    said = [view.problem for view in policy.views]
    assert said[0] is None
    assert said[1] is not None and "not one JSON object" in said[1]
    assert said[2] is not None and "move" in said[2]


def test_an_invalid_reply_costs_a_turn_and_is_shown(grid: Connection) -> None:
    script = [Reply(text="up we go"), move("up"), Reply(action={"move": "up"}), move("stay")]
    policy = ScriptedPolicy([script])
    (episode,) = fly(grid, policy, [{"seed": 1}], Flight("grid", max_turns=5))
    turns = episode.turns
    assert [turn.invalid is not None for turn in turns] == [True, True, True, False, False]
    assert turns[1].text.startswith("Your last reply was not accepted: the reply is not one JSON")
    assert "move: enum" in turns[2].text
    assert "move: Input should be 'stay'" in turns[3].text
    assert "not accepted" not in turns[4].text
    assert turns[3].observation == turns[0].observation
    assert turns[0].action is None
    assert [turn.reward for turn in turns] == [None, None, None, 0.0, 0.0]
    assert episode.invalid_count == 3
    assert episode.timeout
    assert episode.success is False
    assert episode.episode_return == 0.0


def test_running_out_of_turns_is_a_timeout_and_the_environment_s_own_too(grid: Connection) -> None:
    for max_turns in (3, 50):
        (episode,) = fly(
            grid, IdlePolicy(grid.schemas.action), [{"seed": 1}], Flight("g", max_turns=max_turns)
        )
        assert episode.timeout
        assert len(episode.turns) == min(max_turns, 12)


def test_failures_are_errors_without_a_return_and_the_rest_flies_on(rogues: Connection) -> None:
    tricks = ["", "reset", "raise in reset", "done at reset", "raise", "", "nan", ""]
    script = [Reply(action={"word": "go"})]
    episodes = fly(
        rogues,
        ScriptedPolicy([script] * 8),
        [{"trick": t} for t in tricks],
        Flight("r", max_turns=4),
    )
    errors = [e.error for e in episodes]
    assert [error is None for error in errors] == [
        True,
        False,
        False,
        False,
        True,
        True,
        True,
        True,
    ]
    assert "episode_id changed" in str(errors[1])
    assert errors[2] == "reset raised: no start today"
    assert errors[3] == "the episode was over at its reset"
    for lost in episodes[1:4]:
        assert lost.episode_return is None
        assert lost.success is None
        assert not lost.timeout
    assert episodes[0].episode_return == 2.0
    assert episodes[4].turns[1].invalid == "step went wrong"
    assert [t.reward for t in episodes[6].turns] == [0.5, None, 0.5, 0.5]


def test_a_crash_loses_what_was_in_flight_and_no_more(rogues: Connection) -> None:
    script = [Reply(action={"word": "go"})]
    tasks = [{"trick": "exit" if i == 1 else ""} for i in range(10)]
    episodes = fly(rogues, ScriptedPolicy([script] * 10), tasks, Flight("r", max_turns=3))
    assert [e.error is None for e in episodes] == [False] * 4 + [True] * 6
    assert {e.episode_return for e in episodes} == {None, 1.5}


def test_a_policy_that_never_acts_has_earned_nothing(rogues: Connection) -> None:
    policy = ScriptedPolicy([[Reply(text="nothing that parses")]])
    (episode,) = fly(rogues, policy, [{}], Flight("r", max_turns=2))
    assert episode.episode_return == 0.0


def test_indices_and_slots_can_be_chosen(grid: Connection) -> None:
    policy = RandomPolicy(grid.schemas.action, seed=1)
    one = fly(grid, policy, {7: {"seed": 7}, 3: {"seed": 3}}, Flight("g", slots=1))
    both = fly(grid, policy, [{"seed": i} for i in range(8)], Flight("g"))
    assert [e.index for e in one] == [7, 3]
    assert [e.turns for e in one] == [both[7].turns, both[3].turns]


def test_tokens_travel_into_the_record(grid: Connection) -> None:
    tokens = Tokens((1, 2), (3,), (-0.5,))
    reply = Reply(text='{"move": "stay"}', tokens=tokens)
    (episode,) = fly(grid, ScriptedPolicy([[reply]]), [{}], Flight("g", max_turns=1))
    assert episode.turns[0].tokens is tokens


def test_a_policy_that_breaks_its_contract(grid: Connection) -> None:
    class Silent(Walker):
        def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
            return {slot: Reply() for slot in views if slot}

    with pytest.raises(PolicyFailure, match=r"no reply for slots \[0\]"):
        fly(grid, Silent(), [{}, {}], Flight("g"))
    with pytest.raises(PolicyFailure, match="neither an action nor a text"):
        fly(grid, ScriptedPolicy([[Reply()]]), [{}], Flight("g"))


def test_an_episode_that_outgrows_the_context_ends_as_that_and_not_as_anything_else(
    grid: Connection,
) -> None:
    go, full = Reply(action={"move": "stay"}), Reply(overflows=True)
    episodes = fly(grid, ScriptedPolicy([[go, full], [go]]), [{}, {}], Flight("g", max_turns=3))
    outgrown, whole = episodes
    assert (outgrown.context_overflow, whole.context_overflow) == (True, False)
    assert (len(outgrown.turns), len(whole.turns)) == (1, 3)
    assert (outgrown.invalid_count, outgrown.timeout, outgrown.error) == (0, False, None)
    assert outgrown.episode_return == outgrown.turns[0].reward


def test_everybody_who_decides_gets_the_same_fields(grid: Connection) -> None:
    class Looker(Walker):
        def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
            looked.extend(views.values())
            return dict.fromkeys(views, Reply(action={"move": "stay"}))

    class Telling(Codec):
        def seen(self, observation: dict[str, Any]) -> dict[str, Any]:
            return {"shown": len(observation)}

    looked: list[View] = []
    codec = Telling(grid.schemas.action, grid.schemas.observation)
    (episode,) = fly(grid, Looker(), [{}], Flight("g", max_turns=2), codec=codec)
    count = len(episode.turns[0].observation)
    assert {view.text for view in looked} == {f"shown: {count}"}
    assert [view.observation for view in looked] == [{"shown": count}] * len(looked)


def test_no_tasks_no_flight(grid: Connection) -> None:
    assert fly(grid, Walker(), [], Flight("g")) == []


def test_limits_are_checked() -> None:
    with pytest.raises(Misuse, match="max_turns must be at least 1, not 0"):
        Flight("g", max_turns=0)
    with pytest.raises(Misuse, match="slots must be at least 1, not 0"):
        Flight("g", slots=0)
