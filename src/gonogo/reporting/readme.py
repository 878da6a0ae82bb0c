"""The sections of a README, each between two lines that name it; what stands outside of them is its author's.

The six sections of an environment's README: a file that is not there is written whole; of one that is there, what
stands between its markers is replaced and nothing else is touched. A section whose record is missing stays as it is,
and is named: a README that was right is not emptied because a run is smaller.

The results of an evaluation are published with its record and plots, which go into a folder that is committed. The
block is a function of the record and the place of the plots alone, so that a test can say whether README and record
agree. Each plot carries the digest of the record that it was drawn from; plots of another record are refused.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gonogo.errors import MissingRecord, Misuse, StaleRecord
from gonogo.evaluation.evaluate import (
    COMPARISON_COLUMNS,
    POLICY_COLUMNS,
    comparison_rows,
    policy_rows,
    tasks_in_words,
)
from gonogo.plots.style import SOURCE, read_texts
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.files import write_text
from gonogo.records.stations import WrittenReadme
from gonogo.reporting.environment_card import space_page
from gonogo.reporting.page import title_of
from gonogo.reporting.readme_sections import (
    Material,
    Section,
    environment,
    links,
    problem,
    quickstart,
    reward,
)
from gonogo.reporting.run_contents import RunContents, missing_record
from gonogo.reporting.templates import render
from gonogo.reporting.writeup import author_of
from gonogo.rollouts.summary import BASELINE, CANDIDATE

WRITERS: dict[str, Callable[[Material], Section]] = {
    "problem": problem,
    "environment": environment,
    "reward": reward,
    "quickstart": quickstart,
    "links": links,
}
SECTION = "results"
PLOTS = {
    "reward_curve.png": "Reward in training, by step: overall (solid), its components (dashed), the "
    "score on validation tasks (dots) and the untrained model's score (dotted).",
    "before_after.png": "One task flown by both agents, the one of the right agent's median score; "
    "below, every policy's score and success with 95 % intervals.",
}
SECTIONS = {
    "problem": "The Problem",
    "environment": "The Environment",
    "reward": "Reward Design",
    "results": "Results",
    "quickstart": "Quickstart",
    "links": "Links",
}
"""The sections of an environment's README in their order: the name in the markers, and the heading."""
MARKER = re.compile(rf"^<!-- ({'|'.join(SECTIONS)}):(begin|end) -->[ \t]*\r?$\n?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Readme:
    """A README that is asked for.

    Attributes:
        file: It.
        words: File of the author's words; None for the run's own.
        plots: Folder where its results are published, with their record and plots.
    """

    file: Path
    words: Path | None
    plots: Path


def check_markers(file: Path) -> None:
    """Whether a README can be written.

    Raises:
        Misuse: It is there and has no section's markers, or half of some, or cannot be read.
    """
    if file.exists() and not marks_in(read_page(file), file):
        raise Misuse(
            f"{file}: has none of the markers between which sections are written: put the lines "
            f"{begin_of('problem')} and {end_of('problem')} where the section is to stand, or those of "
            f"{', '.join(list(SECTIONS)[1:])}; a file that is not there is written whole"
        )


def write_readme(found: RunContents, asked: Readme) -> WrittenReadme:
    """Write a README's sections.

    Args:
        found: The run's records.
        asked: Which README.

    Raises:
        Misuse: A file that :func:`check_markers` refuses in part; a link leads nowhere; the words are not confirmed.
        ConfigError: The author's words break a rule.
        StaleRecord: The words are not those of the theme, or a plot was drawn from another record.
    """
    there = asked.file.exists()
    page = read_page(asked.file) if there else empty(found)
    wanted = marks_in(page, asked.file)
    sections = sections_of(found, asked, wanted)
    texts = {
        name: gap(section) if section.text is None else section.text
        for name, section in sections.items()
        if section.text is not None or not there
    }
    write_text(asked.file, filled(page, asked.file, texts))
    missing = [said for section in sections.values() for said in section.missing]
    return WrittenReadme(
        file=str(asked.file),
        sections=tuple(name for name, section in sections.items() if section.text is not None),
        missing=tuple(dict.fromkeys(missing)),
    )


def sections_of(found: RunContents, asked: Readme, wanted: Collection[str]) -> dict[str, Section]:
    """The wanted sections as records and words have them now; errors as of :func:`write_readme`."""
    words = author_of(asked.words, found.run, found.records)
    material = Material(found.records.accepting, words, asked.file, asked.plots)
    sections = {name: write(material) for name, write in WRITERS.items() if name in wanted}
    # Last, because it alone writes: the record and the plots to where they are published.
    if "results" in wanted:
        sections["results"] = results(found, asked)
    return {name: sections[name] for name in wanted}


def results(found: RunContents, asked: Readme) -> Section:
    """The evaluation's results, published with its plots."""
    if found.records.evaluation is None:
        return Section(None, (missing_record("evaluate"),))
    try:
        record = whole(found.run)
        copy(found.run, asked.plots)
    except MissingRecord as error:
        return Section(None, (f"{error}; gonogo evaluate draws it where a training is",))
    return Section(block(record, asked.plots, asked.file))


def empty(found: RunContents) -> str:
    """A new README: its front matter, title, and the sections' headings and markers."""
    card = found.records.map
    said = (card.metadata or {}).get("description") if card else None
    parts = [f"# {title_of(found)}", *([" ".join(said.split())] if said else [])]
    for name, heading in SECTIONS.items():
        parts += [f"## {heading}", f"{begin_of(name)}\n{end_of(name)}"]
    text = "\n\n".join(parts) + "\n"
    return text if card is None else space_page(card, text)


def gap(section: Section) -> str:
    """What a new README says in the place of a section that cannot be written yet."""
    return f"*Not written yet. Missing: {'; '.join(section.missing)}.*\n".replace("<!--", "&lt;!--")


def publish(run: Path, plots: Path, readmes: Sequence[Path]) -> None:
    """Copy a run's record and plots, and write its results into READMEs.

    Args:
        run: Folder of the run.
        plots: Folder to copy to.
        readmes: Files with the two markers.

    Raises:
        MissingRecord: The run has no evaluation, or lacks a plot.
        StaleRecord: A plot was drawn from another record.
        Misuse: A README lacks the markers; nothing has been written then.
    """
    record = whole(run)
    pages = {}
    for readme in readmes:
        page, _ = find_block(readme)
        pages[readme] = filled(page, readme, {SECTION: block(record, plots, readme)})
    copy(run, plots)
    for readme, page in pages.items():
        write_text(readme, page)


def whole(run: Path) -> EvaluationReport:
    """A run's evaluation, whose plots are there and were drawn from it."""
    record = EvaluationReport.load(run)
    for name in PLOTS:
        if read_texts(run / name).get(SOURCE) != record.digest():
            raise StaleRecord(f"{run / name} was drawn from another record; run evaluate again")
    return record


def copy(run: Path, plots: Path) -> None:
    """Copy the record and the plots; not onto themselves."""
    if plots.resolve() == run.resolve():
        return
    plots.mkdir(parents=True, exist_ok=True)
    for file in (EvaluationReport.path(run), *(run / name for name in PLOTS)):
        shutil.copyfile(file, plots / file.name)


def find_block(readme: Path) -> tuple[str, tuple[int, int]]:
    """A README's text and where its block is.

    Raises:
        Misuse: The file cannot be read or has no such markers.
    """
    page = read_page(readme)
    found = marks_in(page, readme).get(SECTION)
    if found is None:
        raise Misuse(
            f"{readme}: must hold the lines {begin_of(SECTION)} and {end_of(SECTION)}, and does not"
        )
    return page, found


def block(record: EvaluationReport, plots: Path, readme: Path) -> str:
    """The results as Markdown.

    Args:
        record: The evaluation's.
        plots: Folder of the plots and the record, as they are committed.
        readme: Where the block is to stand; links are relative to it.
    """
    at = Path(os.path.relpath(plots, readme.parent)).as_posix()
    text = render(
        "readme_results.md.j2",
        at=at,
        written=EvaluationReport.path(Path(at)),
        evaluation=record,
        baseline=BASELINE,
        candidate=CANDIDATE,
        before=record.policies.get(BASELINE),
        after=record.policies.get(CANDIDATE),
        flown=tasks_in_words(record),
        policy_columns=POLICY_COLUMNS,
        policies=list(policy_rows(record)),
        comparison_columns=COMPARISON_COLUMNS,
        comparisons=list(comparison_rows(record)),
        plots=PLOTS,
    )
    return text + "\n"


def begin_of(section: str) -> str:
    """The line after which a section of a README is written."""
    return f"<!-- {section}:begin -->"


def end_of(section: str) -> str:
    """The line before which a section of a README ends."""
    return f"<!-- {section}:end -->"


def marks_in(page: str, source: object) -> dict[str, tuple[int, int]]:
    """Where a page's marked sections stand: between their lines, by name, in the order of the page.

    Args:
        page: Markdown.
        source: Where it comes from, for the message.

    Raises:
        Misuse: A section lacks one of its lines, has one twice, or lies across another.
    """
    found: dict[str, tuple[int, int]] = {}
    begun: re.Match[str] | None = None
    for mark in MARKER.finditer(page):
        name, which = mark.groups()
        line = page.count("\n", 0, mark.start()) + 1
        if which == "begin" and begun is None and name not in found:
            begun = mark
        elif which == "end" and begun is not None and begun[1] == name:
            found[name], begun = (begun.end(), mark.start()), None
        else:
            raise Misuse(
                f"{source}, line {line}: {mark[0].strip()} has no place there: a section has one line "
                f"{begin_of(name)}, and after it, with no other marker between, one line {end_of(name)}"
            )
    if begun is not None:
        raise Misuse(f"{source}: {begin_of(begun[1])} is not followed by {end_of(begun[1])}")
    return found


def read_page(file: Path) -> str:
    """A page with the ends of its lines as they are, so that what is not replaced stays as it is.

    Raises:
        Misuse: It cannot be read.
    """
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            return opened.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Misuse(f"{file}: cannot be read: {error}") from error


def filled(page: str, source: object, texts: Mapping[str, str]) -> str:
    """A page with other texts in its marked sections; everything outside of them as it was.

    Args:
        page: Markdown.
        source: As of :func:`marks_in`.
        texts: By section; those that the page does not have are left out.

    Raises:
        Misuse: As of :func:`marks_in`.
    """
    parts, at = [], 0
    for name, (first, last) in marks_in(page, source).items():
        parts += [page[at:first], texts.get(name, page[first:last])]
        at = last
    return "".join([*parts, page[at:]])
