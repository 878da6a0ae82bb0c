"""The page on other auditors says what the records say, and the records' figures are those of their answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks import rivals

from gonogo.statistics import wilson

Json = dict[str, Any]
RECORD: Json = json.loads(rivals.RECORD.read_text())
ZOO: Json = json.loads(rivals.ZOO.read_text())
every_tool = pytest.mark.parametrize("part", RECORD["tools"], ids=lambda part: part["package"])


def row(defect: bool | None, sound: bool | None) -> Json:
    """A pair's answers; None is a class that the tool could not take."""

    def answer(alarm: bool | None) -> Json:
        return {"flags": {} if alarm is None else {"alarm": alarm}, "taken": alarm is not None}

    return {"pair": "p", "Defect": answer(defect), "Sound": answer(sound)}


def test_the_page_is_written_from_the_records() -> None:
    assert rivals.PAGE.read_text() == rivals.page(RECORD, ZOO)


def test_the_record_is_of_the_tools_as_pinned() -> None:
    pinned = [(tool.package, tool.version, tool.used) for tool in rivals.TOOLS]
    assert [(part["package"], part["version"], part["used"]) for part in RECORD["tools"]] == pinned
    for tool in rivals.TOOLS:
        assert any(f"=={tool.version}" in word for words in tool.installs for word in words)


@every_tool
def test_every_pair_has_both_answers(part: Json) -> None:
    assert [found["pair"] for found in part["cases"]] == RECORD["pairs"]
    assert set(RECORD["pairs"]) <= set(rivals.pair_names())
    assert all(set(found) == {"pair", *rivals.CLASSES} for found in part["cases"])


@every_tool
def test_the_figures_follow_from_the_answers(part: Json) -> None:
    for reading, figures in part["figures"].items():
        assert figures == json.loads(json.dumps(rivals.figures_of(part["cases"], reading)))


def test_gonogo_was_measured_on_the_same_pairs() -> None:
    for figures in rivals.gonogo_figures(ZOO, RECORD["pairs"]).values():
        assert figures["recall"]["of"] == len(RECORD["pairs"])


def test_an_answer_is_dropped_with_what_it_depends_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rivals, "CACHE", tmp_path)
    tool, (name, other, *_) = rivals.TOOLS[0], rivals.pair_names()
    rivals.drop_stale(tool, [name, other])
    for pair in (name, other):
        (tmp_path / tool.driver / f"{pair}-Sound").mkdir()
    (tmp_path / tool.driver / f"{other}.key").write_text("of another version")
    rivals.drop_stale(tool, [name, other])
    assert (tmp_path / tool.driver / f"{name}-Sound").is_dir()
    assert not (tmp_path / tool.driver / f"{other}-Sound").exists()


def test_what_was_not_taken_is_a_miss_and_counted_apart() -> None:
    rows = [row(True, False), row(True, True), row(False, None), row(None, False)]
    figures = rivals.figures_of(rows, "alarm")
    assert (figures["recall"]["count"], figures["recall"]["of"]) == (2, 4)
    assert (figures["recall_of_taken"]["count"], figures["recall_of_taken"]["of"]) == (2, 3)
    assert (figures["false_positives"]["count"], figures["false_positives"]["of"]) == (1, 4)
    assert figures["false_positives_of_taken"]["of"] == 3
    assert figures["told_apart"] == 1
    assert tuple(figures["recall"]["ci95"]) == wilson([True, True, False, False]).ci95


def test_gonogo_needs_the_right_finding_in_its_first_row() -> None:
    found: Json = {
        "hit": False,
        "defect": {"found": ["another"], "case": "cases.p:Defect"},
        "sound": {"found": []},
    }
    named, anything = rivals.gonogo_figures({"pairs_audited": [found]}, ["p"]).values()
    assert (named["recall"]["count"], anything["recall"]["count"]) == (0, 1)
    assert (named["told_apart"], anything["told_apart"]) == (0, 1)


def test_a_tool_that_could_not_be_installed_says_so_without_figures() -> None:
    part = rivals.collected(rivals.TOOLS[0], ["p"], "pip install x: no such version")
    assert "figures" not in part
    assert "pip install x: no such version" in rivals.paragraph(rivals.TOOLS[0], part)
