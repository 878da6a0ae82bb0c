"""Rollouts go on where they stopped, on the same tasks for every policy; and the best constant flies beside them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.recorded import run_of

from gonogo import api, config
from gonogo.env.environment import Env
from gonogo.errors import Misuse, PolicyFailure
from gonogo.evaluation.rollout import TRIED_ON, best_constant, constants_in_words, open_log
from gonogo.records.evaluation import BestConstant, ConstantChoice
from gonogo.rollouts.episodes import read_episodes
from gonogo.runners.runner import flown_with

EAST = 'always {"move": "east"}'
KEPT = ConstantChoice(tried=7, tasks=1, policy="always kept")


def test_one_line_an_episode(flown: Path) -> None:
    episodes = list(read_episodes(flown))
    assert [(e.policy, e.seed) for e in episodes[::6]] == [
        ("idle", None),
        ("random", 0),
        ("walker", 0),
    ]
    walker = [e for e in episodes if e.policy == "walker"]
    assert sorted(e.index for e in walker) == list(range(6))
    assert {str(e.task) for e in walker} == {str({"split": "test", "index": i}) for i in range(6)}
    assert all(e.success for e in walker)
    assert all(e.timeout and e.episode_return == 0 for e in episodes if e.policy == "idle")


def test_a_rollout_goes_on_where_it_stopped(flown: Path, gridworld: Path, tmp_path: Path) -> None:
    lines = flown.read_text().splitlines(keepends=True)
    file = tmp_path / "episodes.jsonl"
    lost = json.loads(lines[3]) | {"error": "the socket was lost", "return": None}
    marked = json.loads(lines[7]) | {"final_metadata": {"flown": "once"}}
    file.write_text(
        "".join(lines[:3]) + f"{json.dumps(lost)}\n{json.dumps(marked)}\n" + lines[8][:50]
    )
    run = run_of(gridworld, tmp_path, ["idle", "random", "walker"], split="test", episodes=6)
    assert not api.rollout(run, file=file).lost
    again = sorted(file.read_text().splitlines())
    expected = [line.strip() for line in lines if line != lines[7]] + [json.dumps(marked)]
    assert [json.loads(line) for line in again] == [json.loads(line) for line in sorted(expected)]


@pytest.mark.parametrize("change", [{"split": "train"}, {"episodes": 5}])
def test_a_file_of_other_episodes_is_left_alone(
    flown: Path, gridworld: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    before = flown.read_bytes()
    run = run_of(gridworld, tmp_path, ["idle"], **{"split": "test", "episodes": 6, **change})
    with pytest.raises(Misuse, match="not part of this rollout"):
        api.rollout(run, file=flown)
    assert flown.read_bytes() == before


@pytest.mark.parametrize("given", ["reward", "success"])
def test_a_rollout_by_another_reward_or_success_does_not_go_on(
    given: str, gridworld: Path, flat_reward: Path, tmp_path: Path
) -> None:
    """Neither from the environment's own to the one that is given, nor back, nor where that was edited."""
    own = run_of(gridworld, tmp_path, ["idle"], episodes=2)
    other = {
        "reward": own.model_copy(update={"reward": flat_reward}),
        "success": own.model_copy(
            update={"rollout": own.rollout.model_copy(update={"success": "done"})}
        ),
    }[given]
    for number, (first, then) in enumerate([(own, other), (other, own)]):
        file = tmp_path / f"{number}.jsonl"
        api.rollout(first, file=file)
        before = file.read_bytes()
        with pytest.raises(Misuse, match=f"flown with another {given}; choose another file"):
            api.rollout(then, file=file)
        assert file.read_bytes() == before
    (flown,) = {(e.episode_return, e.success) for e in read_episodes(file)}
    assert flown == {"reward": (6.0, False), "success": (0.0, True)}[given]
    flat_reward.write_text(flat_reward.read_text().replace("0.5", "0.25"))
    if given == "reward":
        with pytest.raises(Misuse, match="flown with another reward"):
            api.rollout(other, file=file)


