"""Rows of a survey made by hand: who does nothing, who succeeds, and any other."""

from __future__ import annotations

from gonogo.auditing.checks.lapped import Lapped, PaidStep
from gonogo.auditing.survey import REFERENCE, SurveyRow
from gonogo.exploits.panel import Kind
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import Action
from gonogo.wire import JsonObject as Json

SEEDS = range(6)


def row(
    name: str,
    kind: str,
    rewards: list[float],
    *,
    success: bool = False,
    field: str | None = None,
    action: Json | None = None,
    shown: Json | None = None,
    last: Json | None = None,
) -> SurveyRow:
    """The same episode on every seed; observations show the seed and the turn unless told otherwise."""
    episodes = []
    for seed in SEEDS:
        turns = [
            Turn("", shown or {"seed": seed, "turn": n}, action=action or {}, reward=reward)
            for n, reward in enumerate(rewards)
        ]
        episode = Episode(seed, {"seed": seed}, "t", name, turns=turns, success=success)
        episode.episode_return, episode.final_observation = sum(rewards), last or {}
        episodes.append(episode)
    return SurveyRow(name, kind, episodes, field, action)


IDLE = row("idle", Kind.IDLE, [0.0] * 6, action={"text": "", "size": 0})
SOLVED = row("solve", REFERENCE, [0.0] * 5 + [1.0], success=True)


def lapped(lap: list[Action], rewards: list[float]) -> Lapped:
    """A lap after one paid action."""
    episode = row("x", "x", [0.1, *rewards]).episodes[0]
    sent = [lap[-1], *lap * len(rewards)]
    for turn, action in zip(episode.turns, sent, strict=False):
        turn.action = action
    return Lapped(PaidStep({}, (lap[-1],), 0.1, "x"), tuple(lap), episode)


BEGIN: Action = {"op": "begin"}
