"""The audit's verdict as a badge: a picture to commit, and the words for shields.io to draw.

A README shows the picture by ``![gonogo audit](audit-badge.svg)``, and the other, where the file can be had from
the web, by ``![gonogo audit](https://img.shields.io/endpoint?url=...)`` with its escaped URL.
"""

from __future__ import annotations

from gonogo.records.audit import AuditReport
from gonogo.records.record import Verdict
from gonogo.records.stations import WORDS

__all__ = ["LABEL", "endpoint", "picture"]

LABEL = "gonogo audit"
COLOURS = {Verdict.GO: "#2e7d32", Verdict.NO_GO: "#c62828", Verdict.HOLD: "#8d6e00"}
"""Each dark enough for white letters: contrast of 4.5 and more."""
CAPITAL, CHARACTER, MARGIN, HEIGHT = 8.6, 6.6, 6, 20
"""Pixels of a capital, of another letter, beside a text, and of the badge."""
SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" aria-label="{label}: {said}">
<title>{label}: {said}</title>
<rect width="{width}" height="{height}" rx="3" fill="#444"/>
<path d="M{left} 0h{flat}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{flat}z" fill="{colour}"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{middle_left}" y="14" textLength="{label_length}">{label}</text>
<text x="{middle_right}" y="14" textLength="{said_length}">{said}</text>
</g>
</svg>
"""


def words(audit: AuditReport) -> str:
    """The verdict, and how many kinds of findings are behind it."""
    found = len({finding.id for finding in audit.findings})
    kinds = f", {found} finding{'s' * (found > 1)}" if found else ""
    return f"{WORDS[audit.verdict.name]}{kinds}"


def endpoint(audit: AuditReport) -> dict[str, str | int]:
    """What shields.io's endpoint badge reads.

    Args:
        audit: The audit's record.
    """
    colour = COLOURS[audit.verdict]
    return {"schemaVersion": 1, "label": LABEL, "message": words(audit), "color": colour}


def picture(audit: AuditReport) -> str:
    """The same as an SVG picture.

    Args:
        audit: The audit's record.
    """
    said = words(audit)
    label_length, said_length = (
        round(sum(CAPITAL if letter.isupper() else CHARACTER for letter in text))
        for text in (LABEL, said)
    )
    left, right = (length + 2 * MARGIN for length in (label_length, said_length))
    return SVG.format(
        label=LABEL,
        said=said,
        colour=COLOURS[audit.verdict],
        width=left + right,
        height=HEIGHT,
        left=left,
        flat=right - 3,
        middle_left=left / 2,
        middle_right=left + right / 2,
        label_length=label_length,
        said_length=said_length,
    )
