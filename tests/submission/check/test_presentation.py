"""The README's boxes, plots, axes, the baseline and the saved model: from text, metadata, records and git."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.records_made import training_report

from gonogo.errors import RecordError, StaleRecord
from gonogo.records.provenance import source_hash
from gonogo.records.submission import DeadLinks, MissingParts
from gonogo.reporting.readme import SECTIONS
from gonogo.submission.check.presentation import (
    look_at_axes,
    look_at_baseline,
    look_at_before_after,
    look_at_links,
    look_at_model,
    look_at_plots,
    look_at_sections,
    look_at_writeup,
)
from gonogo.submission.check.subject import Subject

Subjects = Callable[..., Subject]
ALL_LINKS = """
[the Space](https://huggingface.co/spaces/someone/echo), [train](train.ipynb), [the story](docs/writeup.md),
and the run: https://wandb.ai/someone/echo/runs/1.
"""
BLOCK = "<!-- results:begin -->\nscore {before} → {after}\n\n![b](plots/before_after.png)\n<!-- results:end -->\n"


def with_files(package: Path) -> None:
    (package / "docs").mkdir()
    (package / "docs" / "writeup.md").write_text("# How it went\n")
    (package / "train.ipynb").write_text("{}")


def test_the_templates_page_has_no_section_of_the_six(subject: Subjects) -> None:
    answer = look_at_sections(subject())
    assert answer.word == "NO-GO"
    assert answer.evidence == MissingParts(missing=tuple(SECTIONS.values()))


def test_a_heading_in_a_block_of_code_is_no_section(package: Path, subject: Subjects) -> None:
    page = "\n\n".join(f"## {name}" for name in SECTIONS.values())
    (package / "README.md").write_text(page)
    assert look_at_sections(subject()).word == "GO"
    (package / "README.md").write_text(page.replace("## Links", "```sh\n## Links\n```"))
    assert look_at_sections(subject()).evidence == MissingParts(missing=("Links",))


def test_all_four_links(package: Path, subject: Subjects) -> None:
    with_files(package)
    (package / "README.md").write_text(ALL_LINKS)
    answer = look_at_links(subject())
    assert answer.word == "GO", answer.said
    assert "https://wandb.ai/someone/echo/runs/1" in answer.said
    assert look_at_writeup(subject()).word == "GO"


@pytest.mark.parametrize(
    ("old", "new", "missing"),
    [
        ("huggingface.co/spaces/someone/echo", "example.org", "the Space"),
        ("train.ipynb", "train.py", "the notebook"),
        ("docs/writeup.md", "docs/notes.md", "a writeup or video"),
        ("https://wandb.ai/someone/echo/runs/1", "`https://wandb.ai/x`", "the tracker's run"),
    ],
)
def test_a_link_that_is_missing_is_named(
    package: Path, subject: Subjects, old: str, new: str, missing: str
) -> None:
    with_files(package)
    (package / "README.md").write_text(ALL_LINKS.replace(old, new))
    answer = look_at_links(subject())
    assert answer.word == "NO-GO"
    assert answer.evidence == MissingParts(missing=(missing,))


def test_a_link_to_a_file_that_is_not_there(package: Path, subject: Subjects) -> None:
    (package / "README.md").write_text(ALL_LINKS)
    assert look_at_links(subject()).evidence == DeadLinks(dead=("train.ipynb", "docs/writeup.md"))
    answer = look_at_writeup(subject())
    assert (answer.word, answer.evidence) == ("NO-GO", DeadLinks(dead=("docs/writeup.md",)))


def test_a_page_without_markers_says_which_are_missing(subject: Subjects) -> None:
    answer = look_at_before_after(subject())
    assert answer.word == "NO-GO"
    assert "<!-- results:begin -->" in answer.said


def test_before_and_after_as_the_record_has_them(
    package: Path, subject: Subjects, evaluated: Callable[..., Any]
) -> None:
    evaluated(untrained=0.125, trained=0.75)
    (package / "README.md").write_text(BLOCK.format(before="0.125", after="0.750"))
    assert look_at_before_after(subject()).word == "GO"
    (package / "README.md").write_text(BLOCK.format(before="0.125", after="0.950"))
    answer = look_at_before_after(subject())
    assert answer.word == "NO-GO"
    assert "do not say 0.750" in answer.said


Draw = Callable[..., None]
CURVE, BEFORE_AFTER = "plots/reward_curve.png", "plots/before_after.png"


def test_plots_are_there_committed_and_unchanged(
    package: Path, subject: Subjects, draw: Draw, commit: Callable[[Path], None]
) -> None:
    assert "no reward_curve.png and no before_after.png" in look_at_plots(subject()).said
    for name in (CURVE, BEFORE_AFTER):
        draw(package / name)
    assert "reward_curve.png: it is not committed" in look_at_plots(subject()).said
    commit(package)
    assert look_at_plots(subject()).word == "GO"
    draw(package / CURVE, label="Another")
    answer = look_at_plots(subject())
    assert answer.word == "NO-GO"
    assert "changed after it was committed" in answer.said


def test_axes_are_read_from_the_metadata(package: Path, subject: Subjects, draw: Draw) -> None:
    for name in (CURVE, BEFORE_AFTER):
        draw(package / name)
    assert look_at_axes(subject()).word == "GO"
    draw(package / CURVE, label="")
    answer = look_at_axes(subject())
    assert answer.word == "NO-GO"
    assert "reward_curve.png: axes 1 (untitled) has no label of y" in answer.said


def test_a_plot_without_metadata_needs_you(package: Path, subject: Subjects, draw: Draw) -> None:
    draw(package / CURVE)
    Image.new("RGB", (4, 4)).save(package / BEFORE_AFTER)
    answer = look_at_axes(subject())
    assert answer.word == "NEEDS YOU"
    assert "says nothing of its axes" in answer.said


def test_a_baseline_is_measured_and_drawn_beside_the_training(
    package: Path, subject: Subjects, draw: Draw, evaluated: Callable[..., Any]
) -> None:
    record = evaluated()
    for name in (CURVE, BEFORE_AFTER):
        draw(package / name, record)
    answer = look_at_baseline(subject())
    assert answer.word == "GO", answer.said
    assert "untrained scored 0.125 on the same 20 tasks as trained" in answer.said
    draw(package / CURVE, record, series=("overall",))
    assert "is not drawn beside the training" in look_at_baseline(subject()).said
    draw(package / CURVE)
    assert "was drawn from another record" in look_at_baseline(subject()).said


def test_no_baseline(subject: Subjects, evaluated: Callable[..., Any]) -> None:
    evaluated(trained=0.5)
    answer = look_at_baseline(subject())
    assert (answer.word, "no policy untrained" in answer.said) == ("NO-GO", True)


def test_a_record_that_was_edited_is_refused_with_the_field(
    subject: Subjects, evaluated: Callable[..., Any]
) -> None:
    record = evaluated(untrained=None, trained=0.5)
    with pytest.raises(RecordError, match=r"policies\.untrained\.score\.mean must be a float"):
        look_at_baseline(subject())
    file = record.path(subject().run.out)
    file.write_text(file.read_text().replace('"mean": 0.5', '"mean": "much"'))
    with pytest.raises(StaleRecord, match=r"policies\.trained\.success\.mean: .*valid number"):
        look_at_baseline(subject())


@pytest.mark.parametrize(
    ("fields", "word", "said"),
    [
        ({}, "GO", "logits within 1e-06 of training's"),
        ({"verdict": "NO_GO", "reason": "it does not reload"}, "NO-GO", "it does not reload"),
        ({"saved": ()}, "NO-GO", "no proof of a saved model"),
        ({"missing_16bit": "no room"}, "NO-GO", "no 16-bit model: no room"),
    ],
)
def test_the_proof_of_the_saved_model(
    package: Path, subject: Subjects, fields: dict[str, Any], word: str, said: str
) -> None:
    training_report(source_hash=source_hash(package), **fields).save(subject().run.out)
    answer = look_at_model(subject())
    assert answer.word == word
    assert said in answer.said
