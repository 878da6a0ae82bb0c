"""What an environment's package needs, installed into a virtual environment of its own, which is kept in the cache.

The worker process needs nothing of gonogo, so the interpreter of such an environment can run it; where that lacks
OpenEnv, it finds ours. The folder is keyed by what the package's files say it needs. It has its name only once all is
there: an install that was interrupted leaves nothing that could be taken for one.
"""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import hashlib
import itertools
import os
import re
import shutil
import signal
import site
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from gonogo.env.variables import build_environment, child_environment
from gonogo.errors import TargetError
from gonogo.faults import cache_folder
from gonogo.folder import UnreadableFile, read_bytes, read_text, read_toml
from gonogo.records.terminal import Terminal

REQUIREMENTS = ("requirements.txt", "server/requirements.txt")
OURS = re.compile(r"openenv([-_]core)?\b(?![-_])", re.IGNORECASE)
"""Requirements that are not installed: the worker brings OpenEnv, and speaks with one version of it."""
DOCKERFILES = ("Dockerfile", "server/Dockerfile")
BUILT_OF = re.compile(r"^\s*(?:FROM|RUN)\b(?:.*\\\n)*.*", re.IGNORECASE | re.MULTILINE)
"""What a Dockerfile begins with and what it runs, without its comments."""
HERE = re.compile(r"(-e\b|--editable\b|\.|file:)")
INSTALL_S = 1200.0
MAKE_S = 120.0
SHOWN_CHARS = 300
CAUSE = re.compile(r"(╰─▶|├─▶|cause:|Caused by:)")
"""How uv begins to say why."""
UNREAD = frozenset({"gradio", "openai", "daytona", "numpy", "pandas", "pillow"})
"""Packages that OpenEnv asks for and that no worker reads before its environment does."""
FORM = "2"
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
        said = project_needs(file) if file.suffix == ".toml" else listing(file, folder).splitlines()
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


def listing(file: Path, folder: Path | None = None) -> str:
    """The text of a requirements file: in UTF-8, or in UTF-16 if its first bytes say so, as PowerShell writes it.

    Args:
        file: The file.
        folder: Where it has to lie; its own folder if None.

    Raises:
        FileNotFoundError: There is none.
        UnreadableFile: As of :func:`gonogo.folder.blocks`, or it is neither.
    """
    held = read_bytes(file, folder)
    marked = held.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "UTF-16" if marked else "UTF-8-sig"
    try:
        return held.decode(encoding)
    except UnicodeDecodeError as error:
        form = encoding.removesuffix("-sig")
        raise UnreadableFile(f"{file}: not {form}: byte {error.start}: {error.reason}") from error


def project_needs(file: Path) -> list[str]:
    """The dependencies that a ``pyproject.toml`` lists."""
    project: Any = read_toml(file).get("project")
    needed = project.get("dependencies") if isinstance(project, dict) else None
    return [each for each in needed if isinstance(each, str)] if isinstance(needed, list) else []


def asks_for_openenv(folder: Path) -> bool:
    """Whether a folder's files name OpenEnv among what it needs; also where they do not say what it needs.

    Args:
        folder: The environment's.
    """
    if declared(folder) is None:
        return True
    project = folder / "pyproject.toml"
    try:
        said = project_needs(project) if project.is_file() else []
        said += [listing(folder / name) for name in REQUIREMENTS if (folder / name).is_file()]
        built = [read_text(folder / name) for name in DOCKERFILES if (folder / name).is_file()]
    except OSError:
        return True
    said += [step for text in built for step in BUILT_OF.findall(text)]
    return any("openenv" in each.lower() for each in said)


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
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        with (
            alone(home),
            tempfile.TemporaryDirectory(
                prefix=f".{home.name}-", dir=home.parent, ignore_cleanup_errors=True
            ) as partial,
        ):
            if (known := interpreter_of(folder)) is not None:  # somebody else was faster
                return known
            said = f"{len(needed)} requirement{'' if len(needed) == 1 else 's'}"
            say(f"installs what {folder.name} needs ({said}) into {home}")
            fill(Path(partial) / "venv", folder)
            (Path(partial) / "venv").rename(home)
    except OSError as error:
        raise TargetError(f"--install: {home.parent} takes no folder: {error}") from None
    say("has installed it; the next command uses it, with or without --install")
    return interpreter_of(folder)


