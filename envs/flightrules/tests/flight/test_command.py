"""Commands: what parses, what each mode allows, and that every error says the rule and the value."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flightrules.flight.command import AXES, BURNS, MODES, Command, CommandError, parse_reply

GOOD = {"burn": "pitch-small", "mode": "trim", "coast_s": 60}


def test_there_are_thirteen_burns_and_seven_modes() -> None:
    """The action space of the design."""
    assert len(BURNS) == 13
    assert len(set(BURNS)) == 13
    assert len(MODES) == 7


def test_a_good_reply_parses() -> None:
    """Fields arrive as they were sent."""
    command = parse_reply(json.dumps({**GOOD, "note": "burned"}))
    assert command == Command("pitch-small", "trim", 60, "burned")
    command.check()
    assert command.pulse() == (AXES.index("pitch"), -1.0, MODES["trim"].burn_s["small"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("burn please", "not JSON"),
        ('{"burn": "idle"', "not JSON"),
        ("[1, 2]", "object was expected"),
        ("[" * 100_000, "not JSON"),
        ('{"coast_s": ' + "9" * 5000 + "}", "not JSON"),
        (json.dumps({**GOOD, "thrust": 1}), "unknown field 'thrust'"),
        ('{"burn": "idle", "burn": "idle", "mode": "hold", "coast_s": 60}', "twice"),
        (json.dumps({"burn": "idle", "mode": "hold"}), "missing field coast_s"),
        (json.dumps({**GOOD, "burn": "warp"}), "burn must be one of"),
        (json.dumps({**GOOD, "burn": ["idle"]}), "burn must be one of"),
        (json.dumps({**GOOD, "mode": {"a": 1}}), "mode must be one of"),
        (json.dumps({**GOOD, "coast_s": "60"}), "coast_s must be an integer"),
        (json.dumps({**GOOD, "coast_s": True}), "coast_s must be an integer"),
        (json.dumps({**GOOD, "coast_s": 60.0}), "coast_s must be an integer"),
        (json.dumps({**GOOD, "coast_s": 9}), "from 10 to 600, got 9"),
        (json.dumps({**GOOD, "coast_s": 601}), "from 10 to 600, got 601"),
        ('{"burn": "idle", "mode": "hold", "coast_s": NaN}', "NaN is not a number"),
        ('{"burn": "idle", "mode": "hold", "coast_s": -Infinity}', "-Infinity is not a number"),
        (json.dumps({**GOOD, "note": "x" * 201}), "note must be text of at most 200"),
        (json.dumps({**GOOD, "note": 7}), "note must be text"),
    ],
)
def test_a_bad_reply_says_what_was_wrong(text: str, words: str) -> None:
    """Each rule has its words, and the message stays short whatever was sent."""
    with pytest.raises(CommandError) as caught:
        parse_reply(text)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 250


@given(
    st.text()
    | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(json.dumps)
)
def test_no_reply_raises_anything_else(text: str) -> None:
    """Whatever a model writes is a command or a CommandError."""
    try:
        command = parse_reply(text)
    except CommandError:
        return
    assert command.burn in BURNS


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (Command("roll+small", "slew", 60), "mode slew allows large burns, got roll+small"),
        (Command("roll+large", "trim", 60), "mode trim allows small burns, got roll+large"),
        (Command("roll+large", "hold", 60), "mode hold allows small burns"),
        (Command("yaw+small", "recover", 120), "mode recover allows no burn"),
        (Command("yaw+small", "safe_hold", 120), "mode safe_hold allows no burn"),
        (Command("idle", "recover", 110), "recover needs coast_s of at least 120, got 110"),
        (Command("idle", "brake", 10), "brake needs coast_s of at least 20"),
    ],
)
def test_a_mode_limits_what_is_legal(command: Command, words: str) -> None:
    """Each limit names the mode, the rule and the value."""
    with pytest.raises(CommandError, match=words.replace("+", r"\+")):
        command.check()


@pytest.mark.parametrize("mode", MODES)
def test_idle_is_legal_in_every_mode(mode: str) -> None:
    """Whatever the mode, a drift is possible."""
    Command("idle", mode, 600).check()
