"""Records survive crashes, and a record that cannot be relied on is refused."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.records_made import estimate, evaluation_report, policy_result

from gonogo.errors import MissingRecord, RecordError, StaleRecord
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.files import append_line, read_lines, read_record, rewind, write_record


def test_a_record_is_read_back_as_written(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "evaluation.json"
    body = {"episodes": np.int64(200), "score": np.array([0.5, 0.25]), "at": tmp_path, "no": None}
    write_record(path, "evaluation", 1, body)
    assert read_record(path, "evaluation", 1) == {
        "schema": "gonogo/evaluation/1",
        "episodes": 200,
        "score": [0.5, 0.25],
        "at": str(tmp_path),
        "no": None,
    }


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float64("nan"), object()])
def test_what_is_not_json_is_refused_and_leaves_the_old_record(
    tmp_path: Path, value: object
) -> None:
    path = tmp_path / "map.json"
    write_record(path, "map", 1, {"old": True})
    with pytest.raises(RecordError, match="cannot be written as JSON"):
        write_record(path, "map", 1, {"bad": value})
    assert read_record(path, "map", 1)["old"] is True
    assert os.listdir(tmp_path) == ["map.json"]


def test_a_crash_while_writing_leaves_the_old_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "map.json"
    write_record(path, "map", 1, {"old": True})

    def crash(source: str, target: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", crash)
        with pytest.raises(KeyboardInterrupt):
            write_record(path, "map", 1, {"old": False})
    assert read_record(path, "map", 1)["old"] is True
    assert os.listdir(tmp_path) == ["map.json"]


def test_a_record_is_as_readable_as_other_files(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("")
    write_record(tmp_path / "map.json", "map", 1, {})
    assert (tmp_path / "map.json").stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize("content", [None, "", "{", "[1]", "\xff"])
def test_a_missing_or_broken_record_is_named(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "map.json"
    if content is not None:
        path.write_bytes(content.encode("latin-1"))
    with pytest.raises(MissingRecord, match=r"map\.json"):
        read_record(path, "map", 1)


def test_what_is_missing_or_stale_names_the_command_that_writes_it(tmp_path: Path) -> None:
    with pytest.raises(MissingRecord, match=r"no evaluation record there; gonogo evaluate writes"):
        EvaluationReport.load(tmp_path)
    evaluation_report({"idle": policy_result(estimate(0.5))}, source_hash="aa").save(tmp_path)
    with pytest.raises(StaleRecord, match="run evaluate again"):
        EvaluationReport.load(tmp_path, source="bb")


def test_a_record_of_another_kind_version_or_source_is_stale(tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    write_record(path, "map", 1, {"source_hash": "aa"})
    assert read_record(path, "map", 1, source="aa")["source_hash"] == "aa"
    with pytest.raises(StaleRecord, match=r"must be gonogo/map/2, not 'gonogo/map/1'"):
        read_record(path, "map", 2)
    with pytest.raises(StaleRecord, match="schema must be"):
        read_record(path, "audit", 1)
    with pytest.raises(StaleRecord, match="source has changed"):
        read_record(path, "map", 1, source="bb")


ROWS = st.lists(
    st.dictionaries(st.text(max_size=5), st.one_of(st.integers(), st.text(max_size=9)), max_size=3),
    max_size=5,
)


@given(rows=ROWS, torn=st.text(max_size=200).filter(lambda text: "\n" not in text))
def test_a_torn_last_line_costs_only_itself(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, object]], torn: str
) -> None:
    path = tmp_path_factory.mktemp("log") / "training.jsonl"
    for row in rows:
        append_line(path, row)
    with path.open("a", encoding="utf-8") as file:
        file.write(torn)
    assert list(read_lines(path)) == rows
    append_line(path, {"after": 1})
    assert list(read_lines(path)) == [*rows, {"after": 1}]


def test_a_torn_line_longer_than_a_block_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    append_line(path, {"step": 1})
    with path.open("ab") as file:
        file.write(b"x" * 200_000)
    append_line(path, {"step": 2})
    assert path.read_text() == '{"step": 1}\n{"step": 2}\n'


def test_a_broken_line_in_the_middle_is_no_crash_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"a": 1}\nnonsense\n{"a": 2}\n')
    with pytest.raises(RecordError, match="line 2"):
        list(read_lines(path))
    path.write_text("[1]\n")
    with pytest.raises(RecordError, match="not a JSON object"):
        list(read_lines(path))
    with pytest.raises(MissingRecord):
        list(read_lines(tmp_path / "none.jsonl"))


def test_a_resumed_run_drops_the_rows_after_its_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    assert rewind(path, lambda row: True) == 0
    for step in range(5):
        append_line(path, {"step": step})
    assert rewind(path, lambda row: row["step"] < 3) == 2
    assert [row["step"] for row in read_lines(path)] == [0, 1, 2]
