"""HTTP to an OpenAI-compatible server: JSON comes back, or a failure with its reason, and no key but the one meant."""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest
from tests.answering import Answering

from gonogo.errors import PolicyFailure
from gonogo.models.openai_api import KEY_VARIABLE, SHOWN_CHARS, Api, shown

BODY = {"messages": []}


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
