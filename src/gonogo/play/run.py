"""The fly station: one episode flown by a human, through the engine that flies everybody else.

A flight is one line in a file of episodes, as ``gonogo rollout`` writes it, so ``gonogo replay`` proves
its rewards. A flight that was left is a line too: with its turns, an error that says so, and no return,
because what was not finished was not scored. Nothing that the file held before is touched.
"""

from __future__ import annotations

import json
from pathlib import Path

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.errors import MissingRecord, Misuse, StaleRecord
from gonogo.play.form import Form
from gonogo.play.human import Human
from gonogo.play.lines import open_lines
from gonogo.play.screen import Screen
from gonogo.records.files import append_text
from gonogo.records.provenance import EpisodeFingerprint
from gonogo.records.record import Verdict
from gonogo.records.terminal import Terminal
from gonogo.rollouts.episodes import SCHEMA, Episode, read_episodes
from gonogo.runners.open import flown_with

__all__ = ["run"]

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
    human = Human(form, open_lines(form), screen)

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
