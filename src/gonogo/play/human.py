"""The human as a policy, so that the engine which flies models flies them too.

A line that is no action is answered with the rule it broke and asked again: a typo is not a decision.
What the environment refuses is one. The way out is a reply that leaves the episode, whichever way the
human goes: ``:quit``, the end of input, Ctrl-C at the prompt or while the environment steps.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from gonogo.errors import CodecError
from gonogo.play.form import Form, word_of
from gonogo.play.lines import Lines
from gonogo.play.screen import Screen, plain
from gonogo.rollouts.types import Reply, View
from gonogo.wire import Action

__all__ = ["Human"]

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PROMPT_CHARS = 24


class Human:
    """A policy that shows what there is to see and asks for what to do; flies one episode at a time.

    Args:
        form: How a line becomes an action.
        lines: Where lines come from.
        screen: What is shown.
    """

    name = "human"

    def __init__(self, form: Form, lines: Lines, screen: Screen) -> None:
        self._form, self._lines, self._screen = form, lines, screen
        self._last: Action = {}
        self._asking = False
        self._leaving = False

    def begin(self, slots: Iterable[int]) -> None:
        """Forget the last action: nothing carries over from an episode to the next."""
        self._last = {}

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """Show each view and ask until there is an action."""
        return {slot: self._decide(view) for slot, view in views.items()}

    def end(self, slots: Iterable[int]) -> None:
        """Nothing to free."""

    def close(self) -> None:
        """Nothing to close."""

    @contextmanager
    def leaving_on_signals(self) -> Iterator[None]:
        """Let a signal leave the episode instead of ending the process with the flight unwritten.

        While the environment steps, the first one waits for the step to end; a second one does not.
        """
        before = {number: signal.signal(number, self._on_signal) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._asking or self._leaving:
            raise KeyboardInterrupt
        self._leaving = True
        self._screen.wait()

    def _decide(self, view: View) -> Reply:
        self._screen.show(view, self._last)
        while not self._leaving:
            try:
                self._asking = True
                line = self._lines.ask(self._prompt(view)).strip()
            except (EOFError, KeyboardInterrupt):
                break
            finally:
                self._asking = False
            if line == ":quit":
                break
            if line == ":help":
                self._screen.help()
                continue
            try:
                self._last = self._read(line)
            except CodecError as error:
                self._screen.refuse(str(error))
                continue
            return Reply(action=self._last)
        return Reply(leaves=True)

    def _read(self, line: str) -> Action:
        if not line:
            # An action of nothing but carried values is one slip of the Enter key away.
            raise CodecError(
                "an empty line is no decision; {} sends an action that says nothing new"
            )
        if line.startswith(":"):
            raise CodecError(f"{line}: no such command; there are :help and :quit")
        return self._form.read(line, self._last)

    def _prompt(self, view: View) -> str:
        kept = [f"{k}={in_short(v)}" for k, v in self._form.carried(self._last).items()]
        return f"{' '.join([str(view.turn + 1), *kept])}> "


def in_short(value: Any) -> str:
    """A value in a prompt: one line of a few characters."""
    word = word_of(value).replace("\n", " ")
    return plain(word if len(word) <= PROMPT_CHARS else f"{word[:PROMPT_CHARS]}…").plain
