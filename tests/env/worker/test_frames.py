"""The worker's frames are read without trust: what comes is an answer or malformed, never an error of ours."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gonogo.env.worker.child import Malformed
from gonogo.env.worker.frames import (
    UNREADABLE,
    frame,
    read_answer,
    read_first,
    read_greeting,
    read_message,
    shown,
    take_frame,
)
from gonogo.env.worker.slots import Slots
from gonogo.rollouts.types import Failure, Transition

NAMES = st.sampled_from(["reset", "step", "state", "describe", "retire", "renew", "raw"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KIND = st.sampled_from(["ok", "invalid", "raised", "unmade", "reward", "other", 5, None])
ANSWERS = st.tuples(KIND, JSON, JSON).map(list) | JSON


@settings(max_examples=300, deadline=None)
@given(NAMES, ANSWERS, st.integers(-3, 3))
def test_no_frame_is_an_error_of_ours(name: str, said: Any, slot: int) -> None:
    body = json.dumps(said).encode()
    try:
        found = read_answer(slot, body, name, {0, 1})
    except Malformed as error:
        assert len(str(error)) < 400
        return
    slots = Slots()
    if name in {"reset", "step"} and found.kind == "ok":
        taken = slots.began(slot, found.payload, found.identity)
        assert isinstance(taken, Transition | Failure)
        assert isinstance(
            slots.stepped(slot, found.payload | {"observation": {}}, found.identity),
            Transition | Failure,
        )


@settings(max_examples=300, deadline=None)
@given(st.lists(st.binary(max_size=40)), st.booleans())
def test_no_bytes_are_an_error_of_ours(chunks: list[bytes], framed: bool) -> None:
    buffer = bytearray()
    for number, chunk in enumerate(chunks):
        buffer += struct.pack(">Ii", len(chunk), number % 3) + chunk if framed else chunk
        try:
            while (taken := take_frame(buffer)) is not None:
                read_answer(*taken, "step", {0, 1})
                read_greeting(taken[1])
        except Malformed:
            return


@settings(max_examples=300, deadline=None)
@given(JSON | st.dictionaries(st.sampled_from(["type", "data", "code"]), JSON) | st.binary())
def test_no_message_is_an_error_of_ours(said: Any) -> None:
    try:
        message = read_message(said if isinstance(said, bytes) else json.dumps(said))
    except Malformed:
        return
    assert isinstance(message["type"], str)


OBSERVED = {"observation": {"x": 1}, "reward": None, "done": False}


def body(*parts: Any) -> bytes:
    return json.dumps(list(parts)).encode()


def test_a_frame_is_taken_when_it_is_whole_and_leaves_the_next() -> None:
    one, two = (
        struct.pack(">Ii", len(text), slot) + text for slot, text in ((0, b"a"), (-1, b"bc"))
    )
    buffer = bytearray(one + two[:-1])
    assert take_frame(buffer) == (0, b"a")
    assert take_frame(buffer) is None and bytes(buffer) == two[:-1]
    buffer += two[-1:]
    assert take_frame(buffer) == (-1, b"bc") and not buffer
    with pytest.raises(Malformed, match="must not be longer"):
        take_frame(bytearray(struct.pack(">Ii", 2**31, 0)))


def test_what_is_sent_has_its_length_before_it() -> None:
    sent = frame(["step", [[0, {"add": 1}]]])
    assert int.from_bytes(sent[:4], "big") == len(sent) - 4
    assert json.loads(sent[4:]) == ["step", [[0, {"add": 1}]]]


def test_an_answer_is_read_with_its_kind_payload_and_identity() -> None:
    read = read_answer(1, body("ok", OBSERVED, ["e", 3]), "step", {0, 1})
    assert (read.slot, read.kind, read.payload) == (1, "ok", OBSERVED)
    assert read.identity is not None
    assert read_answer(0, body("raised", "no", None), "step", {0}).identity is None


@pytest.mark.parametrize(
    ("slot", "said", "name", "broken"),
    [
        (2, body("ok", OBSERVED, None), "step", "of slot 2, which was not asked"),
        (0, body("ok", OBSERVED), "step", "must have three parts"),
        (0, body("fine", OBSERVED, None), "step", 'of a known kind, not "fine"'),
        (0, body("ok", {"observation": {}}, None), "step", "of kind ok must not hold"),
        (0, body("raised", ["no"], None), "step", "of kind raised must not hold"),
        (0, body("ok", [True, 1], None), "fits", "of kind ok must not hold"),
        (0, body("ok", {"late": None, "more": 1}, None), "retire", "of kind ok must not hold"),
        (0, body("ok", OBSERVED, ["e"]), "reset", "must say its episode and count"),
    ],
)
def test_an_answer_of_another_form_is_one_sentence(
    slot: int, said: bytes, name: str, broken: str
) -> None:
    with pytest.raises(Malformed, match=broken):
        read_answer(slot, said, name, {0, 1})


def test_what_cannot_be_read_costs_its_slot_alone() -> None:
    read = read_answer(0, b"[1, 2", "step", {0})
    assert read.kind == UNREADABLE and "cannot be read" in read.payload


@pytest.mark.parametrize(
    "said",
    [
        {"error": "no"},
        {"broken_reward": "no"},
        {"schemas": {"action": {}, "observation": {}, "state": {}}, "concurrent": True},
        {
            "schemas": {"action": {}, "observation": {}, "state": {}},
            "concurrent": False,
            "reward": [{"name": "all"}],
        },
    ],
)
def test_a_greeting_says_the_schemas_or_why_not(said: dict[str, Any]) -> None:
    assert read_greeting(json.dumps(said).encode()) == said
    with pytest.raises(Malformed, match="must be a greeting"):
        read_greeting(json.dumps([said]).encode())


def test_half_a_greeting_is_none() -> None:
    schemas: dict[str, Any] = {"action": {}, "observation": {}}
    for said in ({"schemas": schemas}, {"schemas": schemas | {"state": 1}, "concurrent": True}):
        with pytest.raises(Malformed, match="must be a greeting"):
            read_greeting(json.dumps(said).encode())
    with pytest.raises(Malformed, match="must hold JSON"):
        read_first(b"{")


def test_a_message_has_a_type_and_data_but_for_a_state() -> None:
    assert read_message('{"type": "state"}') == {"type": "state", "data": None}
    assert read_message('{"type": "observation", "data": {"x": 1}}')["data"] == {"x": 1}
    for said in ('{"type": "observation", "data": [1]}', '{"data": {}}', "[]"):
        with pytest.raises(Malformed, match="must"):
            read_message(said)


def test_a_value_is_shown_by_its_beginning() -> None:
    assert shown({"a": 1}) == '{"a": 1}'
    assert len(shown("x" * 500)) == 81 and shown("x" * 500).endswith("…")
