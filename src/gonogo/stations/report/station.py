"""The report station: a run's records as ``report.html``, one file that needs no network, and ``report.json``.

Everything on the page comes from records, and what disagrees is refused before anything is written: numbers are
computed again from the episodes behind them, verdicts from what they follow from, and all must be about one
environment. GO says that the page is whole and agrees with the records; HOLD that records are missing, and which.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from rich.console import Console

from gonogo.errors import Misuse
from gonogo.records import REPORT, Verdict, provenance, write_text
from gonogo.rollout.protocols import Json
from gonogo.stations.report.gather import STATIONS, Gathered, gather
from gonogo.stations.report.page import digest, make_page

__all__ = ["run"]

PAGE = "report.html"
MOST_BYTES = 3_000_000


def run(folder: Path) -> Verdict:
    """Write a run's page and its record.

    Args:
        folder: The run's.

    Returns:
        GO where everything that the page is to show is there, HOLD where records are missing.

    Raises:
        MissingRecord: There is no record in the folder, or one cannot be read.
        StaleRecord: One is of another version, was edited, or is about another environment; names the field.
        Misuse: The page would be larger than it may be.
    """
    found = gather(folder)
    page, embedded = make_page(found)
    size = len(page.encode())
    if size > MOST_BYTES:
        raise Misuse(
            f"{folder / PAGE}: a page has at most {MOST_BYTES} bytes, and this one {size}: "
            "its records hold texts of unusual length"
        )
    body = describe(found, page, embedded)
    write_text(folder / PAGE, page)
    REPORT.write(folder, body)
    console = Console()
    console.print(f"{folder / PAGE}: {size / 1e6:.2f} MB, {len(embedded)} episodes in it")
    console.print(f"{body['verdict']}: {body['reason']}", markup=False, highlight=False)
    return Verdict[body["verdict"]]


def describe(found: Gathered, page: str, embedded: list[Json]) -> Json:
    """The record's body."""
    missing = found.missing
    reason = (
        f"missing: {'; '.join(missing)}"
        if missing
        else f"the page agrees with {len(found.records)} records and the episodes behind them"
    )
    first = next(iter(found.records.values()))
    return {
        "target": first.get("target"),
        "source_hash": first.get("source_hash"),
        "verdict": (Verdict.HOLD if missing else Verdict.GO).name,
        "reason": reason,
        "missing": missing,
        "records": {
            STATIONS[name].path(found.run).name: {
                "schema": record["schema"],
                "digest": digest(record),
                "verdict": record["verdict"],
            }
            for name, record in found.records.items()
        },
        "embedded": embedded,
        "page": {
            "file": PAGE,
            "bytes": len(page.encode()),
            "sha256": hashlib.sha256(page.encode()).hexdigest(),
        },
        **provenance(),
    }
