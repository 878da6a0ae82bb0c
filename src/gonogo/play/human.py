"""The fly station: one episode flown by a human, as a policy of the engine that flies everybody else.

A line that is no action is answered with the rule it broke and asked again: a typo is not a decision.
What the environment refuses is one. The way out is a reply that leaves the episode, whichever way the
human goes: ``:quit``, the end of input, Ctrl-C at the prompt or while the environment steps.

A flight is one line in a file of episodes, as ``gonogo rollout`` writes it, so ``gonogo replay`` proves
its rewards. A flight that was left is a line too: with its turns, an error that says so, and no return,
because what was not finished was not scored. Nothing that the file held before is touched.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.errors import CodecError, MissingRecord, Misuse, StaleRecord
from gonogo.play.form import Form, word_of
from gonogo.play.prompt import Ask, asking_stdin
from gonogo.play.screen import Screen, plain
from gonogo.records.files import append_text
from gonogo.records.provenance import EpisodeFingerprint
from gonogo.records.record import Verdict
from gonogo.records.terminal import Terminal
from gonogo.rollouts.builtin_policies import Stateless
from gonogo.rollouts.episodes import SCHEMA, Episode, read_episodes
from gonogo.rollouts.types import Reply, View
from gonogo.runners.runner import flown_with
from gonogo.wire import Action

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PROMPT_CHARS = 24


class Human(Stateless):
    """A policy that shows what there is to see and asks for what to do; flies one episode at a time.

    Args:
        form: How a line becomes an action.
        ask: Asks for a line.
        screen: What is shown.
    """

    name = "human"

    def __init__(self, form: Form, ask: Ask, screen: Screen) -> None:
        self._form, self._ask, self._screen = form, ask, screen
        self._last: Action = {}
        self._asking = False
        self._leaving = False

    def begin(self, slots: Iterable[int]) -> None:
        """Forget the last action: nothing carries over from an episode to the next."""
        self._last = {}

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """Show each view and ask until there is an action."""
        return {slot: self._decide(view) for slot, view in views.items()}

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
                line = self._ask(self._prompt(view)).strip()
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


BEGINNING = json.dumps({"schema": SCHEMA}).removesuffix("}").encode()


def run(run: RunConfig, file: Path) -> Verdict:
    """Let a human fly the first of the run's evaluation tasks.

    Args:
        run: The config; its ``evaluation`` says which task.
        file: Where the episode goes, after those that it holds.

    Returns:
        GO when the episode was flown to its end, HOLD when it was left or lost.

    Raises:
        Misuse: The target is none, or the file holds something else than episodes.
    """
    env = Env(run.target, run.rollout.model_copy(update={"slots": 1}), run.reward)
    check_file(file)
    means = flown_with(run, env, None)
    with env:
        episode = fly_by_hand(run, env, file, means)
    return Verdict.GO if episode.error is None else Verdict.HOLD


def fly_by_hand(run: RunConfig, env: Env, file: Path, means: EpisodeFingerprint) -> Episode:
    """One episode; it is written before its end is shown, with what it was flown with."""
    form = Form(env.schemas.action)
    screen = Screen(Terminal(), env.codec, form, env.schemas, run.rollout.max_turns)
    human = Human(form, asking_stdin(form), screen)

    def keep(episode: Episode) -> None:
        episode.flown_with = means
        append_text(file, episode.to_json())

    with human.leaving_on_signals():
        (episode,) = env.rollout(human, run.evaluation.tasks()[:1], on_episode=keep)
    screen.end(episode, file)
    return episode


def check_file(file: Path) -> None:
    """Find out before the flight, not after it, that the file cannot take the episode.

    Raises:
        Misuse: It holds something else, or cannot be written.
    """
    existed = file.exists()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a+b") as opened:
            opened.seek(0)
            tail = opened.read().rpartition(b"\n")[2]
        if existed:
            list(read_episodes(file))
        else:
            file.unlink()
    except OSError as error:
        raise Misuse(f"--file must be a file that can be written, not {file}: {error}") from None
    except (MissingRecord, StaleRecord) as error:
        raise Misuse(f"--file must hold episodes or nothing: {error}") from None
    # A line without its end is cut off when the episode is appended: only an episode's may be.
    if not (tail.startswith(BEGINNING) or BEGINNING.startswith(tail)):
        raise Misuse(f"--file must hold episodes or nothing: {file} ends in {tail[:80]!r}")
