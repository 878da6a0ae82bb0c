"""The frames of the worker's pipe, read without trust: foreign code shares the process that writes them.

What they mean says :mod:`gonogo.env.worker.program`. Whatever breaks their form is
:class:`~gonogo.env.worker.child.Malformed`, one sentence, and costs the process: what came before or comes after it
may be forged too.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Container, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import from_json

from gonogo.env.worker.child import MOST_BYTES, Malformed
from gonogo.records.inspection import Description, RawAnswer
from gonogo.records.record import Part
from gonogo.rollouts.session import Identity, identity_of
from gonogo.wire import JsonObject

__all__ = [
    "UNREADABLE",
    "SlotAnswer",
    "frame",
    "is_list_of_objects",
    "is_object",
    "is_schemas",
    "read_answer",
    "read_first",
    "read_greeting",
    "read_message",
    "shown",
    "take_frame",
]

HEADER = struct.Struct(">I")
ANSWER = struct.Struct(">Ii")
SHOWN_CHARS = 80
UNREADABLE = "unreadable"


class SlotAnswer(NamedTuple):
    """One slot's answer.

    Attributes:
        slot: The slot.
        kind: ``ok``, ``invalid``, ``raised``, ``unmade`` or ``reward``; or ``unreadable``, with the reason.
        payload: What was answered, by the kind.
        identity: Episode and count as the state says them; None where it cannot be read.
    """

    slot: int
    kind: str
    payload: Any
    identity: Identity | None


def frame(content: Any) -> bytes:
    """One frame of the wire."""
    body = json.dumps(content).encode()
    return HEADER.pack(len(body)) + body


def take_frame(buffer: bytearray) -> tuple[int, bytes] | None:
    """Remove one frame, a slot's answer, from the front of the buffer; None while it is incomplete.

    Raises:
        Malformed: It says that it is longer than an answer may be.
    """
    if len(buffer) < ANSWER.size:
        return None
    length, slot = ANSWER.unpack_from(buffer)
    if length > MOST_BYTES:
        raise Malformed(f"a frame must not be longer than {MOST_BYTES} bytes, as one of {length}")
    end = ANSWER.size + length
    if len(buffer) < end:
        return None
    body = bytes(memoryview(buffer)[ANSWER.size : end])
    del buffer[:end]
    return slot, body


def read_first(body: bytes) -> Any:
    """What the first frame of a process holds.

    Raises:
        Malformed: It is no JSON.
    """
    try:
        return from_json(body)
    except ValueError as error:
        raise Malformed(f"the first frame must hold JSON, and does not: {error}") from None


def read_greeting(body: bytes) -> JsonObject:
    """The worker's first frame: ``error`` or ``broken_reward``, or schemas, ``concurrent`` and ``reward``.

    Raises:
        Malformed: It is none.
    """
    said = read_first(body)
    fits = isinstance(said, dict) and (
        any(isinstance(said.get(key), str) for key in ("error", "broken_reward"))
        or (
            is_schemas(said.get("schemas"))
            and isinstance(said.get("concurrent"), bool)
            and is_list_of_objects(said.get("reward") or [])
        )
    )
    if not fits:
        raise Malformed(f"the first frame must be a greeting, not {shown(said)}")
    greeting: JsonObject = said
    return greeting


def is_schemas(value: Any) -> bool:
    """Whether a greeting's schemas are there, and no others."""
    names = {"action", "observation", "state"}
    return is_object(value) and value.keys() == names and all(map(is_object, value.values()))


def is_object(value: Any) -> bool:
    """Whether a value is a JSON object."""
    return isinstance(value, dict)


def is_list_of_objects(value: Any) -> bool:
    """Whether a value is a list of JSON objects."""
    return isinstance(value, list) and all(map(is_object, value))


def is_text(value: Any) -> bool:
    """Whether a value is a text."""
    return isinstance(value, str)


