"""A table of values: as HTML for a notebook, as a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Frame"]

SHOWN = 50
"""Rows that a notebook shows."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Values in rows and columns.

    Attributes:
        columns: Their names.
        rows: A value for each column.
    """

    columns: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]

    def to_frame(self) -> pd.DataFrame:
        """It as a data frame of pandas."""
        import pandas as pd

        return pd.DataFrame(list(self.rows), columns=list(self.columns))

    def html(self) -> str:
        """It as HTML; nothing in it is a tag."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>"
            for row in self.rows[:SHOWN]
        )
        more = len(self.rows) - SHOWN
        said = f"<p>and {more} more</p>" if more > 0 else ""
        return f"<table><tr>{head}</tr>{body}</table>{said}"
