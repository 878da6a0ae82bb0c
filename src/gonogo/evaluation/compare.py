"""What two flights of an episode are held against: rewards, bit for bit."""

from __future__ import annotations

import struct

from gonogo.rollouts.episodes import Episode

__all__ = ["bits", "compare", "name_of"]


def compare(old: Episode, new: Episode) -> str | None:
    """The first difference between an episode and its replay, or None.

    An episode that the limit of turns ended is compared as far as it was recorded.
    """
    if new.error is not None:
        return None
    for number, (a, b) in enumerate(zip(old.turns, new.turns, strict=False)):
        if bits(a.reward) != bits(b.reward):
            return f"{name_of(old)}, turn {number}: reward {a.reward!r} recorded, {b.reward!r} now"
        if a.done != b.done:
            return f"{name_of(old)}, turn {number}: done {a.done} recorded, {b.done} now"
    return None


def bits(reward: float | None) -> bytes | None:
    """A reward's bits, so that 0.0 and -0.0 differ; None for none."""
    return None if reward is None else struct.pack("<d", reward)


def name_of(episode: Episode) -> str:
    """An episode in words."""
    return f"episode {episode.index} of {episode.policy}"
