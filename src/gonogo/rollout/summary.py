"""From episodes to numbers: what each policy scored, and how they compare.

All numbers come from the columns under ``flown``, which the record carries too, so that whoever has
the record can compute everything again. An episode that infrastructure lost, or for whose actions the
environment gave no reward, has no score: it is counted, left out of its policy's numbers, and its task is left
out of every comparison in which it would have been half of a pair.

Where an environment says for some episode whether it succeeded, an episode of which it said nothing
(the limit of turns ended it) is no success. Where it never says, there is no success rate.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from gonogo.rollout.episodes import Episode
from gonogo.statistics import (
    RESAMPLES,
    bootstrap_mean,
    compare,
    improvement_percent,
    paired_difference,
    sign_flip,
    wilson,
)

Json = dict[str, Any]

BASELINE, CANDIDATE = "untrained", "trained"
"""The two policies that the verdict is about."""
METHOD = (
    "success: Wilson intervals, exact McNemar; score and differences: percentile bootstrap, paired "
    f"by task, {RESAMPLES} resamples; all intervals 95 %"
)
MOSTLY = 0.5
"""Share of refused actions above which a policy that is no model has not flown the environment."""
ONE_SEED = "one training seed: the interval covers missions only, not the training's own spread"


def summarize(
    episodes: Mapping[str, Sequence[Episode]], pairs: Sequence[tuple[str, str]], seed: int
) -> Json:
    """Every policy's numbers and the comparisons.

    Args:
        episodes: By policy, all in the order of the tasks.
        pairs: Baseline and candidate of each comparison.
        seed: Seed of the resampling; each number has a stream of its own.

    Returns:
        ``policies`` and ``comparisons`` of the record.
    """
    told = any(e.success is not None for flown in episodes.values() for e in flown)
    columns = {name: columns_of(flown, told) for name, flown in episodes.items()}
    return {
        "policies": {
            name: policy_entry(flown, columns[name], stream(seed, name))
            for name, flown in episodes.items()
        },
        "comparisons": [
            comparison(base, columns[base], name, columns[name], stream(seed, base, name))
            for base, name in pairs
        ],
    }


def default_pairs(policies: Sequence[str]) -> list[tuple[str, str]]:
    """Who is compared where nobody said: ``trained``, else the last policy, against each other."""
    candidate = CANDIDATE if CANDIDATE in policies else policies[-1]
    return [(name, candidate) for name in policies if name != candidate]


def choose_pair(policies: Sequence[str]) -> tuple[str, str]:
    """Who stands on the left and who on the right."""
    left = BASELINE if BASELINE in policies else policies[0]
    return left, CANDIDATE if CANDIDATE in policies else policies[-1]


def stream(seed: int, *names: str) -> np.random.Generator:
    """A generator for one number, so that no number depends on which others were computed."""
    return np.random.default_rng([seed, *(zlib.crc32(name.encode()) for name in names)])


def columns_of(episodes: Sequence[Episode], told: bool) -> Json:
    """What the statistics need of each episode, in the order of the tasks; None where not scored."""
    scores = [score_of(episode) for episode in episodes]
    success = [
        None if score is None or not told else episode.success is True
        for episode, score in zip(episodes, scores, strict=True)
    ]
    return {
        "score": scores,
        "success": success,
        "turns": [len(episode.turns) for episode in episodes],
        "invalid": [episode.invalid_count for episode in episodes],
        "timeout": [episode.timeout for episode in episodes],
        **outgrown(episodes),
    }


def outgrown(episodes: Sequence[Episode]) -> Json:
    """Which episodes outgrew the model's context, where one did."""
    column = [episode.context_overflow for episode in episodes]
    return {"context_overflow": column} if any(column) else {}


def score_of(episode: Episode) -> float | None:
    """The return of an episode that was scored; None for one that was lost or never paid for."""
    value = episode.episode_return
    return value if episode.error is None and value is not None and math.isfinite(value) else None


