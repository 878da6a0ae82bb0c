"""What OpenEnv's own command line checks, for those who check further, and where it puts skills.

``openenv push`` says which files a package must have and which it uploads; ``openenv validate --url`` holds a
running server against the API. Both are asked here, in their own code.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from openenv.cli._cli_utils import validate_env_structure
from openenv.cli._validation import validate_running_environment
from openenv.cli.commands.push import DEFAULT_PUSH_IGNORE_PATTERNS, _should_exclude_path
from openenv.cli.commands.skills import CENTRAL_LOCAL, LOCAL_TARGETS

SKILLS = CENTRAL_LOCAL
"""Folder of a project's skills."""
AGENT_SKILLS = LOCAL_TARGETS
"""Folders in which coding agents look for theirs, by the agent's name."""


def missing_file(folder: Path) -> str | None:
    """What ``openenv push`` misses in a package's folder, in its words; None where it misses nothing."""
    try:
        validate_env_structure(folder)
    except FileNotFoundError as error:
        return str(error)
    return None


def pushed_files(folder: Path) -> Iterator[Path]:
    """The files that ``openenv push`` uploads without an ignore file, in the order of their names."""
    for path in sorted(folder.iterdir()):
        yield from pushed_below(path, folder)


def pushed_below(path: Path, folder: Path) -> Iterator[Path]:
    """A file, or those below a folder, as far as they are uploaded."""
    if _should_exclude_path(path.relative_to(folder), DEFAULT_PUSH_IGNORE_PATTERNS):
        return
    if path.is_dir() and not path.is_symlink():
        for inner in sorted(path.iterdir()):
            yield from pushed_below(inner, folder)
    elif path.is_file():
        yield path


def unanswered(url: str, timeout_s: float) -> list[str]:
    """What of OpenEnv's HTTP API a running server does not answer; empty where it answers all.

    Args:
        url: Its base URL.
        timeout_s: Seconds that each question may take.
    """
    report = validate_running_environment(url, timeout_s)
    return [
        f"{each['description']}: {each.get('details') or each.get('actual')}"
        for each in report["criteria"]
        if each["required"] and not each["passed"]
    ]
