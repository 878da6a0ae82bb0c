"""Lines become actions strictly: three ways to say the same, one rule for what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from gonogo.errors import CodecError
from gonogo.play.form import Form


@pytest.mark.parametrize(
    "line",
    [
        '{"move": "north", "coast": 60, "note": "7"}',
        "move=north coast=60 note=7",
        "north 60 note=7",
        "note=7 north coast=60",
        "coast=60 north 'note=7'",
    ],
)
def test_every_way_to_write_an_action_says_the_same(form: Form, line: str) -> None:
    assert form.read(line, {}) == {"move": "north", "coast": 60, "note": "7"}


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("note=null", None),
        ("note='a b'", "a b"),
        ("note==", "="),
        ("note=", ""),
        ("quiet=true", True),
        ("at='{\"x\": 1.5}'", {"x": 1.5}),
        ("path='[1, 2]'", [1, 2]),
        ("path=[1]", [1]),
        ("level=2", 2),
        ("mode=slow", "slow"),
        ("tag=5", 5),
        ("tag=five", "five"),
    ],
)
def test_a_word_is_json_where_that_fits_and_else_a_text(form: Form, word: str, value: Any) -> None:
    assert form.read(f"north 60 {word}", {})[word.partition("=")[0]] == value


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("north 5", "coast: minimum 10 (got 5)"),
        ("north 60.5", 'coast: type "integer" (got 60.5)'),
        ("north sixty", 'coast: type "integer" (got "sixty")'),
        ("north", "coast: required, and missing"),
        ("level=3", "move, coast: required, and missing; level: enum [1, 2] (got 3)"),
        ("up 60", 'move: enum ["north", "south", "far south"] (got "up")'),
        ("north 60 70", '"70": a value without a name fills a required field, and those left are'),
        ("north 60 speed=2", '"speed": no such field; the fields are move, coast, mode'),
        ("north 60 metadata={}", '"metadata": no such field'),
        ("move=north move=south", 'field "move" appears twice'),
        (
            "north 60 note=123456",
            'note: must be string, at most 5 characters or null (got "123456")',
        ),
        ("north 60 quiet=True", 'quiet: type "boolean" (got "True")'),
        ("north 60 level=3", "level: enum [1, 2] (got 3)"),
        ("north 60 note='open", "the quotes do not close: No closing quotation"),
        ('{"move": "north"', "not one JSON object"),
        ('{"move": "north", "coast": NaN}', "NaN, which is not JSON"),
        ('{"move": "north", "coast": 60, "coast": 70}', 'field "coast" appears twice'),
        ('{"move": "north", "coast": 60, "at": {"z": 1}}', "at: must be"),
        ("north 60 note=\udc80", "not valid Unicode"),
    ],
)
def test_what_is_wrong_is_named_with_its_rule_and_value(form: Form, line: str, said: str) -> None:
    with pytest.raises(CodecError) as caught:
        form.read(line, {})
    assert said in str(caught.value)


def test_required_fields_keep_their_last_value_and_optional_ones_do_not(form: Form) -> None:
    last = form.read("north 60 note=hi", {})
    assert form.read("coast=90", last) == {"move": "north", "coast": 90}
    assert form.read("south", last) == {"move": "south", "coast": 60}
    assert form.read('{"note": "b"}', last) == {"move": "north", "coast": 60, "note": "b"}
    assert form.read("{}", last) == {"move": "north", "coast": 60}


def test_raw_text_instead_of_the_fields_is_no_field_for_a_human(raw_form: Form) -> None:
    assert list(raw_form.fields) == ["burn", "coast_s"]
    assert raw_form.required == ("burn", "coast_s")
    assert raw_form.read("roll+small 10", {}) == {"burn": "roll+small", "coast_s": 10}
    with pytest.raises(CodecError, match='"reply": no such field'):
        raw_form.read("reply=idle", {})


def test_a_reply_beside_other_fields_is_a_field() -> None:
    properties = {"thread": {"type": "integer"}, "reply": {"type": "string"}}
    form = Form({"properties": properties, "required": ["thread", "reply"]})
    assert form.read("3 'hello there'", {}) == {"thread": 3, "reply": "hello there"}
    alone = Form({"properties": {"reply": {"type": "string"}}, "anyOf": [{"required": ["reply"]}]})
    assert alone.read("hello", {}) == {"reply": "hello"}


def test_one_of_several_forms_has_to_fit_and_none_is_filled_in() -> None:
    properties = {name: {"type": "integer"} for name in "abc"}
    form = Form({"properties": properties, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]})
    assert form.required == ()
    assert form.read("b=1", {"a": 1}) == {"b": 1}
    with pytest.raises(CodecError):
        form.read("c=1", {})


def test_a_schema_that_is_none_is_refused() -> None:
    with pytest.raises(CodecError, match="no JSON schema"):
        Form({"properties": {"a": {"type": "integr"}}})
