"""The committed planted pairs pay as they promise, and are judged by one rule."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks import planted
from benchmarks.planted import PairFolder, PlantedPair, PlantedRecord, PlantedSide, SideFinding

import gonogo as gg
from gonogo.auditing.survey import REFERENCE
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict


def side(**found: Severity) -> PlantedSide:
    """A side with findings, each an id and its severity."""
    findings = tuple(SideFinding(id=i, severity=s, explanation="x") for i, s in found.items())
    verdict = Verdict.NO_GO if found else Verdict.GO
    return PlantedSide(verdict=verdict, why_not=None, seconds=1.0, findings=findings)


def pair(broken: PlantedSide, sound: PlantedSide, name: str = "two/tugs") -> PlantedPair:
    """A pair, audited."""
    return PlantedPair(name=name, gonogo="3611c4250000", budget=9000, planted=broken, sound=sound)


LEAK = side(leaked_answer=Severity.EFFORTLESS)


@pytest.mark.parametrize(
    ("broken", "sound", "named"),
    [
        (LEAK, side(), True),
        (LEAK, LEAK, False),
        (side(paid_again=Severity.SUSPICIOUS), side(), False),
        (side(state_contract=Severity.CONTRACT), side(), False),
        (side(), LEAK, False),
    ],
)
def test_a_defect_is_named_where_the_twin_is_not_accused_alike(
    broken: PlantedSide, sound: PlantedSide, named: bool
) -> None:
    assert pair(broken, sound).named is named


def test_the_page_has_each_set_and_pair_and_the_first_flight_apart() -> None:
    broken = side(leaked_answer=Severity.EFFORTLESS, paid_again=Severity.SUSPICIOUS)
    now, first = pair(broken, side()), pair(side(), LEAK)
    record = PlantedRecord.of([pair(side(), LEAK, "one/pots"), now], [first])
    before, after = "\n".join(planted.lines_of(record)).split("## Now")
    assert "| two | 0 of 1: 0.00 (" in before
    assert "one/pots" not in before
    assert "gonogo at 3611c425, 9,000 steps" in before
    assert "| one | 0 of 1: 0.00 (" in after
    assert "| two | 1 of 1: 1.00 (" in after
    assert "| NO-GO: leaked_answer, *paid_again* | GO | yes |" in after


def test_the_page_has_what_was_told_honest_work_apart() -> None:
    record = PlantedRecord.of([pair(side(), side())], [], [pair(LEAK, side())])
    before, after = "\n".join(planted.lines_of(record)).split("## Now")
    assert "## With a policy that succeeds" in before and "two | 1 of 1: 1.00 (" in before
    assert "two | 0 of 1: 0.00 (" in after


def test_an_audit_is_told_the_honest_work_of_its_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planted, "BUDGET", 6_000)
    (glacier,) = planted.pairs_of(only=["five/glacier"])
    folder = glacier.laid_out(tmp_path)[planted.SOUND]
    assert planted.audited(folder, 120.0, glacier.path).why_not is None
    report = gg.AuditReport.load(folder.with_name(f"{folder.name}-audit"))
    (told,) = [row for row in report.tasks[0].policies if row.kind == REFERENCE]
    assert told.success is not None and told.success.mean == 1.0


def test_the_page_is_written_from_the_record() -> None:
    known = PlantedRecord.known()
    assert planted.PAGE.read_text(encoding="utf-8") == "\n".join([*planted.lines_of(known), ""])
    assert {each.name for each in known.pairs} == {each.name for each in planted.pairs_of()}


def test_the_patch_alone_makes_the_twin(tmp_path: Path) -> None:
    for each in planted.pairs_of():
        sides = each.laid_out(tmp_path)
        texts = {
            name: {
                file.relative_to(folder): file.read_bytes()
                for file in folder.rglob("*")
                if file.is_file()
            }
            for name, folder in sides.items()
        }
        assert texts[planted.PLANTED].keys() == texts[planted.SOUND].keys()
        assert texts[planted.PLANTED] != texts[planted.SOUND]


@pytest.mark.parametrize(
    "folder",
    [
        pytest.param(each, marks=[] if each.name == "one/courier_desk" else pytest.mark.long)
        for each in planted.pairs_of()
    ],
    ids=lambda each: each.name,
)
def test_a_pair_pays_its_exploit_and_its_twin_does_not(folder: PairFolder, tmp_path: Path) -> None:
    found = planted.earned(folder, tmp_path)
    assert planted.holds(found), found
