"""What is offered at the cursor, in words and in JSON."""

from __future__ import annotations

import pytest

from gonogo.errors import CodecError
from gonogo.play.completion import complete
from gonogo.play.form import Form

NAMES = ["coast=", "mode=", "note=", "quiet=", "at=", "path=", "level=", "tag="]


def offered(form: Form, before: str) -> list[str]:
    """The lines that completing can lead to."""
    found = list(complete(form, before))
    return [before[: len(before) - each.replaces] + each.text for each in found]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("no", ["north", "note="]),
        ("", ["north", "south", "'far south'", "move=", *NAMES]),
        ("coast=60 so", ["coast=60 south"]),
        ("north mode=", ["north mode=slow", "north mode=fast"]),
        ("north 60 qu", ["north 60 quiet="]),
        ("north 60 quiet=t", ["north 60 quiet=true"]),
        ("north level=", ["north level=1", "north level=2"]),
        ("north 60 note='a ", []),
        ("north 60 x=", []),
        ("north north", []),
        (":", [":help", ":quit"]),
        (" :q", [" :quit"]),
        ("north :q", []),
        ("{", ['{"move": ', '{"coast": ', *(f'{{"{name[:-1]}": ' for name in NAMES[1:])]),
        ('{"mo', ['{"move": ', '{"mode": ']),
        ('{"move": ', [f'{{"move": "{where}"' for where in ("north", "south", "far south")]),
        ('{"move": "n', ['{"move": "north"']),
        ('{"move": "north", "mo', ['{"move": "north", "mode": ']),
        ('{"quiet": f', ['{"quiet": false']),
        ('{"level":', ['{"level":1', '{"level":2']),
        ('{"move": "north"', []),
    ],
)
def test_what_is_offered(form: Form, before: str, after: list[str]) -> None:
    assert offered(form, before) == after


def test_whatever_is_offered_is_read(form: Form) -> None:
    for line in offered(form, ""):
        if not line.endswith("="):
            with pytest.raises(CodecError, match="coast: required, and missing"):
                form.read(line, {})
    for line in offered(form, '{"coast": 60, "move": '):
        assert form.read(line + "}", {})["coast"] == 60
