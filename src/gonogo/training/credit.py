"""Who is paid for an episode: advantages of a group of episodes of the same task.

Three ways, chosen by config. *Episode*: every token of an episode gets its return, less the mean of its
group. *Turn*: the tokens of turn ``t`` get the return-to-go

    G_t = rewards from t on - penalty * share of invalid replies + weight * (potential at the end - before t)

less the mean of the group's episodes that got to turn ``t``. The potential is a bounded function of the
state, so its change says which turns came closer to the goal without paying for any particular way.

*GiGPO*, group in group (Feng, Xue, Liu, An 2025, arXiv 2505.10978): the tokens of turn ``t`` of episode ``i`` get

    A(a_t) = A_E(i) + omega * A_S(a_t),    A_S(a_t) = (R_t - mean of R over the turns with a_t's anchor) / norm
    R_t = sum over k >= t of gamma ** (k - t) * r_k

where ``A_E`` is the advantage by episode, ``r_k`` the reward of turn ``k`` (less the penalty for an invalid
reply), and an *anchor* is a state that a group's episodes may share, whenever they come by: what was done
there can be compared. The anchor is a value that the environment puts into its metadata, such as
coarse telemetry; where it offers none, the text that was seen, which fits environments whose states repeat
exactly. Where no anchor repeats this is the advantage by episode.

What is left after means are taken is divided by one number for the whole step, the mean spread over groups and
turns or, for ``A_S``, over shared anchors: a task that all of a group fail, or a turn at which nothing was decided, is
not blown up to the size of one that made the difference. (The paper's ``norm`` is the spread of each group, or 1.)

A lost episode is no evidence: it takes no part in means and its advantages are 0. The penalty for
invalid replies is the trainer's own and is never part of a score.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gonogo.rollouts.episodes import Episode, Turn

EPSILON = 1e-4
"""Added to the spread before dividing: a step without differences teaches nothing, and no noise."""


@dataclass(frozen=True, slots=True)
class Credit:
    """How advantages are made.

    Attributes:
        kind: ``episode``, ``turn`` or ``gigpo``.
        invalid_penalty: Subtracted times the share of invalid replies.
        potential_weight: Weight of the potential's change; for ``turn`` only.
        step_weight: Omega, weight of what turns with the same anchor differ by; for ``gigpo`` only.
        discount: Gamma, by which a reward counts less for each turn that it is away; for ``gigpo`` only.
    """

    kind: Literal["episode", "turn", "gigpo"]
    invalid_penalty: float
    potential_weight: float = 0.0
    step_weight: float = 1.0
    discount: float = 0.95


def is_scored(episode: Episode) -> bool:
    """Whether an episode is evidence."""
    return episode.error is None and episode.episode_return is not None and bool(episode.turns)


def silence_pays(episodes: Sequence[Episode], invalid_penalty: float) -> str | None:
    """What to raise where an episode of refused replies alone is paid more than one that was flown; else None.

    A refused reply is no step of the environment, so that it costs none of what each step may cost: a reward below
    zero teaches to say nothing, unless the penalty is larger.
    """
    worst = worst_of(episodes)
    if worst is None or (paid := worst.episode_return or 0.0) >= -invalid_penalty:
        return None
    return (
        f"an episode by {worst.policy} was paid {paid:.3g}, and training pays {-invalid_penalty:g} for one whose "
        "replies are all refused: the model may learn to say nothing; raise train.grpo.invalid_penalty above "
        f"{-paid:.3g}"
    )


def worst_of(episodes: Sequence[Episode]) -> Episode | None:
    """The episode that was paid least; None where none was scored."""
    scored = [episode for episode in episodes if is_scored(episode)]
    return min(scored, key=lambda episode: episode.episode_return or 0.0, default=None)


def returns_to_go(episode: Episode, credit: Credit) -> NDArray[np.float64] | None:
    """(turns,) what is still to be earned at each turn; None for an episode that cannot be scored.

    The whole return at each turn for ``episode`` and ``gigpo``.
    """
    if not is_scored(episode):
        return None
    turns = len(episode.turns)
    paid = episode.episode_return or 0.0
    to_go = np.full(turns, paid - credit.invalid_penalty * episode.invalid_count / turns)
    if credit.kind == "turn":
        rewards = [turn.reward or 0.0 for turn in episode.turns]
        to_go[1:] -= np.cumsum(rewards)[:-1]  # what was paid before is no turn's doing any more
        after = [turn.potential for turn in episode.turns]
        potentials = [episode.potential_at_start, *after]
        known = [value for value in potentials if value is not None]
        if len(known) == len(potentials):
            to_go += credit.potential_weight * (known[-1] - np.array(known[:-1]))
    return to_go


def discounted(episode: Episode, credit: Credit) -> NDArray[np.float64]:
    """(turns,) R_t of GiGPO: the rewards from each turn on, each discounted by how far away it is."""
    share = credit.invalid_penalty / max(len(episode.turns), 1)
    out = np.zeros(len(episode.turns))
    following = 0.0
    for number in reversed(range(len(episode.turns))):
        turn = episode.turns[number]
        reward = (turn.reward or 0.0) - share * (turn.invalid is not None)
        following = reward + credit.discount * following
        out[number] = following
    return out


def anchor_of(turn: Turn) -> str:
    """The state that a turn was decided in: the environment's own key, or a hash of the text that was seen."""
    if turn.anchor is not None:
        return turn.anchor
    return hashlib.sha256(turn.text.encode("utf-8", "surrogatepass")).hexdigest()


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
    by_turn = credit.kind == "turn"
    centred, spreads = [], []
    for group in groups:
        to_go = [returns_to_go(episode, credit) for episode in group]
        values, spread = centre(to_go, by_turn=by_turn)
        centred.append(values)
        spreads.append(spread)
    out = scaled(groups, centred, np.concatenate(spreads) if spreads else np.zeros(0))
    if credit.kind != "gigpo":
        return out
    steps = step_advantages(groups, credit)
    return [
        [whole + credit.step_weight * step for whole, step in zip(*pair, strict=True)]
        for pair in zip(out, steps, strict=True)
    ]


