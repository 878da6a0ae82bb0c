"""What foreign code is given of the user's environment variables: those that programs need, and no keys.

A key or a token in a variable is the user's, and an environment, a policy, a reward function or a build step is
somebody else's code. It gets the variables of :data:`NEEDED`, those that the user names (``--env NAME`` or
``rollout.env`` in a config), and folders of its own: a home and temporary files that are removed with the process, and
caches that are kept. Records hold names, never values. Files are not kept from it:
it runs as the user.
"""

from __future__ import annotations

import getpass
import hashlib
import os
import re
import site
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from gonogo.config.stations import names_alone
from gonogo.errors import Misuse
from gonogo.faults import cache_folder
from gonogo.records.terminal import Terminal

NEEDED = re.compile(
    r"PATH|TZ|LANG|LANGUAGE|LC_\w+|USER|LOGNAME"
    r"|PYTHON(PATH|HOME|HASHSEED|UTF8|IOENCODING|WARNINGS|NOUSERSITE|USERBASE|UNBUFFERED|OPTIMIZE)"
    r"|VIRTUAL_ENV|CONDA_PREFIX|LD_LIBRARY_PATH|LD_PRELOAD|DYLD_\w+"
    r"|\w+_NUM_THREADS|(OMP|KMP|MKL|OPENBLAS|NUMBA|CUDA|NVIDIA|HIP|ROCR)_\w+"
    r"|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE"
    r"|(HF_HUB|HF_DATASETS|TRANSFORMERS)_OFFLINE"
    r"|(?i:(http|https|ftp|all|no)_proxy)"
)
"""Variables that are passed on: what programs, Python, its libraries and encrypted connections need."""
INSTALLERS = re.compile(r"(PIP|UV|SSL|REQUESTS|CURL)_\w+|(?i:(http|https|ftp|all|no)_proxy)")
"""Variables that the steps of an image are given, which has a Python of its own: where packages come from."""
SECRET = re.compile(r"TOKEN|PASS|SECRET|KEY|USERNAME|AUTH|CREDENTIAL", re.IGNORECASE)
"""What the name of a secret holds."""
WITH_PASSWORD = re.compile(r"://[^/\s@]*@")
"""A URL that holds who asks, and perhaps a password."""
CACHES = "XDG_CACHE_HOME"
"""Variable that names the folder of caches, by the XDG Base Directory Specification."""
NAME = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\b")
WANTS = re.compile(
    r"\b(set|missing|required?|environment|env|provide[d]?|not found|need(s|ed)?)\b", re.IGNORECASE
)
"""What a complaint of a variable that is not there says beside its name."""

passed_on: set[str] = set()
"""Names that the user has given; one run is one process, and all that it starts is given the same."""


def pass_on(names: Iterable[str]) -> None:
    """Give variables of the user's to all foreign code of this process.

    Args:
        names: Their names.

    Raises:
        Misuse: One is no name, or not set here.
    """
    try:
        names = names_alone(tuple(names))
    except ValueError as error:
        raise Misuse(f"--env (rollout.env) {error}") from None
    for name in names:
        if name not in os.environ:
            raise Misuse(f"--env (rollout.env): no variable {name} is set here")
        passed_on.add(name)


def child_environment(hash_seed: int | None = None) -> dict[str, str]:
    """Environment variables for foreign code, which leaves no bytecode in its folder.

    Args:
        hash_seed: What Python orders its sets by (``PYTHONHASHSEED``); None for ours.
    """
    ours = needed(NEEDED) | {"PYTHONDONTWRITEBYTECODE": "1", "ENABLE_WEB_INTERFACE": "false"}
    ours.setdefault("PYTHONUSERBASE", site.getuserbase())  # it would lie in the home
    return ours if hash_seed is None else {**ours, "PYTHONHASHSEED": str(hash_seed)}


def build_environment() -> dict[str, str]:
    """Environment variables for the steps of an image: where packages come from."""
    return needed(INSTALLERS)


def needed(which: re.Pattern[str]) -> dict[str, str]:
    """The variables of a kind without those that hold a secret, and what the user has named."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if which.fullmatch(name) and not SECRET.search(name) and not WITH_PASSWORD.search(value)
    }
    return kept | {name: os.environ[name] for name in passed_on if name in os.environ}


def housed(env: Mapping[str, str], scratch: str, cwd: Path) -> dict[str, str]:
    """Environment variables with those that name the home, the temporary files and the caches; the folders are made.

    Home and temporary files are in the scratch folder. Caches are kept, apart for each working directory: an
    environment that compiles, proves or downloads something would do it again in each process.

    Args:
        env: Variables that stand as they are; caches are below a home that they name.
        scratch: The scratch folder.
        cwd: The process's working directory.
    """
    folders = {"HOME": f"{scratch}/home", "TMPDIR": f"{scratch}/tmp"}
    if "HOME" not in env:
        folders[CACHES] = kept_cache(cwd) or f"{scratch}/cache"
    for folder in folders.values():
        os.makedirs(folder, exist_ok=True)
    return {**folders, **env}


def kept_cache(cwd: Path) -> str | None:
    """The folder for the caches of what runs in a working directory; None where there cannot be one."""
    name = hashlib.sha256(os.fsencode(cwd.absolute())).hexdigest()[:32]
    cache = cache_folder() / "caches" / name
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return str(cache)


def hint(said: str) -> str:
    """What to give where foreign code complains of a variable that the user has and it has not; else nothing.

    Args:
        said: The complaint.
    """
    given = child_environment()
    missing = [n for n in dict.fromkeys(NAME.findall(said)) if n in os.environ and n not in given]
    if not missing:
        return ""
    flags = " ".join(f"--env {name}" for name in missing)
    return f"; {', '.join(missing)} is set here, and foreign code does not get it: give {flags}"


def wanted(said: str) -> str:
    """What to give where foreign code complains of a variable that nobody has set; else nothing.

    Args:
        said: The complaint.
    """
    if WANTS.search(said) is None:
        return ""
    named = [
        name for name in dict.fromkeys(NAME.findall(said)) if "_" in name and name not in os.environ
    ]
    return f"; {needs(named)}" if named else ""


def needs(names: Sequence[str]) -> str:
    """What to do about variables that the environment reads and has not.

    Args:
        names: Theirs.
    """
    flags = " ".join(f"--env {name}" for name in names)
    unset = [name for name in names if name not in os.environ]
    if unset:
        return f"it needs the variable {', '.join(unset)}: set it, and give {flags}"
    return (
        f"it needs the variable {', '.join(names)}, which foreign code is not given: give {flags}"
    )


def say_that_it_runs(folder: Path) -> None:
    """Say once for a folder that its code is run here, by whom and with which variables.

    Args:
        folder: An environment's.
    """
    cache = cache_folder() / "opened"
    seen = cache / hashlib.sha256(str(folder).encode()).hexdigest()[:32]
    if seen.is_file():
        return
    names = ", ".join(sorted(child_environment()))
    terminal = Terminal(stderr=True)
    if terminal.quiet:
        return
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with seen.open("x", encoding="utf-8") as file:  # of two that open it at once, one says it
            file.write(f"{folder}\n")
    except FileExistsError:
        return
    except OSError:
        pass  # then it is said again
    terminal.print(
        f"gonogo: runs the code of {folder} on this machine as {whoami()}, with a temporary home. Of "
        f"your environment variables it gets only {names}; --env NAME adds one. Said once for each folder.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


def whoami() -> str:
    """The user's name, or number where it has none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"
