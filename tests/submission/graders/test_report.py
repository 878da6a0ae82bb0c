"""The graders are OpenEnv's: under its ids, found by its registry, and asked only where they apply."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import pytest
from openenv.validation import (
    ENTRY_POINT_GROUP,
    Grader,
    GraderRegistry,
    Lane,
    Level,
    ManifestError,
    load_policy,
)
from tests.submission.graders.sound import BY_ID, SKIP, manifest

from gonogo.errors import TargetError
from gonogo.submission.graders.report import GRADERS, make_report, read_manifest


def test_the_classes_are_openenvs_graders_under_openenvs_ids() -> None:
    known = load_policy("v2").entries_for_lane(Lane.HUB)
    for grader in GRADERS:
        assert isinstance(grader(), Grader)
        assert known[grader.check_id].level == grader.level
    semantic = [grader for grader in GRADERS if grader.level is Level.SEMANTIC]
    assert {grader.depends_on for grader in semantic} == {("runtime.episode_determinism",)}


def test_openenv_loads_the_entry_points() -> None:
    registry = GraderRegistry()
    assert registry.load_entry_points() == len(GRADERS)
    assert {type(registry.get(check)) for check in BY_ID} == set(GRADERS)
    names = {point.name for point in entry_points(group=ENTRY_POINT_GROUP)}
    assert names == set(BY_ID)


def test_what_is_not_declared_is_not_selected() -> None:
    registry = GraderRegistry()
    for grader in GRADERS:
        registry.register(grader())
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
