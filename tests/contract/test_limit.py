"""The limit of turns: above the longest end that was seen, the config's where it is given, and said where it cuts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.records_made import audited_policy, audited_task

from gonogo import config
from gonogo.auditing import run as auditing
from gonogo.contract import run as station
from gonogo.contract.card import limit_of_turns
from gonogo.contract.page import markdown
from gonogo.env.environment import Env
from gonogo.records.audit import AuditLimit, AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.theme import ThemeReport
from gonogo.submission.theme import run as theme
from gonogo.training.plan.measure import measure

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
LONGEST = 480
"""Steps of the zoo's longest walk."""


@pytest.fixture(autouse=True)
def _from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import paths are looked up from the working directory."""
    monkeypatch.chdir(ROOT)


def run(walk: str, out: Path, **fields: Any) -> config.RunConfig:
    given = {"target": f"tests.zoo.walks:{walk}", "out": str(out), "map.steps": 4, "map.seeds": 2}
    given |= {
        "map.budget_s": 600,
        "audit.seeds": 4,
        "audit.budget": 0,
        "audit.reference": "tests.zoo.walks:walk",
    }
    return config.load(
        None, {**given, **{name.replace("__", "."): v for name, v in fields.items()}}
    )


def test_the_limit_lies_above_every_end_whatever_the_seed(tmp_path: Path) -> None:
    mapped = run("Marathon", tmp_path)
    station.run(mapped)
    terminal = ContractReport.load(tmp_path).terminal
    assert LONGEST <= terminal.limit <= 2 * LONGEST
    assert terminal.cut == ()
    assert mapped.within(terminal.limit).rollout.max_turns == terminal.limit


def test_what_never_ends_is_cut_and_every_station_says_so(tmp_path: Path) -> None:
    mapped = run("Treadmill", tmp_path, map__end_steps=100)
    station.run(mapped)
    report = ContractReport.load(tmp_path)
    assert report.terminal.limit == config.RolloutConfig().max_turns
    assert report.terminal.cut == (100,) * report.terminal.sought
    assert "broken off at step 100" in markdown(report)
    theme.run(mapped)
    assert any(
        "8 of 8 episodes were cut after 64 turns" in n for n in ThemeReport.load(tmp_path).notes
    )


def test_an_audit_of_what_never_ends_says_whose_numbers_are_cut(tmp_path: Path) -> None:
    mapped = run("Treadmill", tmp_path, map__end_steps=100)
    station.run(mapped)
    auditing.run(mapped)
    record = AuditReport.load(tmp_path)
    rows = record.tasks[0].policies
    assert rows
    assert all(row.cut == row.episodes for row in rows)
    assert "were cut after 64 turns" in record.notes[0]
    assert "were cut after 64 turns" in (tmp_path / "audit.md").read_text()


def test_an_audits_note_names_whom_it_cut() -> None:
    rows = (
        audited_policy("idle", "idle", cut=3, episodes=4),
        audited_policy("walk", "reference", cut=0, episodes=4),
    )
    limit = AuditLimit(turns=64, why="no episode was seen to end by itself")
    said = list(auditing.cut_notes(audited_task(policies=rows), limit))
    assert len(said) == 1
    assert "3 of 8 episodes" in said[0]
    assert "idle" in said[0]
    assert "walk" not in said[0]
    assert not list(auditing.cut_notes(audited_task(policies=rows[1:]), limit))


def test_a_limit_that_the_config_gives_stands(tmp_path: Path) -> None:
    given = run("Marathon", tmp_path, rollout__max_turns=40)
    assert given.within(600).rollout.max_turns == 40
    found = limit_of_turns(given, [], [])
    assert (found.limit, found.why) == (40, "the config's rollout.max_turns")


def test_a_plan_flies_to_the_ends_and_leaves_room(tmp_path: Path) -> None:
    pytest.importorskip("trl", reason="the train extra is not installed")
    planned = run("Marathon", tmp_path).within(600)
    measured = measure(planned, Env.of(planned), {}, 0, [], None)
    assert measured.cut == (0, 8)
    assert measured.ended is not None
    assert 128 < measured.ended <= LONGEST
    short = run("Marathon", tmp_path)
    cut = measure(short, Env.of(short), {}, 0, [], None)
    assert (cut.cut, cut.ended, cut.limit) == ((8, 8), None, 64)
