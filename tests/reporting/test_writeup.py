"""The mini-blog and the author's words in it: every figure is the record's, nothing is said that nobody stands by."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.records_made import theme_report
from tests.reporting.conftest import as_models, author, edit

from gonogo.cli import main
from gonogo.config import Words, read_words
from gonogo.errors import ConfigError, MissingRecord, Misuse, StaleRecord
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.record import Verdict
from gonogo.records.stations import PageReport
from gonogo.reporting import report as station
from gonogo.reporting.run_contents import StationRecords
from gonogo.reporting.writeup import MOST_WORDS, agent, author_of, confirmed, drafted, writeup

ROOT = Path(__file__).parents[2]
PUBLISHED = sorted(ROOT.glob("envs/*/plots/evaluation.json"))
WRITEUP = ROOT / "docs" / "writeup.md"
NONE = StationRecords()


@pytest.mark.parametrize("file", PUBLISHED, ids=lambda file: file.parts[-3])
def test_the_published_writeup_agrees_with_the_published_record(file: Path) -> None:
    record = EvaluationReport.load(file.parent)
    words = read_words(ROOT / "configs" / "themes" / f"{record.environment}.yaml")
    expected = writeup(record, words, file.parent, WRITEUP)
    assert WRITEUP.read_text() == expected, "make results writes it again"
    assert len(expected.split()) < MOST_WORDS


@pytest.fixture
def trained(run: Path) -> Path:
    """A run whose evaluation flew models."""
    as_models(run)
    return run


def asked(run: Path, folder: Path, **fields: object) -> station.Writeup:
    return station.Writeup(folder / "docs" / "writeup.md", author(folder, **fields), run)


def test_it_says_the_record_s_figures_and_the_author_s_words(trained: Path, tmp_path: Path) -> None:
    wanted = asked(trained, tmp_path)
    assert station.run(trained, writeup=wanted) is Verdict.GO
    text = wanted.file.read_text()
    record = EvaluationReport.load(trained)
    for entry in record.policies.values():
        assert f"{entry.score.mean:.3f}" in text
    assert record.reason in text
    for name in ("gap", "observes", "decides", "does", "verified", "remember"):
        assert f"What the author says of {name}." in text
    assert "(../run/before_after.png)" in text  # relative to where the text is
    written = PageReport.load(trained).writeup
    assert written is not None and written.words == len(text.split())


def test_another_record_gives_another_text(trained: Path, tmp_path: Path) -> None:
    record, words = EvaluationReport.load(trained), read_words(author(tmp_path))
    before = writeup(record, words, trained, WRITEUP)
    edit(record.path(trained), "policies", "trained", "score", "mean", value=0.987)
    assert writeup(EvaluationReport.load(trained), words, trained, WRITEUP) != before


def test_plots_of_another_record_are_refused(trained: Path, tmp_path: Path) -> None:
    plots = tmp_path / "plots"
    EvaluationReport.load(trained).model_copy(update={"episodes": 999}).save(plots)
    wanted = station.Writeup(tmp_path / "writeup.md", author(tmp_path), plots)
    with pytest.raises(StaleRecord, match="is not the run's record; run gonogo publish"):
        station.run(trained, writeup=wanted)
    assert not wanted.file.exists()


@pytest.mark.parametrize(
    ("fields", "error", "said"),
    [
        ({"confirmed": False}, Misuse, "confirmed is not true"),
        ({"confirmed": "perhaps"}, ConfigError, "confirmed"),
        ({"statement": {"gap": "Only this."}}, ConfigError, "statement.observes"),
    ],
)
def test_words_that_nobody_stands_by_are_not_published(
    trained: Path, tmp_path: Path, fields: dict[str, object], error: type[Misuse], said: str
) -> None:
    wanted = asked(trained, tmp_path, **fields)
    with pytest.raises(error, match=said):
        station.run(trained, writeup=wanted)
    assert not (trained / "report.html").exists()
    assert not wanted.file.exists()


def test_a_text_of_too_many_words_is_refused(trained: Path, tmp_path: Path) -> None:
    long = {name: "a " * 290 for name in ("gap", "observes", "decides", "does", "verified")}
    wanted = asked(trained, tmp_path, statement={**long, "remember": "b"})
    with pytest.raises(Misuse, match="fewer than 800 words, and this one"):
        station.run(trained, writeup=wanted)


def test_a_run_without_a_model_or_an_evaluation_has_nothing_to_tell(
    run: Path, tmp_path: Path
) -> None:
    with pytest.raises(Misuse, match="flew no 'untrained'"):
        station.run(run, writeup=asked(run, tmp_path))
    (run / "evaluation.json").unlink()
    with pytest.raises(MissingRecord, match="run gonogo evaluate"):
        station.run(run, writeup=asked(run, tmp_path))


def test_the_command_wants_the_words_beside_the_file(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["gonogo", "report", str(run), "--writeup", "x.md"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "--words FILE are given together" in capsys.readouterr().err


def test_an_edited_component_is_refused(trained: Path) -> None:
    edit(EvaluationReport.path(trained), "policies", "trained", "components", value={"x": "high"})
    with pytest.raises(StaleRecord, match=r"policies\.trained\.components"):
        station.run(trained)


def test_a_file_that_was_named_has_to_be_finished_and_confirmed(tmp_path: Path) -> None:
    file = author(tmp_path)
    assert confirmed(file) == author_of(file, tmp_path, NONE) == read_words(file)
    author(tmp_path, confirmed=False)
    for refuse in (lambda: confirmed(file), lambda: author_of(file, tmp_path, NONE)):
        with pytest.raises(Misuse, match="must be whole: confirmed is not true"):
            refuse()


def test_the_run_s_own_words_are_missing_until_they_are_finished(tmp_path: Path) -> None:
    said = author_of(None, tmp_path, NONE)
    assert isinstance(said, str) and "theme.yaml (gonogo theme" in said
    author(tmp_path, confirmed=False).rename(tmp_path / "theme.yaml")
    assert author_of(None, tmp_path, NONE) == f"{tmp_path}/theme.yaml: confirmed is not true"
    author(tmp_path).rename(tmp_path / "theme.yaml")
    assert isinstance(author_of(None, tmp_path, NONE), Words)


def test_a_theme_is_of_the_same_words(tmp_path: Path) -> None:
    file = author(tmp_path)
    same = StationRecords(theme=theme_report(statement=read_words(file).statement))
    assert author_of(file, tmp_path, same) == read_words(file)
    with pytest.raises(StaleRecord, match=r"theme\.json: statement is not that of .*words\.yaml"):
        author_of(file, tmp_path, StationRecords(theme=theme_report()))


def test_what_an_agent_does_is_said_in_four_sentences(tmp_path: Path) -> None:
    said = list(agent(read_words(author(tmp_path))))
    assert [each.partition(" What")[0] for each in said] == [
        "**It observes.**",
        "**It decides.**",
        "**It does.**",
        "**Success.**",
    ]


def test_a_draft_is_said_to_be_one(tmp_path: Path) -> None:
    assert drafted(read_words(author(tmp_path))) is None
    said = drafted(read_words(author(tmp_path, drafted_by="scribe")))
    assert said == "the words were drafted by scribe and confirmed by the author"
