"""The upgrade for a reader: docstrings that end nothing, both sides, and a page with every exploit."""

from __future__ import annotations

import ast
import io

from rich.console import Console
from tests.records_made import (
    audit_report,
    audited_task,
    component_exploits,
    exploit_case,
    headline_numbers,
    reward_report,
)

from gonogo.records.reward import SideNumber
from gonogo.reward.page import WIDTH, docstring, markdown, plain, print_upgrade, sides

NASTY = 'say """end""" \\ and é ' + "word " * 60


def test_what_an_exploit_is_called_cannot_end_the_docstring() -> None:
    text = docstring([exploit_case(NASTY)], {"word": "Success is what it says."})
    assert text.isascii() and max(map(len, text.splitlines())) <= WIDTH
    tree = ast.parse(f'class A:\n    """It pays.\n\n{text}\n    """\n')
    (found,) = tree.body
    assert isinstance(found, ast.ClassDef) and "without `word`" in str(ast.get_docstring(found))
    assert len(plain(NASTY)) <= 90
    assert docstring([], {}) == "    No exploit was found that a guard keeps out."


def test_each_number_stands_by_both_rewards_task_by_task() -> None:
    def audit(best: float | None) -> list[object]:
        numbers = headline_numbers(best_known_return=best)
        return [audited_task(task={"level": n}, numbers=numbers) for n in range(2)]

    rows = list(sides(audit_report(tasks=audit(1.0)), audit_report(tasks=audit(None))))
    assert len(rows) == 2 * len({row.number for row in rows})
    known = [row for row in rows if row.number == "best known return"]
    assert [(row.task, row.before, row.after) for row in known] == [
        ({"level": 0}, 1.0, None),
        ({"level": 1}, 1.0, None),
    ]


SIDE = SideNumber(number="best known return", task={}, before=1.0, after=None)


def test_the_page_has_both_sides_and_every_exploit() -> None:
    part = component_exploits("primary", "idle", "a\nline")
    text = markdown(reward_report(sides=(SIDE,), components=(part,)))
    for line in (
        "# Reward of x",
        "**GO**: 4 components",
        "| best known return | 1.000 | unknown |",
        "| findings | paid_for_idling | none |",
        "| verdict | NO_GO | GO |",
        "## primary (0.5)",
        "| idle | the panel's idle | `word` | 0.050 | 0.600 |",
        "| a line | the panel's idle | `word` | 0.050 | 0.600 |",
    ):
        assert line in text.splitlines()


def test_the_terminal_has_the_same_and_the_notes() -> None:
    console = Console(width=120, file=io.StringIO(), record=True)
    print_upgrade(reward_report(sides=(SIDE,), notes=("[red]kept[/red]",)), console)
    said = console.export_text()
    for word in ("best known return", "unknown", "worst success flown here", "paid_for_idling"):
        assert word in said
    assert said.splitlines()[-2:] == ["Note: [red]kept[/red]", "GO: 4 components"]
