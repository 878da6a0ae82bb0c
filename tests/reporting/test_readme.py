"""The README's sections stand between their markers, agree with the records, and leave the author's text alone."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.records_made import component_exploits, reward_report, theme_report
from tests.reporting.conftest import author, edit, train_log, train_record

from gonogo import api, config
from gonogo.cli import main
from gonogo.config import read_words
from gonogo.errors import ConfigError, GonogoError, MissingRecord, Misuse, StaleRecord
from gonogo.evaluation import evaluate
from gonogo.pipeline import audit as audit_command
from gonogo.plots.style import SOURCE, read_texts
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.record import Verdict
from gonogo.records.reward import RewardReport, SideNumber
from gonogo.records.stations import WORDS, PageReport
from gonogo.records.submission import ThemeReport
from gonogo.reporting.environment_card import environment_card
from gonogo.reporting.readme import (
    PLOTS,
    SECTIONS,
    WRITERS,
    begin_of,
    block,
    end_of,
    filled,
    find_block,
    marks_in,
    publish,
)
from gonogo.reporting.readme_sections import Material
from gonogo.reporting.run_contents import StationRecords
from gonogo.submission.check.subject import headings_of, links_of

ROOT = Path(__file__).parents[2]
PUBLISHED = sorted(ROOT.glob("envs/*/plots/evaluation.json"))
SPACE = "https://huggingface.co/spaces/someone/gridworld"
RESULTS_BEGIN, RESULTS_END = begin_of("results"), end_of("results")
PAGE = f"# Title\n\nBefore.\n\n{RESULTS_BEGIN}\nOld numbers.\n{RESULTS_END}\n\nAfter.\n"
LINES = st.text(alphabet="ab <!->:#\r\n`|é", max_size=40)


@pytest.fixture(scope="module")
def package(gridworld: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gridworld, of whose policies one is named: an audit flies all of them, and others wait on purpose."""
    skipped = shutil.ignore_patterns("__pycache__")
    where = tmp_path_factory.mktemp("packages") / "gridworld"
    copy = Path(shutil.copytree(gridworld, where, ignore=skipped))
    manifest = copy / "openenv.yaml"
    manifest.write_text(
        manifest.read_text().replace("[walker, sleeper, liar, mute, dead]", "[walker]")
    )
    return copy


