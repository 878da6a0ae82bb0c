"""The README's boxes: sections, links, and whether it says what the record says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gonogo.records.submission import DeadLinks, MissingParts
from gonogo.reporting.markers import SECTIONS
from gonogo.submission.check.page import (
    look_at_before_after,
    look_at_links,
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
