"""Environments that misbehave, over both transports: a finding or a clear error, no traceback, never a hang."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.record import Verdict

Json = dict[str, Any]

ROOT = Path(__file__).parents[1]
ENOUGH_S = 120.0
"""What a command may take on a busy machine; an environment that hangs would sleep for ten minutes."""
QUICK = """
target: replaced
out: replaced
map: {steps: 4, end_steps: 6}
audit: {seeds: 4, search: 0}
rollout: {max_turns: 4, slots: 2, timeout_s: 5}
"""
ROGUE = "the rogue"
RECORDS = {"map": ContractReport, "audit": AuditReport}


@dataclass(frozen=True)
class Ended:
    """How a command ended.

    Attributes:
        verdict: By its exit code.
        said: All that it printed, on one line.
        record: What it left; None where it left none.
    """

    verdict: Verdict
    said: str
    record: Json | None

    @property
    def found(self) -> set[str]:
        """Ids of its findings."""
        return {finding["id"] for finding in self.record["findings"]} if self.record else set()


def run(station: str, target: str, out: Path, *words: str) -> Ended:
    """Run a command in a fresh process, as a user would."""
    (out / "quick.yaml").write_text(QUICK)
    paths = [str(out), str(ROOT), os.environ.get("PYTHONPATH", "")]
    command = [sys.executable, "-m", "gonogo", station]
    done = subprocess.run(
        [*command, target, "--config", str(out / "quick.yaml"), "--out", str(out), *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "2000"},
        capture_output=True,
        text=True,
        timeout=ENOUGH_S,
        check=False,
    )
    said = " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in said
    assert "Task was destroyed" not in said
    file = RECORDS[station].path(out)
    record = json.loads(file.read_text()) if file.exists() else None
    return Ended(Verdict(done.returncode), said, record)


@pytest.fixture(params=["worker", "server"])
def opened(
    request: pytest.FixtureRequest,
    rogue: Path,
    serve: Callable[..., str],
    serve_class: Callable[[str], str],
    tmp_path: Path,
) -> Callable[[str], str]:
    """Gives the target of an environment of the zoo; a server is for one test alone, which may leave it hanging."""

    def start(name: str) -> str:
        if request.param == "worker":
            return str(rogue) if name == ROGUE else name
        if name != ROGUE:
            return serve_class(name)
        (tmp_path / "rogue").symlink_to(rogue)
        return serve(tmp_path / "rogue", path=tmp_path)

    return start


def both(
    opened: Callable[[str], str], out: Path, name: str, *words: str
) -> tuple[str, Ended, Ended]:
    """Map an environment and audit it; its target, and how both ended."""
    target = opened(name)
    out /= "out"
    out.mkdir()
    mapped = run("map", target, out, *words)
    return target, mapped, run("audit", target, out, *words)


def is_server(target: str) -> bool:
    """Whether a target is reached over WebSocket."""
    return target.startswith("http")


@pytest.mark.long
def test_a_reset_that_raises_says_what_to_give(
    opened: Callable[[str], str], tmp_path: Path
) -> None:
    _, *ended = both(opened, tmp_path, ROGUE, "--reset", "trick=raise in reset")
    for end in ended:
        assert (end.verdict, end.found) == (Verdict.HOLD, set())
        assert "no start today; if" in end.said
        assert "give it: --reset NAME=VALUE" in end.said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trick", "finding"), [("hang", "hangs"), ("hang up", "dies"), ("exit", "dies")]
)
def test_an_episode_that_is_lost_in_a_step_is_a_finding(
    opened: Callable[[str], str], tmp_path: Path, trick: str, finding: str
) -> None:
    """A step that never returns, one that closes the socket it would be answered on, one that ends its process."""
    options = ("--reset", f"trick={trick}", "--timeout-s", "3")
    _, *ended = both(opened, tmp_path, ROGUE, *options)
    for end in ended:
        assert (end.verdict, end.found) == (Verdict.NO_GO, {finding})
    assert ended[1].record is not None
    assert ended[1].record["tasks"] == []


@pytest.mark.slow
def test_nan_is_a_finding_where_it_can_be_seen_and_asked_for_where_it_cannot(
    opened: Callable[[str], str], tmp_path: Path
) -> None:
    target, mapped, audited = both(opened, tmp_path, ROGUE, "--reset", "trick=nan")
    if not is_server(target):
        assert mapped.verdict is audited.verdict is Verdict.NO_GO
        assert mapped.found == audited.found == {"nan_reward"}
        return
    assert mapped.verdict is audited.verdict is Verdict.HOLD
    assert "null, which is none, or NaN that the wire made null" in mapped.said
    assert "is null: the environment gave None or NaN" in audited.said


@pytest.mark.slow
@pytest.mark.parametrize("trick", ["fork", "print"])
def test_what_forks_or_prints_is_flown_like_others(
    opened: Callable[[str], str], tmp_path: Path, trick: str
) -> None:
    target, mapped, audited = both(opened, tmp_path, ROGUE, "--reset", f"trick={trick}")
    assert mapped.found == audited.found == set()
    assert mapped.verdict is (Verdict.HOLD if is_server(target) else Verdict.GO)
    assert audited.verdict is Verdict.HOLD
    assert "never says whether an episode succeeded" in audited.said
    assert audited.record is not None
    assert {row["lost"] for row in audited.record["tasks"][0]["policies"]} == {0}


@pytest.mark.slow
def test_what_ignores_types_is_a_finding(opened: Callable[[str], str], tmp_path: Path) -> None:
    _, *ended = both(opened, tmp_path, "tests.zoo.single:Careless")
    for end in ended:
        assert end.verdict is Verdict.NO_GO
        assert "malformed_action_accepted" in end.found


@pytest.mark.long
def test_a_slow_start_names_the_flag(opened: Callable[[str], str], tmp_path: Path) -> None:
    _, *ended = both(opened, tmp_path, "tests.zoo.single:Sleeper", "--startup-s", "1")
    for end in ended:
        assert (end.verdict, end.record) == (Verdict.HOLD, None)
        assert "give --startup-s" in end.said


def test_an_option_that_reset_needs_is_asked_for(
    opened: Callable[[str], str], tmp_path: Path
) -> None:
    target, *ended = both(opened, tmp_path, "tests.zoo.defects:Needy")
    for end in ended:
        assert (end.verdict, end.found) == (Verdict.HOLD, set())
        assert "--reset NAME=VALUE" if is_server(target) else "--reset patient=VALUE" in end.said
        assert "patient" in end.said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "over_the_pipe", "over_the_socket"),
    [
        ("Huge", {"nan_reward"}, {"reward_not_numeric"}),
        ("Texts", {"reward_not_numeric"}, {"reward_not_numeric"}),
        ("Endless", {"answer_not_json"}, {"answer_not_json"}),
        ("Deep", {"answer_not_json"}, {"answer_not_json"}),
        ("Digits", {"answer_not_json"}, {"answer_not_json"}),
    ],
)
def test_an_answer_that_nobody_can_use_is_a_finding(
    opened: Callable[[str], str],
    tmp_path: Path,
    name: str,
    over_the_pipe: set[str],
    over_the_socket: set[str],
) -> None:
    target, *ended = both(opened, tmp_path, f"tests.zoo.stranger:{name}")
    expected = over_the_socket if is_server(target) else over_the_pipe
    for end in ended:
        assert end.verdict is Verdict.NO_GO
        assert end.found - {"observation_schema"} == expected
