"""A mission as a file: complete, readable, and worth nothing once it was edited.

A file holds the mission's address (level, split, index, knobs), the generator's version, and everything that the
generator makes of them, the proof included. Owns that form, and the check of a file: the mission is made again from the
address and compared with all that the file says. The generator is the only schema, so no field has to be listed twice
and none can be forgotten; whatever is missing, too much, of another type or of another value is named by its path.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from flightrules.directives.formula import Formula, formula_to_json
from flightrules.errors import SHOWN_MAX, MissionError
from flightrules.missions.generator import address, generate
from flightrules.missions.knobs import AS_DRAWN, Knobs
from flightrules.missions.mission import Mission
from flightrules.missions.store import source_hash

Json = dict[str, Any]


class _Head(BaseModel):
    """What has to be read before anything can be compared; the rest is the comparison's to refuse."""

    model_config = ConfigDict(strict=True)

    generator: str
    knobs: Knobs
    level: str
    split: str
    index: int


def export(level: str, split: str, index: int, knobs: Knobs = AS_DRAWN) -> str:
    """The file of a mission: JSON whose numbers read back to the bit.

    Raises:
        MissionError: If the mission cannot be had; its rule and value are named.
    """
    document = _document(_made(level, split, index, knobs), knobs)
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def check(text: str) -> tuple[Mission, Knobs]:
    """The mission that a file holds, made again from its address, and its knobs.

    Raises:
        MissionError: If the text is not JSON, was written by another version of the generator, names a mission that
            cannot be had, or differs from that mission anywhere; the field at fault is named.
    """
    said = _parsed(text)
    try:
        head = _Head.model_validate_json(text)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False)
        raise _at_fault([_broken(each["loc"], each["msg"]) for each in found]) from None
    if head.generator != source_hash():
        rule = f"generator: the file was written by another version, {_shown(head.generator)}"
        raise MissionError(f"{rule}, this is {_shown(source_hash())}: export the mission again")
    mission = _made(head.level, head.split, head.index, head.knobs)
    name = address(head.level, head.split, head.index, head.knobs)
    problems = list(_differences(_document(mission, head.knobs), said, name))
    if problems:
        raise _at_fault(problems)
    return mission, head.knobs


def _made(level: str, split: str, index: int, knobs: Knobs) -> Mission:
    try:
        return generate(level, split, index, knobs)[0]
    except IndexError as error:
        raise MissionError(str(error)) from None


def _document(mission: Mission, knobs: Knobs) -> Json:
    return {"generator": source_hash(), "knobs": _plain(knobs), **_plain(mission)}


def _plain(value: Any) -> Any:
    """What a mission is made of as what JSON is made of; all else is for JSON to refuse."""
    if isinstance(value, Formula):
        return formula_to_json(value)
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_no_duplicates)
    except RecursionError:
        raise MissionError("not JSON: nested too deeply") from None
    except ValueError as error:
        raise MissionError(f"not JSON: {error}") from None


def _no_duplicates(pairs: list[tuple[str, Any]]) -> Json:
    names = [name for name, _ in pairs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"a field is given twice: {_shown(twice[0])}")
    return dict(pairs)


def _differences(made: Any, said: Any, name: str, path: str = "") -> Iterator[str]:
    """Every place at which a file says something else than the generator makes."""
    if type(made) is not type(said) or not isinstance(made, dict | list):
        if json.dumps(made) != json.dumps(said):  # to the bit, and 900 is neither 900.0 nor "900"
            yield f"{path}: the mission at {name} has {_shown(made)}, the file says {_shown(said)}"
        return
    ours, theirs = _parts(made, path), _parts(said, path)
    for place in [*ours, *(place for place in theirs if place not in ours)]:
        if place not in theirs:
            yield f"{place}: missing, the mission at {name} has {_shown(ours[place])}"
        elif place not in ours:
            yield f"{place}: the mission at {name} has no such field, the file says {_shown(theirs[place])}"
        else:
            yield from _differences(ours[place], theirs[place], name, place)


def _parts(value: Any, path: str) -> Json:
    """What is in an object or a list, by path."""
    if isinstance(value, list):
        return {f"{path}[{place}]": part for place, part in enumerate(value)}
    return {f"{path}.{key}".removeprefix("."): part for key, part in value.items()}


def _broken(place: tuple[int | str, ...], rule: str) -> str:
    path = ".".join(str(part) for part in place) or "a mission file"
    return f"{path}: {rule.removeprefix('Value error, ')}"


def _at_fault(problems: list[str]) -> MissionError:
    """The first problem in words, and how many there are besides."""
    others = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return MissionError(problems[0] + others)


def _shown(value: Any) -> str:
    shown = json.dumps(value)
    return shown if len(shown) <= SHOWN_MAX else f"{shown[: SHOWN_MAX - 3]}..."
