"""Records of trainings over several seeds, which may be run on different days and machines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gonogo import config
from gonogo.errors import Misuse
from gonogo.records.files import read_record

__all__ = ["known"]

Json = dict[str, Any]

SAME = {
    "110edd04423bc17f4de90e42c852a0dc99b4743dbaf571f6719efa8c17598e01": (
        "5c971f7b20f896e030bc3130adb9b68845559735f5c3c922ddd7d26e9060601e"
    ),
}
"""Source of an environment that records were made with, and the later one whose flights are the same, bit for bit.

flightrules, at 096d281 and now: envs/flightrules/validation/same_flights.py prints the same digest of both.
"""


def as_now(then: Json) -> Json:
    """A record's config with today's names: an audit's ``budget`` was, until it had ``minutes``, its ``search``."""
    audit = then.get("audit") or {}
    if "budget" not in audit or "minutes" in audit:
        return then
    rest = {name: value for name, value in audit.items() if name != "budget"}
    return {**then, "audit": {**rest, "search": audit["budget"]}}


def known(file: Path, kind: str, question: Json) -> dict[int, Json]:
    """Rows by seed of an earlier record that answers the same question; none where it answers another.

    Args:
        file: The record's.
        kind: Of record.
        question: What a row depends on beside its seed, as the record has it, its ``config`` among it. A field that
            configs have got since then is taken for its default, by which the record's runs behaved.

    Raises:
        MissingRecord: The file holds something else.
    """
    if not file.is_file():
        return {}
    record = read_record(file, kind, 1)
    try:
        then = config.load(None, as_now(record["config"])).model_dump(mode="json")
    except Misuse:  # it has a field that is no more
        return {}
    source = record.get("source_hash")
    answered = {**record, "config": then, "source_hash": SAME.get(source, source)}
    if any(answered.get(name) != value for name, value in question.items()):
        return {}
    return {row["seed"]: row for row in record["trained"]}
