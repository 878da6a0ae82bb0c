"""A Dockerfile's steps in a scratch folder: what is copied where, what is no path of the image, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonogo.errors import DockerfileUnread, ImageFailure
from gonogo.submission.dockerfile import (
    BuildStage,
    CopyInstruction,
    EnvInstruction,
    RunInstruction,
    StartInstruction,
    Workdir,
)
from gonogo.submission.image_steps import Build, size_of, with_port


class BareBuild(Build):
    """A build whose base image is an empty folder, and no virtual environment that takes seconds."""

    def _make_base(self) -> None:
        self._base.mkdir()


@pytest.fixture
def context(tmp_path: Path) -> Path:
    """A build context of two files, a folder, and a link."""
    folder = tmp_path / "context"
    (folder / "inner").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "inner/c.txt", "inner/d.pyc"):
        (folder / name).write_text(name)
    (folder / "link").symlink_to("a.txt")
    return folder


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """An empty folder."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


Step = Workdir | CopyInstruction | EnvInstruction | RunInstruction | StartInstruction


def built(scratch: Path, context: Path, *stages: tuple[Step, ...]) -> tuple[Build, list[str]]:
    """A build of some stages, and the files and links that it leaves."""
    build = BareBuild(scratch, context, 20.0)
    build.carry_out([BuildStage("python:3.11", f"s{n}", steps) for n, steps in enumerate(stages)])
    root = scratch / "root"
    found = (path for path in root.rglob("*") if path.is_symlink() or path.is_file())
    return build, sorted(path.relative_to(root).as_posix() for path in found)


def test_a_servers_port() -> None:
    words = ["sh", "-c", "uvicorn app --host 0.0.0.0 --port 8000"]
    assert with_port(words, 5) == ["sh", "-c", "uvicorn app --host 127.0.0.1 --port 5"]
    assert with_port(["uvicorn", "--port", "8000"], 5) == ["uvicorn", "--port", "5"]
    assert with_port(["server"], 5) is None


def test_files_are_copied_to_the_places_that_an_image_has_them_at(
    scratch: Path, context: Path
) -> None:
    steps = (
        Workdir("/app"),
        CopyInstruction(("a.txt",), "renamed.txt", None),
        CopyInstruction(("a.txt", "b.txt"), "both", None),
        CopyInstruction(("*.txt",), "/many/", None),
        CopyInstruction((".",), "/all", None),
    )
    (context / ".dockerignore").write_text("**/*.pyc\n.dockerignore\n")
    _, files = built(scratch, context, steps)
    assert files == [
        "all/a.txt", "all/b.txt", "all/inner/c.txt", "all/link",
        "app/both/a.txt", "app/both/b.txt", "app/renamed.txt",
        "many/a.txt", "many/b.txt",
    ]  # fmt: skip
    assert (scratch / "root" / "all" / "link").is_symlink()


def test_a_stage_takes_files_of_an_earlier_one_and_nothing_else_of_it(
    scratch: Path, context: Path
) -> None:
    first = (CopyInstruction((".",), "/app", None),)
    second = (CopyInstruction(("/app/inner",), "/taken", "s0"),)
    build, files = built(scratch, context, first, second)
    assert files == ["taken/c.txt", "taken/d.pyc"]
    assert build.notes == ["a clean virtual environment with uv stands for python:3.11"]


def test_a_run_sees_the_image_s_paths_and_variables(scratch: Path, context: Path) -> None:
    steps = (
        EnvInstruction((("PLACE", "/made/here"),), kept=True),
        Workdir("${PLACE}"),
        RunInstruction('echo "$PLACE" > /made/said.txt && pwd > where.txt 2>/dev/null'),
    )
    _, files = built(scratch, context, steps)
    assert files == ["made/here/where.txt", "made/said.txt"]
    made = scratch / "root" / "made"
    assert (made / "said.txt").read_text() == f"{made}/here\n"
    assert (made / "here" / "where.txt").read_text() == f"{made}/here\n"


@pytest.mark.parametrize(
    ("step", "error", "said"),
    [
        (Workdir("../../x"), DockerfileUnread, "leaves the image"),
        (CopyInstruction(("a.txt",), "/x", "s7"), DockerfileUnread, "s7, which is no earlier"),
        (CopyInstruction(("no.txt",), "/x", None), ImageFailure, "no such file in the build"),
        (RunInstruction("echo oh; exit 3"), ImageFailure, "exit code 3: oh"),
    ],
)
def test_a_step_that_fails_says_why(
    scratch: Path, context: Path, step: Step, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        built(scratch, context, (step,))


def test_what_apt_installs_is_a_note(scratch: Path, context: Path) -> None:
    build, _ = built(scratch, context, (RunInstruction("apt-get install -y git"),))
    assert "not installed here, apt-get: git" in build.notes


def test_a_server_without_a_port_is_not_started(scratch: Path, context: Path) -> None:
    line = StartInstruction(("server", "--fast"), entry=False)
    build, _ = built(scratch, context, (line,))
    with pytest.raises(DockerfileUnread, match="names no --port"), build.started(1.0):
        pass


def test_a_file_of_two_names_is_counted_once(context: Path) -> None:
    before = size_of(context)
    (context / "again.txt").hardlink_to(context / "a.txt")
    assert size_of(context) == before
    (context / "more.txt").write_bytes(bytes(100))
    assert size_of(context) == before + 100
