"""OpenEnv's template in a repository of its own, to be looked at before its submission."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from gonogo import config
from gonogo.env.target import FolderTarget, resolve
from gonogo.plots.metadata import described
from gonogo.records.base import source_hash, write_record
from gonogo.submission.check.subject import Subject

Json = dict[str, Any]
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
def evaluated(package: Path, tmp_path: Path) -> Callable[..., Json]:
    """Write an evaluation of the package into the run; gives the record as it is read."""

    def write(before: float = 0.125, after: float = 0.75, **fields: Any) -> Json:
        policies = {
            name: {"episodes": 20, "score": {"mean": mean, "ci95": None}}
            for name, mean in (("untrained", before), ("trained", after))
        }
        body = {"source_hash": source_hash(package), "policies": policies, **fields}
        path = tmp_path / "run" / "evaluation.json"
        write_record(path, "evaluation", 2, body)
        record: Json = json.loads(path.read_text())
        return record

    return write


@pytest.fixture
def draw() -> Callable[..., None]:
    """Write a plot with gonogo's metadata."""

    def write(
        path: Path,
        record: Json,
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
            figure.savefig(path, metadata=described(figure, record))

    return write
