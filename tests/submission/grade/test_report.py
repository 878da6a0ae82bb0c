"""The grade station end to end: OpenEnv's graders, a sound package that passes each, and for each a broken one."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from openenv.validation import (
    ENTRY_POINT_GROUP,
    CheckResult,
    CheckStatus,
    Grader,
    GraderRegistry,
    Lane,
    Level,
    ManifestError,
    load_policy,
)
from rich.console import Console
from tests.records_made import audit_report, contract_report
from tests.submission.grade.sound import BY_ID, SKIP, manifest

from gonogo import config
from gonogo.auditing import audit
from gonogo.errors import MissingRecord, Misuse, StaleRecord, TargetError
from gonogo.pipeline import audit as pipeline
from gonogo.records.provenance import source_hash
from gonogo.records.record import Verdict
from gonogo.submission.grade.report import (
    GRADERS,
    REPORT,
    STYLES,
    make_report,
    print_report,
    read_manifest,
    run,
)


def test_the_graders_are_openenvs_under_openenvs_ids() -> None:
    known = load_policy("v2").entries_for_lane(Lane.HUB)
    for grader in GRADERS:
        assert isinstance(grader, Grader)
        assert known[grader.check_id].level == grader.level
    semantic = [grader for grader in GRADERS if grader.level is Level.SEMANTIC]
    assert {grader.depends_on for grader in semantic} == {("runtime.episode_determinism",)}


def test_openenv_loads_the_entry_points() -> None:
    registry = GraderRegistry()
    assert registry.load_entry_points() == len(GRADERS)
    assert {check: registry.get(check) for check in BY_ID} == BY_ID
    names = {point.name for point in entry_points(group=ENTRY_POINT_GROUP)}
    assert names == set(BY_ID)


def test_what_is_not_declared_is_not_selected() -> None:
    registry = GraderRegistry()
    for grader in GRADERS:
        registry.register(grader)
    bare = manifest(rubric_tree=False, canaries=None, declared_task_count={})
    selected = {grader.check_id for grader in registry.select(bare, Level.STATISTICAL)}
    assert set(BY_ID) - selected == {
        "runtime.rubric_introspectable",
        "runtime.reward_attribution",
        "runtime.task_declaration_accuracy",
        "semantic.canary_floor",
    }


def test_a_folder_that_is_no_package_has_no_manifest(tmp_path: Path) -> None:
    with pytest.raises(TargetError):
        read_manifest(tmp_path)


def test_where_the_manifest_is_refused_every_check_waits_for_a_valid_one(
    gridworld: Path, tmp_path: Path
) -> None:
    declared = read_manifest(gridworld)
    assert isinstance(declared, ManifestError)
    report = make_report(gridworld, tmp_path, declared)
    by_id = {result.check_id: result for result in report.results}
    refused = by_id.pop("static.manifest")
    assert refused.measured == {"schema_errors": len(declared.errors)}
    assert set(by_id) == set(BY_ID)
    assert {(each.status, *each.evidence) for each in by_id.values()} == {
        (SKIP, "unmet dependency: valid manifest")
    }
    entries = list(load_policy("v2").entries_for_lane(Lane.HUB))
    order = [entries.index(result.check_id) for result in report.results]
    assert order == sorted(order)


Json = dict[str, Any]
Pack = Callable[..., Path]
Graded = Callable[..., tuple[Verdict, dict[str, Json]]]
ROOT = Path(__file__).parents[3]

TOLD = {"rubric_tree": True, "task_api": True, "declared_task_count": {"train": 4, "test": 4}}
BROKEN: dict[str, tuple[str, Json, set[str]]] = {
    "declared otherwise": (
        "workshop:Costly",
        {
            "capabilities": {
                "oracle": None,
                "declared_tools": ["dial"],
                "declared_task_count": {"train": 4, "test": 5},
            },
            "resources": {"memory_mb": 100},
        },
        {
            "runtime.tool_declaration_accuracy",
            "runtime.task_declaration_accuracy",
            "runtime.trajectory_record",
            "runtime.resource_bounds",
            "semantic.oracle_max",
            "semantic.resource_envelope",
        },
    ),
    "a spoiled success": (
        "workshop:Spoiled",
        {"capabilities": {"rubric_tree": True}},
        {
            "runtime.reward_attribution",
            "runtime.oracle_containment",
            "semantic.no_solution_leakage",
            "semantic.verifier_determinism",
            "semantic.replayability",
        },
    ),
    "a shared source": (
        "workshop:Drifting",
        {},
        {"runtime.seed_control", "runtime.episode_determinism", "runtime.episode_isolation"},
    ),
    "out of reach": (
        "cases.unreachable_reward:Defect",
        {},
        {"semantic.oracle_max", "statistical.reward_reachability", "statistical.training_signal"},
    ),
    "a mood": (
        "cases.reward_uncorrelated:Defect",
        {},
        {
            "statistical.difficulty_separation",
            "statistical.variance_bound",
            "statistical.gameability_gap",
        },
    ),
    "a report believed": (
        "cases.self_reported_reward:Defect",
        {"canaries": True, "capabilities": {"rubric_tree": True}},
        {
            "runtime.rubric_introspectable",
            "semantic.canary_floor",
            "statistical.adversarial_floor",
        },
    ),
    "pay for idling": (
        "cases.paid_for_idling:Defect",
        {},
        {"semantic.floor_gap", "statistical.headroom"},
    ),
}
"""Packages by what is wrong with them: the class, what is declared otherwise, and the checks that have to fail."""


def test_every_check_has_a_package_that_fails_it() -> None:
    failing = {check for _, _, checks in BROKEN.values() for check in checks}
    assert failing == {grader.check_id for grader in GRADERS}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(BROKEN))
def test_a_broken_package_fails_its_checks(
    name: str, pack: Pack, graded: Graded, capsys: pytest.CaptureFixture[str]
) -> None:
    case, declared, checks = BROKEN[name]
    canaries = [canary(case)] if declared.get("canaries") else []
    fields = {section: value for section, value in declared.items() if section != "canaries"}
    verdict, results = graded(pack(case, canaries, **fields))
    assert verdict is Verdict.NO_GO
    assert {check: results[check]["status"] for check in checks} == dict.fromkeys(checks, "fail")
    assert all(results[check]["remediation"] and results[check]["evidence"] for check in checks)
    assert "NO_GO" in capsys.readouterr().out


def canary(case: str) -> list[Json]:
    """The case's own exploit, a list of actions."""
    from tests.zoo.cases import Pair

    exploit = Pair.load(case.partition(":")[0].removeprefix("cases.")).exploit
    assert isinstance(exploit, list)
    return exploit


