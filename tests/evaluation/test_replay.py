"""Episodes flown again in a fresh process: the same, or what differs, to the last bit."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.evaluation.recorded import edited, run_of
from tests.replaying import replay

from gonogo import api
from gonogo.errors import MissingRecord, Misuse, TargetError
from gonogo.records.record import Verdict


def test_a_replay_in_a_fresh_process_gives_the_same_rewards(flown: Path) -> None:
    report = replay(flown, None)
    assert report.reproduced and report.verdict is Verdict.GO
    assert "18 episodes the same, 0 different, 0 lost" in report.said[-1]


def test_differences_are_found_to_the_last_bit(flown: Path, tmp_path: Path) -> None:
    edits = {0: {"reward": -0.0}, 1: {"done": False}, 2: {"task": {"split": "nowhere"}}}
    report = replay(edited(flown, tmp_path / "edited.jsonl", edits), None)
    assert report.verdict is Verdict.NO_GO
    said = "\n".join(report.said)
    assert "turn 11: reward -0.0 recorded, 0.0 now" in said
    assert "turn 11: done False recorded, True now" in said
    assert "lost: reset raised: no split 'nowhere'" in said
    assert "15 episodes the same, 2 different, 1 lost" in report.said[-1]


def test_an_episode_cut_by_the_limit_of_turns_is_compared_as_far_as_it_went(
    gridworld: Path, tmp_path: Path
) -> None:
    file = tmp_path / "short.jsonl"
    run = run_of(gridworld, tmp_path, ["idle", "walker"], episodes=2)
    short = run.model_copy(update={"rollout": run.rollout.model_copy(update={"max_turns": 2})})
    api.rollout(short, file=file)
    assert replay(file, str(gridworld)).verdict is Verdict.GO


def test_nothing_to_compare_is_a_hold(flown: Path, gridworld: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert replay(empty, str(gridworld)).verdict is Verdict.HOLD
    with pytest.raises(MissingRecord, match="no episode in it"):
        replay(empty, None)

    lost = edited(flown, tmp_path / "lost.jsonl", {0: {"task": {"split": "nowhere"}}})
    assert replay(lost, None).verdict is Verdict.HOLD


def test_several_targets_need_a_choice(flown: Path, tmp_path: Path) -> None:
    path = edited(flown, tmp_path / "two.jsonl", {0: {"target": "elsewhere"}})
    with pytest.raises(Misuse, match="several targets, name one: /"):
        replay(path, None)


def test_what_cannot_be_replayed_says_so(flown: Path, tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="no target"):
        replay(flown, "nowhere")
    with pytest.raises(MissingRecord, match="cannot be read"):
        replay(tmp_path / "missing", None)