@contextlib.contextmanager
def alone(home: Path) -> Iterator[None]:
    """A context that one install into a folder is in at a time, of this process or another."""
    place = cache_folder() / "locks"
    place.mkdir(parents=True, exist_ok=True)
    with open(place / home.name, "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@cache
def shared() -> dict[str, str]:
    """Packages that OpenEnv reads in a worker, and their versions here: another of one would not fit the others."""
    found: dict[str, str] = {}
    todo = ["openenv"]
    while todo:
        name = canonicalize_name(todo.pop())
        if name in found or name in UNREAD:
            continue
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
        for text in metadata.requires(name) or ():
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                todo.append(needed.name)
    return {name: found[name] for name in sorted(found) if name != "openenv"}


def beside_ours(needed: Sequence[str]) -> tuple[list[str], list[str]]:
    """Requirements without limits that the versions here do not keep; and those that had them, as they were."""
    kept, loosened = [], []
    for text in needed:
        try:
            asked = Requirement(text)
        except (
            InvalidRequirement
        ):  # an option, a path or a URL; the installer says if it is none of these
            kept.append(text)
            continue
        ours = shared().get(canonicalize_name(asked.name))
        if ours is None or asked.specifier.contains(ours, prereleases=True):
            kept.append(text)
        else:
            kept.append(
                asked.name + (f"[{','.join(sorted(asked.extras))}]" if asked.extras else "")
            )
            loosened.append(text)
    return kept, loosened


def tries(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """What is tried to be installed, the best first: all that the files say, and each file's alone; what that is."""
    whole = requirements(folder)
    yield "", whole
    for name in ("pyproject.toml", *REQUIREMENTS):
        alone = list(dict.fromkeys(requirements_in(folder / name, folder)))
        if alone and alone != whole and (folder / name).is_file():
            yield f"what its files say together cannot be installed: {name} alone is", alone


def check(file: Path, folder: Path) -> None:
    """Refuse a file of a package's needs that is there and cannot be read.

    Raises:
        TargetError: It cannot be.
    """
    try:
        if file.suffix == ".toml":
            read_toml(file)
        else:
            listing(file, folder)
    except FileNotFoundError:
        return
    except OSError as error:
        why = " ".join(str(error).removeprefix(f"{file}: ").split())
        raise TargetError(f"--install: {file} cannot be read: {why}") from None


def fill(venv: Path, folder: Path) -> None:
    """Make a virtual environment and install into it, as much as can be; what was left out is said.

    Raises:
        TargetError: Nothing can be installed.
    """
    installer = Installer(venv, folder)
    loosened: list[str] = []
    failure: TargetError | None = None
    for why, needed in tries(folder):
        kept, left = beside_ours(needed)
        for fixed in (True, False):
            try:
                installer.install(kept if fixed else needed, fixed)
            except TargetError as error:
                failure = failure or error
                continue
            loosened = left if fixed else []
            if why:
                say(f"{folder.name}: {why} ({failure})")
            break
        else:
            continue
        break
    else:
        installer.one_by_one(beside_ours(requirements(folder))[0], failure)
    if loosened:
        ours = ", ".join(f"{n} {shared()[n]}" for n in sorted({name_of(each) for each in loosened}))
        say(f"{folder.name}: {', '.join(loosened)} is not kept: OpenEnv needs {ours}")


def name_of(text: str) -> str:
    """The name of what a requirement asks for."""
    return str(canonicalize_name(Requirement(text).name))


class Installer:
    """What installs into a new virtual environment: uv where it is there, else pip.

    Args:
        venv: Where it is made.
        folder: The package's.

    Raises:
        TargetError: It cannot be made.
    """

    def __init__(self, venv: Path, folder: Path) -> None:
        self._venv, self._folder = venv, folder
        self._until = time.monotonic() + INSTALL_S
        python, uv = str(venv / "bin" / "python"), shutil.which("uv")
        make = [sys.executable, "-m", "venv"]
        self._pip = [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        self._pip += ["--progress-bar", "off"]
        if uv is not None:
            make = [uv, "venv", "--python", sys.executable]
            self._pip = [uv, "pip", "install", "--compile-bytecode", "--python", python]
        run([*make, str(venv)], venv.parent, MAKE_S, folder)
        for libraries in sorted(venv.glob("lib*/python*/site-packages")):
            ours = dict.fromkeys([*site.getsitepackages(), site.getusersitepackages()])
            text = "\n".join(path for path in ours if Path(path).is_dir())
            (libraries / "zz_gonogo.pth").write_text(f"{text}\n", encoding="utf-8")

    def install(self, needed: Sequence[str], fixed: bool) -> None:
        """Install some requirements.

        Args:
            needed: They.
            fixed: Whether packages that OpenEnv reads are to be of the versions here.

        Raises:
            TargetError: They cannot be installed, together.
        """
        listed, limits = self._venv.parent / "requirements.txt", self._venv.parent / "limits.txt"
        listed.write_text("\n".join(needed) + "\n", encoding="utf-8")
        versions = "".join(f"{name}=={version}\n" for name, version in shared().items())
        limits.write_text(versions, encoding="utf-8")
        limited = ["-c", str(limits)] if fixed else []
        asked = [*self._pip, "-r", str(listed), *limited]
        left_s = max(1.0, self._until - time.monotonic())
        run(asked, self._venv.parent, left_s, self._folder)

    def one_by_one(self, needed: Sequence[str], failure: TargetError | None) -> None:
        """Install what can be, each by itself: the environment may not need the rest.

        Args:
            needed: Requirements.
            failure: Why they cannot be installed together.

        Raises:
            TargetError: None can be.
        """
        options = [each for each in needed if each.startswith("-")]
        left = []
        asked = [each for each in needed if not each.startswith("-")]
        for each in asked:
            try:
                self.install([*options, each], fixed=False)
            except TargetError:
                left.append(each)
        if failure is not None and len(left) == len(asked):
            raise failure
        done = f"left out, as it cannot be installed: {', '.join(left)}"
        said = done if left else "installed one by one, as they cannot be installed together"
        say(f"{self._folder.name}: {said}; {failure}")


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
    causes = [n for n, line in enumerate(lines) if CAUSE.match(line)]
    if causes:  # uv says why in lines below the error
        told = itertools.takewhile(lambda line: not line.startswith("hint:"), lines[causes[-1] :])
        return CAUSE.sub("", " ".join(told)).strip()[:SHOWN_CHARS]
    errors = [line for line in lines if re.match(r"(ERROR|error|×)", line)]
    return (errors or lines or ["the installer failed and said nothing"])[-1][:SHOWN_CHARS]


def say(text: str) -> None:
    """Say what is being done, where a command runs."""
    Terminal(stderr=True).print(f"gonogo: {text}", markup=False, highlight=False, soft_wrap=True)
