"""What the run's map knows already: the tasks that were flown, and what broke the contract in them.

A station shares records with another, never code. A broken contract is a finding of the audit too: the map
proved it, with its own witness. What the map could not see (its card's gaps) holds the map and not the audit.
"""

from __future__ import annotations

from dataclasses import dataclass

from gonogo.config import RunConfig
from gonogo.records.contract import ContractReport
from gonogo.records.findings import Finding
from gonogo.wire import TaskOptions

__all__ = ["Contract", "read_contract"]


@dataclass(frozen=True, slots=True)
class Contract:
    """What the audit takes from the map.

    Attributes:
        tasks: Reset options of each task that can be flown, without a seed.
        findings: What broke the contract.
        reason: What the map says of it all.
        card: The map.
    """

    tasks: tuple[TaskOptions, ...]
    findings: tuple[Finding, ...]
    reason: str
    card: ContractReport


def read_contract(run: RunConfig, source: str | None) -> Contract:
    """Read the run's map.

    Args:
        run: The config.
        source: The environment's present source hash; None where it cannot be known.

    Raises:
        MissingRecord: The run has no map.
        StaleRecord: Its map is of another version of the environment.
    """
    card = ContractReport.load(run.out, source)
    # What loses random flights loses the audit's too, each after a timeout perhaps.
    lost = [i.task for i in card.items if i.id == "episode" and i.verdict == "fail"]
    flown = [task.options for task in card.tasks.flown if task.options not in lost]
    plain = [{k: v for k, v in options.items() if k != "seed"} for options in flown]
    tasks = [options for n, options in enumerate(plain) if options not in plain[:n]]
    return Contract(tuple(tasks), card.findings, card.reason, card)
