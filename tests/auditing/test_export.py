"""An audit as SARIF and as a badge."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from tests.auditing.mapped import card, method
from tests.records_made import audit_report, contract_report, finding

from gonogo import config
from gonogo.auditing import export
from gonogo.auditing.export import PARTS, Place, Places, endpoint, picture, sarif_log
from gonogo.env.target import resolve
from gonogo.errors import MissingRecord
from gonogo.records.audit import AuditReport
from gonogo.records.findings import FINDINGS, MENDS, Finding

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
        "level": {"enum": ["error", "warning"]},
        "message": TEXT,
        "locations": {"type": "array", "items": LOCATION, "minItems": 1, "maxItems": 1},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
        "suppressions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "kind": {"enum": ["inSource", "external"]},
                    "status": {"enum": ["accepted", "underReview", "rejected"]},
                    "justification": {"type": "string", "minLength": 1},
                },
                "required": ["kind", "status", "justification"],
                "additionalProperties": False,
            },
        },
        "properties": {"type": "object"},
    },
    "required": ["ruleId", "level", "message", "partialFingerprints"],
    "additionalProperties": False,
}
"""What code scanning reads of a result; the official schema is too large to keep here and allows much more."""
SAID = [
    ("GO", [], "GO"),
    ("HOLD", [], "HOLD"),
    ("NO_GO", ["paid_for_idling"], "NO-GO, 1 finding"),
    ("NO_GO", ["paid_for_idling", "paid_for_idling", "seed_ignored"], "NO-GO, 2 findings"),
]


def test_three_files_say_what_the_record_says(gridworld: Path, tmp_path: Path) -> None:
    run = config.load(None, {"target": str(gridworld), "out": str(tmp_path)})
    with pytest.raises(MissingRecord):
        export.run(run)
    audit_report(finding("paid_for_idling"), finding("seed_ignored")).save(tmp_path)
    contract_report().save(tmp_path)
    export.run(run)
    (log,) = json.loads((tmp_path / "audit.sarif").read_text())["runs"]
    assert [result["ruleId"] for result in log["results"]] == ["paid_for_idling", "seed_ignored"]
    uris = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].rpartition("/")[2]
        for result in log["results"]
    }
    assert uris == {"openenv.yaml"}  # the map has seen no code
    badge = json.loads((tmp_path / "audit-badge.json").read_text())
    assert badge["message"] == "NO-GO, 2 findings"
    assert badge["message"] in ET.parse(tmp_path / "audit-badge.svg").getroot().attrib["aria-label"]


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
        f"To mend it: {MENDS['paid_for_idling']}",
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


def audit_of(verdict: str, findings: list[str]) -> AuditReport:
    return audit_report(*map(finding, findings), verdict=verdict)


@pytest.mark.parametrize(("verdict", "findings", "said"), SAID)
def test_both_say_the_verdict(verdict: str, findings: list[str], said: str) -> None:
    words = endpoint(audit_of(verdict, findings))
    assert (words["schemaVersion"], words["label"], words["message"]) == (1, "gonogo audit", said)
    drawn = ET.fromstring(picture(audit_of(verdict, findings)))
    texts = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["gonogo audit", said]
    assert drawn.attrib["aria-label"] == f"gonogo audit: {said}"
    assert words["color"] in picture(audit_of(verdict, findings))


def test_white_letters_can_be_read_on_every_colour() -> None:
    for verdict in ("GO", "HOLD", "NO_GO"):
        colour = str(endpoint(audit_of(verdict, []))["color"])
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        assert 1.05 / (light + 0.05) >= 4.5, verdict


def test_every_finding_has_a_part_of_the_environment_and_one_only() -> None:
    named = [finding for findings in PARTS.values() for finding in findings]
    assert sorted(named) == sorted(FINDINGS)


@pytest.mark.parametrize(
    ("name", "component", "place"),
    [
        ("seed_ignored", None, Place("envs/my grid/server/environment.py", 10)),
        ("nondeterministic", None, Place("envs/my grid/server/environment.py", 20)),
        ("paid_after_done", None, Place("envs/my grid/server/environment.py", 25)),
        ("paid_for_idling", None, Place("envs/my grid/server/environment.py", 30)),
        ("paid_for_idling", "speed", Place("envs/my grid/server/environment.py", 32)),
        ("paid_for_idling", "reach", Place("envs/my grid/server/rubrics.py", 5)),
        ("client_imports_server", None, Place("envs/my grid/client.py", 1)),
    ],
)
def test_a_finding_is_where_the_map_saw_what_it_is_about(
    repository: Path, name: str, component: str | None, place: Place
) -> None:
    target = resolve(str(repository / "envs" / "my grid"))
    assert Places(target, card(), None).of(name, component) == place


def test_what_the_map_did_not_see_is_at_the_manifest(repository: Path) -> None:
    target = resolve(str(repository / "envs" / "my grid"))
    bare = card(
        reset={"code": None},
        step={"code": method("/usr/lib/python3/elsewhere.py", 3)},
        terminal={"places": None},
        reward={"breakdown": [], "rubric": {}, "places": None},
        packaging={"files": {"client": None}, "project": None},
    )
    places = Places(target, bare, None)
    found = {places.of(name, "speed") for name in FINDINGS}
    assert found == {Place("envs/my grid/openenv.yaml", 1)}


def test_a_reward_that_was_given_is_where_it_pays(repository: Path) -> None:
    reward = repository / "reward.py"
    reward.write_text("")
    places = Places(resolve(str(repository / "envs" / "my grid")), card(), reward)
    assert places.of("paid_for_idling", "speed") == Place("reward.py", 1)
    assert places.of("seed_ignored", None) == Place("envs/my grid/server/environment.py", 10)


def test_a_folder_without_a_repository_is_its_own_root(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "app.py").write_text("")
    (tmp_path / "openenv.yaml").write_text("name: grid\n")
    bare = card(step={"code": None}, packaging=None)
    assert Places(resolve(str(tmp_path)), bare, None).of("client_broken", None) == Place(
        "openenv.yaml", 1
    )


def test_what_is_merely_suspicious_is_a_warning(repository: Path) -> None:
    log = log_of(repository, finding("paid_for_idling", severity="suspicious"))
    assert [result["level"] for result in log["runs"][0]["results"]] == ["warning"]
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    levels = {rule["id"]: rule["defaultConfiguration"]["level"] for rule in rules}
    assert (levels["paid_for_idling"], levels["nothing_to_win"]) == ("error", "warning")


def test_what_is_accepted_is_suppressed_with_its_reason_and_keeps_its_fingerprint(
    repository: Path,
) -> None:
    found = finding("paid_for_idling"), finding("farmable_cycle", accepted="a game of patience")
    results = log_of(repository, *found)["runs"][0]["results"]
    assert [each.get("suppressions") for each in results] == [
        None,
        [{"kind": "external", "status": "accepted", "justification": "a game of patience"}],
    ]
    (before,) = log_of(repository, finding("farmable_cycle"))["runs"][0]["results"]
    assert before["partialFingerprints"] == results[1]["partialFingerprints"]


def test_a_badge_counts_what_is_accepted_apart() -> None:
    found = finding("farmable_cycle", accepted="meant"), finding("seed_ignored", accepted="meant")
    assert endpoint(audit_report(*found, verdict="GO"))["message"] == "GO, 2 accepted"
