"""A record is written whole, read back the same, and refused by the name of the field at fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import pytest

from gonogo.errors import MissingRecord, StaleRecord
from gonogo.records.provenance import provenance, source_hash
from gonogo.records.record import SHOWN, Frame, Part, ReturnField, StationRecord, Verdict
from gonogo.statistics import (
    Estimate,
)


class Row(Part):
    name: str
    score: float
    failure: str | None = None
    """Absent of most."""


class Sample(StationRecord):
    kind: ClassVar[str] = "sample"
    version: ClassVar[int] = 3
    station: ClassVar[str] = "sample"

    rows: tuple[Row, ...]


def sample(source: str | None = None) -> Sample:
    rows = (Row(name="idle", score=0.25),)
    return Sample(
        target="envs/x",
        source_hash=source,
        verdict=Verdict.HOLD,
        reason="why",
        rows=rows,
        **provenance(),
    )


def test_what_is_saved_is_loaded_and_has_the_same_digest(tmp_path: Path) -> None:
    record = sample("ab")
    record.save(tmp_path)
    loaded = Sample.load(tmp_path, "ab")
    assert loaded == record and loaded.digest() == record.digest()
    body = json.loads((tmp_path / "sample.json").read_text())
    assert body["schema"] == "gonogo/sample/3" and body["verdict"] == "HOLD"
    assert body["rows"] == [{"name": "idle", "score": 0.25}]


def test_a_field_that_may_be_absent_is_not_written_as_null() -> None:
    assert Row(name="idle", score=0.25).model_dump() == {"name": "idle", "score": 0.25}
    assert Row(name="idle", score=0.25, failure="why").model_dump()["failure"] == "why"


def test_a_return_is_a_field_under_the_name_that_python_keeps_for_itself() -> None:
    class Flown(Part):
        episode_return: ReturnField

    assert Flown(episode_return=None).model_dump() == {"return": None}
    assert Flown.model_validate({"return": 0.5}) == Flown(episode_return=0.5)


def test_a_source_that_changed_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "env"
    folder.mkdir()
    (folder / "model.py").write_text("a = 1\n")
    (folder / "data.csv").write_text("1\n")
    made_of = source_hash(folder)
    record = sample(made_of)
    record.save(tmp_path)
    loaded = Sample.load(tmp_path, source_hash(folder))
    assert loaded.source_data == made_of.data and loaded.digest() == record.digest()
    (folder / "data.csv").write_text("2\n")
    with pytest.raises(StaleRecord, match=r"data\.csv"):
        Sample.load(tmp_path, source_hash(folder))
    (folder / "model.py").write_text("a = 2\n")
    with pytest.raises(StaleRecord, match="source_hash"):
        Sample.load(tmp_path, source_hash(folder))


def test_code_that_the_environment_writes_while_it_runs_is_no_change_of_its_source(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "env"
    folder.mkdir()
    (folder / "model.py").write_text("a = 1\n")
    (folder / "openenv.yaml").write_text("name: x\n")
    whole = str(source_hash(folder))
    for number in range(2):
        made_of = source_hash(folder)
        (folder / f"made_{number}.py").write_text("b = 1\n")
        sample(made_of).save(tmp_path)
        assert Sample.load(tmp_path, source_hash(folder)).source_hash == whole
    (folder / "made_1.py").unlink()
    Sample.load(tmp_path, source_hash(folder))
    (folder / "more.py").write_text("b = 1\n")  # nothing ran
    with pytest.raises(StaleRecord, match="source_hash"):
        Sample.load(tmp_path, source_hash(folder))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"rows": [{"name": "idle"}]}, "rows.0.score"),
        ({"rows": [{"name": "idle", "score": "high"}]}, "rows.0.score"),
        ({"rows": [{"name": "idle", "score": 1.0, "more": 2}]}, "rows.0.more"),
        ({"verdict": "MAYBE"}, "verdict"),
        ({"unheard": 1}, "unheard"),
    ],
)
def test_a_field_at_fault_is_named(tmp_path: Path, change: dict[str, object], field: str) -> None:
    sample().save(tmp_path)
    file = tmp_path / "sample.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(StaleRecord, match=rf"sample\.json: {field}: .*run sample again"):
        Sample.load(tmp_path)


def test_none_there_says_who_writes_it(tmp_path: Path) -> None:
    with pytest.raises(MissingRecord, match="gonogo sample writes it"):
        Sample.load(tmp_path)


def test_a_frame_has_the_columns_and_rows() -> None:
    frame = Frame(("name", "score"), [("idle", 0.0), ("walker", 1.0)]).to_frame()
    assert list(frame.columns) == ["name", "score"]
    assert frame["score"].tolist() == [0.0, 1.0]


def test_a_frame_without_rows_still_has_its_columns() -> None:
    assert list(Frame(("name",), []).to_frame().columns) == ["name"]


def test_what_a_stranger_says_is_no_tag() -> None:
    html = Frame(("<b>",), [("<script>alert(1)</script>",)]).html()
    assert "<script>" not in html and "<b>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_of_many_rows_the_first_are_shown_and_the_others_counted() -> None:
    html = Frame(("n",), [(n,) for n in range(SHOWN + 3)]).html()
    assert html.count("<td>") == SHOWN and html.endswith("<p>and 3 more</p>")


def test_an_estimate_is_above_a_bar_only_with_its_whole_interval() -> None:
    assert Estimate(mean=0.8, ci95=(0.71, 0.9)).above(0.7)
    assert not Estimate(mean=0.8, ci95=(0.69, 0.9)).above(0.7)


def test_the_ends_of_a_constant_sample_are_its_mean() -> None:
    assert Estimate(mean=0.5, ci95=None, note="constant").ends == (0.5, 0.5)
    assert Estimate(mean=0.5, ci95=(0.4, 0.6)).ends == (0.4, 0.6)
    assert Estimate(mean=None, ci95=None).ends is None
    assert not Estimate(mean=0.5, ci95=None).above(0.0)
