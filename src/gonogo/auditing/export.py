"""An audit for other programs and pages, beside its record in the run's folder: as SARIF and as a badge.

``audit.sarif`` is SARIF 2.1.0, the format in which GitHub's code scanning and editors take findings. A rule is a
finding's id; a result is a finding with the tasks in which it was proven, for one alert a defect. A result is an
error, because a proven finding is NO-GO; one that is merely suspicious is a warning, and one that is accepted is
suppressed, with the reason. That an audit holds is no result: it is a warning among the notifications of its run,
which code scanning does not show. A finding is proven by flights, and not by a line of code; the line that a result
names is the one that was seen to pay its witness; where none was, it comes from the map's card, and is where a reader
begins.

``audit-badge.svg`` is a picture to commit, which a README shows by ``![gonogo audit](audit-badge.svg)``;
``audit-badge.json`` is what shields.io draws, where the file can be had from the web, by
``![gonogo audit](https://img.shields.io/endpoint?url=...)`` with its escaped URL.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.env.target import FolderTarget, ImportTarget, Target
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.files import write_text
from gonogo.records.findings import (
    FINDINGS,
    MENDS,
    ContractWitness,
    Finding,
    Severity,
    severity_of,
)
from gonogo.records.inspection import CodeLine
from gonogo.records.record import Verdict
from gonogo.records.stations import WORDS
from gonogo.records.tables import cut, reset_text, task_text
from gonogo.wire import JsonObject, JsonValue

SARIF, BADGE, PICTURE = "audit.sarif", "audit-badge.json", "audit-badge.svg"
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
LABEL = "gonogo audit"
COLOURS = {Verdict.GO: "#2e7d32", Verdict.NO_GO: "#c62828", Verdict.HOLD: "#8d6e00"}
"""Each dark enough for white letters: contrast of 4.5 and more."""
CAPITAL, CHARACTER, MARGIN, HEIGHT = 8.6, 6.6, 6, 20
"""Pixels of a capital, of another letter, beside a text, and of the badge."""
SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" aria-label="{label}: {said}">
<title>{label}: {said}</title>
<rect width="{width}" height="{height}" rx="3" fill="#444"/>
<path d="M{left} 0h{flat}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{flat}z" fill="{colour}"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{middle_left}" y="14" textLength="{label_length}">{label}</text>
<text x="{middle_right}" y="14" textLength="{said_length}">{said}</text>
</g>
</svg>
"""
PARTS: dict[str, tuple[str, ...]] = {
    "reset": (
        "no_instance", "reset_raises", "silent_reset", "seed_ignored", "episode_state_leak", "kept_after_reset",
        "done_at_reset", "unknown_split_crashes", "unknown_split_accepted", "negative_index_accepted",
        "memorisable_tasks",
    ),
    "step": (
        "step_raises", "action_raises", "hangs", "dies", "answer_not_json", "nan_observation", "observation_schema",
        "state_contract", "nondeterministic", "process_dependent", "session_state_leak", "malformed_action_fatal",
        "malformed_action_accepted", "example_refused", "silent_reconnect", "reserved_tool_name", "leaked_answer",
    ),
    "end": ("paid_after_done", "revived_after_done", "early_end_success"),
    "reward": (
        "missing_reward", "bool_reward", "reward_not_numeric", "nan_reward", "reward_out_of_range",
        "paid_for_idling", "stalling_pays", "constant_answer_pays", "emptying_pays", "self_reported_reward",
        "truncated_window_satisfied", "malformed_action_pays", "verifier_crash_pays", "reward_from_agent_text",
        "paid_for_length", "format_outweighs_task", "observation_echo_pays", "shotgun_answer_pays",
        "unbounded_action_pays", "milestone_then_idle", "farmable_cycle", "failure_out_earns_success",
        "failure_earns_as_much", "policy_is_an_exploit", "unreachable_reward", "success_unpaid", "reward_uncorrelated",
        "success_costs_nothing", "paid_again", "score_paid_again", "content_ignored", "paid_without_trying",
        "keywords_pay", "nothing_to_win", "refused_action_pays", "rest_not_counted", "settlement_avoided",
        "blind_plan_pays",
    ),
    "client": ("client_imports_server", "client_broken"),
}  # fmt: skip
"""The part of an environment that each finding is about."""
PART_OF = {finding: part for part, findings in PARTS.items() for finding in findings}


