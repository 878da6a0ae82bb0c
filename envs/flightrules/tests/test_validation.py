"""OpenEnv's own validation: the static level by its command, the runtime level without Docker."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from openenv.validation import Level, run_validation
from openenv.validation.manifest import ExecutionDeclaration
from openenv.validation.providers import ExecResult, StartupError
from openenv.validation.runtime.contracts import LaunchSpec, load_runtime_plan
from openenv.validation.types import CheckStatus, ProviderCapability

from flightrules.missions.splits import SPLITS

ROOT = Path(__file__).resolve().parents[1]


@dataclass
class LocalSubject:
    """A uvicorn process on a free port."""

    base_url: str
    process: subprocess.Popen[bytes]

    def inspect(self) -> dict[str, Any]:
        return {"pid": self.process.pid}

    def logs(self, max_bytes: int = 65536) -> str:
        return ""

    def exec(self, argv: list[str], timeout_s: float) -> ExecResult:
        raise NotImplementedError("no check of this level runs a command in the subject")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=30)


class LocalProvider:
    """Runs the package as it lies there, instead of building an image of it.

    It cannot enforce a network mode; it says that it accepts ours, and does not claim the capability
    to measure it, so that check is skipped and not passed.
    """

    name = "local-uvicorn"
    capabilities = frozenset({ProviderCapability.IMAGE_BUILD})
    supported_network_modes = frozenset({"no-network"})

    def __init__(self) -> None:
        self.subject: LocalSubject | None = None

    def build(self, root: Path, execution: ExecutionDeclaration) -> str:
        assert (root / execution.dockerfile).is_file()
        return "sha256:" + "0" * 64

    def start(self, spec: LaunchSpec) -> LocalSubject:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        process = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "flightrules.server.app:app", "--port", str(port)],
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.subject = LocalSubject(f"http://127.0.0.1:{port}", process)
        deadline = time.monotonic() + 60.0
        while time.monotonic() < deadline and process.poll() is None:
            try:
                if httpx.get(self.subject.base_url + "/health", trust_env=False).status_code == 200:
                    return self.subject
            except httpx.TransportError:
                time.sleep(0.1)
        self.subject.stop()
        raise StartupError("the server did not become healthy")


@pytest.fixture
def provider() -> Iterator[LocalProvider]:
    local = LocalProvider()
    yield local
    if local.subject is not None and local.subject.process.poll() is None:
        local.subject.stop()


def test_openenv_validate_passes_its_static_level() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "openenv.cli", "validate", str(ROOT), "--level", "static"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "PASS  static.manifest" in answer.stdout
    assert "Verdict: PASS" in answer.stdout


@pytest.mark.long
def test_the_runtime_level_passes(provider: LocalProvider) -> None:
    report = run_validation(ROOT, max_level=Level.RUNTIME, provider=provider)
    status = {result.check_id: result for result in report.results}
    for check in (
        "static.manifest",
        "runtime.startup",
        "runtime.reward_well_formed",
        "runtime.observation_schema",
        "runtime.state_contract",
    ):
        assert status[check].status is CheckStatus.PASS, status[check]
    bad = (CheckStatus.FAIL, CheckStatus.ERROR)
    assert [result for result in report.results if result.status in bad] == []


def test_the_declared_files_exist() -> None:
    declared = yaml.safe_load((ROOT / "openenv.yaml").read_text())["validation"]
    paths = [
        declared["capabilities"]["oracle"]["location"],
        declared["execution"]["probe_path"],
        declared["execution"]["dockerfile"],
        declared["policies"]["script"],
    ]
    assert [path for path in paths if not (ROOT / path).is_file()] == []
    assert declared["policies"]["teacher"] in declared["policies"]["names"]


def test_the_probe_is_a_plan_that_openenv_reads() -> None:
    declared = yaml.safe_load((ROOT / "openenv.yaml").read_text())["validation"]
    plan = load_runtime_plan(ROOT, ExecutionDeclaration(**declared["execution"]))
    assert plan.reset.options == {"level": "detumble"}
    assert len(plan.actions) >= 5


def test_the_declared_task_counts_are_true() -> None:
    from flightrules.server.environment import FlightRulesEnvironment

    declared = yaml.safe_load((ROOT / "openenv.yaml").read_text())["validation"]
    counts = declared["capabilities"]["declared_task_count"]
    env = FlightRulesEnvironment()
    assert counts == {split: env.num_tasks(split) for split in SPLITS}


def test_what_openenv_push_wants_is_there() -> None:
    wanted = (
        "openenv.yaml",
        "__init__.py",
        "client.py",
        "models.py",
        "README.md",
        "pyproject.toml",
    )
    wanted += ("server/Dockerfile", "server/__init__.py", "server/app.py")
    assert [name for name in wanted if not (ROOT / name).is_file()] == []
    front = (ROOT / "README.md").read_text().split("---")[1]
    assert {"sdk": "docker", "app_port": 8000, "base_path": "/web"}.items() <= yaml.safe_load(
        front
    ).items()


def test_every_package_is_shipped() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    shipped = set(project["tool"]["setuptools"]["packages"])
    found = {"flightrules"} | {
        "flightrules." + path.parent.relative_to(ROOT).as_posix().replace("/", ".")
        for path in ROOT.rglob("*.py")
        if path.parent != ROOT
        and not {"tests", "build", ".venv"} & set(path.relative_to(ROOT).parts)
    }
    assert shipped == found
    assert not any("torch" in need for need in project["project"]["dependencies"])


def test_the_readme_has_exactly_the_six_sections() -> None:
    lines = (ROOT / "README.md").read_text().splitlines()
    sections = [line[3:] for line in lines if line.startswith("## ")]
    assert sections == [
        "The Problem",
        "The Environment",
        "Reward Design",
        "Results",
        "Quickstart",
        "Links",
    ]
    assert "<!-- results:begin -->" in lines and "<!-- results:end -->" in lines


def test_the_probe_answers_as_the_schema_says() -> None:
    """Once more in words: what the runtime level saw is what a caller sees."""
    plan = json.loads((ROOT / "validation" / "probe.json").read_text())
    from flightrules.models import FlightAction
    from flightrules.server.environment import FlightRulesEnvironment

    env = FlightRulesEnvironment()
    env.reset(seed=plan["reset"]["seed"], **plan["reset"]["options"])
    seen = [env.step(FlightAction(**action)) for action in plan["actions"]]
    refused = [each.last_command.startswith("refused") for each in seen]
    assert refused == [False, False, False, True, False]
