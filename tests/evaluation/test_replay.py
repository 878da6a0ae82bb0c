"""Episodes and proofs of a broken contract flown again, and held against what they were."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.recorded import edited, run_of

from gonogo import api, config
from gonogo.api import replay_file
from gonogo.contract import check_env as station
from gonogo.contract.findings import WITNESSES
from gonogo.errors import Misuse, TargetError
from gonogo.evaluation.replay import (
    SHOWN_DIFFERENCES,
    TRIES,
    bits,
    compare,
    compared,
    name_of,
    shown_by,
)
from gonogo.records.contract import ContractReport
from gonogo.records.findings import ContractWitness, Finding
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode, Turn, read_episodes

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]


def test_a_replay_in_a_fresh_process_gives_the_same_rewards(flown: Path) -> None:
    report = replay_file(flown, None)
    assert report.reproduced and report.verdict is Verdict.GO
    assert "18 episodes the same, 0 different, 0 lost" in report.said[-1]


def test_differences_are_found_to_the_last_bit(flown: Path, tmp_path: Path) -> None:
    edits = {0: {"reward": -0.0}, 1: {"done": False}, 2: {"task": {"split": "nowhere"}}}
    report = replay_file(edited(flown, tmp_path / "edited.jsonl", edits), None)
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
    assert replay_file(file, str(gridworld)).verdict is Verdict.GO


def test_nothing_to_compare_is_a_hold(flown: Path, tmp_path: Path) -> None:
    lost = edited(flown, tmp_path / "lost.jsonl", {0: {"task": {"split": "nowhere"}}})
    assert replay_file(lost, None).verdict is Verdict.HOLD


def test_several_targets_need_a_choice(flown: Path, tmp_path: Path) -> None:
    path = edited(flown, tmp_path / "two.jsonl", {0: {"target": "elsewhere"}})
    with pytest.raises(Misuse, match="several targets, name one: /"):
        replay_file(path, None)


def test_what_cannot_be_replayed_says_so(flown: Path, tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="no target"):
        replay_file(flown, "nowhere")
    with pytest.raises(Misuse, match="cannot be read"):
        replay_file(tmp_path / "missing", "nowhere")
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    for target in (None, "nowhere"):
        with pytest.raises(Misuse, match="holds no episode"):
            replay_file(empty, target)


def mapped(target: object, out: Path, **fields: Any) -> ContractReport:
    """Map a target; the record."""
    given = {"target": str(target), "out": str(out), "map.steps": 8, "map.tasks": 20, **fields}
    station.run(config.load(None, given))
    return ContractReport.load(out)


def write(path: Path, episodes: list[Episode]) -> Path:
    """A file of episodes."""
    path.write_text("".join(f"{episode.to_json()}\n" for episode in episodes))
    return path


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ContractReport]:
    """The map of an environment with every defect, each a task: its folder and its record."""
    out = tmp_path_factory.mktemp("patient")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return out, mapped("tests.zoo.defects:Patient", out)


def test_every_finding_about_a_flight_is_shown_again_in_a_fresh_process(
    patient: tuple[Path, ContractReport],
) -> None:
    out, record = patient
    findings = record.findings
    assert len(findings) > 14
    proofs = list(read_episodes(out / WITNESSES))
    assert [proof.policy for proof in proofs] == [finding.id for finding in findings]
    for proof, finding in zip(proofs, findings, strict=True):
        assert isinstance(finding.witness, ContractWitness)
        again = finding.witness.replay
        assert again is not None and f"episode {proof.index}: " in again
        assert again in (out / "map.md").read_text()
    done = subprocess.run(
        [sys.executable, "-m", "gonogo", "replay", str(out / WITNESSES)],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == Verdict.GO, done.stdout + done.stderr
    assert f"{len(proofs)} proofs: {len(proofs)} reproduced" in done.stdout


def test_what_is_mended_is_not_shown_again(
    patient: tuple[Path, ContractReport], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    proofs = {proof.policy: proof for proof in read_episodes(patient[0] / WITNESSES)}
    for name, verdict, said in (
        ("paid_after_done", Verdict.NO_GO, "turn 4: reward 0.25 recorded, None now"),
        ("step_raises", Verdict.NO_GO, "turn 2: reward None recorded, 0.25 now"),
        ("done_at_reset", Verdict.NO_GO, "it was lost, and is not now"),
    ):
        proof = proofs[name]
        proof.task["defect"] = "none"
        report = replay_file(write(tmp_path / name, [proof]), None)
        assert report.verdict is verdict
        assert said in "\n".join(report.said)
    honest = proofs["bool_reward"]
    honest.replays = "other"
    report = replay_file(write(tmp_path / "chance", [honest]), None)
    assert report.verdict is Verdict.HOLD
    assert f"came out the same {TRIES} times" in report.said[0]


@pytest.mark.parametrize(
    ("trick", "finding"), [("exit", "dies"), ("hang", "hangs"), ("reset", "silent_reset")]
)
def test_a_lost_episode_is_lost_again(
    rogue: Path, tmp_path: Path, trick: str, finding: str
) -> None:
    options = {"trick": trick}
    record = mapped(rogue, tmp_path, **{"map.reset": options, "rollout.timeout_s": 2.0})
    assert [found.id for found in record.findings] == [finding]
    (proof,) = read_episodes(tmp_path / WITNESSES)
    assert (proof.replays, len(proof.turns)) == ("lost", 2)
    report = replay_file(tmp_path / WITNESSES, None, timeout_s=2)
    assert report.reproduced
    assert report.said[0] == f"reproduced: episode 0 of {finding}: it is lost again"
    harmless = json.loads((tmp_path / WITNESSES).read_text())
    harmless["task"]["trick"] = ""
    (tmp_path / "mended").write_text(f"{json.dumps(harmless)}\n")
    assert replay_file(tmp_path / "mended", None, timeout_s=2).verdict is Verdict.NO_GO


def test_proofs_are_flown_beside_episodes_of_the_same_file(
    patient: tuple[Path, ContractReport], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    by_name = {proof.policy: proof for proof in read_episodes(patient[0] / WITNESSES)}
    whole = by_name["missing_reward"]
    whole.replays = None
    file = write(tmp_path / "both", [by_name["nondeterministic"], whole])
    assert replay_file(file, None).verdict is Verdict.GO
    whole.turns[0].reward = 0.5
    assert (
        replay_file(write(file, [by_name["nondeterministic"], whole]), None).verdict
        is Verdict.NO_GO
    )


def flown(*rewards: float | None, done: bool = True, error: str | None = None) -> Episode:
    """An episode that ends with its last turn."""
    turns = [Turn("", {}, {}, reward=reward) for reward in rewards]
    if turns:
        turns[-1].done = done
    return Episode(3, {}, "t", "walker", turns=turns, error=error)


def test_the_same_rewards_differ_in_nothing() -> None:
    again = flown(0.1, None, math.nan, -0.0)
    assert compare(flown(0.1, None, math.nan, -0.0), again) is None


def test_the_first_difference_is_said_with_its_turn() -> None:
    old = flown(0.5, 0.0)
    assert compare(old, flown(0.5, -0.0)) == (
        "episode 3 of walker, turn 1: reward 0.0 recorded, -0.0 now"
    )
    assert compare(old, flown(0.5 + 2**-53, 0.0)) is not None
    assert str(compare(old, flown(None, 0.0))).endswith("turn 0: reward 0.5 recorded, None now")
    assert compare(old, flown(0.5, 0.0, done=False)) == (
        "episode 3 of walker, turn 1: done True recorded, False now"
    )


def test_an_episode_is_compared_as_far_as_both_went_and_one_that_was_lost_not_at_all() -> None:
    cut = flown(0.5, done=False)
    assert compare(cut, flown(0.5, 1.0)) is None
    assert compare(flown(0.5, error="it died"), flown(0.5)) is None
    assert compare(flown(0.5), flown(0.9, error="it died")) is None


def test_no_reward_has_no_bits() -> None:
    assert bits(None) is None
    assert bits(0.0) != bits(-0.0)
    assert bits(1) == bits(1.0)
    assert name_of(flown()) == "episode 3 of walker"


def test_a_file_without_an_episode_is_told_so() -> None:
    report = compared([], [], 0)
    assert report.verdict is Verdict.HOLD
    assert report.said == ("the file holds no episode: nothing was found to be flown again",)
    assert compared([], [], 2).said == ("0 episodes, 2 lost ones left out",)


def test_resets_of_a_process_count_and_those_before_an_episode_are_done_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What differs beside the others of a file is flown in a process of its own."""
    monkeypatch.chdir(ROOT)

    def seen(rewards: list[float], before: int) -> Episode:
        episode = Episode(0, {}, "tests.zoo.turns:Shared", "made", resets_before=({},) * before)
        episode.turns = [Turn("", {}, action={"number": 1}, reward=paid) for paid in rewards]
        return episode

    first, later = seen([0.0, 0.0], 0), seen([0.5, 0.5], 1)
    later.turns[-1].done = True
    assert Episode.from_json(later.to_json()) == later
    file = write(tmp_path / "turns.jsonl", [first, first, first, later])
    report = replay_file(file, None)
    assert report.reproduced, report.said
    first.replays = "same"
    assert replay_file(write(tmp_path / "proofs.jsonl", [first] * 3), None).reproduced
    later.resets_before = ()
    assert not replay_file(write(tmp_path / "left_out.jsonl", [later]), None).reproduced


