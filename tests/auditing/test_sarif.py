"""An audit as SARIF: each finding in the file where to look for it, once a defect, as code scanning asks for it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from tests.auditing.mapped import card, method
from tests.records_made import audit_report, finding

from gonogo.auditing.sarif import sarif_log
from gonogo.auditing.source_locations import Places
from gonogo.env.target import resolve
from gonogo.records.audit import AuditReport
from gonogo.records.findings import FINDINGS, Finding

Json = dict[str, Any]
TEXT = {
    "type": "object",
    "properties": {"text": {"type": "string", "minLength": 1}},
    "required": ["text"],
    "additionalProperties": False,
}
LOCATION = {
    "type": "object",
    "properties": {
        "physicalLocation": {
            "type": "object",
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "properties": {
                        "uri": {"type": "string", "pattern": r"^[^/\s][^\s]*$"},
                        "uriBaseId": {"const": "%SRCROOT%"},
                    },
                    "required": ["uri", "uriBaseId"],
                    "additionalProperties": False,
                },
                "region": {
                    "type": "object",
                    "properties": {"startLine": {"type": "integer", "minimum": 1}},
                    "required": ["startLine"],
                    "additionalProperties": False,
                },
            },
            "required": ["artifactLocation", "region"],
            "additionalProperties": False,
        }
    },
    "required": ["physicalLocation"],
    "additionalProperties": False,
}
RESULT = {
    "type": "object",
    "properties": {
        "ruleId": {"enum": list(FINDINGS)},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"const": "error"},
        "message": TEXT,
        "locations": {"type": "array", "items": LOCATION, "minItems": 1, "maxItems": 1},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
        "properties": {"type": "object"},
    },
    "required": ["ruleId", "level", "message", "partialFingerprints"],
    "additionalProperties": False,
}
"""What code scanning reads of a result; the official schema is too large to keep here and allows much more."""


def audit(*findings: Finding, verdict: str = "NO_GO") -> AuditReport:
    return audit_report(*findings, verdict=verdict, created="2026-11-22T11:52:27+00:00")


def log_of(repository: Path, *findings: Finding, verdict: str = "NO_GO") -> Json:
    target = resolve(str(repository / "envs" / "my grid"))
    return sarif_log(audit(*findings, verdict=verdict), Places(target, card(), None))


def test_the_files_behind_a_url_are_nowhere(repository: Path) -> None:
    places = Places(resolve("http://127.0.0.1:8000"), card(), None)
    log = sarif_log(audit(finding("paid_for_idling")), places)
    (result,) = log["runs"][0]["results"]
    assert "locations" not in result


def test_a_defect_is_one_result_with_its_tasks_and_no_whole_flight(repository: Path) -> None:
    tasks = [{"split": "train", "index": index} for index in range(7)]
    alike = [finding("paid_for_idling", task=task) for task in tasks]
    log = log_of(
        repository,
        *alike,
        finding("seed_ignored", task=None),
        finding("paid_for_idling", component="speed"),
    )
    first, second, third = log["runs"][0]["results"]
    assert [r["ruleId"] for r in (first, second, third)] == [
        "paid_for_idling",
        "seed_ignored",
        "paid_for_idling",
    ]
    assert first["message"]["text"].splitlines() == [
        "Doing nothing is paid although it fails.",
        "What happened: paid_for_idling happened",
        'To see it: reset seed=3, send [{"move": "stay"}]: return 0.5',
        "Tasks: split=train, index=0; split=train, index=1; split=train, index=2; "
        "split=train, index=3; split=train, index=4 and 2 more",
    ]
    assert "Component: speed." in third["message"]["text"]
    proofs = first["properties"]["findings"]
    assert [proof["task"] for proof in proofs] == tasks
    assert proofs[0]["witness"] == {
        "reset": {"seed": 3},
        "return": 0.5,
        "success": False,
        "done": True,
        "plan": [{"move": "stay"}],
    }


def test_a_fingerprint_outlives_numbers_lines_and_seeds(repository: Path) -> None:
    def fingerprints(log: Json) -> list[str]:
        return [r["partialFingerprints"]["gonogoFinding/v1"] for r in log["runs"][0]["results"]]

    names = (finding("paid_for_idling"), finding("paid_for_idling", component="speed"))
    before = fingerprints(log_of(repository, *names))
    moved = [
        finding(f.id, component=f.component, explanation="0.3 this time", witness={}) for f in names
    ]
    target = resolve(str(repository / "envs" / "my grid"))
    other = card(step={"code": method("server/environment.py", 99)})
    after = fingerprints(sarif_log(audit(*moved), Places(target, other, None)))
    assert before == after and len(set(before)) == 2


def test_a_hold_is_a_warning_of_the_run_and_no_result(repository: Path) -> None:
    (run,) = log_of(repository, verdict="HOLD")["runs"]
    (done,) = run["invocations"]
    assert run["results"] == [] and done["exitCode"] == 3
    assert done["toolExecutionNotifications"] == [
        {"level": "warning", "message": {"text": "HOLD: a reason"}},
        {"level": "note", "message": {"text": "a note"}},
    ]
    assert done["endTimeUtc"] == "2026-11-22T11:52:27Z"


def test_results_are_what_code_scanning_reads(repository: Path) -> None:
    log = log_of(repository, *(finding(name) for name in FINDINGS))
    (run,) = log["runs"]
    assert len(run["results"]) == len(FINDINGS)
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        jsonschema.validate(result, RESULT)
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        (location,) = result["locations"]
        uri = location["physicalLocation"]["artifactLocation"]["uri"]
        assert (repository / unquote(uri)).is_file()
    for rule in rules:
        for text in ("shortDescription", "fullDescription", "help"):
            jsonschema.validate(rule[text], TEXT)


@pytest.mark.skipif(
    "SARIF_SCHEMA" not in os.environ,
    reason="SARIF_SCHEMA names no file of OASIS's sarif-schema-2.1.0.json",
)
def test_the_log_keeps_the_official_schema(repository: Path) -> None:
    schema = json.loads(Path(os.environ["SARIF_SCHEMA"]).read_text())
    everything = [finding(name) for name in FINDINGS]
    for log in (log_of(repository, *everything), log_of(repository, verdict="HOLD")):
        jsonschema.validate(log, schema, jsonschema.Draft4Validator)
    wrong = log_of(repository, *everything)
    wrong["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema, jsonschema.Draft4Validator)
