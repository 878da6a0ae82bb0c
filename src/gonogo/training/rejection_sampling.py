"""A model as its own teacher: its sampled episodes, the best of each stage kept, for any environment that scores."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Sequence

from gonogo.errors import Misuse
from gonogo.rollouts.episodes import Episode

__all__ = ["SELF", "best_of"]

SELF = "self"
COUNTERS = ("index", "seed")


def best_of(episodes: Sequence[Episode], share: float) -> list[Episode]:
    """The best episodes by their score, of each stage as many; none that is not better than the stage's worst.

    Args:
        episodes: All that were flown; lost and unscored ones are never kept.
        share: Of each stage's scored episodes; rounded up.

    Returns:
        In the order that they came in.

    Raises:
        Misuse: In no stage is an episode better than another: there is nothing to choose.
    """
    stages: dict[str, list[Episode]] = defaultdict(list)
    for episode in episodes:
        if episode.error is None and episode.episode_return is not None:
            fixed = {name: v for name, v in episode.task.items() if name not in COUNTERS}
            stages[json.dumps([episode.target, fixed], sort_keys=True)].append(episode)
    kept = set()
    for flown in stages.values():
        worst = min(score_of(episode) for episode in flown)
        ranked = sorted(flown, key=score_of, reverse=True)[: math.ceil(share * len(flown))]
        kept |= {id(episode) for episode in ranked if score_of(episode) > worst}
    if not kept:
        scored = sum(map(len, stages.values()))
        raise Misuse(
            f"train.sft.teacher self: none of the model's {scored} scored episodes of {len(episodes)} is better "
            "than another of its stage, so that there is nothing to choose: give a teacher, or easier stages"
        )
    return [episode for episode in episodes if id(episode) in kept]


def score_of(episode: Episode) -> float:
    """An episode's score; only scored ones are asked for it."""
    return episode.episode_return or 0.0
