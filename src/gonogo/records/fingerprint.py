"""What a result depends on beside its config and its task, so that one of something else is not taken for it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version

__all__ = [
    "AuditFingerprint",
    "AuditorFingerprint",
    "EpisodeFingerprint",
    "Fingerprint",
    "RunnerFingerprint",
]


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
