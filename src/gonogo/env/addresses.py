"""Addresses of what is elsewhere: a repository that is cloned, and a Space of Hugging Face, whose server has its own.

A repository is cloned once, shallowly, into the cache, and stays as it is there: records name its source by hash. A
Space is a name, or the URL of its page; its server answers at another address, which follows from the name.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from gonogo.env.variables import build_environment, child_environment
from gonogo.errors import TargetError
from gonogo.faults import cache_folder

SPACE = re.compile(r"hf:(?:spaces/)?([A-Za-z0-9][\w.-]*)/([A-Za-z0-9][\w.-]*)")
"""A Space's name. Without a prefix it would be a path: one that is misspelt is no reason to ask a server."""
PAGE = re.compile(r"https?://(?:www\.)?huggingface\.co/spaces/([\w.-]+)/([\w.-]+)(?:/.*)?")
FORGES = frozenset({"github.com", "gitlab.com", "codeberg.org", "bitbucket.org"})
REPOSITORY = re.compile(r"/([^/]+)/([^/]+?)(?:\.git)?(?:/(?:-/)?tree/([^/]+)(?:/(.+?))?)?/?")
CLONE_S = 300.0
SHOWN_CHARS = 200
SPACE_HOST = ".hf.space"
HF_TOKEN = "HF_TOKEN"


def space_url(text: str) -> str | None:
    """The address of a Space's server, of its name or its page's URL; None where the text is neither.

    Args:
        text: ``hf:owner/name``, or a page's URL.
    """
    found = PAGE.fullmatch(text) or SPACE.fullmatch(text)
    if found is None:
        return None
    name = re.sub(r"[^a-z0-9]+", "-", f"{found[1]}-{found[2]}".lower()).strip("-")
    return f"https://{name}{SPACE_HOST}"


def token_of(host: str | None) -> str | None:
    """The token for a server: that of Hugging Face for a Space, where the user passes it on; else None.

    A Space is somebody else's program, which reads what it is sent: without ``--env HF_TOKEN`` it gets no token.

    Args:
        host: The server's.
    """
    if host is None or not host.endswith(SPACE_HOST):
        return None
    return child_environment().get(HF_TOKEN)


def is_repository(text: str) -> bool:
    """Whether a text is the address of a git repository."""
    if text.startswith(("git+", "git@", "git://", "ssh://", "file://")) or text.endswith(".git"):
        return True
    parts = urlsplit(text)
    return parts.hostname in FORGES and REPOSITORY.fullmatch(parts.path) is not None


def cloned(text: str) -> Path:
    """The folder of a repository, cloned where it has not been.

    Args:
        text: Its address; a forge's page of a branch and a folder in it, too.

    Raises:
        TargetError: It cannot be cloned.
    """
    url, branch, inside = text.removeprefix("git+"), None, None
    parts = urlsplit(url)
    if parts.hostname in FORGES and (found := REPOSITORY.fullmatch(parts.path)) is not None:
        url = f"{parts.scheme}://{parts.netloc}/{found[1]}/{found[2]}"
        branch, inside = found[3], found[4]
    key = hashlib.sha256(f"{url}\n{branch or ''}".encode()).hexdigest()[:12]
    name = (
        re.sub(r"[^\w.-]+", "-", url.rstrip("/").removesuffix(".git").rpartition("/")[2])
        or "repository"
    )
    home = cache_folder() / "clones" / key / name
    if not home.is_dir():
        clone(url, branch, home)
    folder = home if inside is None else home / inside
    if not folder.resolve().is_relative_to(home.resolve()) or not folder.is_dir():
        raise TargetError(f"{text}: the repository has no folder {inside!r}")
    return folder.resolve()


def clone(url: str, branch: str | None, home: Path) -> None:
    """Clone a repository's last commit; the folder has its name once all of it is there.

    Raises:
        TargetError: It cannot be cloned; the message is what git says, in a line.
    """
    git = shutil.which("git")
    if git is None:
        raise TargetError(
            f"{url}: git is not installed here: clone it elsewhere and give its folder"
        )
    home.parent.mkdir(parents=True, exist_ok=True)
    wanted = [] if branch is None else ["--branch", branch]
    quiet = {"GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1", "GIT_ASKPASS": "true"}
    path = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    with tempfile.TemporaryDirectory(dir=home.parent, ignore_cleanup_errors=True) as place:
        partial = Path(place) / "clone"
        argv = [git, "clone", "--quiet", "--depth", "1", *wanted, "--", url, str(partial)]
        try:
            done = subprocess.run(
                argv,
                env={**build_environment(), **path, **quiet},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=CLONE_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise TargetError(f"{url}: not cloned within {CLONE_S:g} s") from None
        if done.returncode != 0:
            lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
            said = next(
                (line for line in lines if line.startswith("fatal:")), (lines or ["git failed"])[-1]
            )
            raise TargetError(
                f"{url} cannot be cloned: {said.removeprefix('fatal: ')[:SHOWN_CHARS]}"
            )
        if not home.is_dir():  # somebody else may have been faster
            partial.rename(home)
