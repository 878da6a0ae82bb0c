"""Boxes about the package: OpenEnv's release, manifest, base class, client, contract, tools, size of files."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from gonogo.env.environment import Env
from gonogo.folder import read_toml
from gonogo.records.contract import ContractItem, ItemEvidence
from gonogo.records.submission import BaseClasses, LargeFiles, NewestRelease
from gonogo.submission.check.subject import BoxAnswer, Subject, go, needs_you, no_go
from gonogo.submission.grade.report import read_manifest
from gonogo.submission.openenv_cli import missing_file, pushed_files

LINE = re.compile(r"^(?P<name>\S+) \((?P<version>[^)\s]+)\)$", re.MULTILINE)
"""How pip names the newest release."""
REGISTRY_S = 60.0
LARGEST_MB, LARGEST_HEAVY_MB = 10.0, 5.0
"""Largest file of a package, and largest that is a video or a model. The hub wants larger ones in LFS."""
HEAVY = (
    ".avi", ".mkv", ".mov", ".mp4", ".webm",
    ".bin", ".ckpt", ".gguf", ".h5", ".onnx", ".pkl", ".pt", ".pth", ".safetensors",
)  # fmt: skip
OWN_BOXES = ("client_separation", "tool_names")
MB = 1e6


def newest_release(package: str, timeout_s: float) -> str | None:
    """The version that ``pip index versions`` names first; None where pip or the registry does not answer.

    Args:
        package: Its name on the registry.
        timeout_s: Seconds that the answer may take.
    """
    words = ["index", "versions", "--retries", "0", package]
    try:
        asked = subprocess.run(
            [sys.executable, "-m", "pip", *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
        )
    except subprocess.TimeoutExpired:
        return None
    found = LINE.search(asked.stdout) if asked.returncode == 0 else None
    return None if found is None else found["version"]


def look_at_release(subject: Subject) -> BoxAnswer:
    """Whether the installed OpenEnv is the registry's newest, and the package takes it."""
    installed, newest = metadata.version("openenv"), newest_release("openenv", REGISTRY_S)
    if newest is None:
        return needs_you(f"openenv {installed} is installed; the registry cannot be seen from here")
    if Version(installed) < Version(newest):
        return no_go(
            f"openenv {installed} is installed, and the registry has {newest}: pip install -U openenv"
        )
    wanted = requirement_of(subject)
    if isinstance(wanted, BoxAnswer):
        return wanted
    if not wanted.specifier.contains(newest, prereleases=True):
        return no_go(f"pyproject.toml wants {wanted}, which leaves out {newest}, the newest")
    return go(
        f"openenv {newest} is the registry's newest, installed, and fits {wanted}",
        NewestRelease(newest=newest),
    )


def requirement_of(subject: Subject) -> Requirement | BoxAnswer:
    """What the package says it needs of OpenEnv, or why that cannot be told."""
    try:
        project = read_toml(subject.folder / "pyproject.toml")
        names = project.get("project", {}).get("dependencies", [])
        found = [Requirement(name) for name in names]
    except (OSError, ValueError, AttributeError, TypeError, InvalidRequirement) as error:
        return no_go(f"pyproject.toml does not say what the package needs: {error}")
    by_name: dict[str, Requirement] = {canonicalize_name(each.name): each for each in found}
    of_openenv = by_name.get("openenv") or by_name.get("openenv-core")
    if of_openenv is None:
        return no_go("pyproject.toml has no dependency on openenv")
    if canonicalize_name(of_openenv.name) != "openenv":
        return no_go(f"pyproject.toml wants {of_openenv}, and newer releases are named openenv")
    return of_openenv


def look_at_manifest(subject: Subject) -> BoxAnswer:
    """Whether OpenEnv reads the manifest, and the package has the files that ``openenv push`` wants."""
    missing = missing_file(subject.folder)
    if missing is not None:
        return no_go(f"openenv push refuses the package: {missing}")
    found = read_manifest(subject.folder)
    if isinstance(found, Exception):
        cure = "" if found.remediation is None else f"; {found.remediation}"
        return no_go(f"openenv validate refuses openenv.yaml: {found}{cure}")
    return go("OpenEnv's parser takes openenv.yaml, and no file that openenv push wants is missing")


def look_at_base_class(subject: Subject) -> BoxAnswer:
    """Whether the class that serves is OpenEnv's Environment or MCPEnvironment."""
    with Env(subject.run.target, subject.alone) as env:
        code = env.connection.describe().code
    found = code.environment if code else None
    if found is None or not found.bases:
        name = found and found.name
        return no_go(f"{name} has neither Environment nor MCPEnvironment as a base")
    said = f"{found.name} is an {found.bases[0]}, as the running class says"
    return go(said, BaseClasses(bases=found.bases))


def look_at_client(subject: Subject) -> BoxAnswer:
    """Whether importing the client leaves the server alone, as the map's process proved."""
    item = item_of(subject, "client_separation")
    if item.verdict == "pass":
        return go(item.said)
    return no_go(item.said) if item.verdict == "fail" else needs_you(item.said)


def look_at_tools(subject: Subject) -> BoxAnswer:
    """Whether no tool has a name that OpenEnv reserves."""
    item = item_of(subject, "tool_names")
    return no_go(item.said) if item.verdict == "fail" else go(item.said)


def look_at_contract(subject: Subject) -> BoxAnswer:
    """Whether reset, step and state keep the contract, as the map flew it."""
    items = [each for each in subject.map.contract if each.id not in OWN_BOXES]
    failing = [each for each in items if each.verdict == "fail"]
    if failing:
        return no_go("; ".join(f"{each.id}: {each.said}" for each in failing))
    passing = [each.id for each in items if each.verdict == "pass"]
    if "episode" not in passing:
        return needs_you("the map could fly no episode")
    open_ = [each.id for each in items if each.verdict == "na"]
    rest = f"; not applicable: {', '.join(open_)}" if open_ else ""
    return go(f"{len(passing)} items of the contract hold in the map's flights{rest}")


def item_of(subject: Subject, name: str) -> ContractItem:
    """One item of the map's contract."""
    absent = ContractItem(
        id=name,
        verdict="na",
        said=f"the map has no item {name}",
        task=None,
        evidence=ItemEvidence(),
        finding=None,
    )
    return next((item for item in subject.map.contract if item.id == name), absent)


def look_at_files(subject: Subject) -> BoxAnswer:
    """Whether what would be pushed holds no large video, model or other file."""
    folder = subject.folder
    pushed = {path.relative_to(folder).as_posix(): path for path in pushed_files(folder)}
    sizes = {name: path.stat().st_size / MB for name, path in pushed.items()}
    bound = {name: LARGEST_HEAVY_MB if name.endswith(HEAVY) else LARGEST_MB for name in sizes}
    large = {name: round(size, 1) for name, size in sizes.items() if size > bound[name]}
    if large:
        said = ", ".join(f"{name} ({size:g} MB)" for name, size in large.items())
        return no_go(f"openenv push would upload {said}", LargeFiles(files=large))
    largest = max(sizes, key=lambda name: sizes[name], default=None)
    said = "nothing" if largest is None else f"{largest}, {sizes[largest]:.1f} MB"
    return go(f"{len(sizes)} files, {sum(sizes.values()):.1f} MB in all; the largest is {said}")