@pytest.fixture(scope="module")
def walked(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in it that nobody changes: mapped, audited, evaluated, with a training's log."""
    out = tmp_path_factory.mktemp("walked")
    few = {"map.steps": 4, "map.seeds": 2, "map.tasks": 1, "audit.seeds": 4, "audit.search": 0}
    flown = {"evaluation.policies": ["idle", "walker"], "evaluation.split": "test"}
    given = {"target": str(package), "out": str(out), "evaluation.episodes": 5}
    run = config.load(None, {**given, **few, **flown})
    audit_command.audit(run)
    train_log(out)
    evaluate.run(run)
    train_record(out)
    return out


@pytest.fixture
def run(walked: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    return Path(shutil.copytree(walked, tmp_path / "run"))


def report(run: Path, file: Path, words: Path | None = None) -> Verdict:
    return api.report(run, readme=file, words=words).verdict


def written_block(file: Path) -> str:
    page, (first, last) = find_block(file)
    return page[first:last]


def between(file: Path, section: str) -> str:
    page = file.read_text()
    return page[slice(*marks_in(page, file)[section])]


@pytest.fixture
def readme(run: Path, tmp_path: Path) -> Path:
    """A README that was written whole."""
    file = tmp_path / "package" / "README.md"
    words = author(tmp_path, links={"space": SPACE}, theme="5")
    assert report(run, file, words) is Verdict.GO
    return file


def test_a_new_file_has_the_six_sections_of_the_records_and_the_words(
    run: Path, readme: Path
) -> None:
    page = readme.read_text()
    assert page.startswith("---\ntitle: gridworld\n")
    assert headings_of(page)[1:2] == ["The Problem"]
    assert [title for title in headings_of(page) if title in SECTIONS.values()] == list(
        SECTIONS.values()
    )
    assert list(marks_in(page, readme)) == list(SECTIONS)
    found, audit, evaluation = (
        ContractReport.load(run),
        AuditReport.load(run),
        EvaluationReport.load(run),
    )
    for section, said in {
        "problem": ["gap", "remember"],
        "environment": ["observes", "decides", "does", "verified"],
    }.items():
        for name in said:
            assert f"What the author says of {name}." in between(readme, section)
    for entry in (*found.action.fields, *found.observation, *(found.reset.parameters or ())):
        assert f"| `{entry.name}` |" in between(readme, "environment")
    assert audit.reason in between(readme, "reward")
    for row in audit.tasks[0].review:
        assert f"| {row.component} | " in between(readme, "reward")
        assert row.exploit in between(readme, "reward")
    for entry in evaluation.policies.values():
        assert f"{entry.score.mean:.3f}" in between(readme, "results")
    written = PageReport.load(run).readme
    assert written is not None and written.sections == tuple(SECTIONS)


def test_it_links_what_is_there(readme: Path) -> None:
    links = links_of(readme.read_text())
    assert SPACE in [link.to for link in links]
    local = [readme.parent / link.to for link in links if link.local]
    assert {path.name for path in local} >= {"openenv.yaml", "models.py", "evaluation.json"}
    assert [path for path in local if not path.exists()] == []


def test_the_quickstart_s_code_flies(
    package: Path, readme: Path, serve: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = re.search(r"```python\n(.*?)```", between(readme, "quickstart"), re.DOTALL)
    assert code is not None
    assert "uvicorn server.app:app --port 8000" in between(readme, "quickstart")
    exec(code[1].replace("http://localhost:8000", serve(package)), {})
    assert len(capsys.readouterr().out.splitlines()) > 1


def test_the_same_records_write_the_same_and_nothing_else_is_touched(
    run: Path, readme: Path, tmp_path: Path
) -> None:
    words = tmp_path / "words.yaml"
    before = readme.read_text()
    report(run, readme, words)
    assert readme.read_text() == before
    own = "\r\nWhat I know of it.\r\n"
    edited = before.replace("# gridworld\n", f"# My gridworld\n{own}", 1).replace(
        begin_of("links") + "\n", begin_of("links") + "\nAn old link.\n"
    )
    readme.write_bytes(edited.encode())
    report(run, readme, words)
    assert readme.read_bytes().decode() == edited.replace("An old link.\n", "")


def test_of_a_file_that_is_there_only_its_marked_sections_are_written(
    run: Path, tmp_path: Path
) -> None:
    file = tmp_path / "README.md"
    page = f"# Mine\n\n## Links\n\n{begin_of('links')}\n{end_of('links')}\nMy own.\n"
    file.write_text(page)
    report(run, file, author(tmp_path))
    assert file.read_text().replace(between(file, "links"), "", 1) == page
    assert "[OpenEnv]" in between(file, "links")
    assert not (tmp_path / "plots").exists()  # no results are asked for, so none are published


def test_what_a_record_says_cannot_end_its_section(run: Path, tmp_path: Path) -> None:
    edit(ContractReport.path(run), "observation", 0, "description", value=end_of("environment"))
    file = tmp_path / "README.md"
    words = author(tmp_path, theme="5")
    report(run, file, words)
    assert list(marks_in(file.read_text(), file)) == list(SECTIONS)
    before = file.read_text()
    report(run, file, words)
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("record", "section", "command"),
    [
        ("map.json", "environment", "gonogo map"),
        ("map.json", "quickstart", "gonogo map"),
        ("evaluation.json", "results", "gonogo evaluate"),
        ("reward_curve.png", "results", "gonogo evaluate"),
    ],
)
def test_a_section_whose_record_is_missing_is_named_and_left_as_it_is(
    run: Path, readme: Path, tmp_path: Path, record: str, section: str, command: str
) -> None:
    words, before = tmp_path / "words.yaml", between(readme, section)
    (run / record).unlink()
    assert report(run, readme, words) is Verdict.HOLD
    assert record in PageReport.load(run).reason
    assert between(readme, section) == before
    fresh = tmp_path / "fresh" / "README.md"
    report(run, fresh, words)
    assert between(fresh, section).startswith("*Not written yet. Missing: ")
    assert record in between(fresh, section)
    assert command in between(fresh, section)


def test_the_run_s_own_words_are_taken_once_they_are_confirmed(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "README.md"
    assert report(run, file) is Verdict.HOLD
    assert "theme.yaml (gonogo theme" in between(file, "problem")
    own = author(tmp_path, confirmed=False).rename(run / "theme.yaml")
    assert report(run, file) is Verdict.HOLD
    assert "confirmed is not true" in PageReport.load(run).reason
    assert "What the author says" not in file.read_text()
    edit(own, "confirmed", value=True)
    edit(own, "theme", value="5")
    assert report(run, file) is Verdict.GO
    assert "What the author says of gap." in between(file, "problem")


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("# No markers\n", "has none of the markers"),
        (f"{begin_of('problem')}\n", "is not followed by"),
        (f"{end_of('problem')}\n", "line 1: .* has no place there"),
        (f"{begin_of('links')}\n{end_of('problem')}\n", "line 2: .* has no place there"),
        (f"{begin_of('links')}\n{end_of('links')}\n" * 2, "line 3: .* has no place there"),
        (
            "".join(f"{mark('problem')}\n{mark('links')}\n" for mark in (begin_of, end_of)),
            "line 2: .* has no place there",
        ),
    ],
)
def test_a_file_without_whole_markers_is_misuse_and_nothing_is_written(
    run: Path, tmp_path: Path, page: str, said: str
) -> None:
    file = tmp_path / "README.md"
    file.write_text(page)
    with pytest.raises(Misuse, match=said) as refused:
        report(run, file, author(tmp_path))
    assert refused.value.exit_code == 2
    assert file.read_text() == page
    assert not (run / "report.html").exists()


@pytest.mark.parametrize(
    ("fields", "error", "said"),
    [
        ({"confirmed": False}, Misuse, "confirmed is not true"),
        ({"links": {"space": "someone/gridworld"}}, ConfigError, "links.space: must be an address"),
        ({"links": {"video": "file:///x.mp4"}}, ConfigError, "links.video: must be an address"),
        ({"links": {"writeup": "a [b](c)"}}, ConfigError, "links.writeup: must be an address"),
        ({"links": {"blog": SPACE}}, ConfigError, "links.blog: there is no such field"),
        ({"links": {"notebook": "no/such.ipynb"}}, Misuse, "links.notebook .* 'no/such.ipynb'"),
    ],
)
def test_words_that_cannot_be_published_are_refused(
    run: Path, tmp_path: Path, fields: dict[str, object], error: type[GonogoError], said: str
) -> None:
    file = tmp_path / "README.md"
    with pytest.raises(error, match=said) as refused:
        report(run, file, author(tmp_path, **fields))
    assert refused.value.exit_code == 2
    assert not file.exists()
    assert not (run / "report.html").exists()


def test_words_that_the_theme_was_not_scored_by_are_stale(run: Path, tmp_path: Path) -> None:
    words = author(tmp_path)
    statement = read_words(words).statement
    same = {name: getattr(ContractReport.load(run), name) for name in ("target", "source_hash")}
    theme_report(**same, statement=statement).save(run)
    assert report(run, tmp_path / "README.md", words) is Verdict.GO
    edit(ThemeReport.path(run), "statement", "gap", value="Another gap.")
    with pytest.raises(StaleRecord, match=r"theme\.json: statement is not that of .*words\.yaml"):
        report(run, tmp_path / "other.md", words)


@pytest.mark.parametrize(
    ("file", "places", "value", "said"),
    [
        ("map.json", ("source_hash",), "0" * 64, "source_hash: .* has changed since"),
        ("map.json", ("terminal", "ends", 0, "timeout"), 1, r"terminal\.ends\.0\.timeout"),
        ("audit.json", ("tasks", 0, "numbers"), {}, r"tasks\.0\.numbers"),
        ("evaluation.json", ("created",), "another day", "was drawn from another record"),
    ],
)
def test_records_that_are_stale_or_edited_are_refused(
    run: Path, tmp_path: Path, file: str, places: tuple[str | int, ...], value: object, said: str
) -> None:
    edit(run / file, *places, value=value)
    page = tmp_path / "README.md"
    with pytest.raises(StaleRecord, match=said):
        report(run, page, author(tmp_path))
    assert not page.exists()


def test_the_reward_that_was_written_from_the_audit_is_told_with_its_guards(
    run: Path, tmp_path: Path
) -> None:
    part = component_exploits("primary", "idle | <!-- reward:end -->")
    side = SideNumber(number="best known return", task={}, before=1.0, after=None)
    same = {name: getattr(ContractReport.load(run), name) for name in ("target", "source_hash")}
    reward_report(**same, components=(part,), sides=(side,)).save(run)
    file = tmp_path / "README.md"
    report(run, file, author(tmp_path, theme="5"))
    said = between(file, "reward")
    assert "| primary | 0.5 | `word`: Success is what it says. |" in said
    assert "| idle \\| &lt;!-- reward:end --> | the panel's idle | `word` | 0.050 | 0.600 |" in said
    assert "| best known return | 1.000 | - |" in said
    edit(RewardReport.path(run), "components", 0, "weight", value="half")
    with pytest.raises(StaleRecord, match=r"reward\.json: components\.0\.weight"):
        report(run, file, tmp_path / "words.yaml")


def test_the_card_has_the_same_tables(run: Path, readme: Path) -> None:
    card = environment_card(ContractReport.load(run), StationRecords())
    tables = [line for line in between(readme, "environment").splitlines() if line[:1] == "|"]
    assert tables
    assert [line for line in tables if line not in card] == []


def test_the_command_wants_words_and_plots_beside_a_file(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["gonogo", "report", str(run), "--plots", "plots"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "--readme FILE or --writeup FILE" in capsys.readouterr().err


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.parts[-3])
def test_published_sections_agree_with_the_records_and_the_words(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)  # where the author's links to files begin
    record = EvaluationReport.load(path.parent)
    words = read_words(ROOT / "configs" / "themes" / f"{record.environment}.yaml")
    file = path.parents[1] / "README.md"
    material = Material(StationRecords(evaluation=record), words, file, path.parent)
    # Results are held against their record beside gonogo publish; what needs other records is not marked.
    for name in marks_in(file.read_text(), file).keys() - {"results"}:
        assert between(file, name) == WRITERS[name](material).text, f"{name}: make results"


@pytest.fixture(scope="module")
def evaluated(gridworld: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An evaluated run with a training log."""
    out = tmp_path_factory.mktemp("run")
    rows = [f'{{"stage": "grpo", "step": {n}, "reward/overall": 0.5}}\n' for n in range(3)]
    (out / "training.jsonl").write_text("".join(rows))
    given = {"target": str(gridworld), "out": str(out), "evaluation.policies": ["idle", "walker"]}
    evaluate.run(config.load(None, {**given, "evaluation.split": "test", "evaluation.episodes": 5}))
    return out


@pytest.fixture
def page_file(tmp_path: Path) -> Path:
    path = tmp_path / "pages" / "README.md"
    path.parent.mkdir()
    path.write_text(PAGE)
    return path


def test_publish_fills_the_block_and_touches_nothing_else(evaluated: Path, page_file: Path) -> None:
    plots = page_file.parent / "plots"
    publish(evaluated, plots, [page_file])
    text = page_file.read_text()
    assert text.startswith(f"# Title\n\nBefore.\n\n{RESULTS_BEGIN}\n")
    assert text.endswith(f"{RESULTS_END}\n\nAfter.\n")
    assert "Old numbers" not in text
    assert "| walker | - | 0." in text
    assert "(plots/before_after.png)" in text
    assert {path.name for path in plots.iterdir()} == {"evaluation.json", *PLOTS}
    record = EvaluationReport.load(plots)
    assert written_block(page_file) == block(record, plots, page_file)
    publish(evaluated, plots, [page_file])
    assert page_file.read_text() == text


def test_links_are_relative_to_each_readme(evaluated: Path, page_file: Path) -> None:
    inner = page_file.parent / "envs" / "x" / "README.md"
    inner.parent.mkdir(parents=True)
    inner.write_text(PAGE)
    publish(evaluated, inner.parent / "plots", [page_file, inner])
    assert "(envs/x/plots/reward_curve.png)" in page_file.read_text()
    assert "(plots/reward_curve.png)" in inner.read_text()


def test_the_headline_says_before_and_after_with_intervals(
    evaluated: Path, page_file: Path
) -> None:
    record = as_models(evaluated, verdict=Verdict.GO)
    said = block(record, page_file.parent, page_file)
    score = record.policies["trained"].score
    mean, (low, high) = score.mean, score.ci95 or (0.0, 0.0)
    assert f"Mean episode score 0.000 (constant) → {mean:.3f} [{low:.3f}, {high:.3f}]**" in said
    assert "5 tasks (split test), the same for every policy" in said


def as_models(evaluated: Path, **fields: object) -> EvaluationReport:
    """The run's evaluation as if those who flew were models."""
    record = EvaluationReport.load(evaluated)
    policies = {"untrained": record.policies["idle"], "trained": record.policies["walker"]}
    return record.model_copy(update={"policies": policies, **fields})


@pytest.mark.parametrize("verdict", [Verdict.NO_GO, Verdict.HOLD])
def test_what_is_no_improvement_does_not_read_as_one(
    verdict: Verdict, evaluated: Path, page_file: Path
) -> None:
    record = as_models(evaluated, verdict=verdict, reason="success does not rise")
    said = block(record, page_file.parent, page_file)
    assert f"**{WORDS[verdict.name]}: no improvement is shown.** Success does not rise." in said
    assert "→" not in said


def test_a_readme_without_markers_is_misuse_and_nothing_is_written(
    evaluated: Path, page_file: Path
) -> None:
    bare = page_file.parent / "BARE.md"
    bare.write_text("# No markers\n")
    with pytest.raises(Misuse, match="results:begin"):
        publish(evaluated, page_file.parent / "plots", [page_file, bare])
    assert page_file.read_text() == PAGE
    assert not (page_file.parent / "plots").exists()


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (lambda evaluated: (evaluated / "evaluation.json").unlink(), MissingRecord),
        (lambda evaluated: (evaluated / "reward_curve.png").unlink(), MissingRecord),
        (
            lambda evaluated: (evaluated / "before_after.png").write_bytes(b"no picture"),
            MissingRecord,
        ),
        (
            lambda evaluated: (evaluated / "evaluation.json").write_text(
                (evaluated / "evaluation.json")
                .read_text()
                .replace('"episodes": 5', '"episodes": 6')
            ),
            StaleRecord,
        ),
    ],
)
def test_an_incomplete_or_mixed_run_is_not_published(
    spoil: Callable[[Path], object],
    error: type[Exception],
    evaluated: Path,
    page_file: Path,
    tmp_path: Path,
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(evaluated, copy)
    spoil(copy)
    with pytest.raises(error):
        publish(copy, page_file.parent / "plots", [page_file])
    assert page_file.read_text() == PAGE


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.parent.parent.name)
def test_published_readmes_and_plots_agree_with_their_record(path: Path) -> None:
    record = EvaluationReport.load(path.parent)
    own = path.parent.parent / "README.md"
    pages = [own, *(page for page in [ROOT / "README.md"] if RESULTS_BEGIN in page.read_text())]
    for page in pages:
        assert written_block(page) == block(record, path.parent, page), f"{page}: make results"
    for name in PLOTS:
        assert read_texts(path.parent / name)[SOURCE] == record.digest()


@given(
    st.lists(st.sampled_from(list(SECTIONS)), unique=True, min_size=1),
    st.lists(LINES, min_size=2 * len(SECTIONS) + 1, max_size=2 * len(SECTIONS) + 1),
    st.sampled_from(["\n", "\r\n"]),
)
def test_outside_of_the_markers_nothing_is_touched(
    names: list[str], texts: list[str], end: str
) -> None:
    outside, inside = iter(texts[: len(names) + 1]), iter(texts[len(names) + 1 :])
    page = after = next(outside)
    for name in names:
        first = f"\n{begin_of(name)}{end}"
        last = f"{end_of(name)}{end}{next(outside)}"
        page += f"{first}{next(inside)}\n{last}"
        after += f"{first}New.\n{last}"
    assert filled(page, "page", dict.fromkeys(names, "New.\n")) == after
    assert list(marks_in(page, "page")) == names
    assert filled(page, "page", {}) == page
