"""The GitHub Action, the pre-commit hook and the workflows: their words fit, and what they run runs here."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / ".ci" / "action"
LITTLE = "--budget 3000 --seeds 4"
HONEST = "reward = 1.0 - 0.05 * (steps - 1) if success else 0.0"
MAJORS = {
    "actions/checkout": "v7",
    "actions/setup-python": "v7",
    "actions/upload-artifact": "v7",
    "github/codeql-action/upload-sarif": "v4",
}
"""The actions' majors that were looked up in November 2026."""


def read(name: str) -> dict[Any, Any]:
    data = yaml.safe_load((ROOT / name).read_text())
    assert isinstance(data, dict)
    return data


def uses(node: Any) -> Iterator[str]:
    """Every action that a workflow or an action calls."""
    if isinstance(node, dict):
        if "uses" in node:
            yield node["uses"]
        node = list(node.values())
    if isinstance(node, list):
        for item in node:
            yield from uses(item)


@dataclass(frozen=True)
class Done:
    """A finished step of the action."""

    code: int
    said: str
    outputs: dict[str, str]
    summary: str


def step(checkout: Path, name: str, **words: str) -> Done:
    """Run a step of the action as its runner does: in the checkout, with its words in the environment."""
    outputs, summary = checkout / "outputs.txt", checkout / "summary.txt"
    for file in (outputs, summary):
        file.write_text("")
    files = {"GITHUB_OUTPUT": str(outputs), "GITHUB_STEP_SUMMARY": str(summary)}
    given = {"ACTION_PATH": str(ROOT), "FAIL_ON": "no-go", "OUT": "runs/audit", **files, **words}
    done = subprocess.run(
        ["bash", str(SCRIPT), name],
        cwd=checkout,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    told = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
    return Done(done.returncode, done.stdout + done.stderr, told, summary.read_text())


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory, gridworld: Path) -> Path:
    """A repository with the gridworld, which pays here for waiting, and this interpreter as its environment."""
    root = tmp_path_factory.mktemp("checkout")
    folder = root / "envs" / "grid"
    shutil.copytree(gridworld, folder, ignore=shutil.ignore_patterns("__pycache__"))
    source = folder / "server" / "environment.py"
    text = source.read_text()
    assert HONEST in text
    source.write_text(text.replace(HONEST, HONEST.replace("else 0.0", "else 0.6 * timeout")))
    manifest = yaml.safe_load((folder / "openenv.yaml").read_text())
    manifest["validation"]["policies"]["names"] = ["walker"]  # the others fail on purpose
    (folder / "openenv.yaml").write_text(yaml.safe_dump(manifest))
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    (root / "venv" / "bin").mkdir(parents=True)
    python = root / "venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return root


@pytest.mark.long
@pytest.mark.timeout(300)
def test_the_audit_step_fails_on_a_finding_and_points_at_its_file(checkout: Path) -> None:
    done = step(checkout, "audit", TARGET="envs/grid", VENV="venv", ARGS=LITTLE)
    assert done.code == 1, done.said
    assert done.outputs == {
        "verdict": "NO-GO",
        "badge": "runs/audit/audit-badge.svg",
        "sarif": "runs/audit/audit.sarif",
    }
    assert all((checkout / done.outputs[name]).is_file() for name in ("badge", "sarif"))
    assert done.summary.startswith("# Audit of gridworld\n\n**NO_GO**")
    (run,) = json.loads((checkout / "runs/audit/audit.sarif").read_text())["runs"]
    assert run["automationDetails"]["id"] == "gonogo-audit/gridworld/"
    found = {result["ruleId"]: result for result in run["results"]}
    (location,) = found["paid_for_idling"]["locations"]
    place = location["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "envs/grid/server/environment.py"
    lines = (checkout / "envs/grid/server/environment.py").read_text().splitlines()
    assert "reward" in lines[place["region"]["startLine"] - 1]
    badge = json.loads((checkout / "runs/audit/audit-badge.json").read_text())
    assert badge["message"].startswith("NO-GO, ")


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("fail_on", "code"), [("no-go", 0), ("hold", 3)])
def test_a_hold_fails_only_where_it_is_asked_to(
    tmp_path: Path, checkout: Path, fail_on: str, code: int
) -> None:
    """An audit's end is told by its record and its exit code, so a command that leaves both stands for it."""
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    # No audit ends within the tick of the clock in which it began.
    python.write_text("#!/bin/sh\nsleep 0.1\nmkdir -p runs/audit\necho {} > runs/audit/audit.json\n"
                      "echo page > runs/audit/audit.md\nexit 3\n")  # fmt: skip
    python.chmod(0o755)
    done = step(tmp_path, "audit", TARGET="http://127.0.0.1:1", VENV="venv", FAIL_ON=fail_on)
    assert done.code == code, done.said
    assert (done.outputs["verdict"], done.outputs["sarif"]) == ("HOLD", "")
    assert ("::warning" in done.said) is (fail_on == "no-go")


