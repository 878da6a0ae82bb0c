"""Text from observations and actions from text: what is shown, what is hidden, what is refused."""

from __future__ import annotations

import json
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, RootModel

from gonogo.errors import CodecError
from gonogo.rollouts.action_codec import Codec, is_hidden


class Mode(Enum):
    SLOW = "slow"
    FAST = "fast"


class Point(BaseModel):
    model_config = ConfigDict(extra="forbid")
    x: float
    y: float = 0.0


class Command(BaseModel):
    """As OpenEnv's Action: strict about unknown fields, with metadata."""

    model_config = ConfigDict(extra="forbid")
    metadata: dict[str, Any] = Field(default_factory=dict)
    move: Literal["north", "south", "stay"] = Field(description="Where to")
    mode: Mode = Mode.FAST
    coast: int = Field(ge=10, le=600)
    note: str | None = Field(default=None, max_length=5)
    at: Point | None = None


class Raw(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["move"]}, {"required": ["reply"]}]}
    )
    reply: str | None = Field(default=None, description="One JSON object.")
    move: Literal["north", "stay"] | None = None


@pytest.fixture(scope="module")
def codec() -> Codec:
    return Codec(Command.model_json_schema(), {})


@pytest.mark.parametrize(
    "name",
    ["reward", "step_reward", "lastReward", "rewardBreakdown", "is_success", "done", "metadata",
     "HTTPReward", "rubric_scores", "terminated", "succeeded", "rewards"],
)  # fmt: skip
def test_what_tells_the_reward_is_hidden(name: str) -> None:
    assert is_hidden(name)


@pytest.mark.parametrize(
    "name",
    ["score", "rewarded_by", "abandoned", "text", "successor", "", "done_items", "tool_success",
     "output_truncated", "metadata_of_the_file", "price_breakdown", "rewards_to_choose_from"],
)  # fmt: skip
def test_what_only_looks_like_it_is_not(name: str) -> None:
    assert not is_hidden(name, ["anything"])


@pytest.mark.parametrize(
    ("name", "value", "hidden"),
    [("party_reward", 1.0, True), ("party_reward", "a cake", False), ("solved", None, True),
     ("solved", True, True), ("solved", ["a", "b"], False), ("won", 3, False), ("done", [1], True),
     ("done_so_far", ["chop"], False), ("done_so_far", [], False), ("done_so_far", True, True)],
)  # fmt: skip
def test_what_a_field_holds_says_whether_it_is_the_outcome(
    name: str, value: Any, hidden: bool
) -> None:
    assert is_hidden(name, value) is hidden


def test_a_text_field_stands_beside_the_others() -> None:
    codec = Codec({}, {"properties": {"question": {}, "text": {"type": "string"}}})
    seen = {"question": "which?", "text": "A passage.", "n": 1.0}
    assert codec.render(seen) == "A passage.\nquestion: which?\nn: 1"
    assert codec.render({"text": "a"}, "b") == "Your last reply was not accepted: b\na"
    assert codec.render({"text": "", "n": 1}) == "n: 1"
    assert codec.left_out(seen) == {}


def test_a_long_text_that_text_holds_word_for_word_is_not_said_twice() -> None:
    codec, board = Codec({}, {}), "x..o" * 20
    seen = {"text": f"The board is {board} now.", "board": board, "next": "x"}
    assert codec.render(seen) == f"The board is {board} now.\nnext: x"
    assert codec.left_out({**seen, "reward": 1}) == {"reward": "hidden", "board": "in text"}


def test_a_text_that_is_declared_to_say_everything_is_the_rendering() -> None:
    class Seen(BaseModel):
        text: str = Field("", json_schema_extra={"x-whole-view": True})
        x: int = 0

    codec = Codec({}, Seen.model_json_schema())
    assert codec.render({"x": 1, "text": "all that is said"}) == "all that is said"
    assert codec.left_out({"x": 1, "text": "all that is said"}) == {"x": "in text"}
    assert codec.seen({"x": 1, "text": "a"}) == {"x": 1, "text": "a"}


def test_visible_fields_are_those_that_are_rendered() -> None:
    codec = Codec({}, {"properties": {"b": {}, "reward": {}, "a": {}}})
    seen = {"extra": [{"x": 1, "done": True}], "a": 0.123456789, "reward": 1.0, "b": {"success": 1}}
    shown = codec.visible(seen)
    assert shown == {"b": {"success": 1}, "a": 0.123457, "extra": [{"x": 1, "done": True}]}
    assert list(shown) == ["b", "a", "extra"]
    assert codec.seen(seen) == {key: seen[key] for key in ("extra", "a", "b")}, "as they are"
    assert codec.left_out(seen) == {"reward": "hidden"}


def test_fields_are_rendered_in_the_schema_s_order_compactly_and_without_rewards() -> None:
    schema = {"properties": {"b": {}, "reward": {}, "a": {}, "board": {}, "deep": {}, "done": {}}}
    observation = {
        "a": 1.23456789,
        "b": None,
        "board": "x.\n.o",
        "deep": {"rate": [0.1 + 0.2, 3.0, 1e-9, True], "step_reward": 1, "in": [{"success": 1}]},
        "reward": 1.0,
        "done": False,
        "last_reward": 3,
        "unknown": "said",
    }
    assert Codec({}, schema).render(observation) == (
        "b: null\na: 1.23457\nboard:\nx.\n.o\n"
        'deep: {"rate": [0.3, 3, 1e-09, true], "step_reward": 1, "in": [{"success": 1}]}\n'
        "unknown: said"
    )


