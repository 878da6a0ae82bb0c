"""What a run's folder holds, and records that agree with nothing: each is refused by its field."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.records_made import trained_phase, training_report
from tests.reporting.conftest import as_models, edit
from tests.reporting.reading import Reader, page_of

from gonogo.errors import MissingRecord, StaleRecord
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.record import Verdict
from gonogo.records.stations import PageReport
from gonogo.records.training import TrainingPhases, TrainingReport, TrainingRow
from gonogo.reporting import report as station
from gonogo.reporting.run_contents import (
    alike,
    check_train,
    check_verdict,
    first_difference,
    gather,
    missing_record,
)


def test_all_that_a_run_left_is_there_in_the_order_of_the_poll(run: Path) -> None:
    found = gather(run)
    assert list(found.records.by_station) == ["map", "audit", "train", "evaluate"]
    assert {name: [e.index for e in flown] for name, flown in found.episodes.items()} == {
        name: list(range(5)) for name in ("idle", "random")
    }
    assert [row.step for row in found.training] == list(range(1, 7))
    assert found.witnesses and found.missing == []


def test_a_missing_record_is_named_with_the_command_that_writes_it() -> None:
    assert missing_record("evaluate") == "evaluation.json (gonogo evaluate)"


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("audit.json", "audit.json (gonogo audit)"),
        ("train.json", "train.json (gonogo train)"),
        ("evaluation.json", "evaluation.json (gonogo evaluate)"),
        ("training.jsonl", "training.jsonl (gonogo train)"),
        ("witnesses.jsonl", "witnesses.jsonl (gonogo audit)"),
    ],
)
def test_what_is_missing_is_a_hold_that_names_it(run: Path, file: str, said: str) -> None:
    (run / file).unlink()
    assert station.run(run) is Verdict.HOLD
    assert said in PageReport.load(run).reason
    assert said in Reader(page_of(run)).text


def test_an_evaluation_without_its_episodes_is_a_hold(run: Path) -> None:
    for file in (run / "evaluation" / "random").iterdir():
        file.unlink()
    assert station.run(run) is Verdict.HOLD
    assert "evaluation/{random}" in PageReport.load(run).reason


def test_a_record_that_is_no_json_is_refused(run: Path) -> None:
    (run / "audit.json").write_text("{")
    with pytest.raises(MissingRecord, match=r"audit\.json: not readable"):
        station.run(run)


def test_a_folder_without_records_is_said(tmp_path: Path) -> None:
    with pytest.raises(MissingRecord, match=r"none of map\.json"):
        station.run(tmp_path)
    with pytest.raises(MissingRecord, match="no such folder"):
        station.run(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("file", "places", "value", "field"),
    [
        ("evaluation.json", ("policies", "idle", "score", "mean"), 0.9, "policies.idle.score.mean"),
        ("evaluation.json", ("policies", "random", "flown", "turns", 2), 99, "flown.turns[2]"),
        ("evaluation.json", ("comparisons", 0, "mcnemar_p"), 1e-9, "comparisons[0].mcnemar_p"),
        ("evaluation.json", ("verdict",), "GO", "verdict"),
        ("evaluation.json", ("verdict",), "maybe", "verdict"),
        ("evaluation.json", ("reason",), "it is better", "reason"),
        ("evaluation.json", ("shown_task",), 77, "shown_task"),
        ("evaluation.json", ("policies",), {}, "policies"),
        ("evaluation.json", ("policies", "idle"), {"score": 1}, "policies.idle"),
        ("evaluation.json", ("config", "evaluation", "episodes"), 0, "config.evaluation.episodes"),
        ("evaluation.json", ("config", "evaluation", "episodes"), 9, "no episode of task"),
        ("audit.json", ("verdict",), "GO", "verdict"),
        ("audit.json", ("findings",), [], "verdict"),
        ("audit.json", ("findings", 0, "id"), "made_up", "findings.0.id"),
        ("audit.json", ("findings", 0, "witness", "return"), 5.0, "findings[0].witness.return"),
        ("audit.json", ("findings", 0, "witness", "rewards"), [1.0], "findings[0].witness.rewards"),
        ("audit.json", ("source_hash",), "0" * 64, "source_hash"),
        ("map.json", ("verdict",), "NO_GO", "verdict"),
        ("map.json", ("contract", 0, "verdict"), "fail", "verdict"),
        ("train.json", ("reason",), "it does not fly", "verdict"),
        ("train.json", ("phases", "grpo", "validation_score"), 1.0, "phases.grpo.validation_score"),
        ("train.json", ("schema",), "gonogo/train/2", "schema"),
    ],
)
def test_a_record_that_was_edited_is_refused_with_the_field(
    run: Path, file: str, places: tuple[str | int, ...], value: Any, field: str
) -> None:
    edit(run / file, *places, value=value)
    with pytest.raises(StaleRecord, match=re.escape(field)) as refused:
        station.run(run)
    assert refused.value.exit_code == 3
    assert not (run / "report.html").exists()


def test_a_record_in_other_words_is_held_against_its_ids_and_verdicts(run: Path) -> None:
    as_models(run)
    path, record = run / "evaluation.json", EvaluationReport.load(run)
    check_verdict(path, record)
    above = next(each for each in record.criteria if each.id == "above_untrained")

    def with_above(**fields: object) -> EvaluationReport:
        other = above.model_copy(update=fields)
        criteria = tuple(other if each is above else each for each in record.criteria)
        return record.model_copy(update={"criteria": criteria})

    worded = with_above(said=above.said.replace("on score", "in points"))
    with pytest.raises(StaleRecord, match=r"criteria: above_untrained is NO_GO: .* in points"):
        check_verdict(path, worded)
    of_before = {"reason": "in the words of before", "wording": None}
    check_verdict(path, worded.model_copy(update=of_before))
    other = Verdict.GO if above.verdict is not Verdict.GO else Verdict.NO_GO
    with pytest.raises(StaleRecord, match="criteria: "):
        check_verdict(path, with_above(verdict=other).model_copy(update=of_before))


def test_a_sentence_bears_the_rounding_of_another_machine_and_no_more() -> None:
    said = "success rises over untrained: +0.990 [+0.977, +1.000], p 7.9e-90"
    assert alike(said, said.replace("0.990", "0.991").replace("7.9e-90", "7.8e-90"))
    assert not alike(said, said.replace("0.990", "0.994"))
    assert not alike(said, said.replace("rises", "falls"))


def test_a_folder_that_changed_since_is_refused(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "code.py").write_text("1")
    for shared in (ContractReport, AuditReport, TrainingReport, EvaluationReport):
        edit(shared.path(run), "target", value=str(target))
    with pytest.raises(StaleRecord, match=r"source_hash: .* has changed since"):
        station.run(run)


@pytest.mark.parametrize(
    ("expected", "found", "place"),
    [
        ({"a": [1.0, 2.0]}, {"a": [1.0, 2.0 + 1e-12]}, None),
        ({"a": [1.0, 2.0]}, {"a": [1.0, 2.1]}, "x.a[1]"),
        ({"a": [1.0]}, {"a": [1.0, 2.0]}, "x.a"),
        ({"a": 1}, {"a": 1, "b": 2}, "x.b"),
        ({"a": 1}, {"a": True}, "x.a"),
        ({"a": None}, {"a": 0}, "x.a"),
        ({"a": 1}, {"a": 1.0}, None),
    ],
)
def test_the_first_difference_is_more_than_rounding(
    expected: Any, found: Any, place: str | None
) -> None:
    wrong = first_difference(expected, found, "x")
    assert (None if wrong is None else wrong[0]) == place


def test_a_training_s_score_stands_in_its_log_where_there_is_a_row_of_that_step() -> None:
    record = training_report(
        phases=TrainingPhases(untrained=None, grpo=trained_phase(best_step=4, validation_score=0.5))
    )
    path = Path("train.json")

    def rows(step: int, score: float) -> list[TrainingRow]:
        return [TrainingRow(stage="grpo", step=step, numbers={"validation/score": score})]

    check_train(path, record, [])
    check_train(path, record, rows(4, 0.5))
    check_train(path, record, rows(5, 0.9))
    with pytest.raises(StaleRecord, match=r"phases\.grpo\.validation_score must be 0\.9"):
        check_train(path, record, rows(4, 0.9))
