from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flightrules.errors import OptionError
from flightrules.missions.knobs import Knobs
from flightrules.server.options import NAMES, ResetOptions, check_options

VALUES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers())
)


@given(st.dictionaries(st.sampled_from(NAMES) | st.text(), VALUES))
def test_checked_or_refused_in_words(given_options: dict[str, Any]) -> None:
    try:
        options = check_options(given_options)
    except OptionError as error:
        assert 0 < len(str(error)) < 300
        assert str(error).isascii()
    else:
        assert options.seed is None or type(options.seed) is int
        assert (options.split is None) == (options.index is None)


@pytest.mark.parametrize("name", ["\U00010000" * 1000, *NAMES])
def test_the_longest_value_makes_no_long_message(name: str) -> None:
    with pytest.raises(OptionError) as refused:
        check_options({name: ["\U00010000" * 1000] * 9})
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("given_options", "checked"),
    [
        ({}, ResetOptions()),
        ({"seed": None, "level": None, "split": None}, ResetOptions()),
        ({"seed": 0}, ResetOptions(seed=0)),
        ({"seed": 2**63 - 1, "level": "retarget"}, ResetOptions(seed=2**63 - 1, level="retarget")),
        ({"split": "test", "index": 0}, ResetOptions(split="test", index=0)),
        (
            {"split": "train", "index": 3, "level": "detumble", "episode_id": "e"},
            ResetOptions(split="train", index=3, level="detumble", episode_id="e"),
        ),
        ({"tightness": 1}, ResetOptions(knobs=Knobs(tightness=1.0))),
        (
            {"seed": 0, "horizon_s": 800, "directives": None},
            ResetOptions(seed=0, knobs=Knobs(horizon_s=800)),
        ),
        (
            {"split": "test", "index": 0, "directives": 1, "anomaly": "none"},
            ResetOptions(split="test", index=0, knobs=Knobs(directives=1, anomaly="none")),
        ),
    ],
)
def test_what_is_understood(given_options: dict[str, Any], checked: ResetOptions) -> None:
    assert check_options(given_options) == checked