@pytest.mark.long
def test_a_sound_package_passes_every_check(pack: Pack, graded: Graded) -> None:
    folder = pack("workshop:Sound", [[{"number": 35, "note": "opened"}]], capabilities=TOLD)
    verdict, results = graded(folder)
    assert {check: r["evidence"] for check, r in results.items() if r["status"] != "pass"} == {}
    assert set(results) == {"static.manifest", *(grader.check_id for grader in GRADERS)}
    assert verdict is Verdict.GO


@pytest.mark.slow
def test_flightrules_passes_every_check_that_applies(graded: Graded) -> None:
    folder = ROOT / "envs" / "flightrules"
    if not folder.is_dir():
        pytest.skip("envs/ was deleted")
    fields = {"map.reset": {"level": "detumble"}, "audit.seeds": 6}
    verdict, results = graded(folder, **fields)
    assert {check: r["evidence"] for check, r in results.items() if r["status"] != "pass"} == {}
    applying = {grader.check_id for grader in GRADERS} - {"semantic.canary_floor"}
    assert set(results) == {"static.manifest", *applying}
    assert verdict is Verdict.GO


def grade(target: object, out: Path) -> Verdict:
    return run(config.load(None, {"target": str(target), "out": str(out)}))


def write_records(out: Path, source: str) -> None:
    contract_report(source_hash=source).save(out)
    audit_report(source_hash=source).save(out)


