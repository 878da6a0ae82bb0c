"""The report station: a run's records as ``report.html``, one file that needs no network, and ``report.json``.

Everything on the page comes from records, and what disagrees is refused before anything is written: numbers are
computed again from the episodes behind them, verdicts from what they follow from, and all must be about one
environment. GO says that the page is whole and agrees with the records; HOLD that records are missing, and which.

Beside the page it writes the environment's card, where there is a map, and, where asked, the sections of the
environment's README, the mini-blog and the film of one task flown by both agents.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from gonogo.errors import MissingRecord, Misuse
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.files import schema_name, write_text
from gonogo.records.provenance import provenance
from gonogo.records.record import Verdict
from gonogo.records.stations import (
    EmbeddedEpisode,
    Film,
    PageFile,
    PageReport,
    SourceRecord,
    WrittenWriteup,
)
from gonogo.records.terminal import Terminal
from gonogo.reporting.environment_card import environment_card
from gonogo.reporting.page import make_page, title_of
from gonogo.reporting.readme import Readme, check_markers, write_readme
from gonogo.reporting.run_contents import STATIONS, RunContents, gather
from gonogo.reporting.video import MOST_COMMITTED, film
from gonogo.reporting.viewer import replay_of
from gonogo.reporting.writeup import confirmed, write_writeup

PAGE, CARD = "report.html", "environment_card.md"
MADE = (PAGE, CARD, "report.json")
"""What a report leaves in its run's folder."""
MOST_BYTES = 3_000_000


@dataclass(frozen=True, slots=True)
class Writeup:
    """A mini-blog that is asked for.

    Attributes:
        file: Where it goes.
        words: File of the author's words, as ``gonogo theme`` has them.
        plots: Folder of the published record and plots.
    """

    file: Path
    words: Path
    plots: Path


def run(
    folder: Path,
    *,
    readme: Readme | None = None,
    writeup: Writeup | None = None,
    video: bool = False,
) -> Verdict:
    """Write a run's page and its record, and what else is asked for.

    Args:
        folder: The run's.
        readme: The environment's README, if its sections are wanted.
        writeup: The mini-blog, if one is wanted.
        video: Whether the film is wanted.

    Returns:
        GO where everything that the page and the README are to show is there, HOLD where records are missing.

    Raises:
        MissingRecord: There is no record in the folder, one cannot be read, or one that the mini-blog or the film
            is made from is not there.
        StaleRecord: One is of another version, was edited, or is about another environment; names the field.
        ConfigError: The author's words break a rule.
        Misuse: The page or the mini-blog would be larger than it may be, the words are not confirmed, or the README
            has no markers.
    """
    if readme is not None:
        check_markers(readme.file)
    words = None if writeup is None else confirmed(writeup.words)
    found = gather(folder)
    page, embedded = make_page(found)
    size = len(page.encode())
    if size > MOST_BYTES:
        raise Misuse(
            f"{folder / PAGE}: a page has at most {MOST_BYTES} bytes, and this one {size}: "
            "its records hold texts of unusual length"
        )
    card = None
    if (mapped := found.records.map) is not None:
        card = environment_card(mapped, found.records.accepting)
    sections = None if readme is None else write_readme(found, readme)
    missing = [*found.missing, *([] if sections is None else sections.missing)]
    record = describe(found, page, embedded, list(dict.fromkeys(missing)))
    write_text(folder / PAGE, page)
    wrote = drawn = None
    written = [f"{folder / PAGE}: {size / 1e6:.2f} MB, {len(embedded)} episodes in it"]
    if card is not None:
        write_text(folder / CARD, card)
        written.append(f"{folder / CARD}: the environment's card")
    if sections is not None:
        written.append(f"{sections.file}: {', '.join(sections.sections) or 'no section'}")
    if writeup is not None and words is not None:
        count = write_writeup(evaluation_of(found), words, writeup.plots, writeup.file)
        wrote = WrittenWriteup(file=str(writeup.file), words=count)
        written.append(f"{writeup.file}: {count} words")
    if video:
        drawn = film_of(found)
        kept = "" if drawn.bytes <= MOST_COMMITTED else "; too large to be committed"
        written.append(
            f"{folder / drawn.file}: {drawn.seconds:g} s, {drawn.bytes / 1e6:.2f} MB{kept}"
        )
    record = record.model_copy(update={"readme": sections, "writeup": wrote, "video": drawn})
    record.save(folder)
    console = Terminal()
    for line in (*written, f"{record.verdict.name}: {record.reason}"):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    return record.verdict


def evaluation_of(found: RunContents) -> EvaluationReport:
    """The evaluation's record.

    Raises:
        MissingRecord: There is none.
    """
    if found.records.evaluation is None:
        raise MissingRecord(
            f"{STATIONS['evaluate'].path(found.run)}: none there; run gonogo evaluate"
        )
    return found.records.evaluation


def film_of(found: RunContents) -> Film:
    """Draw the evaluation's shown task.

    Raises:
        MissingRecord: There is no evaluation, or its episodes are not there.
    """
    replay = replay_of(found.episodes, evaluation_of(found).shown_task)
    if replay is None:
        raise MissingRecord(
            f"{found.run}: no task whose episodes by both agents are there to be filmed"
        )
    return film(replay.tasks[0], f"{title_of(found)}: one task flown twice", found.run)


def describe(
    found: RunContents, page: str, embedded: tuple[EmbeddedEpisode, ...], missing: list[str]
) -> PageReport:
    """The record, without what else was asked for."""
    records = found.records.by_station
    reason = (
        f"missing: {'; '.join(missing)}"
        if missing
        else f"the page agrees with {len(records)} records and the episodes behind them"
    )
    first = next(iter(records.values()))
    text = page.encode()
    return PageReport(
        target=first.target,
        source_hash=first.source_hash,
        verdict=Verdict.HOLD if missing else Verdict.GO,
        reason=reason,
        missing=tuple(missing),
        records={
            record.path(found.run).name: SourceRecord(
                schema_name=schema_name(record.kind, record.version),
                digest=record.digest(),
                verdict=record.verdict,
            )
            for record in records.values()
        },
        embedded=embedded,
        page=PageFile(file=PAGE, bytes=len(text), sha256=hashlib.sha256(text).hexdigest()),
        **provenance(),
    )
