"""What is offered at the cursor; lines from a pipe, and lines typed and completed in prompt_toolkit's own terminal."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from gonogo.errors import CodecError
from gonogo.play.form import Form
from gonogo.play.prompt import asking_stream, complete, terminal_session

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


def test_a_stream_s_lines_are_echoed_and_end(capsys: pytest.CaptureFixture[str]) -> None:
    ask = asking_stream(io.StringIO("north 60\r\n\nsouth \udc80"))
    assert [ask("1> ") for _ in range(3)] == ["north 60", "", "south \udc80"]
    with pytest.raises(EOFError):
        ask("2> ")
    assert capsys.readouterr().out == "1> north 60\n1> \n1> south \\udc80\n2> \n"


def typed(form: Form, keys: str) -> str:
    """What a terminal answers when these keys are struck, with the patience that completing takes."""
    with (
        create_pipe_input() as keyboard,
        create_app_session(input=keyboard, output=DummyOutput()),
        ThreadPoolExecutor() as fingers,
    ):
        session = terminal_session(form)

        def await_text(holds: Callable[[str], bool]) -> str:
            deadline = time.monotonic() + 20
            while not holds(text := session.default_buffer.text):
                assert time.monotonic() < deadline, f"the line stays {text!r}"
                time.sleep(0.01)
            return text

        def strike() -> None:
            *chunks, rest = keys.split("\t")
            before = ""
            for chunk in chunks:
                keyboard.send_text(chunk)
                before = await_text((before + chunk).__eq__)
                keyboard.send_text("\t")
                before = await_text(before.__ne__)
            keyboard.send_text(rest)

        striking = fingers.submit(strike)
        line = session.prompt("> ")
        striking.result()
        return line


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ("north 60\r", "north 60"),
        ("nor\t 60 qu\tt\t\r", "north 60 quiet=true"),
        ('{"mov\t"no\t, "coa\t60}\r', '{"move": "north", "coast": 60}'),
        (":h\t\r", ":help"),
    ],
)
def test_tab_completes_names_and_choices(form: Form, keys: str, line: str) -> None:
    assert typed(form, keys) == line


def test_control_keys_end_the_input(form: Form) -> None:
    with pytest.raises(EOFError):
        typed(form, "\x04")
    with pytest.raises(KeyboardInterrupt):
        typed(form, "nor\x03")
