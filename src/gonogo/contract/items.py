"""A checked item of the contract: pass, fail or not applicable, with its evidence.

Every check answers items; a failing one carries the finding that it proves. What could not be judged is
``na`` with the reason, never a pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gonogo.contract.flights import Proof
from gonogo.contract.tasks import Task
from gonogo.records.contract import ContractItem, ItemEvidence, ItemVerdict
from gonogo.records.findings import ContractWitness, Finding
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
NOTHING = ItemEvidence()


@dataclass(frozen=True, slots=True)
class Item:
    """One check's answer, with what proves it.

    Attributes:
        checked: The answer as the record holds it.
        finding: What a failing answer proves.
        proof: The flight that proves it; None where it is about no flight.
    """

    checked: ContractItem
    finding: Finding | None = None
    proof: Proof | None = None


def passed(
    check: str, said: str, task: Task | None = None, evidence: ItemEvidence = NOTHING
) -> Item:
    """A passing item."""
    return Item(answer(check, "pass", said, task, evidence))


def not_applicable(
    check: str, said: str, task: Task | None = None, evidence: ItemEvidence = NOTHING
) -> Item:
    """An item that cannot be judged, or says nothing here."""
    return Item(answer(check, "na", said, task, evidence))


def failed(
    check: str,
    finding: str,
    said: str,
    task: Task | None = None,
    witness: Proof | ContractWitness | None = None,
    evidence: ItemEvidence = NOTHING,
) -> Item:
    """A failing item with its finding."""
    proof = witness if isinstance(witness, Proof) else None
    shown = witness.witness if isinstance(witness, Proof) else witness
    found = Finding(
        id=finding,
        task=options_of(task),
        component=None,
        witness=shown or ContractWitness(),
        explanation=said,
    )
    return Item(answer(check, "fail", said, task, evidence, finding), found, proof)


def answer(
    check: str,
    verdict: ItemVerdict,
    said: str,
    task: Task | None,
    evidence: ItemEvidence,
    finding: str | None = None,
) -> ContractItem:
    """A check's answer.

    Raises:
        ValueError: There is no such check.
    """
    if check not in CHECKS:
        raise ValueError(f"an item's id must be one of {', '.join(CHECKS)}, not {check!r}")
    return ContractItem(
        id=check,
        verdict=verdict,
        said=said,
        task=options_of(task),
        evidence=evidence,
        finding=finding,
    )


def options_of(task: Task | None) -> TaskOptions | None:
    """A task's reset options."""
    return None if task is None else task.options


def worst(items: Iterable[ContractItem]) -> list[ContractItem]:
    """One item a check, in the checks' order: a failing one, else a passing one, else one not applicable."""
    rank: Sequence[ItemVerdict] = ("fail", "pass", "na")
    found: dict[str, ContractItem] = {}
    for item in items:
        before = found.get(item.id)
        if before is None or rank.index(item.verdict) < rank.index(before.verdict):
            found[item.id] = item
    return [found[check] for check in CHECKS if check in found]