def numbered(paid: float, turns: int, before: int = 0) -> Episode:
    """An episode of shared turns, of which the last turn is paid something."""
    episode = Episode(0, {}, "tests.zoo.turns:Shared", "made", resets_before=({},) * before)
    episode.turns = [Turn("", {}, action={"number": 1}, reward=0.0) for _ in range(turns)]
    episode.turns[-1].reward = paid
    return episode


def test_what_outside_functions_pay_is_held_against_what_they_paid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not what the environment pays: else each of the first is flown alone, and the last, which has to be, is not."""
    monkeypatch.chdir(ROOT)
    paid = 2 * len('{"number": 1}') / 500
    file = write(tmp_path / "paid.jsonl", [numbered(paid, 2)] * (SHOWN_DIFFERENCES + 2))
    report = replay_file(file, None, rewards=["tests.zoo.paid_outside:length"])
    assert report.reproduced, report.said


def test_after_some_that_differ_alone_the_rest_is_not_called_different(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last is right at the first reset of a process, which nobody looks at any more."""
    monkeypatch.chdir(ROOT)
    wrong = [numbered(9.0, 1)] * SHOWN_DIFFERENCES
    file = write(tmp_path / "wrong.jsonl", [*wrong, numbered(0.0, 1), numbered(0.0, 2)])
    report = replay_file(file, None)
    assert report.verdict is Verdict.NO_GO
    assert report.said[-1].endswith(
        "1 episodes the same, 10 different, 0 lost, 1 different beside the others and not flown alone"
    )


def test_the_episode_of_a_finding_has_its_resets_before_it() -> None:
    first, later = numbered(0.5, 2), numbered(0.5, 2, before=1)
    witness = ContractWitness(reset={}, actions=({"number": 1},) * 2)
    for proof in (first, later):
        known = witness.model_copy(update={"resets_before": proof.resets_before or None})
        finding = Finding(
            id="paid_after_done", task={}, component=None, witness=known, explanation=""
        )
        assert shown_by(finding, [first, later]) is shown_by(finding, [later, first]) is proof
