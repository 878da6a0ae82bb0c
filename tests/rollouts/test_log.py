"""Episodes on the disk: what is whole stays, what a crash tore or infrastructure lost goes."""

from __future__ import annotations

from pathlib import Path

from gonogo.rollouts.episodes import Episode, Turn, read_episodes
from gonogo.rollouts.log import open_kept
from gonogo.rollouts.types import Tokens

TASKS = [{"seed": n} for n in range(3)]


def line(seed: int, error: str | None = None) -> str:
    turns = [Turn("seen", {}, reply="said", counted=(12, 3))]
    return Episode(seed, {"seed": seed}, "t", "p", turns=turns, error=error).to_json() + "\n"


def test_whole_episodes_are_kept_and_the_rest_is_missing(tmp_path: Path) -> None:
    first = open_kept("p", tmp_path, "a" * 64)
    assert first.missing(TASKS) == dict(enumerate(TASKS))
    first.path.write_text(line(2) + line(0, error="lost") + line(1)[:20])
    kept = open_kept("p", tmp_path, "a" * 64)
    assert kept.missing(TASKS) == {0: TASKS[0], 1: TASKS[1]}
    assert kept.path.read_text() == line(2)
    flown = [Episode(9, TASKS[n], "t", "p") for n in (1, 0)]
    ordered = kept.in_order(TASKS, flown)
    assert [(episode.index, episode.task["seed"]) for episode in ordered] == [
        (0, 0),
        (1, 1),
        (2, 2),
    ]
    assert ordered[2].turns[0].counted == (12, 3)


def test_a_kept_episode_has_its_tokens_and_no_log_probabilities(tmp_path: Path) -> None:
    turn = Turn("seen", {}, reply="said", tokens=Tokens((1, 2), (3,), (-0.5,)))
    flown = Episode(0, TASKS[0], "t", "p", turns=[turn])
    log = open_kept("p", tmp_path / "new", "a" * 64)
    with log.writing() as write:
        write(flown)
        (kept,) = read_episodes(log.path)
    assert kept.turns[0].tokens == Tokens((1, 2), (3,), ())
    assert turn.tokens == Tokens((1, 2), (3,), (-0.5,))


def test_another_fingerprint_takes_the_file_away(tmp_path: Path) -> None:
    old = open_kept("p", tmp_path, "a" * 64)
    old.path.write_text(line(0))
    assert open_kept("p", tmp_path, "b" * 64).kept == {}
    assert not old.path.exists()