def test_without_a_map_or_an_audit_it_refuses(pack: Pack, tmp_path: Path) -> None:
    folder = pack("workshop:Sound")
    with pytest.raises(MissingRecord, match="gonogo map writes it"):
        grade(folder, tmp_path)
    write_records(tmp_path, source_hash(folder))
    (tmp_path / "audit.json").unlink()
    with pytest.raises(MissingRecord, match="gonogo audit writes it"):
        grade(folder, tmp_path)
    assert not (tmp_path / REPORT).exists()


def test_records_of_another_version_are_refused(pack: Pack, tmp_path: Path) -> None:
    folder = pack("workshop:Sound")
    write_records(tmp_path, source_hash(folder))
    (folder / "more.py").write_text("MORE = 1\n")
    with pytest.raises(StaleRecord, match="run map again"):
        grade(folder, tmp_path)


@pytest.mark.long
def test_records_about_another_reward_are_refused(
    pack: Pack, flat_reward: Path, tmp_path: Path
) -> None:
    folder, out = pack("workshop:Sound"), tmp_path / "run"
    little = {"map.steps": 4, "map.seeds": 2, "map.tasks": 1, "audit.seeds": 4, "audit.search": 0}
    given = {"target": str(folder), "out": str(out), **little}
    functions = ["tests.zoo.paid_outside:length"]
    pipeline.audit(config.load(None, {**given, "reward": str(flat_reward)}))
    own_audit = rf"gonogo audit {folder} --out {out} --force without that"
    with pytest.raises(Misuse, match=rf"--reward {flat_reward}: .* or run {own_audit}"):
        grade(folder, out)
    audit.run(config.load(None, given))  # the map is still the other reward's
    with pytest.raises(
        Misuse, match=rf"a map that an audit with --reward made: .* or run {own_audit}"
    ):
        grade(folder, out)
    pipeline.audit(config.load(None, {**given, "audit.rewards": functions}), force=True)
    with pytest.raises(Misuse, match=rf"--rewards {functions[0]}: .* or run {own_audit}"):
        grade(folder, out)
    assert not (out / REPORT).exists()


def test_only_a_package_can_be_graded(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="give its folder"):
        grade("tests.zoo.single:Counter", tmp_path)


def test_a_manifest_that_openenv_refuses_is_no_go_and_says_what_to_declare(
    gridworld: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert grade(gridworld, tmp_path) is Verdict.NO_GO
    report = json.loads((tmp_path / REPORT).read_text())
    first, *others = report["results"]
    assert (first["check_id"], first["status"]) == ("static.manifest", "fail")
    assert report["verdict"] == "fail"
    assert report["manifest"] is None
    assert {other["status"] for other in others} == {"skip"}
    assert len(others) == len(GRADERS)
    assert "1 fail" in capsys.readouterr().out


def shown(*results: CheckResult, verdict: Verdict = Verdict.NO_GO) -> str:
    """What is printed."""
    console = Console(width=160, file=io.StringIO(), record=True)
    print_report(results, "fail", verdict, console)
    return console.export_text()


def result(check: str, status: CheckStatus, *evidence: str) -> CheckResult:
    return CheckResult(check_id=check, status=status, evidence=list(evidence), duration_s=0.0)


def test_each_check_is_a_line_and_all_are_counted() -> None:
    said = shown(
        result("runtime.a", CheckStatus.PASS, "all well"),
        result("runtime.b", CheckStatus.FAIL, "one", "two", "three"),
        result("runtime.c", CheckStatus.PASS, "well too"),
        result("runtime.d", CheckStatus.SKIP),
    )
    lines = said.splitlines()
    for check, status, evidence in (
        ("runtime.a", "pass", "all well"),
        ("runtime.b", "fail", "one (and 2 more)"),
        ("runtime.d", "skip", ""),
    ):
        (line,) = (each for each in lines if check in each)
        assert status in line and evidence in line
    assert lines[-1] == "NO_GO: 2 pass, 1 fail, 1 skip; OpenEnv's severity policy says fail"


def test_what_an_environment_says_is_no_markup() -> None:
    assert "[red]it is[/red]" in shown(result("runtime.a", CheckStatus.FAIL, "[red]it is[/red]"))


def test_every_status_of_openenv_has_a_style() -> None:
    assert set(STYLES) == {status.value for status in CheckStatus}
