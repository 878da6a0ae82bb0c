"""Results in READMEs come from a record; whoever edits one without the other is found out."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gonogo import config
from gonogo.errors import MissingRecord, Misuse, StaleRecord
from gonogo.evaluation import run as station
from gonogo.plots.metadata import SOURCE, read_texts
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.record import Verdict
from gonogo.records.stations import WORDS
from gonogo.reporting.markers import begin_of, end_of
from gonogo.reporting.results_block import PLOTS, block, publish, written_block

ROOT = Path(__file__).parents[2]
RESULTS_BEGIN, RESULTS_END = begin_of("results"), end_of("results")
PUBLISHED = sorted(ROOT.glob("envs/*/plots/evaluation.json"))
PAGE = f"# Title\n\nBefore.\n\n{RESULTS_BEGIN}\nOld numbers.\n{RESULTS_END}\n\nAfter.\n"


@pytest.fixture(scope="module")
def run(gridworld: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An evaluated run with a training log."""
    out = tmp_path_factory.mktemp("run")
    rows = [f'{{"stage": "grpo", "step": {n}, "reward/overall": 0.5}}\n' for n in range(3)]
    (out / "training.jsonl").write_text("".join(rows))
    given = {"target": str(gridworld), "out": str(out), "evaluation.policies": ["idle", "walker"]}
    station.run(config.load(None, {**given, "evaluation.split": "test", "evaluation.episodes": 5}))
    return out


@pytest.fixture
def readme(tmp_path: Path) -> Path:
    path = tmp_path / "pages" / "README.md"
    path.parent.mkdir()
    path.write_text(PAGE)
    return path


def test_publish_fills_the_block_and_touches_nothing_else(run: Path, readme: Path) -> None:
    plots = readme.parent / "plots"
    publish(run, plots, [readme])
    text = readme.read_text()
    assert text.startswith(f"# Title\n\nBefore.\n\n{RESULTS_BEGIN}\n")
    assert text.endswith(f"{RESULTS_END}\n\nAfter.\n")
    assert "Old numbers" not in text
    assert "| walker | - | 0." in text
    assert "(plots/before_after.png)" in text
    assert {path.name for path in plots.iterdir()} == {"evaluation.json", *PLOTS}
    record = EvaluationReport.load(plots)
    assert written_block(readme) == block(record, plots, readme)
    publish(run, plots, [readme])
    assert readme.read_text() == text


def test_links_are_relative_to_each_readme(run: Path, readme: Path) -> None:
    inner = readme.parent / "envs" / "x" / "README.md"
    inner.parent.mkdir(parents=True)
    inner.write_text(PAGE)
    publish(run, inner.parent / "plots", [readme, inner])
    assert "(envs/x/plots/reward_curve.png)" in readme.read_text()
    assert "(plots/reward_curve.png)" in inner.read_text()


def test_the_headline_says_before_and_after_with_intervals(run: Path, readme: Path) -> None:
    record = as_models(run, verdict=Verdict.GO)
    said = block(record, readme.parent, readme)
    score = record.policies["trained"].score
    mean, (low, high) = score.mean, score.ci95 or (0.0, 0.0)
    assert f"Mean episode score 0.000 (constant) → {mean:.3f} [{low:.3f}, {high:.3f}]**" in said
    assert "5 tasks (split test), the same for every policy" in said


def as_models(run: Path, **fields: object) -> EvaluationReport:
    """The run's evaluation as if those who flew were models."""
    record = EvaluationReport.load(run)
    policies = {"untrained": record.policies["idle"], "trained": record.policies["walker"]}
    return record.model_copy(update={"policies": policies, **fields})


@pytest.mark.parametrize("verdict", [Verdict.NO_GO, Verdict.HOLD])
def test_what_is_no_improvement_does_not_read_as_one(
    verdict: Verdict, run: Path, readme: Path
) -> None:
    record = as_models(run, verdict=verdict, reason="success does not rise")
    said = block(record, readme.parent, readme)
    assert f"**{WORDS[verdict.name]}: no improvement is shown.** Success does not rise." in said
    assert "→" not in said


def test_a_readme_without_markers_is_misuse_and_nothing_is_written(run: Path, readme: Path) -> None:
    bare = readme.parent / "BARE.md"
    bare.write_text("# No markers\n")
    with pytest.raises(Misuse, match="results:begin"):
        publish(run, readme.parent / "plots", [readme, bare])
    assert readme.read_text() == PAGE
    assert not (readme.parent / "plots").exists()


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (lambda run: (run / "evaluation.json").unlink(), MissingRecord),
        (lambda run: (run / "reward_curve.png").unlink(), MissingRecord),
        (lambda run: (run / "before_after.png").write_bytes(b"no picture"), MissingRecord),
        (
            lambda run: (run / "evaluation.json").write_text(
                (run / "evaluation.json").read_text().replace('"episodes": 5', '"episodes": 6')
            ),
            StaleRecord,
        ),
    ],
)
def test_an_incomplete_or_mixed_run_is_not_published(
    spoil: Callable[[Path], object],
    error: type[Exception],
    run: Path,
    readme: Path,
    tmp_path: Path,
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    spoil(copy)
    with pytest.raises(error):
        publish(copy, readme.parent / "plots", [readme])
    assert readme.read_text() == PAGE


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.parent.parent.name)
def test_published_readmes_and_plots_agree_with_their_record(path: Path) -> None:
    record = EvaluationReport.load(path.parent)
    own = path.parent.parent / "README.md"
    pages = [own, *(page for page in [ROOT / "README.md"] if RESULTS_BEGIN in page.read_text())]
    for page in pages:
        assert written_block(page) == block(record, path.parent, page), f"{page}: make results"
    for name in PLOTS:
        assert read_texts(path.parent / name)[SOURCE] == record.digest()