@pytest.mark.timeout(120)
def test_an_audit_that_came_to_no_verdict_fails_whatever_is_asked(checkout: Path) -> None:
    record = checkout / "runs" / "audit" / "audit.json"
    record.parent.mkdir(parents=True, exist_ok=True)
    record.touch()  # of an audit before this one
    done = step(checkout, "audit", TARGET="envs/nowhere", VENV="venv")
    assert done.code == 2 and done.outputs == {}
    assert "did not come to a verdict: exit code 2" in done.said and "envs/nowhere" in done.said
    done = step(checkout, "audit", TARGET="envs/grid", VENV="venv", FAIL_ON="never")
    assert done.code == 2 and "fail-on must be no-go or hold, not 'never'" in done.said


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_install_step_brings_the_core_and_the_environment_without_torch(
    checkout: Path, tmp_path: Path
) -> None:
    project = checkout / "envs" / "project"
    project.mkdir(exist_ok=True)
    (project / "pyproject.toml").write_text(
        '[project]\nname = "needs-tomli"\nversion = "0.1.0"\ndependencies = ["tomli"]\n'
    )
    venv = str(tmp_path / "venv")
    done = step(checkout, "install", TARGET="envs/project", VENV=venv, PYTHON=sys.executable)
    assert done.code == 0, done.said
    tried = "import gonogo.pipeline.demo, tomli, importlib.util as u; print(u.find_spec('torch'))"
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    said = subprocess.run(
        [f"{venv}/bin/python", "-c", tried], env=own, capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "None"


def test_the_action_uses_its_inputs_and_gives_outputs_that_its_steps_have() -> None:
    text, action = (ROOT / "action.yml").read_text(), read("action.yml")
    assert set(re.findall(r"inputs\.([a-z-]+)", text)) == set(action["inputs"])
    assert all(given["description"] for given in action["inputs"].values())
    named = {step["id"]: step for step in action["runs"]["steps"] if "id" in step}
    assert set(re.findall(r"steps\.(\w+)\.", text)) <= set(named)
    written = set(re.findall(r'echo "(\w+)=', SCRIPT.read_text()))
    asked = set(re.findall(r"steps\.audit\.outputs\.(\w+)", text))
    assert asked == written == set(action["outputs"])
    for step_ in action["runs"]["steps"]:
        assert ("uses" in step_) is not ("run" in step_)
        assert "run" not in step_ or step_["shell"] == "bash"


def test_a_step_gets_its_words_by_its_environment_and_never_by_its_text() -> None:
    script = SCRIPT.read_text()
    for step_ in read("action.yml")["runs"]["steps"]:
        if "run" in step_:
            assert "${{" not in step_["run"], "an input in a script's text is a way in"
            part = script[script.index(f"{step_['run'].split()[-1]}() {{") :].partition("\n}\n")[0]
            needed = set(re.findall(r"\$\{?([A-Z][A-Z_]+)", part)) - {
                "GITHUB_OUTPUT",
                "GITHUB_STEP_SUMMARY",
            }
            assert needed <= set(step_["env"])


@pytest.mark.parametrize(
    "name", ["action.yml", ".github/workflows/ci.yml", ".github/workflows/audit.yml"]
)
def test_actions_are_pinned_by_the_majors_that_were_looked_up(name: str) -> None:
    for used in uses(read(name)):
        action, _, version = used.partition("@")
        assert used == "./" or MAJORS[action] == version


def test_the_workflows_run_what_is_there_with_the_rights_it_needs() -> None:
    audit = read(".github/workflows/audit.yml")
    (job,) = audit["jobs"].values()
    (step_,) = [step_ for step_ in job["steps"] if step_.get("uses") == "./"]
    assert set(step_["with"]) <= set(read("action.yml")["inputs"])
    assert audit["permissions"] == {"contents": "read", "security-events": "write"}
    assert not (ROOT / "envs").exists() or (ROOT / step_["with"]["target"]).is_dir()
    ci = read(".github/workflows/ci.yml")
    (job,) = ci["jobs"].values()
    assert ci["permissions"] == {"contents": "read"}
    assert [s["run"] for s in job["steps"] if ".ci/run" in s.get("run", "")] == ["bash .ci/run"]


def test_the_hook_calls_the_command_before_a_push() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert (hook["entry"], hook["language"]) == ("gonogo audit", "python")
    assert hook["pass_filenames"] is False and "pre-commit" not in hook["stages"]
    watched = re.compile(hook["files"])
    assert watched.search("envs/mine/openenv.yaml") and watched.search("envs/mine/server/app.py")
    assert not watched.search("README.md")


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_pre_commit_installs_the_hook_and_it_stops_a_push_with_a_finding(
    checkout: Path, tmp_path: Path
) -> None:
    pytest.importorskip("pre_commit", reason="the development requirements are not installed")
    clone = tmp_path / "gonogo"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=clone, capture_output=True, text=True, check=True
    )
    hook = {"id": "gonogo-audit", "args": ["envs/grid", *LITTLE.split()]}
    repo = {"repo": str(clone), "rev": commit.stdout.strip(), "hooks": [hook]}
    (checkout / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [repo]}))
    subprocess.run(["git", "add", "envs", ".pre-commit-config.yaml"], cwd=checkout, check=True)
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--all-files", "--hook-stage", "pre-push"],
        cwd=checkout,
        env={**own, "PRE_COMMIT_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
        timeout=1100,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "gonogo audit" in done.stdout and "exit code: 1" in done.stdout
    assert "NO_GO" in done.stdout and "paid_for_idling" in done.stdout
