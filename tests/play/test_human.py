"""The human as a policy: asked until there is an action, and free to go in every way there is."""

from __future__ import annotations

import io
import os
import signal

import pytest
from rich.console import Console

from gonogo.play.form import Form
from gonogo.play.human import Human
from gonogo.play.lines import StreamLines
from gonogo.play.screen import Screen
from gonogo.rollouts.codec import Codec
from gonogo.rollouts.types import Reply, Schemas, View


class Pilot(Human):
    """A human whose keyboard is a text; ``said`` is what was on the screen beside the prompts."""

    def __init__(self, form: Form, lines: StreamLines) -> None:
        self.out = io.StringIO()
        console = Console(file=self.out, width=200)
        super().__init__(form, lines, Screen(console, Codec({}, {}), form, Schemas({}, {}, {}), 64))
        self.begin([0])

    def decide(self, turn: int = 0) -> Reply:
        return self.act({0: View("", {}, {}, turn)})[0]


def pilot(form: Form, text: str) -> Pilot:
    return Pilot(form, StreamLines(io.StringIO(text)))


def test_a_typo_is_no_decision(form: Form, capsys: pytest.CaptureFixture[str]) -> None:
    human = pilot(form, "north\nnroth 60\n\n:hlep\n:help\nnorth 60\n")
    assert human.decide() == Reply(action={"move": "north", "coast": 60})
    said = human.out.getvalue()
    assert "no decision: coast: required, and missing" in said
    assert 'no decision: move: enum ["north", "south", "far south"] (got "nroth")' in said
    assert "no decision: an empty line is no decision" in said
    assert "no decision: :hlep: no such command" in said
    assert "Where to" in said


def test_the_prompt_shows_what_is_kept(form: Form, capsys: pytest.CaptureFixture[str]) -> None:
    human = pilot(form, "'far south' 60 note=hi\ncoast=90\n{}\n")
    assert human.decide(0).action == {"move": "far south", "coast": 60, "note": "hi"}
    assert human.decide(1).action == {"move": "far south", "coast": 90}
    assert human.decide(2).action == {"move": "far south", "coast": 90}
    prompts = [line for line in capsys.readouterr().out.splitlines() if "> " in line]
    assert prompts[0].startswith("1> ")
    assert prompts[1].startswith("2 move='far south' coast=60> ")
    human.begin([0])
    assert human.decide(0) == Reply(leaves=True)
    assert capsys.readouterr().out.startswith("1> "), "a new episode begins without an action"


def test_a_long_value_is_short_in_the_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    form = Form({"properties": {"say": {"type": "string"}}, "required": ["say"]})
    human = pilot(form, '{"say": "a\\n\\u001b' + "x" * 99 + '"}\n:quit\n')
    human.decide(0)
    human.decide(1)
    assert "2 say='a �" + "x" * 20 + "…> :quit" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", ":quit\nnorth 60\n", "  :quit  \n"])
def test_there_are_ways_out(form: Form, text: str) -> None:
    assert pilot(form, text).decide() == Reply(leaves=True)


class Interrupted(StreamLines):
    """A prompt at which a signal arrives."""

    def ask(self, prompt: str) -> str:
        os.kill(os.getpid(), signal.SIGHUP)
        return super().ask(prompt)


def test_a_signal_leaves_at_the_prompt_and_between_prompts(form: Form) -> None:
    waiting = Pilot(form, Interrupted(io.StringIO("north 60\n")))
    before = signal.getsignal(signal.SIGINT)
    with waiting.leaving_on_signals():
        assert waiting.decide() == Reply(leaves=True)
    stepping = pilot(form, "north 60\n")
    with stepping.leaving_on_signals():
        os.kill(os.getpid(), signal.SIGINT)
        assert "once more loses the flight" in stepping.out.getvalue()
        assert stepping.decide() == Reply(leaves=True)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