def scaled(
    groups: Sequence[Sequence[Episode]],
    centred: Sequence[Sequence[NDArray[np.float64] | None]],
    spreads: NDArray[np.float64],
) -> list[list[NDArray[np.float64]]]:
    """Centred values by the mean spread of the step; zeros for lost episodes."""
    scale = (float(spreads.mean()) if spreads.size else 0.0) + EPSILON
    return [
        [
            np.zeros(len(episode.turns)) if values is None else values / scale
            for episode, values in zip(group, of_group, strict=True)
        ]
        for group, of_group in zip(groups, centred, strict=True)
    ]


def step_advantages(
    groups: Sequence[Sequence[Episode]], credit: Credit
) -> list[list[NDArray[np.float64]]]:
    """A_S of GiGPO, shaped as :func:`advantages` is; 0 at a turn whose anchor no other turn of its group has."""
    centred: list[list[NDArray[np.float64] | None]] = []
    spreads = []
    for group in groups:
        values = [discounted(episode, credit) if is_scored(episode) else None for episode in group]
        places = defaultdict(list)  # anchor -> (episode, turn)
        for number, episode in enumerate(group):
            if values[number] is not None:
                for turn, decided in enumerate(episode.turns):
                    places[anchor_of(decided)].append((number, turn))
        of_group = [None if each is None else np.zeros(len(each)) for each in values]
        for shared in places.values():
            found = np.array([at(values, place) for place in shared])
            if len(found) < 2:
                continue
            spreads.append(found.std())
            for (number, turn), value in zip(shared, found - found.mean(), strict=True):
                row = of_group[number]
                if row is not None:
                    row[turn] = value
        centred.append(of_group)
    return scaled(groups, centred, np.array(spreads))


def at(values: Sequence[NDArray[np.float64] | None], place: tuple[int, int]) -> float:
    """The value of one turn of an episode that was scored."""
    row = values[place[0]]
    return math.nan if row is None else float(row[place[1]])


def centre(
    to_go: Sequence[NDArray[np.float64] | None], *, by_turn: bool
) -> tuple[list[NDArray[np.float64] | None], NDArray[np.float64]]:
    """Returns-to-go of a group less the group's mean, and the spreads that were found.

    Args:
        to_go: (turns,) for each episode, or None for a lost one.
        by_turn: Whether means are taken over each turn or over episodes.

    Returns:
        Centred values in the same order, and the standard deviation of the group or of each turn that at
        least two episodes reached.
    """
    scored = [values for values in to_go if values is not None]
    longest = max((len(values) for values in scored), default=0)
    table = np.full((len(scored), longest), np.nan)  # (episodes, turns)
    for row, each in enumerate(scored):
        table[row, : len(each)] = each if by_turn else each[0]
    if not by_turn:  # every episode counts at every turn, however short it was
        table[:] = np.nanmax(table, axis=1, keepdims=True) if table.size else table
    shared = (~np.isnan(table)).sum(axis=0) >= 2  # elsewhere nothing can be compared
    means = np.zeros(longest)
    means[shared] = np.nanmean(table[:, shared], axis=0)
    spreads = np.nanstd(table[:, shared], axis=0)
    out = [
        None if values is None else (values - means[: len(values)]) * shared[: len(values)]
        for values in to_go
    ]
    return out, spreads if by_turn else spreads[:1]