def test_a_valid_reply_is_the_action(codec: Codec) -> None:
    reply = ' {"move": "stay", "coast": 10, "at": {"x": 1}, "mode": "slow", "note": "ü"}\n'
    assert codec.parse(reply) == {
        "move": "stay", "coast": 10, "at": {"x": 1}, "mode": "slow", "note": "ü",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("", "not one JSON object: Expecting value at character 0"),
        ("north", "not one JSON object"),
        ('{"move": "stay", "coast": 10} thanks', "Extra data at character 30"),
        ('```json\n{"move": "stay", "coast": 10}\n```', "not one JSON object"),
        ("[1]", "must be a JSON object, not [1]"),
        ("{}", "move, coast: required, and missing"),
        ('{"move": "up", "coast": 10}', 'move: enum ["north", "south", "stay"] (got "up")'),
        ('{"move": "stay", "coast": 9}', "coast: minimum 10 (got 9)"),
        ('{"move": "stay", "coast": "10"}', 'coast: type "integer" (got "10")'),
        ('{"move": "stay", "coast": true}', 'coast: type "integer" (got true)'),
        ('{"move": "stay", "coast": 10.5}', 'coast: type "integer" (got 10.5)'),
        ('{"move": "stay", "coast": NaN}', "holds NaN, which is not JSON"),
        ('{"move": "stay", "coast": -Infinity}', "holds -Infinity"),
        ('{"move": "stay", "coast": 1e999}', "1e999, which is too large"),
        ('{"move": "stay", "coast": 1' + "0" * 5000 + "}", "unreadable number"),
        ('{"move": "stay", "coast": 10, "coast": 20}', '"coast" appears twice'),
        ('{"move": "stay", "coast": 10, "burn": 1}', '"burn": no such field'),
        ('{"move": "stay", "coast": 10, "metadata": {}}', '"metadata": no such field'),
        (
            '{"move": "stay", "coast": 10, "note": "too long"}',
            "note: must be string, at most 5 char",
        ),
        ('{"move": "stay", "coast": 10, "at": {"y": 1}}', "at: must be"),
        ('{"move": "stay", "coast": 10, "note": "\\ud800"}', "not valid Unicode"),
        ("\ud800", "not valid Unicode"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_anything_else_is_refused_by_field_rule_and_value(
    codec: Codec, reply: str, said: str
) -> None:
    with pytest.raises(CodecError) as caught:
        codec.parse(reply)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 1000


@settings(deadline=None)  # about what escapes, however busy the machine is
@given(st.text())
def test_no_reply_escapes_the_error(reply: str) -> None:
    codec = Codec(Command.model_json_schema(), {})
    try:
        assert isinstance(codec.parse(reply), dict)
    except CodecError as error:
        assert str(error)


def test_a_raw_text_field_takes_the_reply_unread() -> None:
    codec = Codec(Raw.model_json_schema(), {})
    assert codec.parse("not JSON at all") == {"reply": "not JSON at all"}
    assert codec.instructions().splitlines() == [
        "Reply with an action. One JSON object.",
        "Fields of an action:",
        '- move (required): one of "north", "stay" or null',
    ]


class Mail(BaseModel):
    """As strangers answer mails: what they call reply is a field like any other."""

    label: Literal["spam", "respond"]
    reply: str | None = None


def test_a_reply_beside_other_fields_is_one_of_them() -> None:
    codec = Codec(Mail.model_json_schema(), {})
    answer = {"label": "respond", "reply": "We look into it."}
    assert codec.reply_field is None
    assert codec.parse(json.dumps(answer)) == answer
    assert "- reply (optional): string or null" in codec.instructions()


def test_instructions_name_every_field_and_an_example_that_parses(codec: Codec) -> None:
    text = codec.instructions()
    assert '- move (required): one of "north", "south", "stay". Where to' in text
    assert '- mode (optional): one of "slow", "fast"; default "fast"' in text
    assert "- coast (required): integer, at least 10, at most 600" in text
    assert "- note (optional): string, at most 5 characters or null" in text
    assert "metadata" not in text
    assert codec.example() == {"move": "stay", "coast": 10}
    assert codec.parse(text.rpartition("For example: ")[2]) == codec.example()


def test_a_schema_that_is_none() -> None:
    with pytest.raises(CodecError, match="no JSON schema"):
        Codec({"properties": {"a": {"type": "whatever"}}}, {})


class Fetch(BaseModel):
    model_config = ConfigDict(extra="forbid")
    do: Literal["fetch"] = "fetch"
    name: str


class Leave(BaseModel):
    model_config = ConfigDict(extra="forbid")
    do: Literal["leave"] = "leave"


class Either(RootModel[Annotated[Fetch | Leave, Field(discriminator="do")]]):
    """An action that is one of two models, without one around them."""


def test_a_union_of_models_at_the_top_is_told_by_its_models() -> None:
    codec = Codec(Either.model_json_schema(), {})
    told = codec.instructions()
    assert '- object {"do": "fetch"; "name": string}\n- object {"do": "leave"}' in told
    example = codec.example()
    Either.model_validate(example)
    assert codec.parse(json.dumps(example)) == example
    assert codec.parse('{"do": "leave"}') == {"do": "leave"}
    with pytest.raises(CodecError, match="name: required, and missing"):
        codec.parse('{"do": "fetch"}')
    with pytest.raises(CodecError, match="no such field"):
        codec.parse('{"do": "leave", "name": "x"}')
