"""What a result depends on: hashes of sources, rewards and models, the settings beside them, versions and the machine.

By these a record or an episode of something else is not taken for one of this.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from importlib import metadata
from importlib.metadata import version
from pathlib import Path
from typing import TypedDict

from gonogo.errors import MissingRecord
from gonogo.folder import MOST_HASHED, below, blocks, walk

PACKAGES = (
    "gonogo",
    "openenv",
    "numpy",
    "scipy",
    "torch",
    "transformers",
    "tokenizers",
    "trl",
    "peft",
    "datasets",
    "accelerate",
    "unsloth",
)
"""Packages whose versions a result may depend on; those not installed are left out of a record."""
_SKIPPED_FOLDERS = frozenset({"__pycache__", "tests", "plots", "results", "build", "dist", "runs"})
_SKIPPED_SUFFIXES = frozenset(
    {".md", ".png", ".svg", ".pyc", ".nbi", ".nbc", ".lock", ".log", ".out", ".err", ".pid", ".tmp"}
)
ACCEPTANCES = "gonogo.yaml"
"""File beside an environment that says which findings are meant: what it says makes no record stale."""
_SKIPPED_ENDS = ("-wal", "-shm", "-journal")
_CODE_SUFFIXES = frozenset({".py", ".pyi", ".pyx", ".so", ".pyd"})
_MANIFESTS = frozenset(
    {"openenv.yaml", "pyproject.toml", "setup.cfg", "requirements.txt", "Dockerfile"}
)
MOST_TOTAL = 2 << 30
"""Bytes of an environment's folder that are read at most."""


class SourceHash(str):
    """SHA-256 of an environment's code and manifests, with what else its folder holds.

    The code alone makes the hash. Data beside it belongs to the source as well, unless it changes while the environment
    runs, as a log does: so a record holds the data that stayed as it was while the record was made, and what changed is
    named in :data:`~gonogo.records.files.CHANGING` of the run's folder. So is code that was not there when the hash was
    made: the environment wrote it, and no hash of that run counts it.

    Attributes:
        folder: The folder.
        code: What the hash is made of, by the files' names below the folder.
        data: SHA-256 of each other file, by its name below the folder.
        left_out: What was not read, in a sentence; None where all was.
    """

    folder: Path
    code: dict[str, str]
    data: dict[str, str]
    left_out: str | None

    def changed(self) -> list[str]:
        """Names of the data that is another now, or was not there or is gone, and of code that was not there."""
        now = source_hash(self.folder)
        names = sorted({*self.data, *now.data})
        other = [name for name in names if self.data.get(name) != now.data.get(name)]
        return sorted([*other, *(now.code.keys() - self.code.keys())])

    def without(self, names: Collection[str]) -> str:
        """The hash of the code without some files."""
        return hashed(held for name, held in self.code.items() if name not in names)


def hashed(code: Iterable[str]) -> str:
    """SHA-256 of some code, see :class:`SourceHash`."""
    return hashlib.sha256("".join(code).encode()).hexdigest()


def source_hash(folder: Path) -> SourceHash:
    """The source of an environment: a hash of its code and manifests, and of each file of data beside them.

    Left out is what does not change how the environment behaves: hidden files, caches, logs, tests, documentation, what
    its author accepts of findings, and the plots and results that commands write into the folder; and what is no
    regular file inside it.

    Args:
        folder: The environment's folder.

    Raises:
        MissingRecord: There is no such folder.
    """
    if not folder.is_dir():
        raise MissingRecord(f"{folder}: no such folder, so no source to hash")
    found = walk(folder, _skipped)
    code, data, total = dict[str, str](), dict[str, str](), 0
    for path in found.files:
        name = below(path, folder)
        one, size = hashlib.sha256(), 0
        try:
            for block in blocks(path, folder, max(0, min(MOST_HASHED, MOST_TOTAL - total))):
                one.update(block)
                size += len(block)
        except OSError as error:
            found.left_out[name] = str(error).removeprefix(f"{path}: ")
            continue
        total += size
        if path.suffix in _CODE_SUFFIXES or path.name in _MANIFESTS:
            # Names and lengths keep two different trees from running together into the same bytes.
            code[name] = f"{name}\0{size}\0{one.hexdigest()}"
        else:
            data[name] = one.hexdigest()
    made = SourceHash(hashed(code.values()))
    made.folder, made.code, made.data, made.left_out = folder, code, data, found.note()
    return made