def run(run: RunConfig) -> None:
    """Write what the run's audit says as SARIF and as a badge.

    Args:
        run: The config; its ``out`` holds the audit and the map.

    Raises:
        TargetError: There is no environment at the target.
        MissingRecord: The run has no audit or no map.
        StaleRecord: One of them is of another version of gonogo.
    """
    audit = AuditReport.load(run.out)
    places = Places(Env.of(run).target, ContractReport.load(run.out), run.reward)
    log = json.dumps(sarif_log(audit, places), ensure_ascii=False, indent=2)
    write_text(run.out / SARIF, f"{log}\n")
    write_text(run.out / BADGE, f"{json.dumps(endpoint(audit))}\n")
    write_text(run.out / PICTURE, picture(audit))


def sarif_log(audit: AuditReport, places: Places) -> JsonObject:
    """The log of one audit.

    Args:
        audit: The audit's record.
        places: Where the environment's files are.
    """
    groups: dict[tuple[str, str | None, str | None], list[Finding]] = {}
    for finding in audit.findings:
        key = finding.id, finding.component, finding.accepted
        groups.setdefault(key, []).append(finding)
    results: list[JsonValue] = [
        result(audit.environment, alike, places.of(name, component, alike[0].place))
        for (name, component, _), alike in groups.items()
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
        "help": {"text": f"{text} To mend it: {MENDS[name]} {HELP}"},
        "defaultConfiguration": {"level": level(severity_of(name))},
    }


def level(severity: Severity) -> str:
    """A severity as SARIF has it."""
    return "warning" if severity is Severity.SUSPICIOUS else "error"


def invocation(audit: AuditReport) -> JsonObject:
    """The audit's end: its exit code, and why it holds if it does."""
    notes: list[JsonValue] = [{"level": "note", "message": {"text": note}} for note in audit.notes]
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
        "level": level(min((f.severity for f in alike), key=list(Severity).index)),
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
    if first.accepted is not None:
        by: JsonObject = {"kind": "external", "status": "accepted", "justification": first.accepted}
        said["suppressions"] = [by]
    if place is not None:
        where: JsonObject = {
            "artifactLocation": {"uri": quote(place.uri), "uriBaseId": ROOT},
            "region": {"startLine": place.line},
        }
        said["locations"] = [{"physicalLocation": where}]
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
        paid = witness.worth(first.id)
        at = f", {reset_text(witness.resets_before)}" if witness.resets_before else ""
        yield f"To see it: reset {task_text(witness.reset)}{at}, send {plan}: return {paid}"
    if first.place is not None:
        yield f"Paid at {first.place}"
    yield f"To mend it: {MENDS[first.id]}"
    for beside in first.further or ():
        yield f"The same cause shows {beside.id}: {beside.explanation}"
    tasks = [task_text(finding.task) for finding in alike if finding.task is not None]
    if tasks:
        more = f" and {len(tasks) - MOST_TASKS} more" if len(tasks) > MOST_TASKS else ""
        yield f"Tasks: {'; '.join(tasks[:MOST_TASKS])}{more}"


def fingerprint(environment: str, finding: Finding) -> str:
    """What stays the same from audit to audit: numbers, seeds, lines and what is accepted are left out."""
    same = [environment, finding.id, finding.component]
    return hashlib.sha256(json.dumps(same).encode()).hexdigest()


def words(audit: AuditReport) -> str:
    """The verdict, and how many kinds of findings are behind it."""
    found = len({finding.id for finding in audit.findings if finding.blocks})
    accepted = len({finding.id for finding in audit.findings if finding.accepted is not None})
    kinds = f", {found} finding{'s' * (found > 1)}" if found else ""
    beside = f", {accepted} accepted" if accepted else ""
    return f"{WORDS[audit.verdict.name]}{kinds}{beside}"


