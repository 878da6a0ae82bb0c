"""Success by an expression: what it may name and work out, when it is told, and every way of being wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gonogo.evaluation.evaluate as evaluate_station
from gonogo import api
from gonogo.config import RolloutConfig, RunConfig
from gonogo.env.environment import Env, connect
from gonogo.env.success import SuccessRule, judge_flown, never_shown, untold
from gonogo.env.target import resolve
from gonogo.errors import Misuse
from gonogo.rollouts.builtin_policies import ScriptedPolicy
from gonogo.rollouts.engine import Flight, fly
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.types import Reply
from gonogo.training.dry_run import rehearse
from gonogo.training.plan.measurements import measure

FIELDS = ("total", "text", "reward")


def says(expression: str, done: bool = True, metadata: Any = None, **shown: Any) -> bool | None:
    """What the rule says of a step."""
    return SuccessRule(expression, FIELDS).says(shown, metadata or {}, done)


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("total == 6", True),
        ("observation['total'] > 6", False),
        ("done and metadata.level == 2", True),
        ("metadata['components'].speed > 0.5", True),
        ("any(word == 'a' for word in text.split())", True),
        ("round(total / 4) == 2 and max([1, total]) == 6", True),
        ("total % 4 == 2 and total ** 2 == 36", True),
    ],
)
def test_it_reads_what_a_step_shows(expression: str, said: bool) -> None:
    told = {"level": 2, "components": {"speed": 0.9}}
    assert says(expression, metadata=told, total=6, text="a b") is said


def test_it_reads_the_state_and_the_reward_where_they_are_given() -> None:
    rule = SuccessRule("state.solved and reward >= 0.95", FIELDS)
    assert rule.reads_state and "reward" in rule.names()
    assert rule.says({}, {}, True, state={"solved": True}, reward=1.0) is True
    assert rule.says({}, {}, True, state={"solved": True}, reward=0.9) is False
    assert rule.says({}, {}, True) is None
    own = SuccessRule("state == 'over'", ["state"])  # a field of that name comes first
    assert own.says({"state": "over"}, {}, True) is True and not own.reads_state


@pytest.mark.parametrize(
    "expression",
    ["total > 0", "metadata.level == 2", "observation.absent == 1", "text[3] == 'x'", "None"],
)
def test_what_a_step_does_not_show_is_no_success(expression: str) -> None:
    assert says(expression) is None


def test_what_a_given_reward_put_in_the_components_place_is_not_looked_at() -> None:
    told = {"components": {"mine": 1}, "environment_components": {"own": 1}}
    assert says("metadata.components.own == 1", metadata=told) is True
    assert says("metadata.components.mine == 1", metadata=told) is None


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("totl == 3", "not totl; total is nearest to totl"),
        ("total ==", "must be an expression, not 'total =='"),
        ("-" * 2000 + "total", "at most 2000 characters, not of 2005"),
        ("not " * 70 + "done", "nests at most 60 deep"),
    ],
)
def test_an_expression_that_is_none_is_refused_with_the_rule(expression: str, said: str) -> None:
    with pytest.raises(ValueError, match="success") as caught:
        SuccessRule(expression, FIELDS)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("total", "must be true or false, not 6"),
        ("10 ** 101 > 1", "too large a number"),
        ("round(total, 10 ** 9) == 0", "no 1000000000 digits to round"),
        ("'%9d' % 3 == text", "a text has no remainder"),
        ("open('x') == 1", "may name"),
        ("text.__class__ == 1", "cannot be evaluated"),
    ],
)
def test_what_takes_more_than_is_sensible_is_refused(expression: str, said: str) -> None:
    with pytest.raises(ValueError, match="success") as caught:
        says(expression, total=6, text="a")
    assert said in str(caught.value)


def test_the_names_that_it_asks_a_place_for_are_known() -> None:
    rule = SuccessRule("metadata.a == 1 and metadata['b'] and metadata.get('c') and done", FIELDS)
    assert rule.keys("metadata") == {"a", "b"}
    assert rule.keys("observation") == set()
    made = SuccessRule("any(n == total for n in [1, 2])", FIELDS)
    assert made.names() == {"any", "total"}


COUNTER = "tests.zoo.single:Counter"


def test_episodes_that_were_flown_are_judged_as_if_they_had_been_judged_while_they_flew() -> None:
    (plain,) = flown_unjudged(1, 2, 3)
    lost = Episode(1, {}, "c", "p", error="died")
    assert plain.success is None
    judge_flown([plain, lost], "total == 6 and reward is not None", ["total"])
    assert plain.success is True
    assert lost.success is None
    judge_flown([plain], "total > 6", ["total"])
    assert plain.success is False
    judge_flown([plain], "state.step_count == 3", ["total"])
    assert plain.success is False  # it was flown without a look at the state
    plain.final_state = {"step_count": 3}
    judge_flown([plain], "state.step_count == 3", ["total"])
    assert plain.success is True


def flown_unjudged(*adds: int) -> list[Episode]:
    """One episode of adding numbers that nobody judged."""
    with Env(COUNTER) as env:
        script = ScriptedPolicy([[Reply(action={"add": add}) for add in adds]])
        return env.rollout(script, [{"seed": 0}], Flight("c", max_turns=len(adds)))


def count(success: str, *adds: int, turns: int = 5) -> Episode:
    """One episode of adding numbers, judged by an expression."""
    connection = connect(resolve(COUNTER), 1, RolloutConfig(success=success))
    script = [Reply(action={"add": add}) for add in adds]
    try:
        (episode,) = fly(
            connection, ScriptedPolicy([script]), [{"seed": 0}], Flight("c", max_turns=turns)
        )
    finally:
        connection.close()
    return episode


@pytest.mark.parametrize(
    ("success", "wanted"),
    [
        ("total == 6", True),
        ("total > 6", False),
        ("observation['total'] >= 6 and text == 'sum 6'", True),
        ("len([word for word in text.split() if word == 'sum']) == 1", True),
        ("any(total == n for n in [1, 2, 3])", False),
        ("done", False),
        ("state.step_count == 3", True),
        ("state['step_count'] > 3", False),
    ],
)
def test_an_expression_says_success_where_the_environment_says_nothing(
    success: str, wanted: bool
) -> None:
    assert count(success, 1, 2, 3, turns=3).success is wanted


def test_what_cannot_be_told_before_the_end_is_no_success_yet() -> None:
    assert count("metadata.winner == 1", 1, turns=1).success is False


def test_the_expression_goes_before_the_environments_own_word(gridworld: Path) -> None:
    connection = connect(
        resolve(str(gridworld)), 1, RolloutConfig(success="done and goal_east > 50")
    )
    script = [Reply(action={"move": "stay"})]
    (episode,) = fly(connection, ScriptedPolicy([script]), [{"seed": 1}], Flight("g"))
    connection.close()
    assert episode.turns[-1].done and episode.success is False


@pytest.mark.parametrize(
    ("success", "said"),
    [
        ("total ==", "success must be an expression, not 'total =='"),
        ("total = 3", "success must be an expression"),
        ("totl == 3", "may name done, metadata, observation, reward, state, text, total, not totl"),
        ("__import__('os').getcwd() == ''", "not __import__"),
    ],
)
def test_a_bad_expression_stops_before_anything_is_flown(success: str, said: str) -> None:
    with pytest.raises(Misuse, match="success") as caught:
        connect(resolve(COUNTER), 1, RolloutConfig(success=success))
    assert said in str(caught.value)


def test_an_answer_that_is_no_truth_value_is_refused() -> None:
    with pytest.raises(Misuse, match=r"success 'total' must be true or false, not 1"):
        count("total", 1)


def flown(success: str, *last: int) -> list[Episode]:
    """Episodes of three actions, the last of which decides."""
    connection = connect(resolve("tests.zoo.single:LateWord"), 4, RolloutConfig(success=success))
    scripts = [[Reply(action={"add": add}) for add in (0, 0, add)] for add in last]
    try:
        return fly(connection, ScriptedPolicy(scripts), [{}] * len(last), Flight("w"))
    finally:
        connection.close()


@pytest.mark.parametrize("success", ["won", "won and done", "metadata.points > 0 and won"])
def test_null_before_the_end_is_no_success_yet_and_at_the_end_none(success: str) -> None:
    won, lost, silent = flown(success, 1, 0, 2)
    assert [won.success, lost.success, silent.success] == [True, False, False]
    assert [untold([episode]) for episode in (won, lost, silent)] == [0, 0, 1]


@pytest.mark.parametrize(
    ("success", "said"),
    [
        ("metadata.pints > 0", r"asks for metadata.pints, .*metadata.points is nearest"),
        ("observation['one'] == 1", r"asks for observation.one, .*observation.won is nearest"),
    ],
)
def test_what_no_end_shows_is_refused_with_the_nearest_name(success: str, said: str) -> None:
    with pytest.raises(Misuse, match=said):
        never_shown(flown(success, 1, 0))
    never_shown(flown("metadata.points > 9", 1, 0))


LATE = "tests.zoo.single:Laureate"


def late(success: str) -> list[Episode]:
    """An episode without a success of an environment that shows its success at a success alone."""
    connection = connect(resolve(LATE), 1, RolloutConfig(success=success))
    try:
        return fly(connection, ScriptedPolicy([[Reply(action={"add": 0})] * 3]), [{}], Flight("l"))
    finally:
        connection.close()


@pytest.mark.parametrize(
    "success",
    ["metadata.prize == 1", "metadata.medal > 0", "metadata.hint == 1", "metadata['title'] == 'x'"],
)
def test_what_something_names_and_no_end_shows_yet_is_no_success_yet(success: str) -> None:
    episodes = late(success)  # declared, deep in a schema, shown before, in the state
    never_shown(episodes)
    assert [episode.success for episode in episodes] == [False] and untold(episodes) == 1


def test_what_nothing_names_or_the_end_shows_elsewhere_is_refused() -> None:
    for success in ("metadata.prise == 1", "metadata.total == 3"):
        with pytest.raises(Misuse, match="which none of 1 ends shows"):
            never_shown(late(success))


def test_what_is_declared_and_null_at_every_end_is_no_mistake_of_the_expression() -> None:
    never_shown(flown("won", 2, 2))


@pytest.mark.parametrize(
    ("success", "said"),
    [
        ("totl == 3", "; total is nearest to totl"),
        ("-" * 900 + "total > 0", "nests at most 60 deep"),
        ("not " * 400 + "done", "nests at most 60 deep"),
        ("-" * 50_000 + "total", "of at most 2000 characters, not of 50005"),
        ("(" * 300 + "total" + ")" * 300, "too many nested parentheses"),
    ],
)
def test_a_name_or_a_size_that_cannot_be_is_said_at_once(success: str, said: str) -> None:
    with pytest.raises(Misuse, match="success") as caught:
        connect(resolve(COUNTER), 1, RolloutConfig(success=success))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "success",
    [
        "9**3999999 > total",
        "2.0**99 * 10**9**9 > total",
        "10**100 * 10**100 * 10**100 * 10**100 * 1.0 > total",
        "1e300 * 10**10 > 10**100 * 10**100 * 10**100 * 10**99 * 1.5",
        "round(7, -10**9) == 0",
        "'%999999999d' % 3 == text",
        "text * 10**9 == text",
    ],
)
def test_a_number_or_a_text_beyond_sense_is_refused_when_it_is_met(success: str) -> None:
    with pytest.raises(Misuse, match="cannot be evaluated"):
        count(success, 1)


def recorded(run: RunConfig) -> object:
    return api.rollout(run, file=run.out / "episodes.jsonl")


def planned(run: RunConfig) -> object:
    return measure(run, Env.of(run), {}, 0, [], None)


def dry_run(run: RunConfig) -> object:
    pytest.importorskip("trl", reason="the train extra is not installed")
    return rehearse(run)


@pytest.mark.parametrize("command", [recorded, evaluate_station.run, planned, dry_run])
def test_a_command_that_flies_refuses_what_no_end_shows(
    command: Callable[[RunConfig], object], tmp_path: Path
) -> None:
    given = {
        "target": "tests.zoo.single:LateWord",
        "out": str(tmp_path),
        "model": {"hidden": 32, "intermediate": 48, "layers": 2, "heads": 2, "vocabulary": 300},
        "rollout": {"success": "metadata.pints > 0"},
        "train": {
            "validation": {"tasks": {"options": {}}, "episodes": 1},
            "curriculum": {"stages": [{"name": "all", "options": {}}]},
            "sft": {"teacher": "random"},
        },
        "evaluation": {"episodes": 2},
    }
    with pytest.raises(Misuse, match=r"metadata\.points is nearest to metadata\.pints"):
        command(RunConfig.model_validate_json(json.dumps(given)))


def test_a_running_total_is_judged_by_what_was_answered() -> None:
    turns = [Turn("", {}, action={}, reward=reward) for reward in (0.5, 0.9)]
    episode = Episode(0, {}, "t", "p", turns=turns, episode_return=1.4)
    episode.count_by_step()
    judge_flown([episode], "reward >= 0.9", [])
    assert episode.success is True
