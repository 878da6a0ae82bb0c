"""OpenEnv's template in a repository of its own, to be looked at before its submission."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure
from tests.records_made import estimate, evaluation_report, policy_result

from gonogo import config
from gonogo.env.target import FolderTarget, resolve
from gonogo.plots.style import described
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.provenance import source_hash
from gonogo.submission.check.subject import Subject

WHO = ["-c", "user.name=someone", "-c", "user.email=someone@localhost"]


def commit_all(folder: Path) -> None:
    for words in (["add", "-A"], [*WHO, "commit", "-qm", "all", "--allow-empty"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True, timeout=60)


@pytest.fixture
def commit() -> Callable[[Path], None]:
    """Commit everything of the repository that a folder lies in."""
    return commit_all


@pytest.fixture
def package(tmp_path: Path, echo: Path) -> Path:
    """A copy of the template's folder, committed."""
    folder = tmp_path / "repository" / "echo_env"
    shutil.copytree(echo, folder)
    subprocess.run(["git", "init", "-q", str(folder.parent)], check=True)
    commit_all(folder)
    return folder


@pytest.fixture
def subject(package: Path, tmp_path: Path) -> Callable[..., Subject]:
    """What boxes look at; fields of the config by their dotted names."""

    def make(**fields: Any) -> Subject:
        given = {"target": str(package), "out": str(tmp_path / "run")}
        named = {name.replace("__", "."): value for name, value in fields.items()}
        run = config.load(None, {**given, **named})
        target = resolve(run.target)
        assert isinstance(target, FolderTarget)
        return Subject(run, target)

    return make


@pytest.fixture
def evaluated(package: Path, tmp_path: Path) -> Callable[..., EvaluationReport]:
    """Write an evaluation of the package into the run; gives the record as it is read."""

    def write(**scores: float | None) -> EvaluationReport:
        given = scores or {"untrained": 0.125, "trained": 0.75}
        policies = {name: policy_result(estimate(mean, None)) for name, mean in given.items()}
        record = evaluation_report(policies, source_hash=source_hash(package))
        record.save(tmp_path / "run")
        return record

    return write


@pytest.fixture
def draw() -> Callable[..., None]:
    """Write a plot with gonogo's metadata, from another record than the run's where none is given."""
    drawn_from = evaluation_report({"idle": policy_result(estimate(0.0))})

    def write(
        path: Path,
        record: EvaluationReport | None = None,
        *,
        label: str = "Reward",
        series: tuple[str, ...] = ("overall", "untrained"),
    ) -> None:
        with mpl.rc_context():
            figure = Figure()
            axes = figure.subplots()
            for name in series:
                axes.plot([0, 1], [0, 1], label=name)
            axes.set_xlabel("Training step")
            axes.set_ylabel(label)
            path.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(path, metadata=described(figure, (record or drawn_from).digest()))

    return write
