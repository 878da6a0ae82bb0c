"""A terminal that shows what it is given and obeys only itself, and is silent unless a command runs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
"""Characters that a terminal obeys instead of showing: controls but tabs and ends of lines, and what turns a line."""


def visible(text: str) -> str:
    """A text without the characters that a terminal obeys."""
    return HIDDEN.sub("", text)


class Terminal(Console):
    """A console that shows what it is given and obeys only itself; it is silent unless a command runs.

    Args:
        options: As a console takes them.
    """

    speaks: ClassVar[bool] = False
    """Whether a command runs in this process: what is called as a library prints nothing."""

    def __init__(self, *, quiet: bool = False, **options: Any) -> None:
        # In a notebook too it prints lines: rich's widgets would need another package.
        super().__init__(quiet=quiet or not self.speaks, force_jupyter=False, **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments of something, without the characters that a terminal obeys."""
        for segment in super().render(renderable, options):
            if segment.control or HIDDEN.search(segment.text) is None:
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)
