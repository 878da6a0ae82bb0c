"""An audit as SARIF 2.1.0, the format in which GitHub's code scanning and editors take findings.

A rule is a finding's id; a result is a finding with the tasks in which it was proven, for one alert a defect. Every
result is an error, because a proven finding is NO-GO. That an audit holds is no result: it is a warning among the
notifications of its run, which code scanning does not show.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from gonogo.auditing.source_locations import Place, Places
from gonogo.records.audit import AuditReport
from gonogo.records.findings import FINDINGS, ContractWitness, Finding
from gonogo.records.record import Verdict
from gonogo.records.tables import cut, task_text
from gonogo.wire import JsonObject

__all__ = ["sarif_log"]

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
ROOT = "%SRCROOT%"
FLIGHTS = {"actions", "rewards"}
"""What of a witness is left out: the witnesses' files hold whole flights, and a host takes 10 MB."""
MOST_CHARS, MOST_TASKS = 300, 5
HELP = (
    "Its witness is in the run's folder: gonogo replay witnesses.jsonl shows what was paid again, and "
    "gonogo replay map_witnesses.jsonl what broke the contract. The line is where to begin looking."
)


def sarif_log(audit: AuditReport, places: Places) -> JsonObject:
    """The log of one audit.

    Args:
        audit: The audit's record.
        places: Where the environment's files are.
    """
    groups: dict[tuple[str, str | None], list[Finding]] = {}
    for finding in audit.findings:
        groups.setdefault((finding.id, finding.component), []).append(finding)
    results = [
        result(audit.environment, alike, places.of(name, component))
        for (name, component), alike in groups.items()
    ]
    run: JsonObject = {
        "tool": {"driver": driver(audit.packages.get("gonogo"))},
        "automationDetails": {"id": f"gonogo-audit/{audit.environment}/"},
        "invocations": [invocation(audit)],
        "originalUriBaseIds": {ROOT: {"description": {"text": "The repository's root."}}},
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {
            "target": audit.target,
            "verdict": audit.verdict.name,
            "source_hash": audit.source_hash,
            "flown": audit.flown.model_dump(),
        },
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def driver(version: str | None) -> JsonObject:
    """gonogo, with everything that an audit may find as its rules; a source that is not installed has no version."""
    told = {} if version is None else {"version": version}
    return {"name": "gonogo", **told, "rules": [rule(*each) for each in FINDINGS.items()]}


def rule(name: str, text: str) -> JsonObject:
    """A finding's id with the sentence that it means."""
    return {
        "id": name,
        "shortDescription": {"text": text},
        "fullDescription": {"text": text},
        "help": {"text": f"{text} {HELP}"},
        "defaultConfiguration": {"level": "error"},
    }


def invocation(audit: AuditReport) -> JsonObject:
    """The audit's end: its exit code, and why it holds if it does."""
    notes = [{"level": "note", "message": {"text": note}} for note in audit.notes]
    if audit.verdict is Verdict.HOLD:
        notes.insert(0, {"level": "warning", "message": {"text": f"HOLD: {audit.reason}"}})
    return {
        "executionSuccessful": True,
        "exitCode": int(audit.verdict),
        "exitCodeDescription": f"{audit.verdict.name}: {audit.reason}",
        "endTimeUtc": audit.created.replace("+00:00", "Z"),
        "toolExecutionNotifications": notes,
    }


def result(environment: str, alike: Sequence[Finding], place: Place | None) -> JsonObject:
    """Findings of one id and component as one result.

    Args:
        environment: Its name.
        alike: The findings, one a task.
        place: Where to look; without one the result has no location.
    """
    first = alike[0]
    said: JsonObject = {
        "ruleId": first.id,
        "ruleIndex": list(FINDINGS).index(first.id),
        "level": "error",
        "message": {"text": "\n".join(message(alike))},
        "partialFingerprints": {"gonogoFinding/v1": fingerprint(environment, first)},
        "properties": {
            "environment": environment,
            "component": first.component,
            "findings": [
                {
                    "task": f.task,
                    "explanation": f.explanation,
                    "witness": f.witness.model_dump(mode="json", exclude=FLIGHTS),
                }
                for f in alike
            ],
        },
    }
    if place is not None:
        file = {"uri": quote(place.uri), "uriBaseId": ROOT}
        region = {"startLine": place.line}
        said["locations"] = [{"physicalLocation": {"artifactLocation": file, "region": region}}]
    return said


def message(alike: Sequence[Finding]) -> Iterator[str]:
    """What is wrong, what happened in the first task, how to see it, and the other tasks."""
    first = alike[0]
    part = f" Component: {first.component}." if first.component is not None else ""
    yield f"{FINDINGS[first.id]}{part}"
    yield f"What happened: {first.explanation}"
    witness = first.witness
    if isinstance(witness, ContractWitness):
        if witness.replay is not None:
            yield f"To see it: {witness.replay}"
    elif witness.plan is not None:
        plan = cut(json.dumps(witness.plan, ensure_ascii=False), MOST_CHARS)
        yield f"To see it: reset {task_text(witness.reset)}, send {plan}: return {witness.total:g}"
    tasks = [task_text(finding.task) for finding in alike if finding.task is not None]
    if tasks:
        more = f" and {len(tasks) - MOST_TASKS} more" if len(tasks) > MOST_TASKS else ""
        yield f"Tasks: {'; '.join(tasks[:MOST_TASKS])}{more}"


def fingerprint(environment: str, finding: Finding) -> str:
    """What stays the same from audit to audit: numbers, seeds and lines are left out."""
    same = [environment, finding.id, finding.component]
    return hashlib.sha256(json.dumps(same).encode()).hexdigest()
