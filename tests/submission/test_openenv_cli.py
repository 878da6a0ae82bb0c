"""What OpenEnv's own command line asks of a package and of a server."""

from __future__ import annotations

from pathlib import Path

from gonogo.submission.image import free_port
from gonogo.submission.openenv_cli import (
    AGENT_SKILLS,
    SKILLS,
    missing_file,
    pushed_files,
    unanswered,
)


def package(folder: Path) -> Path:
    """The files without which OpenEnv pushes nothing."""
    for name in (
        "openenv.yaml", "__init__.py", "client.py", "models.py", "README.md", "pyproject.toml",
        "server/__init__.py", "server/app.py", "server/Dockerfile",
    ):  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("name: x\n")
    return folder


def test_what_a_push_would_miss_is_named(tmp_path: Path) -> None:
    assert missing_file(package(tmp_path)) is None
    (tmp_path / "client.py").unlink()
    assert "client.py" in str(missing_file(tmp_path))


def test_a_push_uploads_no_hidden_files_and_no_caches(tmp_path: Path) -> None:
    for name in ("b.py", "a/c.py", ".git/x", "__pycache__/b.pyc", "a/__pycache__/c.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "away").symlink_to(tmp_path / "a", target_is_directory=True)
    assert [path.relative_to(tmp_path).as_posix() for path in pushed_files(tmp_path)] == [
        "a/c.py",
        "b.py",
    ]


def test_a_server_that_is_not_there_answers_nothing() -> None:
    said = unanswered(f"http://127.0.0.1:{free_port()}", 1.0)
    assert any(each.startswith("GET /health") for each in said)


def test_agents_look_for_skills_in_folders_of_their_own() -> None:
    folders = {str(folder) for folder in AGENT_SKILLS.values()}
    assert len(folders) == len(AGENT_SKILLS) > 1
    assert str(SKILLS) not in folders