def tree_hash(folder: Path) -> str:
    """SHA-256 over the files of a folder of our own, such as a model's: relative names and contents, in sorted order.

    Pages are left out: a model's card is written anew after each evaluation, and the model stays what it was.

    Raises:
        MissingRecord: There is no such folder.
    """
    if not folder.is_dir():
        raise MissingRecord(f"{folder}: no such folder, so nothing to hash")
    whole = hashlib.sha256()
    for path in sorted(
        each for each in folder.rglob("*") if each.is_file() and each.suffix != ".md"
    ):
        with path.open("rb") as file:
            one = hashlib.file_digest(file, "sha256").hexdigest()
        whole.update(f"{path.relative_to(folder).as_posix()}\0{one}\0".encode())
    return whole.hexdigest()


def reward_hash(file: Path | None) -> str | None:
    """SHA-256 of the file of a reward that was given from outside; None without one."""
    return None if file is None else hashlib.sha256(file.read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine that a record was made on.

    Attributes:
        platform: Its system.
        processor: Its name.
        cpu_count: Number of its logical processors; None where the system does not say.
    """

    platform: str
    processor: str
    cpu_count: int | None


class ProvenanceFields(TypedDict):
    """The fields of a record that say when and with what it was made."""

    created: str
    python: str
    packages: dict[str, str]
    machine: Machine


def provenance() -> ProvenanceFields:
    """What a result depends on beside its configuration: the time, in UTC, the versions and the machine."""
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "packages": dict(_versions()),
        "machine": Machine(platform.platform(), _processor(), os.cpu_count()),
    }


def _versions() -> Iterator[tuple[str, str]]:
    for name in PACKAGES:
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            continue


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _skipped(name: str) -> bool:
    beside = Path(name).suffix in _SKIPPED_SUFFIXES or name.endswith((*_SKIPPED_ENDS, ".egg-info"))
    return name.startswith(".") or name in {*_SKIPPED_FOLDERS, ACCEPTANCES} or beside


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Hashes and settings by name; None where there is nothing of the kind."""

    def changed(self, now: Fingerprint) -> list[str]:
        """Names of the fields that are another now."""
        return [f.name for f in fields(now) if getattr(self, f.name) != getattr(now, f.name)]


@dataclass(frozen=True, slots=True)
class EpisodeFingerprint(Fingerprint):
    """What an episode depends on beside its task and its seed; a field that an older file lacks is None.

    Attributes:
        reward: Hash of a reward from outside.
        model: Hash of what the policy is made of.
        source: Hash of the environment's source.
        success: The expression that says success.
        max_turns: Most decisions.
        max_reply_tokens: Most tokens of a model's reply.
    """

    reward: str | None = None
    model: str | None = None
    source: str | None = None
    success: str | None = None
    max_turns: int | None = None
    max_reply_tokens: int | None = None

    def digest(self, **beside: str | int | None) -> str:
        """SHA-256 of it, of gonogo's version and of what else names some episodes, such as their policy and seed."""
        whole = {"gonogo": version("gonogo"), **asdict(self), **beside}
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class RunnerFingerprint(Fingerprint):
    """What a policy's episodes depend on, as it is found on one machine.

    Attributes:
        source: Hash of the environment's source.
        reward: Hash of a reward from outside.
        model: Hash of what the policy is made of.
        packages: Versions of the packages.
    """

    source: str | None
    reward: str | None
    model: str | None
    packages: dict[str, str]


@dataclass(frozen=True, slots=True)
class AuditFingerprint(Fingerprint):
    """What an audit's flights depend on, as it is found on one machine.

    Attributes:
        source: Hash of the environment's source.
        functions: Hashes of the modules of the functions that are asked, by the functions' paths.
        reward: Hash of a reward from outside.
        policy: Hash of what the policy under audit is made of.
    """

    source: str | None
    functions: dict[str, str | None]
    reward: str | None
    policy: str | None


@dataclass(frozen=True, slots=True)
class AuditorFingerprint(AuditFingerprint):
    """The same with the packages, for a worker on another machine.

    Attributes:
        packages: Their versions.
    """

    packages: dict[str, str]
