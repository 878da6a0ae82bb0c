"""gonogo report, with a README whose results are published."""

from __future__ import annotations

from pathlib import Path

import gonogo.reporting.run as report_station
from gonogo.config import RunConfig
from gonogo.records.record import Verdict
from gonogo.reporting.results_block import release

__all__ = ["readme_of", "report"]


def report(run: RunConfig) -> Verdict:
    """Write the page of the run's folder."""
    return report_station.run(run.out)


def readme_of(
    run: Path, file: Path, words: Path | None, plots: Path | None
) -> report_station.Readme:
    """A README for the report, whose results are published as ``gonogo publish`` does.

    Args:
        run: Folder of the run.
        file: The README.
        words: File of the author's words; None for the run's own.
        plots: Folder to publish to; None for ``plots`` beside the README.
    """
    where = plots or file.parent / "plots"
    return report_station.Readme(file, words, where, lambda: release(run, where, file))
