"""Who is paid for an episode: advantages of a group of episodes of the same task.

Two ways, chosen by config. *Episode*: every token of an episode gets its return, less the group's
mean, divided by the group's spread. *Turn*: the tokens of turn ``t`` get the return-to-go

    G_t = return - penalty * share of invalid replies + weight * (potential at the end - before t)

less the mean of the group's episodes that got to turn ``t``, divided by the group's mean spread over
turns. The potential is a bounded function of the state, so its change says which turns came closer to
the goal without paying for any particular way. One scale for all turns keeps a turn at which nothing
was decided from being blown up.

A lost episode is no evidence: it takes no part in means and its advantages are 0. The penalty for
invalid replies is the trainer's own and is never part of a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gonogo.rollout.episodes import Episode

__all__ = ["Credit", "advantages", "returns_to_go"]

EPSILON = 1e-4
"""Added to a spread before dividing: a group without differences teaches nothing, and no noise."""


@dataclass(frozen=True, slots=True)
class Credit:
    """How advantages are made.

    Attributes:
        kind: ``episode`` or ``turn``.
        invalid_penalty: Subtracted times the share of invalid replies.
        potential_weight: Weight of the potential's change; unused for ``episode``.
    """

    kind: Literal["episode", "turn"]
    invalid_penalty: float
    potential_weight: float


def returns_to_go(episode: Episode, credit: Credit) -> NDArray[np.float64] | None:
    """(turns,) what is still to be earned at each turn; None for an episode that cannot be scored."""
    turns = len(episode.turns)
    if episode.error is not None or episode.episode_return is None or turns == 0:
        return None
    total = episode.episode_return - credit.invalid_penalty * episode.invalid_count / turns
    to_go = np.full(turns, total)
    if credit.kind == "turn":
        after = [turn.potential for turn in episode.turns]
        potentials = [episode.potential_at_start, *after]
        known = [value for value in potentials if value is not None]
        if len(known) == len(potentials):
            to_go += credit.potential_weight * (known[-1] - np.array(known[:-1]))
    return to_go


def advantages(group: Sequence[Episode], credit: Credit) -> list[NDArray[np.float64]]:
    """Advantages of the turns of each episode of one task.

    Args:
        group: Episodes of the same task.
        credit: How.

    Returns:
        For each episode (turns,) numbers.
    """
    to_go = [returns_to_go(episode, credit) for episode in group]
    scored = [values for values in to_go if values is not None]
    longest = max((len(values) for values in scored), default=0)
    table = np.full((len(scored), longest), np.nan)  # (episodes, turns)
    for row, each in enumerate(scored):
        table[row, : len(each)] = each
    if credit.kind == "episode":
        table = table[:, :1]
    counts = (~np.isnan(table)).sum(axis=0)
    shared = counts >= 2  # at the others nothing can be compared
    means = np.zeros(table.shape[1])
    means[shared] = np.nanmean(table[:, shared], axis=0)
    spreads = np.nanstd(table[:, shared], axis=0)
    scale = (float(spreads.mean()) if spreads.size else 0.0) + EPSILON
    out = []
    for episode, values in zip(group, to_go, strict=True):
        turns = len(episode.turns)
        if values is None:
            out.append(np.zeros(turns))
        elif credit.kind == "episode":
            out.append((values - means[0]) / scale * shared[0])
        else:
            out.append((values - means[:turns]) / scale * shared[:turns])
    return out