def test_a_rollout_does_not_go_on_in_an_environment_that_changed(
    gridworld: Path, tmp_path: Path
) -> None:
    copied, file = tmp_path / "gridworld", tmp_path / "episodes.jsonl"
    shutil.copytree(gridworld, copied)
    api.rollout(run_of(copied, tmp_path, ["idle"], episodes=2), file=file)
    api.rollout(run_of(copied, tmp_path, ["random"], episodes=2), file=file)
    (copied / "more.py").write_text("MORE = 1\n")
    with pytest.raises(Misuse, match="flown with another source"):
        api.rollout(run_of(copied, tmp_path, ["random"], episodes=2), file=file)


def test_lost_episodes_are_a_hold(rogue: Path, tmp_path: Path) -> None:
    run = run_of(rogue, tmp_path, ["idle"], episodes=2, options={"trick": "reset"})
    file = tmp_path / "lost.jsonl"
    assert api.rollout(run, file=file).lost
    assert [e.episode_return for e in read_episodes(file)] == [None, None]


def test_what_cannot_be_flown_says_so(gridworld: Path, tmp_path: Path) -> None:
    file = tmp_path / "none.jsonl"
    with pytest.raises(Misuse, match="no policy 'pilot': give one of walker"):
        api.rollout(run_of(gridworld, tmp_path, ["pilot"]), file=file)
    with pytest.raises(PolicyFailure, match="no fuel"):
        api.rollout(run_of(gridworld, tmp_path, ["dead"], episodes=1), file=file)


def file_of(run: config.RunConfig) -> Path:
    return open_log(run, "idle", flown_with(run, Env.of(run), "idle")).path


def test_another_reward_is_another_file_of_episodes(tmp_path: Path) -> None:
    file = tmp_path / "reward.py"
    file.write_text("a = 1\n")
    given = {"target": "a.b:C", "out": str(tmp_path)}
    runs = [config.load(None, given), config.load(None, {**given, "reward": str(file)})]
    files = [file_of(run) for run in runs]
    file.write_text("a = 2\n")
    files.append(file_of(runs[1]))
    assert len(set(files)) == 3
    assert file_of(runs[0]) == files[0]


def test_the_choice_of_a_former_call_is_kept_and_nothing_is_opened(tmp_path: Path) -> None:
    run = run_of("nowhere.to:Be", tmp_path, ["idle"])
    BestConstant(fingerprint="the same", **dict(KEPT)).save(tmp_path / "evaluation")
    with Env.of(run) as env:
        assert best_constant(run, env, "the same") == KEPT


def test_what_depends_on_something_else_is_chosen_anew(gridworld: Path, tmp_path: Path) -> None:
    run = run_of(gridworld, tmp_path, ["idle"], split="test", episodes=2 * TRIED_ON)
    BestConstant(fingerprint="another", **dict(KEPT)).save(tmp_path / "evaluation")
    with Env.of(run) as env:
        found = best_constant(run, env, "this one")
    assert found.tasks == TRIED_ON and found.tried > 1 and found.policy != KEPT.policy
    saved = BestConstant.load(tmp_path / "evaluation")
    assert (saved.fingerprint, saved.choice) == ("this one", found)


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (None, []),
        (
            ConstantChoice(tried=6, tasks=3, policy=EAST),
            [
                'constants: of 6 fixed actions, repeated on the first 3 tasks, the best paid is {"move": "east"}'
            ],
        ),
        (
            ConstantChoice(tried=6, tasks=3, policy=None),
            [
                "constants: of 6 fixed actions, repeated on the first 3 tasks, none is paid more than idle, "
                "which stands for them"
            ],
        ),
    ],
)
def test_how_it_was_chosen_is_told(chosen: ConstantChoice | None, said: list[str]) -> None:
    assert constants_in_words(chosen) == said
