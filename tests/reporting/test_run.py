"""The report: a page from records alone; what is missing is said, what disagrees is refused by its field."""

from __future__ import annotations

import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.reporting.conftest import as_models, edit, spoil_episodes

from gonogo.cli import main
from gonogo.errors import MissingRecord, StaleRecord
from gonogo.records.audit import AuditReport
from gonogo.records.base import Verdict, digest
from gonogo.records.contract import ContractReport
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.page import PageReport
from gonogo.records.training import TrainingReport
from gonogo.reporting import run as station
from gonogo.reporting.agree import alike, check_verdict

NASTY = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
)


class Reader(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(run: Path) -> str:
    return (run / "report.html").read_text()


def test_a_whole_run_is_go_and_its_page_says_what_the_records_say(run: Path) -> None:
    assert station.run(run) is Verdict.GO
    read = Reader(page_of(run))
    evaluation = EvaluationReport.load(run)
    for reason in (
        ContractReport.load(run).reason,
        AuditReport.load(run).reason,
        evaluation.reason,
    ):
        assert reason in read.text
    for name, entry in evaluation.policies.items():
        assert name in read.text
        assert f"{entry.score.mean:.3f}" in read.text
    for finding in AuditReport.load(run).findings:
        assert finding.id in read.text
        assert finding.explanation in read.text
    for part in ("form", "task"):  # the components of the training
        assert part in read.text


def test_the_page_needs_nothing_but_itself(run: Path) -> None:
    station.run(run)
    page = page_of(run)
    assert len(page.encode()) < 3_000_000
    for tag, fields in Reader(page).tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base"}
        assert not any(name.startswith("on") for name in fields)
        assert "src" not in fields
        assert str(fields.get("href", "#")).startswith("#")
    assert not re.search(r"url\(|@import", page)


def test_the_record_names_the_page_its_records_and_its_episodes(run: Path) -> None:
    station.run(run)
    record = PageReport.load(run)
    content = (run / "report.html").read_bytes()
    assert record.page.sha256 == hashlib.sha256(content).hexdigest()
    assert set(record.records) == {"map.json", "audit.json", "train.json", "evaluation.json"}
    assert {row.policy for row in record.embedded} == {"idle", "random"}
    assert record.missing == ()
    body = json.loads(record.path(run).read_text())
    assert body["records"]["evaluation.json"]["schema"] == "gonogo/evaluation/2"
    assert {"readme", "writeup", "video"}.isdisjoint(body) and digest(body) == record.digest()


def test_the_same_records_give_the_same_page(run: Path) -> None:
    station.run(run)
    first = page_of(run)
    station.run(run)
    assert page_of(run) == first


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


def test_a_record_that_is_no_json_is_refused(run: Path) -> None:
    (run / "audit.json").write_text("{")
    with pytest.raises(MissingRecord, match=r"audit\.json: not readable"):
        station.run(run)


def test_a_folder_that_changed_since_is_refused(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "code.py").write_text("1")
    for shared in (ContractReport, AuditReport, TrainingReport, EvaluationReport):
        edit(shared.path(run), "target", value=str(target))
    with pytest.raises(StaleRecord, match=r"source_hash: .* has changed since"):
        station.run(run)


def test_a_folder_without_records_is_said(tmp_path: Path) -> None:
    with pytest.raises(MissingRecord, match=r"none of map\.json"):
        station.run(tmp_path)
    with pytest.raises(MissingRecord, match="no such folder"):
        station.run(tmp_path / "nowhere")


def test_markup_in_what_an_environment_says_stays_text(run: Path) -> None:
    spoil_episodes(run, NASTY)
    station.run(run)
    page = page_of(run)
    read = Reader(page)
    assert "<img" not in page
    assert page.count("<script") == 2  # the data and the page's own
    assert not any(tag == "img" for tag, _ in read.tags)
    assert NASTY in read.text  # in the transcripts, to be read
    data = re.search(r'id="replay-data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    assert json.loads(data[1])["tasks"][0]["flights"][0]["turns"][0]["saw"] == NASTY


def test_the_command_ends_with_the_verdict(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["gonogo", "report", str(run)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "report.html" in capsys.readouterr().out
    (run / "map.json").write_text('{"schema": "gonogo/map/9"}')
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 3
    assert "schema must be gonogo/map/1" in capsys.readouterr().err
