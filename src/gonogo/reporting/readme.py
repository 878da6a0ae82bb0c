"""The six sections of an environment's README, each between two lines that name it.

A file that is not there is written whole; of one that is there, what stands between its markers is replaced and nothing
else is touched. A section whose record is missing stays as it is, and is named: a README that was right is not emptied
because a run is smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from gonogo.errors import MissingRecord, Misuse
from gonogo.records.files import write_text
from gonogo.records.stations import WrittenReadme
from gonogo.reporting.author import author_of
from gonogo.reporting.environment_card import space_page
from gonogo.reporting.gather import RunContents, missing_record
from gonogo.reporting.markers import SECTIONS, begin_of, end_of, filled, marks_in, read_page
from gonogo.reporting.page import title_of
from gonogo.reporting.quickstart import quickstart
from gonogo.reporting.reward_design import reward
from gonogo.reporting.sections import Material, Section, environment, links, problem

__all__ = ["Readme", "check_markers", "write_readme"]

WRITERS: dict[str, Callable[[Material], Section]] = {
    "problem": problem,
    "environment": environment,
    "reward": reward,
    "quickstart": quickstart,
    "links": links,
}


@dataclass(frozen=True, slots=True)
class Readme:
    """A README that is asked for.

    Attributes:
        file: It.
        words: File of the author's words; None for the run's own.
        plots: Folder of the published record and plots.
        results: Publishes the run's evaluation there, and gives the section about it.
    """

    file: Path
    words: Path | None
    plots: Path
    results: Callable[[], str]


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
    material = Material(found.records, words, asked.file, asked.plots)
    sections = {name: write(material) for name, write in WRITERS.items() if name in wanted}
    # Last, because it alone writes: the record and the plots to where they are published.
    if "results" in wanted:
        sections["results"] = results(found, asked)
    return {name: sections[name] for name in wanted}


def results(found: RunContents, asked: Readme) -> Section:
    """The evaluation's results, with its plots."""
    if found.records.evaluation is None:
        return Section(None, (missing_record("evaluate"),))
    try:
        return Section(asked.results())
    except MissingRecord as error:
        return Section(None, (f"{error}; gonogo evaluate draws it where a training is",))


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
