"""The import engine: a mapping from output columns to a source column and operations."""

import json
from datetime import date
from typing import Any, Dict, List

Row = Dict[str, Any]


class MillError(Exception):
    """The mapping cannot be read or applied."""


def _day(text: str, order: str) -> str:
    parts = text.replace(".", "/").replace("-", "/").split("/")
    if len(parts) != 3 or sorted(order) != ["d", "m", "y"]:
        raise MillError(f"no day: {text!r}")
    fields = dict(zip(order, (int(part) for part in parts)))
    return date(fields["y"], fields["m"], fields["d"]).isoformat()


def apply(op: List[Any], value: Any) -> Any:
    name, *arguments = op
    text = "" if value is None else str(value)
    if name == "trim":
        return text.strip()
    if name == "upper":
        return text.upper()
    if name == "lower":
        return text.lower()
    if name == "title":
        return text.title()
    if name == "drop":
        return text.replace(arguments[0], "")
    if name == "comma":
        return text.replace(".", "").replace(",", ".")
    if name == "times":
        return round(float(text) * arguments[0], 6)
    if name == "whole":
        return int(round(float(text)))
    if name == "default":
        return arguments[0] if not text.strip() else value
    if name == "day":
        return _day(text, arguments[0])
    raise MillError(f"no such operation: {name!r}")


def load(text: str) -> Dict[str, Dict[str, Any]]:
    try:
        mapping = json.loads(text)
        return {
            column: {"from": rule["from"], "ops": [list(op) for op in rule["ops"]]}
            for column, rule in mapping.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise MillError(f"mapping cannot be read: {problem}") from None


def run(mapping: Dict[str, Dict[str, Any]], row: Row) -> Row:
    """One source row through the mapping. A cell that fails is an error text."""
    out: Row = {}
    for column, rule in mapping.items():
        value = row.get(rule["from"])
        try:
            for op in rule["ops"]:
                value = apply(op, value)
        except (MillError, ValueError, TypeError, LookupError, ArithmeticError) as problem:
            value = f"#ERR {type(problem).__name__}"
        out[column] = value
    return out
