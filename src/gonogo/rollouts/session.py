"""One slot's episode, as far as its identity goes: is the step just answered a step of this episode?

OpenEnv answers a step on a dropped and reopened socket, a recycled session or a shared instance as
if nothing had happened. The only witnesses are ``episode_id`` and ``step_count`` of the state, so
each transport reports them after every reset and step, and a :class:`Session` holds them against
what went before. It keeps nothing else: observations, rewards and retries belong elsewhere.

The rule has to be sound for environments that nobody here wrote. Some give no id, some give every
episode the same one, some count refused actions and some don't count at all. Therefore:

1. ``episode_id`` is the one that the reset gave.
2. ``step_count`` never goes back.
3. An environment that counted its first accepted step as one counts no later step as more: the
   extra step was somebody else's. A refused action may be counted with the next accepted one: an
   error may have come between the count and the state that shows it.
4. Where the id tells nothing (absent, or the same as the episode's before), a count that stays at
   one over an accepted step is what a reset in between looks like, and is taken for it. Above one,
   or past the episode's end, a count that stands still is the environment's own affair.

An id that is no text and a count that is no whole number say nothing: they are taken as absent. That they
break the contract of the state is a finding of the map, which reads the state itself.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Identity", "Session", "identity_of"]

Identity = tuple[str | None, int | None]
"""``(episode_id, step_count)`` of a state; None for what the environment does not say."""


def identity_of(episode_id: Any, step_count: Any) -> Identity:
    """What a state's two fields say, whatever they hold: a foreign environment may put anything there.

    Args:
        episode_id: Counts only as a text.
        step_count: Counts only as a whole number, which a truth value is not.
    """
    said = episode_id if isinstance(episode_id, str) else None
    return said, step_count if type(step_count) is int else None


class Session:
    """The identity of the episode in one slot, from its reset on.

    Args:
        identity: What the state said right after the reset; None where it offers no state.
        previous_id: The id of the slot's episode before, to know whether ids tell episodes apart.
    """

    __slots__ = ("_accepted", "_by_one", "_count", "_id_tells", "_uncounted", "episode_id")

    def __init__(self, identity: Identity | None, previous_id: str | None = None) -> None:
        self.episode_id, self._count = identity if identity is not None else (None, None)
        self._id_tells = self.episode_id is not None and self.episode_id != previous_id
        self._accepted = self._uncounted = 0
        self._by_one = False

    def check(
        self, identity: Identity | None, *, refused: bool = False, ended: bool = False
    ) -> str | None:
        """Hold the state after a step against the episode.

        Args:
            identity: What the state says after the step; None where it said nothing.
            refused: Whether the environment refused the action. It may or may not have counted it.
            ended: Whether the episode had ended before the step, which then need not count either.

        Returns:
            What is wrong, as a sentence; None where the step belongs to the episode.
        """
        if identity is None:
            if self._count is None and self.episode_id is None:
                return None
            return "the state, given at reset, can no longer be read"
        episode_id, count = identity
        if episode_id != self.episode_id:
            return (
                f"episode_id changed from {self.episode_id!r} to {episode_id!r} within the episode"
            )
        if count is None or self._count is None:
            return None if count is self._count else "step_count came or went within the episode"
        before, self._count = self._count, count
        if refused:
            self._uncounted += count == before
        elif count >= before:
            return self._check_advance(before, count, ended)
        return None if count >= before else f"step_count went back from {before} to {count}"

    def _check_advance(self, before: int, count: int, ended: bool) -> str | None:
        """Rules 3 and 4, for a step that the environment accepted."""
        self._accepted += 1
        late, self._uncounted = self._uncounted, 0
        if self._accepted == 1:
            self._by_one = before < count <= before + 1 + late
            return None
        if self._by_one and count > before + 1 + late:
            return f"step_count went from {before} to {count} in one step"
        if not (self._id_tells or ended) and count == before == 1:
            return "step_count stayed at 1: the environment was reset in between, or does not count"
        return None
