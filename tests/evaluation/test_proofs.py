"""Proofs of a broken contract: a real map writes them, and a replay in a fresh process shows them again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.replaying import replay

from gonogo import config
from gonogo.contract import check_env as station
from gonogo.contract.findings import WITNESSES
from gonogo.evaluation.proofs import TRIES
from gonogo.records.contract import ContractReport
from gonogo.records.findings import ContractWitness
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode, read_episodes

Json = dict[str, Any]

ROOT = Path(__file__).parents[2]


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
        report = replay(write(tmp_path / name, [proof]), None)
        assert report.verdict is verdict
        assert said in "\n".join(report.said)
    honest = proofs["bool_reward"]
    honest.replays = "other"
    report = replay(write(tmp_path / "chance", [honest]), None)
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
    report = replay(tmp_path / WITNESSES, None, timeout_s=2)
    assert report.reproduced
    assert report.said[0] == f"reproduced: episode 0 of {finding}: it is lost again"
    harmless = json.loads((tmp_path / WITNESSES).read_text())
    harmless["task"]["trick"] = ""
    (tmp_path / "mended").write_text(f"{json.dumps(harmless)}\n")
    assert replay(tmp_path / "mended", None, timeout_s=2).verdict is Verdict.NO_GO


def test_proofs_are_flown_beside_episodes_of_the_same_file(
    patient: tuple[Path, ContractReport], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    by_name = {proof.policy: proof for proof in read_episodes(patient[0] / WITNESSES)}
    whole = by_name["missing_reward"]
    whole.replays = None
    file = write(tmp_path / "both", [by_name["nondeterministic"], whole])
    assert replay(file, None).verdict is Verdict.GO
    whole.turns[0].reward = 0.5
    assert replay(write(file, [by_name["nondeterministic"], whole]), None).verdict is Verdict.NO_GO
