"""A checked item of the contract: pass, fail or not applicable, with its evidence.

Every check answers items; a failing one carries the finding that it proves. What could not be judged is
``na`` with the reason, never a pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from gonogo.contract.flights import Proof
from gonogo.contract.tasks import Task
from gonogo.records.findings import Finding
from gonogo.rollout.types import Json
from gonogo.wire import TaskOptions

__all__ = ["CHECKS", "Item", "failed", "not_applicable", "passed", "worst"]

CHECKS: dict[str, str] = {
    "episode": "an episode can be flown",
    "reward_numeric": "rewards are numbers, not truth values",
    "reward_finite": "rewards are finite",
    "reward_range": "rewards are within the declared range",
    "observation_schema": "observations fit their schema",
    "state_contract": "the state holds the episode's id and its steps",
    "seed_control": "the seed decides the episode",
    "determinism_same_session": "the same again in the same session",
    "determinism_new_session": "the same again in a new session",
    "determinism_new_process": "the same again in a new process",
    "isolation_sessions": "sessions don't touch each other",
    "isolation_episodes": "episodes don't touch each other",
    "example": "the action that the instructions give as an example is accepted",
    "after_done": "nothing is paid after the end",
    "malformed_actions": "a malformed action is refused and the episode lives",
    "silent_reconnect": "a lost session shows",
    "task_api": "what does not exist is refused",
    "tool_names": "no tool has a reserved name",
    "client_separation": "the client comes without the server",
}
"""Checks by what holds when they pass."""

ItemVerdict = Literal["pass", "fail", "na"]


@dataclass(frozen=True, slots=True)
class Item:
    """One check's answer about one task, or about the environment.

    Attributes:
        id: One of :data:`CHECKS`.
        verdict: ``pass``, ``fail`` or ``na``.
        said: The evidence in one sentence.
        evidence: The evidence as data.
        task: The task's reset options; None where it is about no task.
        finding: What a failing item proves.
        proof: The flight that proves it; None where it is about no flight.
    """

    id: str
    verdict: ItemVerdict
    said: str
    evidence: Json = field(default_factory=dict)
    task: TaskOptions | None = None
    finding: Finding | None = None
    proof: Proof | None = None

    def __post_init__(self) -> None:
        if self.id not in CHECKS:
            raise ValueError(f"an item's id must be one of {', '.join(CHECKS)}, not {self.id!r}")

    def to_json(self) -> Json:
        """The item as a record holds it."""
        return {
            "id": self.id,
            "verdict": self.verdict,
            "said": self.said,
            "task": self.task,
            "evidence": self.evidence,
            "finding": None if self.finding is None else self.finding.id,
        }


def passed(check: str, said: str, task: Task | None = None, **evidence: object) -> Item:
    """A passing item."""
    return Item(check, "pass", said, dict(evidence), options_of(task))


def not_applicable(check: str, said: str, task: Task | None = None, **evidence: object) -> Item:
    """An item that cannot be judged, or says nothing here."""
    return Item(check, "na", said, dict(evidence), options_of(task))


def failed(
    check: str,
    finding: str,
    said: str,
    task: Task | None = None,
    witness: Proof | Json | None = None,
    **evidence: object,
) -> Item:
    """A failing item with its finding."""
    options = options_of(task)
    proof = witness if isinstance(witness, Proof) else None
    shown = witness.witness if isinstance(witness, Proof) else witness or {}
    found = Finding(finding, "fail", options, None, shown, said)
    return Item(check, "fail", said, dict(evidence), options, found, proof)


def options_of(task: Task | None) -> Json | None:
    """A task's reset options."""
    return None if task is None else task.options


def worst(items: Iterable[Item]) -> list[Item]:
    """One item a check, in the checks' order: a failing one, else a passing one, else one not applicable."""
    rank: Sequence[ItemVerdict] = ("fail", "pass", "na")
    found: dict[str, Item] = {}
    for item in items:
        before = found.get(item.id)
        if before is None or rank.index(item.verdict) < rank.index(before.verdict):
            found[item.id] = item
    return [found[check] for check in CHECKS if check in found]