def endpoint(audit: AuditReport) -> dict[str, str | int]:
    """What shields.io's endpoint badge reads.

    Args:
        audit: The audit's record.
    """
    colour = COLOURS[audit.verdict]
    return {"schemaVersion": 1, "label": LABEL, "message": words(audit), "color": colour}


def picture(audit: AuditReport) -> str:
    """The same as an SVG picture.

    Args:
        audit: The audit's record.
    """
    said = words(audit)
    label_length, said_length = (
        round(sum(CAPITAL if letter.isupper() else CHARACTER for letter in text))
        for text in (LABEL, said)
    )
    left, right = (length + 2 * MARGIN for length in (label_length, said_length))
    return SVG.format(
        label=LABEL,
        said=said,
        colour=COLOURS[audit.verdict],
        width=left + right,
        height=HEIGHT,
        left=left,
        flat=right - 3,
        middle_left=left / 2,
        middle_right=left + right / 2,
        label_length=label_length,
        said_length=said_length,
    )


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file.

    Attributes:
        uri: The file, from the repository's root, with forward slashes; not escaped.
        line: From 1.
    """

    uri: str
    line: int


class Places:
    """The files of one environment, as a repository names them.

    Args:
        target: The environment.
        card: The map.
        reward: File of a reward that pays in the environment's place; None for its own.
    """

    def __init__(self, target: Target, card: ContractReport, reward: Path | None) -> None:
        self._card, self._reward = card, reward
        self._bases: list[Path] = [Path.cwd()]
        self._manifest: Path | None = None
        if isinstance(target, FolderTarget):
            self._bases = [target.folder, Path.cwd()]
            self._manifest = target.folder / "openenv.yaml"
        elif not isinstance(target, ImportTarget):
            self._bases = []  # the files behind a server's URL are nowhere here
        self._root = root_of(self._bases[0]) if self._bases else None

    def of(self, finding: str, component: str | None, paid: CodeLine | None = None) -> Place | None:
        """Where to look first; None where no file of the repository is known.

        Args:
            finding: Its id.
            component: The reward's component that it is about, or None.
            paid: The line that was seen to pay; None where none was.
        """
        if (found := self._find(paid)) is not None:
            return found
        part = PART_OF[finding]
        if part == "reward" and self._reward is not None:
            return self._place(self._reward, 1)
        for place in self._candidates(part, component):
            if (found := self._find(place)) is not None:
                return found
        return None if self._manifest is None else self._place(self._manifest, 1)

    def _candidates(self, part: str, component: str | None) -> Iterator[CodeLine | None]:
        """Places as the card has them, the most telling first."""
        card = self._card
        if part == "client":
            files = card.packaging.files if card.packaging else {}
            yield CodeLine(file=files.get("client"), line=1)
        elif part == "reset":
            yield card.reset.code
        elif part == "end":
            yield from card.terminal.places or ()
        elif part == "reward":
            if component is not None:
                yield from (e.place for e in card.reward.breakdown if e.name == component)
                yield from (each for each in card.reward.rubrics() if each.name == component)
            yield from card.reward.places or ()
        yield card.step.code

    def _find(self, place: CodeLine | None) -> Place | None:
        """A place of the card in the repository; None where its file does not lie there."""
        if place is None or place.file is None or place.line is None:
            return None
        files = (base / place.file for base in self._bases)
        file = next((file for file in files if file.is_file()), None)
        return None if file is None else self._place(file, place.line)

    def _place(self, file: Path, line: int) -> Place | None:
        path = file.resolve()
        if self._root is None or not path.is_file() or not path.is_relative_to(self._root):
            return None
        return Place(path.relative_to(self._root).as_posix(), line)


def root_of(folder: Path) -> Path:
    """The root of the repository that a folder lies in; the working directory or the folder where it lies in none."""
    start = folder.resolve()
    above: Sequence[Path] = (start, *start.parents)
    repository = next((path for path in above if (path / ".git").exists()), None)
    if repository is not None:
        return repository
    return Path.cwd() if start.is_relative_to(Path.cwd()) else start