def policy_entry(
    episodes: Sequence[Episode], columns: Json, generator: np.random.Generator
) -> Json:
    """One policy in the record."""
    scored = [i for i, score in enumerate(columns["score"]) if score is not None]
    turns = sum(columns["turns"][i] for i in scored)
    success = [columns["success"][i] for i in scored]
    lost = [{"index": e.index, "error": e.error} for e in episodes if e.error is not None]
    full = sum(columns.get("context_overflow", ()))
    return {
        **({"context_overflows": full} if full else {}),
        "decoding": episodes[0].decoding,
        "success": wilson(success).to_json() if scored and None not in success else unknown(scored),
        "score": (
            bootstrap_mean([columns["score"][i] for i in scored], generator).to_json()
            if scored
            else unknown(scored)
        ),
        "components": mean_components([episodes[i] for i in scored]),
        "invalid_rate": sum(columns["invalid"][i] for i in scored) / turns if turns else None,
        "timeout_rate": fmean(columns["timeout"][i] for i in scored) if scored else None,
        "mean_turns": turns / len(scored) if scored else None,
        "episodes": len(scored),
        "unscored": len(episodes) - len(scored) - len(lost),
        "lost": lost,
        "seed": episodes[0].seed,
        "flown": columns,
    }


def unknown(scored: Sequence[int]) -> Json:
    """An estimate of what cannot be estimated."""
    note = "the environment does not say" if scored else "no episode was scored"
    return {"mean": None, "ci95": None, "note": note}


def mean_components(episodes: Sequence[Episode]) -> dict[str, float]:
    """Mean of each reward component over the episodes that have it."""
    names = dict.fromkeys(name for episode in episodes for name in episode.components)
    return {
        name: fmean(e.components[name] for e in episodes if name in e.components) for name in names
    }


def comparison(
    baseline: str, base: Json, candidate: str, other: Json, generator: np.random.Generator
) -> Json:
    """Two policies on the tasks that both have a score for."""
    both = [
        i
        for i, pair in enumerate(zip(base["score"], other["score"], strict=True))
        if None not in pair
    ]
    counts = {"episodes": len(both), "excluded": len(base["score"]) - len(both)}
    first, second = ([side["score"][i] for i in both] for side in (base, other))
    if both and base["success"][both[0]] is not None:
        won, gained = ([side["success"][i] for i in both] for side in (base, other))
        said = compare((baseline, won, first), (candidate, gained, second), generator).to_json()
        return {**said, **counts}
    return {
        "baseline": baseline,
        "candidate": candidate,
        "success_difference": unknown(both),
        "score_difference": (
            paired_difference(first, second, generator).to_json() if both else unknown(both)
        ),
        "improvement_percent": (improvement_percent(fmean(first), fmean(second)) if both else None),
        "mcnemar_p": None,
        "sign_flip_p": sign_flip(first, second, generator) if both else None,
        **counts,
    }


def exclusions(policies: Json) -> list[str]:
    """A sentence for each policy that has episodes without a score."""
    return [
        f"{name}: {len(entry['lost'])} episodes lost by infrastructure and {entry['unscored']} "
        "without a reward, left out of its numbers and of its comparisons"
        for name, entry in policies.items()
        if entry["lost"] or entry["unscored"]
    ]


def oddities(policies: Json) -> list[str]:
    """A sentence for each policy whose numbers mean something else than they seem to.

    That is a model whose context ended episodes, and a policy that is no model and was mostly refused: it is no
    baseline.
    """
    said = [
        f"{name}: {entry['context_overflows']} of its {entry['episodes']} episodes outgrew the model's context and "
        "ended there, scored by what they had been paid until then: raise model.context, or lower rollout.max_turns"
        for name, entry in policies.items()
        if entry.get("context_overflows")
    ]
    return said + [
        f"{name}: {refused_in_words(entry['invalid_rate'])}"
        for name, entry in policies.items()
        if entry["decoding"] is None and (entry["invalid_rate"] or 0.0) > MOSTLY
    ]


def refused_in_words(rate: float) -> str:
    """What it means that a policy which is no model was mostly refused."""
    return f"the environment refused {100 * rate:.0f} % of its actions, so it is no baseline"


def where(record: Json) -> list[str]:
    """The level and the split of the tasks, where there are any."""
    return [f"{key} {record[key]}" for key in ("level", "split") if record[key] is not None]
