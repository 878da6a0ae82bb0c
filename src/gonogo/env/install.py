"""What an environment's package needs, installed into a virtual environment of its own, which is kept in the cache.

The worker process needs nothing of gonogo, so the interpreter of such an environment can run it; where that lacks
OpenEnv, it finds ours. The folder is keyed by what the package's files say it needs. It has its name only once all is
there: an install that was interrupted leaves nothing that could be taken for one.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import site
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gonogo.env.variables import build_environment, child_environment
from gonogo.errors import TargetError
from gonogo.faults import cache_folder
from gonogo.folder import read_text, read_toml
from gonogo.records.terminal import Terminal

REQUIREMENTS = ("requirements.txt", "server/requirements.txt")
OURS = re.compile(r"openenv([-_]core)?\b(?![-_])", re.IGNORECASE)
"""Requirements that are not installed: the worker brings OpenEnv, and speaks with one version of it."""
HERE = re.compile(r"(-e\b|--editable\b|\.|file:)")
INSTALL_S = 1200.0
MAKE_S = 120.0
SHOWN_CHARS = 300
FORM = "1"
"""Of the folder; another number makes those that are there stale."""


def declared(folder: Path) -> Path | None:
    """The file that says what a package needs; None where none does."""
    names = ("pyproject.toml", *REQUIREMENTS)
    found = [folder / name for name in names if (folder / name).is_file()]
    return next((file for file in found if list(requirements_in(file, folder))), None)


def requirements(folder: Path) -> list[str]:
    """What a package needs, as pip reads it, in the order of its files; each once."""
    found: list[str] = []
    for name in ("pyproject.toml", *REQUIREMENTS):
        if (folder / name).is_file():
            found += requirements_in(folder / name, folder)
    return list(dict.fromkeys(found))


def requirements_in(file: Path, folder: Path) -> Iterator[str]:
    """What one file says a package needs, without OpenEnv and without the package itself."""
    try:
        said = (
            project_needs(file) if file.suffix == ".toml" else read_text(file, folder).splitlines()
        )
    except OSError:
        return
    for line in said:
        text = re.sub(r"(^|\s)#.*", "", line).strip()
        if text and not OURS.match(text) and not HERE.match(text):
            if text.startswith(("-r ", "--requirement ")):
                inner = file.parent / text.split(maxsplit=1)[1]
                if inner != file and inner.is_file():
                    yield from requirements_in(inner, folder)
            else:
                yield text


def project_needs(file: Path) -> list[str]:
    """The dependencies that a ``pyproject.toml`` lists."""
    project: Any = read_toml(file).get("project")
    needed = project.get("dependencies") if isinstance(project, dict) else None
    return [each for each in needed if isinstance(each, str)] if isinstance(needed, list) else []


def place(folder: Path) -> Path:
    """Where the virtual environment of a package is, or would be."""
    key = "\n".join([FORM, sys.version, sys.prefix, *requirements(folder)])
    return cache_folder() / "venvs" / hashlib.sha256(key.encode()).hexdigest()[:24]


def interpreter_of(folder: Path) -> Path | None:
    """The Python of a package's virtual environment; None where none was made for what it needs now."""
    python = place(folder) / "bin" / "python"
    return python if python.exists() else None


def install(folder: Path) -> Path | None:
    """Install what a package needs, where that has not been done.

    Args:
        folder: The package's.

    Returns:
        The Python that has it; None where the package says no needs.

    Raises:
        TargetError: A file of its needs cannot be read, or something cannot be installed; the message is one line.
    """
    for name in ("pyproject.toml", *REQUIREMENTS):
        check(folder / name, folder)
    needed = requirements(folder)
    if not needed:
        return None
    if (known := interpreter_of(folder)) is not None:
        return known
    home = place(folder)
    say(
        f"installs what {folder.name} needs ({len(needed)} requirement{'' if len(needed) == 1 else 's'}) into {home}"
    )
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{home.name}-", dir=home.parent))
    except OSError as error:
        raise TargetError(f"--install: {home.parent} takes no folder: {error}") from None
    try:
        fill(partial / "venv", needed, folder)
        try:
            (partial / "venv").rename(home)
        except OSError:
            if not home.is_dir():  # somebody else was faster
                raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    say("has installed it; the next command uses it, with or without --install")
    return interpreter_of(folder)


def check(file: Path, folder: Path) -> None:
    """Refuse a file of a package's needs that is there and cannot be read.

    Raises:
        TargetError: It cannot be.
    """
    try:
        if file.suffix == ".toml":
            read_toml(file)
        else:
            read_text(file, folder)
    except FileNotFoundError:
        return
    except OSError as error:
        why = " ".join(str(error).removeprefix(f"{file}: ").split())
        raise TargetError(f"--install: {file} cannot be read: {why}") from None


def fill(venv: Path, needed: Sequence[str], folder: Path) -> None:
    """Make a virtual environment and install into it."""
    listed = venv.parent / "requirements.txt"
    listed.write_text("\n".join(needed) + "\n", encoding="utf-8")
    python = venv / "bin" / "python"
    uv = shutil.which("uv")
    make = (
        [uv, "venv", "--python", sys.executable, str(venv)]
        if uv
        else [sys.executable, "-m", "venv", str(venv)]
    )
    run(make, venv.parent, MAKE_S, folder)
    for libraries in sorted(venv.glob("lib*/python*/site-packages")):
        ours = dict.fromkeys([*site.getsitepackages(), site.getusersitepackages()])
        text = "\n".join(path for path in ours if Path(path).is_dir())
        (libraries / "zz_gonogo.pth").write_text(f"{text}\n", encoding="utf-8")
    pip = (
        [uv, "pip", "install", "--python", str(python)]
        if uv
        else [str(python), "-m", "pip", "install"]
    )
    if not uv:
        pip += ["--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    run([*pip, "-r", str(listed)], venv.parent, INSTALL_S, folder)


def run(argv: Sequence[str], cwd: Path, timeout_s: float, folder: Path) -> None:
    """Run a step of an installation; what it has started ends with it, also where it is interrupted.

    Raises:
        TargetError: It failed, or took too long.
    """
    given = {**child_environment(), **build_environment(), "HOME": str(cwd), "TMPDIR": str(cwd)}
    if caches := os.environ.get("XDG_CACHE_HOME"):
        given["XDG_CACHE_HOME"] = caches
    try:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=given,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise TargetError(f"--install: {argv[0]} cannot be started: {error}") from None
    with process:
        try:
            said, _ = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            raise TargetError(
                f"--install: {folder.name}: not done within {timeout_s:g} s"
            ) from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode != 0:
        raise TargetError(f"--install: {folder.name}: {reason_in(said)}")


def reason_in(said: str) -> str:
    """Why an installer failed, of what it printed: its last error, without colours."""
    lines = [
        line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", said).splitlines() if line.strip()
    ]
    errors = [line for line in lines if re.match(r"(ERROR|error|×|╰─▶)", line)]
    return (errors or lines or ["the installer failed and said nothing"])[-1][:SHOWN_CHARS]


def say(text: str) -> None:
    """Say what is being done, where a command runs."""
    Terminal(stderr=True).print(f"gonogo: {text}", markup=False, highlight=False, soft_wrap=True)
