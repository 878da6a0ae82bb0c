"""Who is paid for an episode: advantages of a group of episodes of the same task.

Two ways, chosen by config. *Episode*: every token of an episode gets its return, less the mean of its
group. *Turn*: the tokens of turn ``t`` get the return-to-go

    G_t = return - penalty * share of invalid replies + weight * (potential at the end - before t)

less the mean of the group's episodes that got to turn ``t``. The potential is a bounded function of the
state, so its change says which turns came closer to the goal without paying for any particular way.

Both are divided by one number for the whole step, the mean spread over groups and turns: a task that
all of a group fail, or a turn at which nothing was decided, is not blown up to the size of one that
made the difference.

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
"""Added to the spread before dividing: a step without differences teaches nothing, and no noise."""


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


def advantages(
    groups: Sequence[Sequence[Episode]], credit: Credit
) -> list[list[NDArray[np.float64]]]:
    """Advantages of the turns of each episode of a step.

    Args:
        groups: For each task of the step, its episodes.
        credit: How.

    Returns:
        For each group, for each of its episodes, (turns,) numbers.
    """
    centred, spreads = [], []
    for group in groups:
        values, spread = centre([returns_to_go(episode, credit) for episode in group], credit.kind)
        centred.append(values)
        spreads.append(spread)
    known = np.concatenate(spreads) if spreads else np.zeros(0)
    scale = (float(known.mean()) if known.size else 0.0) + EPSILON
    return [
        [
            np.zeros(len(episode.turns)) if values is None else values / scale
            for episode, values in zip(group, of_group, strict=True)
        ]
        for group, of_group in zip(groups, centred, strict=True)
    ]


def centre(
    to_go: Sequence[NDArray[np.float64] | None], kind: Literal["episode", "turn"]
) -> tuple[list[NDArray[np.float64] | None], NDArray[np.float64]]:
    """Returns-to-go of a group less the group's mean, and the spreads that were found.

    Args:
        to_go: (turns,) for each episode, or None for a lost one.
        kind: Whether means are taken over episodes or over each turn.

    Returns:
        Centred values in the same order, and the standard deviation of the group (``episode``) or of
        each turn that at least two episodes reached.
    """
    scored = [values for values in to_go if values is not None]
    longest = max((len(values) for values in scored), default=0)
    table = np.full((len(scored), longest), np.nan)  # (episodes, turns)
    for row, each in enumerate(scored):
        table[row, : len(each)] = each[0] if kind == "episode" else each
    if kind == "episode":  # every episode counts at every turn, however short it was
        table[:] = np.nanmax(table, axis=1, keepdims=True) if table.size else table
    shared = (~np.isnan(table)).sum(axis=0) >= 2  # elsewhere nothing can be compared
    means = np.zeros(longest)
    means[shared] = np.nanmean(table[:, shared], axis=0)
    spreads = np.nanstd(table[:, shared], axis=0)
    out = [
        None if values is None else (values - means[: len(values)]) * shared[: len(values)]
        for values in to_go
    ]
    return out, spreads[:1] if kind == "episode" else spreads
