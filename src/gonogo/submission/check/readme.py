"""What a README says, read as the Markdown that it is: its headings and its links."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

__all__ = ["Link", "headings_of", "links_of"]

HTML_LINK = re.compile(r"""<(a|img|video|source)\b[^>]*?\b(?:href|src)=["']([^"']+)["']""", re.I)
BARE_URL = re.compile(r"""https?://[^\s<>)"'\]]+""")


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a README.

    Attributes:
        to: As it is written.
        image: Whether it shows a picture.
    """

    to: str
    image: bool

    @property
    def local(self) -> bool:
        """Whether it is a path of the repository."""
        return "://" not in self.to and not self.to.startswith(("#", "mailto:"))


def headings_of(text: str) -> list[str]:
    """The headings of the first three ranks, without marks."""
    tokens = parsed(text)
    return [
        "".join(part.content for part in inline.children or ())
        for opened, inline in itertools.pairwise(tokens)
        if opened.type == "heading_open" and opened.tag in ("h1", "h2", "h3")
    ]


def links_of(text: str) -> list[Link]:
    """Links, pictures, and bare addresses, each once; none of those in code."""
    tokens = [part for token in parsed(text) for part in (token, *(token.children or ()))]
    return list(dict.fromkeys(link for token in tokens for link in leads(token)))


def parsed(text: str) -> list[Token]:
    """A text's blocks, with tables as GitHub and the hub read them."""
    return MarkdownIt("commonmark").enable("table").parse(text)


def leads(token: Token) -> Iterator[Link]:
    """Where a token leads."""
    match token.type:
        case "link_open":
            yield Link(str(token.attrs["href"]), image=False)
        case "image":
            yield Link(str(token.attrs["src"]), image=True)
        case "html_inline" | "html_block":
            for tag, to in HTML_LINK.findall(token.content):
                yield Link(to, tag.lower() == "img")
        case "text":
            for to in BARE_URL.findall(token.content):
                yield Link(to.rstrip(".,;:"), image=False)
