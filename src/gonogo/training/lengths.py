"""How long an episode is before any tokenizer is there: its bytes, and the tokens that they come to at most."""

from __future__ import annotations

from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action

__all__ = ["bytes_of", "most_tokens"]

MARKERS = 16
"""Tokens of a chat template's markers in one turn; a round figure above those of the candidates' templates."""


def bytes_of(episode: Episode) -> int:
    """The bytes of everything that is shown and said in an episode."""
    return sum(
        len(turn.text.encode()) + len(said_in(turn.reply, turn.action).encode())
        for turn in episode.turns
    )


def most_tokens(episode: Episode) -> int:
    """A token for each byte, which no byte-level tokenizer exceeds, and a chat template's markers."""
    return bytes_of(episode) + MARKERS * len(episode.turns)


def said_in(reply: str | None, action: Action | None) -> str:
    """A reply, or the action as a model would write it."""
    if reply is not None:
        return reply
    return "" if action is None else str(action)
