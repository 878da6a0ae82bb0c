"""Where in a README a command may write: a section stands between two lines that name it, the rest is its author's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from gonogo.errors import Misuse

__all__ = ["SECTIONS", "begin_of", "end_of", "filled", "marks_in", "read_page"]

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
