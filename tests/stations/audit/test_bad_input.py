"""Environments that misbehave: a finding or a clear error each, over both transports; no hang, no wrong verdict."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gonogo import config, pipeline
from gonogo.errors import EnvironmentTimeout
from gonogo.records import AUDIT, Verdict

Json = dict[str, Any]
ROOT = Path(__file__).parents[3]
QUICK = {
    "audit.seeds": 4,
    "audit.budget": 0,
    "map.steps": 4,
    "map.end_steps": 6,
    "rollout.max_turns": 4,
    "rollout.slots": 2,
    "rollout.timeout_s": 5.0,
}


def audit(target: object, out: Path, **fields: Any) -> tuple[Verdict, Json, set[str]]:
    """Map and audit; the verdict, the record and the ids of what was found."""
    given = {"target": str(target), "out": str(out), **QUICK, **fields}
    verdict = pipeline.audit(config.load(None, given))
    record = AUDIT.read(out)
    return verdict, record, {finding["id"] for finding in record["findings"]}


@pytest.fixture(params=["folder", "server"])
def target(
    request: pytest.FixtureRequest, rogue: Path, rogue_server: Callable[[], str]
) -> Path | str:
    """The rogue, over either transport."""
    return rogue if request.param == "folder" else rogue_server()


@pytest.fixture
def rogue_server(
    rogue: Path, serve: Callable[..., str], tmp_path_factory: Any
) -> Callable[[], str]:
    """Starts a server for this test alone: its sessions may be left hanging."""

    def start() -> str:
        copy = tmp_path_factory.mktemp("server") / "rogue"
        copy.symlink_to(rogue)
        return serve(copy, path=copy.parent)

    return start


def test_a_reset_that_raises_names_the_option_to_give(target: Path | str, tmp_path: Path) -> None:
    verdict, record, found = audit(target, tmp_path, **{"map.reset": {"trick": "raise in reset"}})
    assert (verdict, found) == (Verdict.HOLD, set())
    assert "no start today" in record["reason"]
    assert "--reset NAME=VALUE" in record["reason"]


@pytest.mark.slow
def test_a_step_that_hangs_is_a_finding(target: Path | str, tmp_path: Path) -> None:
    given = {"map.reset": {"trick": "hang"}, "rollout.timeout_s": 2.0}
    verdict, record, found = audit(target, tmp_path, **given)
    assert verdict is Verdict.NO_GO
    assert "hangs" in found
    assert record["tasks"] == []


@pytest.mark.slow
def test_a_reward_that_is_nan_is_a_finding_where_it_can_be_seen(
    target: Path | str, tmp_path: Path
) -> None:
    verdict, _, found = audit(target, tmp_path, **{"map.reset": {"trick": "nan"}})
    assert verdict is not Verdict.GO
    assert ("nan_reward" in found) is isinstance(target, Path)


@pytest.mark.slow
def test_a_lost_process_is_a_finding(rogue: Path, tmp_path: Path) -> None:
    verdict, _, found = audit(rogue, tmp_path, **{"map.reset": {"trick": "exit"}})
    assert verdict is Verdict.NO_GO
    assert "dies" in found


@pytest.mark.slow
def test_an_environment_that_forks_and_prints_is_flown_like_others(
    rogue: Path, tmp_path: Path
) -> None:
    verdict, record, found = audit(rogue, tmp_path, **{"map.reset": {"trick": "fork"}})
    assert verdict is not Verdict.GO
    assert found.isdisjoint({"hangs", "dies", "silent_reset"})
    assert record["tasks"][0]["policies"][0]["lost"] == 0


def test_a_required_option_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    verdict, record, _ = audit("tests.zoo.defects:Needy", tmp_path)
    assert verdict is Verdict.HOLD
    assert "--reset patient=VALUE" in record["reason"]


def test_a_slow_start_names_the_flag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(60)\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EnvironmentTimeout, match="--startup-s"):
        audit("slow:Environment", tmp_path / "out", **{"rollout.startup_s": 0.5})
