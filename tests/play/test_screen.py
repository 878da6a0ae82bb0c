"""What a human sees of any observation, and what not before the end."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from gonogo.play.form import Form
from gonogo.play.screen import SHOWN_ROWS, Screen
from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.types import Schemas, Transition, View

OBSERVATION = {
    "properties": {
        "clock_s": {"type": "integer", "description": "Mission clock."},
        "orders": {"type": "array", "items": {"type": "object"}},
        "reward": {"type": "number", "description": "What it paid."},
    }
}
SEEN = {
    "text": "All [bold]quiet[/bold]\x1b[2J.",
    "orders": [{"id": "D1", "status": "open", "done": False}, {"id": "D2", "time_left_s": 90}],
    "messages": ["first", "second"],
    "clock_s": 120,
    "rate": [0.123456789, -2.0],
    "inner": {"deep": {"x": None}},
    "reward": 77.0,
    "is_success": True,
}


def seen(form: Form, draw: Any) -> str:
    """What one method leaves on the screen."""
    out = io.StringIO()
    schemas = Schemas({}, OBSERVATION, {})
    draw(Screen(Console(file=out, width=120), Codec({}, OBSERVATION), form, schemas, 64))
    return out.getvalue()


def test_an_observation_of_every_kind(form: Form) -> None:
    view = View("unused", SEEN, {}, 3, problem="move: enum [1] (got \x07)")
    said = seen(form, lambda screen: screen.show(view, {"move": "north"}))
    lines = [" ".join(line.split()) for line in said.splitlines()]
    assert "decision 4, 61 left at most" in said
    assert 'last action: {"move": "north"}' in lines
    assert "not accepted: move: enum [1] (got �)" in lines
    assert "│ All [bold]quiet[/bold]�[2J. │" in lines
    assert "orders id status done time_left_s" in lines
    assert "D1 open false –" in lines
    assert "D2 – – 90" in lines
    assert lines[lines.index("messages first") + 1] == "second"
    assert "rate [0.123457, -2]" in lines
    assert "inner deep x –" in lines
    assert said.index("clock_s") < said.index("orders"), "the schema's order"


@pytest.mark.parametrize("word", ["reward", "success", "77"])
def test_nothing_tells_the_reward_before_the_end(form: Form, word: str) -> None:
    assert word not in seen(form, lambda screen: screen.show(View("", SEEN, {}, 0), {}))


def test_what_would_fill_the_screen_is_cut(form: Form) -> None:
    large = {"image": [0] * 100_000, "rows": [{"n": n} for n in range(1000)], "said": "x" * 9999}
    said = seen(form, lambda screen: screen.show(View("", large, {}, 0), {}))
    assert "(300000 characters)" in said
    assert "(9999 characters)" in said
    assert f"{1000 - SHOWN_ROWS} rows more" in said
    assert len(said) < 50_000


def test_depth_is_shown_as_far_as_it_reads(form: Form) -> None:
    deep: dict[str, Any] = {"end": 1}
    for _ in range(150):
        deep = {"in": deep}
    said = seen(form, lambda screen: screen.show(View("", {"deep": deep}, {}, 0), {}))
    assert '{"in": {"in": ' in said


def test_help_says_what_can_be_typed(form: Form) -> None:
    said = " ".join(seen(form, lambda screen: screen.help()).split())
    assert 'move required one of "north", "south", "far south" Where to' in said
    assert "coast required integer, at least 10, at most 600" in said
    assert "note optional string, at most 5 characters or null" in said
    assert "clock_s integer Mission clock." in said
    assert "Write <move> <coast>, or field=value words" in said
    assert "What it paid" not in said


def test_the_end_says_what_was_paid(form: Form) -> None:
    episode = Episode(0, {}, "t", "human", turns=[Turn("", {}, reward=0.25, done=True)])
    last = Transition({"clock_s": 9}, 0.25, True, {"success": True, "components": {"reach": 1}})
    episode.close(last, out_of_turns=False, error=None)
    said = seen(form, lambda screen: screen.end(episode, Path("flown.jsonl")))
    lines = [" ".join(line.split()) for line in said.splitlines()]
    for line in ("clock_s 9", "ended by an outcome", "return 0.25", "reach 1", "success yes"):
        assert line in lines
    assert "written to flown.jsonl" in lines


def test_what_was_left_is_called_so_and_has_no_score(form: Form) -> None:
    turn = Turn("", {}, invalid="the forbidden word", reward=0.25)
    episode = Episode(0, {}, "t", "human", turns=[turn])
    episode.close(Transition({}, None, False), out_of_turns=False, error="left unfinished")
    said = seen(form, lambda screen: screen.end(episode, Path("f")))
    lines = [" ".join(line.split()) for line in said.splitlines()]
    assert "not accepted: the forbidden word" in lines
    assert "ended left unfinished" in lines
    assert "return not scored" in lines
    assert "success not said" in lines
    assert "decisions 1, of which 1 not accepted" in lines
