"""What the report reads of each record, as JSON schemas: an edited record is refused with the field at fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from gonogo.errors import StaleRecord
from gonogo.records.base import Verdict

__all__ = ["check_shape"]

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
NUMBER: Json = {"type": "number"}
MAYBE_TEXT: Json = {"type": ["string", "null"]}
MAYBE_NUMBER: Json = {"type": ["number", "null"]}
TEXTS: Json = {"type": "array", "items": TEXT}
OBJECT: Json = {"type": "object"}


def needs(**fields: Json) -> Json:
    """An object that has these fields, and may have others."""
    return {"type": "object", "required": list(fields), "properties": fields}


NAMED = {"type": "array", "items": needs(name=TEXT)}
FIELDS = {"type": "array", "items": needs(name=TEXT, words=TEXT)}
TRUTH: Json = {"type": "boolean"}
MAYBE_OBJECT: Json = {"type": ["object", "null"]}
MAYBE_LIST: Json = {"type": ["array", "null"]}
SETTABLE = needs(name=TEXT, words=TEXT, required=TRUTH, choices=MAYBE_LIST, bounds=OBJECT)
PLACES = {**MAYBE_LIST, "items": needs(file=TEXT, line={"type": "integer"})}
VERDICTS = [verdict.name for verdict in Verdict]
COMMON = needs(verdict={"enum": VERDICTS}, created=TEXT, packages=OBJECT)
SHAPES: dict[str, Json] = {
    "map": needs(
        target=TEXT,
        environment=TEXT,
        source_hash=MAYBE_TEXT,
        reason=TEXT,
        contract={"type": "array", "items": needs(id=TEXT, verdict=TEXT, said=TEXT)},
        notes=TEXTS,
        metadata=MAYBE_OBJECT,
        manifest=MAYBE_OBJECT,
        action=needs(fields={"type": "array", "items": SETTABLE}, tools=NAMED),
        observation=FIELDS,
        reset=needs(
            parameters={**MAYBE_LIST, "items": needs(name=TEXT, schema=OBJECT, required=TRUTH)}
        ),
        terminal=needs(
            ended=NUMBER,
            flown=NUMBER,
            steps={**MAYBE_LIST, "items": NUMBER, "minItems": 2},
            ends={
                "type": "array",
                "items": needs(
                    success={"enum": [True, False, None]}, timeout=TRUTH, episodes=NUMBER
                ),
            },
            places=PLACES,
        ),
        packaging={**MAYBE_OBJECT, "properties": {"files": OBJECT}},
        reward=needs(
            rubric=MAYBE_OBJECT,
            declared={**MAYBE_LIST, "items": NUMBER, "minItems": 2},
            breakdown={**MAYBE_LIST, "items": needs(name=TEXT)},
        ),
        tasks=needs(
            flown={"type": "array", "items": needs(options=OBJECT)},
            splits={**MAYBE_LIST, "items": needs(name=TEXT, num_tasks=MAYBE_NUMBER)},
        ),
    ),
}
"""By station; of the others a verdict is all that is read."""


def check_shape(station: str, path: Path, record: Json) -> None:
    """Refuse a record that lacks a field which the report reads, or has it of another type.

    Raises:
        StaleRecord: Names the field.
    """
    for schema in (COMMON, SHAPES.get(station, {})):
        error = best_match(Draft202012Validator(schema).iter_errors(record))
        if error is not None:
            field = error.json_path.removeprefix("$").removeprefix(".") or "the record"
            raise StaleRecord(f"{path}: {field}: {error.message[:200]}; run {station} again")
