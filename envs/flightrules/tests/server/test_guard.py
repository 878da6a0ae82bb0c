"""Whatever is sent, the guard answers with a JSON object or with a refusal in words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flightrules.server.guard import MESSAGE_MAX, UnusableMessageError, parse_object

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=20,
)


@given(st.text() | st.binary() | JSON.map(json.dumps))
def test_an_object_or_a_refusal(raw: str | bytes) -> None:
    try:
        value = parse_object(raw)
    except UnusableMessageError as error:
        assert 0 < len(str(error)) < 300
        assert str(error).isprintable()
    else:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()


@given(
    st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers() | st.text())
)
def test_a_sound_object_passes_unchanged(value: dict[str, object]) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return
    assert parse_object(json.dumps(value)) == value


@pytest.mark.parametrize(("length", "fits"), [(MESSAGE_MAX, True), (MESSAGE_MAX + 1, False)])
def test_the_longest_message(length: int, fits: bool) -> None:
    raw = '{"x": "' + "x" * (length - 9) + '"}'
    assert len(raw) == length
    if fits:
        assert parse_object(raw)
    else:
        with pytest.raises(UnusableMessageError) as caught:
            parse_object(raw)
        assert caught.value.status == 413