def is_observation(value: Any) -> bool:
    """Whether a value has the form of OpenEnv's answers: an observation with its reward and end."""
    return (
        is_object(value)
        and is_object(value.get("observation"))
        and {"reward", "done"} <= value.keys()
    )


def is_a(form: type[Part]) -> Callable[[Any], bool]:
    """Whether a value has the form of what the worker tells."""

    def fits(value: Any) -> bool:
        try:
            form.model_validate(value)
        except ValidationError:
            return False
        return True

    return fits


def is_list_of_truths(value: Any) -> bool:
    """Whether a value is a list of truth values."""
    return isinstance(value, list) and all(isinstance(each, bool) for each in value)


def is_none(value: Any) -> bool:
    """Whether there is no value."""
    return value is None


def is_farewell(value: Any) -> bool:
    """Whether a value says what was late in closing an instance, if anything was."""
    return (
        is_object(value)
        and value.keys() == {"late"}
        and (value["late"] is None or is_text(value["late"]))
    )


FORMS: Mapping[str, Callable[[Any], bool]] = {
    "reset": is_observation,
    "step": is_observation,
    "state": is_object,
    "describe": is_a(Description),
    "retire": is_farewell,
    "renew": is_none,
    "raw": is_a(RawAnswer),
    "fits": is_list_of_truths,
}
"""What the payload of an ``ok`` is, by what was asked."""
COMPLAINTS: Mapping[str, Callable[[Any], bool]] = {
    "invalid": is_list_of_objects,
    "raised": is_text,
    "unmade": is_text,
    "reward": is_text,
}
"""What the payload is of every other kind."""


def read_answer(slot: int, body: bytes, name: str, waiting: Container[int]) -> SlotAnswer:
    """A slot's answer.

    Args:
        slot: The slot that the frame names.
        body: What it holds. What cannot be read costs its slot alone: an environment may have put it there.
        name: What was asked.
        waiting: Slots that were asked and have not answered.

    Raises:
        Malformed: It has not the form of an answer, or answers what was not asked, or twice.
    """
    if slot not in waiting:
        raise Malformed(f"an answer to {name} is of slot {slot}, which was not asked")
    try:
        said = from_json(body)
    except ValueError as error:
        return SlotAnswer(slot, UNREADABLE, f"the answer cannot be read: {error}", None)
    if not isinstance(said, list) or len(said) != 3:
        raise Malformed(f"an answer to {name} must have three parts, not be {shown(said)}")
    kind, payload, identity = said
    form = FORMS[name] if kind == "ok" else COMPLAINTS.get(kind) if is_text(kind) else None
    if form is None:
        raise Malformed(f"an answer to {name} must be of a known kind, not {shown(kind)}")
    if not form(payload):
        raise Malformed(f"an answer to {name} of kind {kind} must not hold {shown(payload)}")
    if identity is not None and not (isinstance(identity, list) and len(identity) == 2):
        raise Malformed(
            f"an answer to {name} must say its episode and count, not {shown(identity)}"
        )
    return SlotAnswer(slot, kind, payload, None if identity is None else identity_of(*identity))


def read_message(text: str | bytes) -> JsonObject:
    """A message of an OpenEnv server.

    Raises:
        Malformed: It is none: it has a type and data, which is an object but for a state.
    """
    try:
        said = from_json(text)
    except ValueError as error:
        raise Malformed(f"it cannot be read: {error}") from None
    if not (is_object(said) and is_text(said.get("type"))):
        raise Malformed(f"it must be a message with a type, not {shown(said)}")
    if said["type"] != "state" and not is_object(said.get("data")):
        raise Malformed(
            f"a message of type {said['type']} must hold data, not {shown(said.get('data'))}"
        )
    message: JsonObject = {"data": None, **said}
    return message


def shown(value: Any) -> str:
    """The beginning of a value, for a message."""
    said = json.dumps(value)
    return said if len(said) <= SHOWN_CHARS else f"{said[:SHOWN_CHARS]}…"
