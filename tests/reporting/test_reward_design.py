"""The reward's section: what the map declares, what the audit found, and the reward that was written from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.records_made import (
    audit_report,
    audited_task,
    component_exploits,
    contract_report,
    finding,
    headline_numbers,
    reward_report,
    rubric_node,
    source_place,
)

from gonogo.records.reward import SideNumber
from gonogo.reporting.gather import StationRecords
from gonogo.reporting.reward_design import MOST_TASKS, component_rows, leaves_of, reward, weights_of
from gonogo.reporting.sections import Material, Section

TREE = rubric_node(
    "",
    rubric_node("Share", weight=0.25, file="a.py", line=3),
    rubric_node(
        "Group",
        rubric_node("Deep", weight=0.5, file="b.py", line=7),
        rubric_node("Free", file="b.py", line=9),
        weight=0.5,
    ),
)


def said(**records: object) -> str:
    material = Material(StationRecords(**records), "", Path("README.md"), Path())  # type: ignore[arg-type]
    return str(reward(material).text)


def test_weights_are_multiplied_down_the_tree() -> None:
    assert list(leaves_of(TREE)) == [
        ("Rubric", 0.25, "`a.py:3`"),
        ("Rubric", 0.25, "`b.py:7`"),
        ("Rubric", None, "`b.py:9`"),
    ]


def test_a_component_is_listed_once_whether_rubric_or_breakdown_names_it() -> None:
    parts = [
        {"name": "rubric", "place": source_place("c.py", 1)},
        {"name": "bonus", "place": source_place("c.py", 2)},
        {"name": "malus", "place": None},
    ]
    found = contract_report(reward={"rubric": TREE, "breakdown": parts})
    rows = list(component_rows(found.reward))
    assert [row[0] for row in rows] == ["Rubric", "Rubric", "Rubric", "bonus", "malus"]
    assert rows[3:] == [("bonus", "-", "`c.py:2`"), ("malus", "-", "-")]
    assert weights_of(found) == {"rubric": 0.25}
    assert weights_of(contract_report()) == weights_of(None) == {}


def test_components_are_the_map_s_only_where_there_is_no_audit() -> None:
    found = contract_report(reward={"rubric": TREE, "declared": (0.0, 1.0)})
    assert "The range of an episode's reward is 0 to 1." in said(map=found)
    assert "| Rubric | 0.25 | `a.py:3` |" in said(map=found)
    assert "`a.py:3`" not in said(map=found, audit=audit_report())
    assert "reward is not declared." in said(map=contract_report())


def test_the_audit_s_findings_and_figures_are_told_by_task() -> None:
    numbers = headline_numbers(best_known_return=1.0, best_failing_return=0.25)
    tasks = [audited_task(task={"level": n}, numbers=numbers) for n in range(MOST_TASKS + 2)]
    text = said(audit=audit_report(finding("paid_for_idling"), tasks=tasks))
    assert "`gonogo audit` says NO-GO: a reason (2 episodes, 24 steps were flown)." in text
    assert "- **paid_for_idling**: " in text and "paid_for_idling happened." in text
    assert text.count("| best return of a failure | 0.250 |") == MOST_TASKS
    assert "2 more tasks stand in `audit.json`." in text
    assert "Task `" not in said(audit=audit_report(tasks=tasks[:1]))


@pytest.mark.parametrize(("tasks", "column"), [(1, False), (2, True)])
def test_both_sides_name_the_task_where_there_are_several(tasks: int, column: bool) -> None:
    sides = tuple(
        SideNumber(number="best known return", task={"level": n}, before=1.0, after=None)
        for n in range(tasks)
    )
    part = component_exploits("primary", "idle | all day")
    text = said(reward=reward_report(components=(part,), sides=sides))
    assert "| primary | 0.5 | `word`: Success is what it says. |" in text
    assert "| idle \\| all day | the panel's idle | `word` | 0.050 | 0.600 |" in text
    assert ("| task | figure | own reward | this reward |" in text) is column
    assert ("| all | audit | NO-GO | GO |" in text) is column


def test_without_records_the_audit_is_missing() -> None:
    bare = Material(StationRecords(), "", Path("README.md"), Path())
    assert reward(bare) == Section(None, ("audit.json (gonogo audit)",))
