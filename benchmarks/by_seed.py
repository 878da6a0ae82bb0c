"""Records of trainings over several seeds, which may be run on different days and machines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gonogo.records import read_record

__all__ = ["known"]

Json = dict[str, Any]


def known(file: Path, kind: str, question: Json) -> dict[int, Json]:
    """Rows by seed of an earlier record that answers the same question; none where it answers another.

    Args:
        file: The record's.
        kind: Of record.
        question: What a row depends on beside its seed, as the record has it.

    Raises:
        MissingRecord: The file holds something else.
    """
    if not file.is_file():
        return {}
    record = read_record(file, kind, 1)
    if any(record.get(name) != value for name, value in question.items()):
        return {}
    return {row["seed"]: row for row in record["trained"]}
