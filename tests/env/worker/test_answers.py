"""What a foreign process answers is read without trust, and held against the identity of its episode, case by case."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gonogo.env.worker.answers import (
    UNREADABLE,
    Identity,
    Session,
    Slots,
    frame,
    identity_of,
    read_answer,
    read_first,
    read_greeting,
    read_message,
    shown,
    take_frame,
)
from gonogo.env.worker.process import Malformed
from gonogo.rollouts.types import Comparison, Failure, Transition
from gonogo.wire import JsonObject as Json

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
            slots.stepped(slot, found.payload | {"observation": {}}, found.identity, {}),
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
    erred = {"said": "'x'", "at": "KeyError game.py:12"}
    read = read_answer(0, body("erred", erred, None), "step", {0})
    assert (read.complaint, read.erred) == ("'x'", "KeyError game.py:12")
    assert (read.reached, read.comparisons) == ((), ())


def test_an_answer_may_tell_what_was_compared_with_what() -> None:
    compared = [
        ["in", "x", ["a", 1, 0.5], False, "game.py:3:7", 2, (0, 3)],
        ["<", 1, 2.0, None, "g.py:1:0", 1, (1,)],
    ]
    read = read_answer(0, body("invalid", [], None, [], compared), "step", {0})
    assert read.comparisons == tuple(Comparison(*each) for each in compared)  # type: ignore[arg-type]
    assert [type(each) for each in read.comparisons[0].right] == [str, int, float]  # type: ignore[union-attr]
    assert [each.agreed for each in read.comparisons] == [False, False]
    assert Comparison("not in", "x", ["x"], False, "game.py:3:7").agreed


@pytest.mark.parametrize(
    ("slot", "said", "name", "broken"),
    [
        (2, body("ok", OBSERVED, None), "step", "of slot 2, which was not asked"),
        (0, body("ok", OBSERVED), "step", "must have three parts"),
        (0, body("fine", OBSERVED, None), "step", 'of a known kind, not "fine"'),
        (0, body("ok", {"observation": {}}, None), "step", "of kind ok must not hold"),
        (0, body("raised", ["no"], None), "step", "of kind raised must not hold"),
        (0, body("erred", "no", None), "step", "of kind erred must not hold"),
        (0, body("ok", [True, 1], None), "fits", "of kind ok must not hold"),
        (0, body("ok", {"late": None, "more": 1}, None), "retire", "of kind ok must not hold"),
        (0, body("ok", OBSERVED, ["e"]), "reset", "must say its episode and count"),
        *(
            (
                0,
                body("ok", OBSERVED, None, [], said),
                "step",
                "must say what was compared with what",
            )
            for said in (
                None,
                [["==", "x", "y", False, "game.py:3:7"]],
                [["is", "x", "y", False, "game.py:3:7", 1]],
                [["==", True, "y", False, "game.py:3:7", 1]],
                [["==", "x", [["y"]], False, "game.py:3:7", 1]],
                [["==", "x", None, False, "game.py:3:7", 1]],
            )
        ),
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
    assert read_greeting(json.dumps(said).encode()).model_dump(exclude_unset=True) == said
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


def verdicts(*identities: Identity | None, previous: str | None = None) -> list[str | None]:
    session = Session(identities[0], previous)
    return [session.check(identity) for identity in identities[1:]]


@pytest.mark.parametrize(
    "identities",
    [
        [("a", 0), ("a", 1), ("a", 2), ("a", 3)],
        [("a", 5), ("a", 6)],
        [("a", 0), ("a", 10), ("a", 25)],  # counts something else than steps
        [("a", 0), ("a", 1), ("a", 3), ("a", 4)],  # counts in a tool, too
        [(None, 0), (None, 1), (None, 3)],
        [("a", 0), ("a", 1), ("a", 1), ("a", 2)],  # an id tells, so a step may go uncounted
        [(None, 0), (None, 1), (None, 2), (None, 2)],
        [(None, 0), (None, 0), (None, 0)],  # counts nothing
        [(None, 0), (None, 1), (None, 2), (None, 3), (None, 2)],  # one begun again would count 1
        [("a", None), ("a", None)],
        [(None, None), (None, None)],
        [None, None],
    ],
)
def test_sound_environments_pass(identities: list[Identity | None]) -> None:
    assert verdicts(*identities) == [None] * (len(identities) - 1)


@pytest.mark.parametrize(
    ("identities", "said"),
    [
        ([("a", 0), ("b", 1)], "episode_id changed from 'a' to 'b'"),
        ([("a", 0), (None, 1)], "episode_id changed from 'a' to None"),
        ([(None, 0), ("a", 1)], "episode_id changed from None to 'a'"),
        ([("a", 3), ("a", 2)], "step_count went back from 3 to 2"),
        ([("a", 0), ("a", 3), ("a", 1)], "step_count went back from 3 to 1"),
        ([(None, 0), (None, 3), (None, 6), (None, 3)], "step_count went back from 6 to 3"),
        # Another session of a shared instance was reset and stepped once, and then came this one's step.
        ([(None, 0), *((None, n) for n in range(1, 10)), (None, 2)], "went back from 9 to 2"),
        ([(None, 0), (None, 1), (None, 1)], "step_count stayed at 1"),
        ([("a", 0), ("a", None)], "came or went"),
        ([("a", None), ("a", 1)], "came or went"),
        ([("a", 0), None], "can no longer be read"),
    ],
)
def test_a_lost_episode_is_seen(identities: list[Identity | None], said: str) -> None:
    verdict = verdicts(*identities)[-1]
    assert verdict is not None
    assert said in verdict


@pytest.mark.parametrize(
    ("asked", "again", "count", "seen", "lost"),
    [
        ("a", True, 1, 7, False),  # it sets its own counter back
        ("a", True, 1, 0, True),  # the reset's observation again
        ("a", True, 0, 7, True),  # nothing is counted yet
        (None, True, 1, 7, True),  # an id that the episode before had, too
        (None, False, 1, 7, True),  # an id that every episode may have
    ],
)
def test_a_counter_that_falls_is_no_lost_episode_where_no_other_begins(
    asked: str | None, again: bool, count: int, seen: int, lost: bool
) -> None:
    slots = Slots()

    def answer(value: int) -> Any:
        return {"observation": {"x": value}, "reward": 0.0, "done": False}

    slots.began(0, answer(0), ("a", 0), asked)
    if again:
        slots.began(0, answer(0), ("a", 0), asked)
    for number in (1, 2, 3):
        assert isinstance(slots.stepped(0, answer(number), ("a", number), {}), Transition)
    assert isinstance(slots.stepped(0, answer(seen), ("a", count), {}), Failure) is lost


@pytest.mark.parametrize(
    ("action", "lost"),
    [
        ({"do": "undo"}, False),
        ({"tool_name": "roll_back", "arguments": {}}, False),
        ({"text": "", "undo": True}, False),
        ({"text": "", "undo": False}, True),
        ({"do": "go"}, True),
        ({"do": "sundown"}, True),
    ],
)
def test_an_undo_that_takes_the_counter_back_is_no_lost_episode(action: Any, lost: bool) -> None:
    slots = Slots()
    answer: Any = {"observation": {"x": 0}, "reward": 0.0, "done": False}
    slots.began(0, answer, ("a", 0), "a")
    assert isinstance(slots.stepped(0, answer, ("a", 1), {"do": "go"}), Transition)
    assert isinstance(slots.stepped(0, answer, ("a", 0), action), Failure) is lost


def test_an_id_that_every_episode_shares_tells_nothing() -> None:
    shared = [("same", 0), ("same", 1), ("same", 1)]
    assert verdicts(*shared) == [None, None]
    assert verdicts(*shared, previous="same")[-1] is not None


def test_a_refused_action_may_be_counted_or_not() -> None:
    session = Session(("a", 0))
    assert session.check(("a", 1)) is None
    assert session.check(("a", 1), refused=True) is None
    assert session.check(("a", 2), refused=True) is None
    assert session.check(("a", 3)) is None
    assert session.check(("a", 1), refused=True) is not None


def test_a_step_past_the_end_need_not_count_and_one_before_it_must() -> None:
    for ended, wrong in ((True, False), (False, True)):
        session = Session((None, 0))
        assert session.check((None, 1)) is None
        assert (session.check((None, 1), ended=ended) is not None) is wrong


@pytest.mark.parametrize("count", ["active", 1.0, None, True, [1], {"a": 1}])
def test_what_is_no_whole_number_counts_nothing(count: object) -> None:
    assert identity_of("a", count) == ("a", None)


@pytest.mark.parametrize("name", [7, None, ["a"], True])
def test_what_is_no_text_names_no_episode(name: object) -> None:
    assert identity_of(name, 3) == (None, 3)


ANSWER: Json = {"observation": {}, "reward": 0.0, "done": False}


@pytest.mark.parametrize(("asked", "lost"), [("same", False), (None, True), ("other", True)])
def test_a_count_that_stands_still_at_one(asked: str | None, lost: bool) -> None:
    slots = Slots()
    for _ in range(2):
        slots.began(0, {**ANSWER, "observation": {}}, ("same", 0), asked)
    slots.stepped(0, {**ANSWER, "observation": {}}, ("same", 1), {})
    answer = slots.stepped(0, {**ANSWER, "observation": {}}, ("same", 1), {})
    assert isinstance(answer, Failure) is lost
