"""What a server may answer, and what goes out to it: no key but the one that was meant for it."""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest
from pydantic import BaseModel
from tests.answering import Answering

from gonogo.errors import PolicyFailure
from gonogo.models.endpoint import (
    KEY_VARIABLE,
    SHOWN_CHARS,
    Api,
    EndpointPolicy,
    read_completion,
    shown,
)
from gonogo.rollouts.types import Reply, View

VIEW = View("seen", {}, {}, 0)
COMPLETION = b'{"choices": [{"message": {"content": "north"}}]}'
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(COMPLETION), COMPLETION)


def reply_of(url: str) -> Reply:
    policy = EndpointPolicy(url, "m", name="p", system="s", max_reply_tokens=4, timeout_s=5)
    try:
        policy.begin([0])
        return policy.act({0: VIEW})[0]
    finally:
        policy.close()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"this is no HTTP\r\n\r\n", "gave no answer"),
        (b"", "gave no answer"),
        (WHOLE[:-5], "gave no answer|did not answer JSON"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\xff\xfe", "did not answer JSON"),
        (b"HTTP/1.1 401 No\r\nContent-Length: 3\r\n\r\nkey", "answered 401: key"),
    ],
)
def test_what_is_no_answer_ends_the_episode_with_the_reason(
    answer: bytes, why: str, wire: Callable[[bytes], tuple[str, list[bytes]]]
) -> None:
    reply = reply_of(wire(answer)[0])
    assert reply.leaves and reply.text is None
    assert reply.why is not None
    assert any(words in reply.why for words in why.split("|"))


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 2048 tokens, and you requested 3000",
        '{"error": {"code": "context_length_exceeded"}}',
        "the request exceeds the available context size, try increasing it",
    ],
)
def test_a_conversation_that_the_context_does_not_hold_ends_as_that(
    said: str, wire: Callable[[bytes], tuple[str, list[bytes]]]
) -> None:
    answer = f"HTTP/1.1 400 No\r\nContent-Length: {len(said)}\r\n\r\n{said}".encode()
    reply = reply_of(wire(answer)[0])
    assert reply.overflows and not reply.leaves


def test_nobody_there_ends_the_episode() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    reply = reply_of(f"http://127.0.0.1:{port}/v1")
    assert reply.leaves and "gave no answer" in (reply.why or "")


def test_only_the_key_that_was_meant_for_it_goes_out(
    wire: Callable[[bytes], tuple[str, list[bytes]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, asked = wire(WHOLE)
    monkeypatch.setenv("OPENAI_API_KEY", "another's")
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    assert reply_of(url).text == "north"
    monkeypatch.setenv(KEY_VARIABLE, "mine")
    reply_of(url)
    assert b"Authorization" not in asked[0] and b"another's" not in asked[1]
    assert b"Authorization: Bearer mine" in asked[1]


@pytest.mark.parametrize("usage", [None, 3, {}, {"prompt_tokens": "many", "completion_tokens": 1}])
def test_a_count_that_is_none_is_not_one(usage: object) -> None:
    answer = {"choices": [{"message": {"content": None}}], "usage": usage}
    assert read_completion(answer) == Reply(text="")


@pytest.mark.parametrize("answer", [{}, [], None, {"choices": []}, {"choices": [{"message": 1}]}])
def test_what_is_no_completion_is_refused(answer: object) -> None:
    with pytest.raises(PolicyFailure, match="no chat completion"):
        read_completion(answer)


REFUSALS = [
    b'!400{"object": "error", "message": "System role not supported", "type": "BadRequestError"}',
    b'!500{"error": {"code": 500, "message": "Conversation roles must alternate user/assistant"}}',
]


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_server_that_refuses_the_system_role_is_told_in_the_first_observation(
    served: Answering, address: str, refusal: bytes
) -> None:
    served.answer = lambda body: refusal if body["messages"][0]["role"] == "system" else "north"
    policy = EndpointPolicy(address, "m", name="p", system="fly", max_reply_tokens=4, timeout_s=5)
    try:
        policy.begin([0])
        assert [policy.act({0: VIEW})[0].text for _ in range(2)] == ["north"] * 2
    finally:
        policy.close()
    told = [body["messages"] for body in served.asked]
    assert [len(messages) for messages in told] == [2, 1, 3]  # it is tried once
    assert told[1] == [{"role": "user", "content": "fly\n\nseen"}] == told[2][:1]


def test_a_refusal_that_is_about_something_else_stays_what_it_is(
    served: Answering, address: str
) -> None:
    served.answer = lambda _: b'!400{"message": "no such model"}'
    reply = reply_of(address)
    assert reply.leaves and "answered 400" in str(reply.why) and len(served.asked) == 1


class Asked(BaseModel):
    """A request."""

    messages: tuple[str, ...] = ()


BODY = Asked()


def test_json_comes_back_whether_the_address_ends_with_a_slash_or_not(
    served: Answering, address: str
) -> None:
    served.answer = lambda _: b'{"n": [1, null]}'
    for end in ("", "/"):
        api = Api(address + end, 5)
        assert api.address == address
        assert api.ask("/completions", BODY) == {"n": [1, None]}
        assert api.ask("/models") == {"data": [{"id": "served"}]}
    api.tell("/load", BODY)
    assert len(served.asked) == 3


def test_what_is_told_may_be_answered_by_anything_and_what_is_asked_by_json_alone(
    served: Answering, address: str
) -> None:
    served.answer = lambda _: b"done"
    api = Api(address, 5)
    api.tell("/load", BODY)
    with pytest.raises(PolicyFailure, match="/load did not answer JSON"):
        api.ask("/load", BODY)
    served.answer = lambda _: b"!503busy"
    for call in (api.tell, api.ask):
        with pytest.raises(PolicyFailure, match="/load answered 503: busy"):
            call("/load", BODY)


@pytest.mark.parametrize(("code", "known"), [(200, True), (404, False), (405, True)])
def test_a_route_is_known_unless_the_server_says_that_it_is_not(
    code: int, known: bool, wire: Callable[[bytes], tuple[str, list[bytes]]]
) -> None:
    url, _ = wire(b"HTTP/1.1 %d So\r\nContent-Length: 0\r\n\r\n" % code)
    assert Api(url, 5).knows("/load_lora_adapter") is known


def test_nobody_there_and_somebody_slow_are_failures(served: Answering, address: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(PolicyFailure, match="gave no answer"):
        Api(f"http://127.0.0.1:{port}/v1", 5).ask("/models")
    served.seconds = 0.3
    served.answer = lambda _: "late"
    with pytest.raises(PolicyFailure, match=r"/chat did not answer within 0\.05 s"):
        Api(address, 0.05).ask("/chat", BODY)


def test_the_key_that_was_meant_for_it_goes_along(
    served: Answering, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.answer = lambda _: b"{}"
    monkeypatch.setenv("OPENAI_API_KEY", "another's")
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    Api(address, 5).ask("/chat", BODY)
    monkeypatch.setenv(KEY_VARIABLE, "mine")
    Api(address, 5).ask("/chat", BODY)
    assert [asked["authorization"] for asked in served.asked] == [None, "Bearer mine"]


def test_what_is_shown_fits_a_message() -> None:
    assert shown("as it is") == "as it is"
    assert shown({"a": None}) == '{"a": null}'
    assert shown("x" * (SHOWN_CHARS + 1)) == "x" * SHOWN_CHARS + "…"
