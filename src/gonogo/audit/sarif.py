"""An audit as SARIF 2.1.0, the format in which GitHub's code scanning and editors take findings.

A rule is a finding's id; a result is a finding with the tasks in which it was proven, for one alert a defect. Every
result is an error, because a proven finding is NO-GO. That an audit holds is no result: it is a warning among the
notifications of its run, which code scanning does not show.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from gonogo.audit.places import Place, Places
from gonogo.records.base import Verdict
from gonogo.records.findings import FINDINGS
from gonogo.records.tables import cut, task_text
from gonogo.rollout.types import Json

__all__ = ["sarif_log"]

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
ROOT = "%SRCROOT%"
FLIGHTS = frozenset({"actions", "rewards"})
"""What of a witness is left out: the witnesses' files hold whole flights, and a host takes 10 MB."""
MOST_CHARS, MOST_TASKS = 300, 5
HELP = (
    "Its witness is in the run's folder: gonogo replay witnesses.jsonl shows what was paid again, and "
    "gonogo replay map_witnesses.jsonl what broke the contract. The line is where to begin looking."
)


def sarif_log(audit: Json, places: Places) -> Json:
    """The log of one audit.

    Args:
        audit: The audit's record.
        places: Where the environment's files are.
    """
    groups: dict[tuple[str, str | None], list[Json]] = {}
    for finding in audit["findings"]:
        groups.setdefault((finding["id"], finding["component"]), []).append(finding)
    environment = audit["environment"]
    results = [
        result(environment, alike, places.of(name, component))
        for (name, component), alike in groups.items()
    ]
    run: Json = {
        "tool": {"driver": driver(audit["packages"].get("gonogo"))},
        "automationDetails": {"id": f"gonogo-audit/{environment}/"},
        "invocations": [invocation(audit)],
        "originalUriBaseIds": {ROOT: {"description": {"text": "The repository's root."}}},
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {key: audit[key] for key in ("target", "verdict", "source_hash", "flown")},
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def driver(version: str | None) -> Json:
    """gonogo, with everything that an audit may find as its rules; a source that is not installed has no version."""
    told = {} if version is None else {"version": version}
    return {"name": "gonogo", **told, "rules": [rule(*each) for each in FINDINGS.items()]}


def rule(name: str, text: str) -> Json:
    """A finding's id with the sentence that it means."""
    return {
        "id": name,
        "shortDescription": {"text": text},
        "fullDescription": {"text": text},
        "help": {"text": f"{text} {HELP}"},
        "defaultConfiguration": {"level": "error"},
    }


def invocation(audit: Json) -> Json:
    """The audit's end: its exit code, and why it holds if it does."""
    verdict = Verdict[audit["verdict"]]
    notes = [{"level": "note", "message": {"text": note}} for note in audit["notes"]]
    if verdict is Verdict.HOLD:
        notes.insert(0, {"level": "warning", "message": {"text": f"HOLD: {audit['reason']}"}})
    return {
        "executionSuccessful": True,
        "exitCode": int(verdict),
        "exitCodeDescription": f"{verdict.name}: {audit['reason']}",
        "endTimeUtc": audit["created"].replace("+00:00", "Z"),
        "toolExecutionNotifications": notes,
    }


def result(environment: str, alike: Sequence[Json], place: Place | None) -> Json:
    """Findings of one id and component as one result.

    Args:
        environment: Its name.
        alike: The findings, one a task.
        place: Where to look; without one the result has no location.
    """
    first = alike[0]
    said: Json = {
        "ruleId": first["id"],
        "ruleIndex": list(FINDINGS).index(first["id"]),
        "level": "error",
        "message": {"text": "\n".join(message(alike))},
        "partialFingerprints": {"gonogoFinding/v1": fingerprint(environment, first)},
        "properties": {
            "environment": environment,
            "component": first["component"],
            "findings": [
                {"task": f["task"], "explanation": f["explanation"], "witness": shown(f["witness"])}
                for f in alike
            ],
        },
    }
    if place is not None:
        file = {"uri": quote(place.uri), "uriBaseId": ROOT}
        region = {"startLine": place.line}
        said["locations"] = [{"physicalLocation": {"artifactLocation": file, "region": region}}]
    return said


def message(alike: Sequence[Json]) -> Iterator[str]:
    """What is wrong, what happened in the first task, how to see it, and the other tasks."""
    first = alike[0]
    part = f" Component: {first['component']}." if first["component"] is not None else ""
    yield f"{FINDINGS[first['id']]}{part}"
    yield f"What happened: {first['explanation']}"
    witness = first["witness"]
    if "plan" in witness:
        plan = cut(json.dumps(witness["plan"], ensure_ascii=False), MOST_CHARS)
        yield f"To see it: reset {task_text(witness['reset'])}, send {plan}: return {witness['return']:g}"
    elif "replay" in witness:
        yield f"To see it: {witness['replay']}"
    tasks = [task_text(finding["task"]) for finding in alike if finding["task"] is not None]
    if tasks:
        more = f" and {len(tasks) - MOST_TASKS} more" if len(tasks) > MOST_TASKS else ""
        yield f"Tasks: {'; '.join(tasks[:MOST_TASKS])}{more}"


def fingerprint(environment: str, finding: Json) -> str:
    """What stays the same from audit to audit: numbers, seeds and lines are left out."""
    same: list[Any] = [environment, finding["id"], finding["component"]]
    return hashlib.sha256(json.dumps(same).encode()).hexdigest()


def shown(witness: Json) -> Json:
    """A witness without its whole flight."""
    return {key: value for key, value in witness.items() if key not in FLIGHTS}
