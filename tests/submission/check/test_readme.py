"""Tests for gonogo.submission.check.readme."""

from __future__ import annotations

import pytest

from gonogo.submission.check.readme import Link, headings_of, links_of


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("[a](b.md)", [Link("b.md", image=False)]),
        ('![a](b.png "title")', [Link("b.png", image=True)]),
        ("[![badge](b.svg)](run)", [Link("run", image=False), Link("b.svg", image=True)]),
        ("[that][one]\n\n[one]: https://x.y", [Link("https://x.y", image=False)]),
        ("<https://x.y/z>", [Link("https://x.y/z", image=False)]),
        ("at https://x.y/z, twice: https://x.y/z.", [Link("https://x.y/z", image=False)]),
        ("| a |\n| - |\n| ![p](p.png) |", [Link("p.png", image=True)]),
        ('<video src="v.mp4">\n\n</video>', [Link("v.mp4", image=False)]),
        ('in <img src="p.png"> line', [Link("p.png", image=True)]),
        ("`[a](b.md)` and `https://x.y`", []),
        ("```\n[a](b.md) https://x.y\n```", []),
        ("    [a](b.md)\n", []),
        ("<!-- [a](b.md) -->", []),
    ],
)
def test_links(text: str, links: list[Link]) -> None:
    assert links_of(text) == links


def test_headings() -> None:
    text = "# One #\n\nTwo\n---\n\n### `Three` *times*\n\n#### Four\n\n```\n# Five\n```\n"
    assert headings_of(text) == ["One", "Two", "Three times"]
