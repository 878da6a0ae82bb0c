"""Lines are taken from the front of a buffer, so many at once or none."""

from __future__ import annotations

import pytest

from gonogo.env.json_lines import take_lines


@pytest.mark.parametrize(
    ("said", "count", "taken", "left"),
    [
        (b'{"a": 1}\n{"b"', 1, b'{"a": 1}\n', b'{"b"'),
        (b"1\n2\n3\n", 2, b"1\n2\n", b"3\n"),
        (b"\n\n", 1, b"\n", b"\n"),
        (b"1\n2", 2, None, b"1\n2"),
        (b"", 1, None, b""),
        (b"1\n", 0, b"", b"1\n"),
    ],
)
def test_so_many_lines_or_none(said: bytes, count: int, taken: bytes | None, left: bytes) -> None:
    buffer = bytearray(said)
    assert take_lines(buffer, count) == taken
    assert bytes(buffer) == left
