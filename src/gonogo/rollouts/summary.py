"""From episodes to numbers: what each policy scored, how they compare, and how many episodes were lost.

All numbers come from the columns under ``flown``, which the record carries too, so that whoever has
the record can compute everything again. An episode that infrastructure lost, or for whose actions the
environment gave no reward, has no score: it is counted, left out of its policy's numbers, and its task is left
out of every comparison in which it would have been half of a pair.

Where an environment says for some episode whether it succeeded, an episode of which it said nothing
(the limit of turns ended it) is no success. Where it never says, there is no success rate.

What is lost is hardly ever lost at random: it is the slow task, the long episode, the action that crashes. So what is
left stands for all tasks only while little is missing.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np

from gonogo.errors import EnvironmentFailure
from gonogo.records.evaluation import EpisodeColumns, LostEpisode, PairedComparison, PolicyResult
from gonogo.records.record import Estimate
from gonogo.records.training import CheckpointState
from gonogo.rollouts.episodes import Episode
from gonogo.statistics import (
    RESAMPLES,
    bootstrap_mean,
    improvement_percent,
    mcnemar,
    paired_difference,
    sign_flip,
    wilson,
)

BASELINE, CANDIDATE = "untrained", "trained"
"""The two policies that the verdict is about."""
METHOD = (
    "success: Wilson intervals, exact McNemar; score and differences: percentile bootstrap, paired "
    f"by task, {RESAMPLES} resamples; all intervals 95 %"
)
MOSTLY = 0.5
"""Share of refused actions above which a policy that is no model has not flown the environment."""
ONE_SEED = "one training seed: the interval covers missions only, not the training's own spread"


@dataclass(frozen=True, slots=True)
class EvaluationNumbers:
    """Every policy's numbers and the comparisons, as a record holds them."""

    policies: dict[str, PolicyResult]
    comparisons: tuple[PairedComparison, ...]


def summarize(
    episodes: Mapping[str, Sequence[Episode]], pairs: Sequence[tuple[str, str]], seed: int
) -> EvaluationNumbers:
    """Every policy's numbers and the comparisons.

    Args:
        episodes: By policy, all in the order of the tasks.
        pairs: Baseline and candidate of each comparison.
        seed: Seed of the resampling; each number has a stream of its own.
    """
    told = any(e.success is not None for flown in episodes.values() for e in flown)
    columns = {name: columns_of(flown, told) for name, flown in episodes.items()}
    return EvaluationNumbers(
        {
            name: policy_entry(flown, columns[name], stream(seed, name))
            for name, flown in episodes.items()
        },
        tuple(
            comparison(base, columns[base], name, columns[name], stream(seed, base, name))
            for base, name in pairs
        ),
    )


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


def columns_of(episodes: Sequence[Episode], told: bool) -> EpisodeColumns:
    """What the statistics need of each episode, in the order of the tasks; None where not scored."""
    scores = tuple(score_of(episode) for episode in episodes)
    overflow = tuple(episode.context_overflow for episode in episodes)
    return EpisodeColumns(
        score=scores,
        success=tuple(
            None if score is None or not told else episode.success is True
            for episode, score in zip(episodes, scores, strict=True)
        ),
        turns=tuple(len(episode.turns) for episode in episodes),
        invalid=tuple(episode.invalid_count for episode in episodes),
        timeout=tuple(episode.timeout for episode in episodes),
        context_overflow=overflow if any(overflow) else None,
    )


def score_of(episode: Episode) -> float | None:
    """The return of an episode that was scored; None for one that was lost or never paid for."""
    value = episode.episode_return
    return value if episode.error is None and value is not None and math.isfinite(value) else None


def policy_entry(
    episodes: Sequence[Episode], columns: EpisodeColumns, generator: np.random.Generator
) -> PolicyResult:
    """One policy in the record."""
    scores = {i: score for i, score in enumerate(columns.score) if score is not None}
    turns = sum(columns.turns[i] for i in scores)
    success = [won for i in scores if (won := columns.success[i]) is not None]
    lost = [LostEpisode(index=e.index, error=e.error) for e in episodes if e.error is not None]
    return PolicyResult(
        context_overflows=sum(columns.context_overflow or ()) or None,
        decoding=episodes[0].decoding,
        success=wilson(success) if success else unknown(scores),
        score=bootstrap_mean([*scores.values()], generator) if scores else unknown(scores),
        components=mean_components([episodes[i] for i in scores]),
        invalid_rate=sum(columns.invalid[i] for i in scores) / turns if turns else None,
        timeout_rate=fmean(columns.timeout[i] for i in scores) if scores else None,
        mean_turns=turns / len(scores) if scores else None,
        episodes=len(scores),
        unscored=len(episodes) - len(scores) - len(lost),
        lost=tuple(lost),
        seed=episodes[0].seed,
        flown=columns,
    )


def unknown(scored: Collection[int]) -> Estimate:
    """An estimate of what cannot be estimated."""
    note = "the environment does not say" if scored else "no episode was scored"
    return Estimate(mean=None, ci95=None, note=note)


def mean_components(episodes: Sequence[Episode]) -> dict[str, float]:
    """Mean of each reward component over the episodes that have it."""
    names = dict.fromkeys(name for episode in episodes for name in episode.components)
    return {
        name: fmean(e.components[name] for e in episodes if name in e.components) for name in names
    }


def comparison(
    baseline: str,
    base: EpisodeColumns,
    candidate: str,
    other: EpisodeColumns,
    generator: np.random.Generator,
) -> PairedComparison:
    """Two policies on the tasks that both have a score for."""
    pairs = {
        i: (before, after)
        for i, (before, after) in enumerate(zip(base.score, other.score, strict=True))
        if before is not None and after is not None
    }
    first, second = ([pair[side] for pair in pairs.values()] for side in (0, 1))
    won, gained = (
        [success for i in pairs if (success := side.success[i]) is not None]
        for side in (base, other)
    )
    return PairedComparison(
        baseline=baseline,
        candidate=candidate,
        success_difference=paired_difference(won, gained, generator) if won else unknown(pairs),
        score_difference=paired_difference(first, second, generator) if pairs else unknown(pairs),
        improvement_percent=(
            improvement_percent(float(np.mean(first)), float(np.mean(second))) if pairs else None
        ),
        mcnemar_p=mcnemar(won, gained) if won else None,
        sign_flip_p=sign_flip(first, second, generator) if pairs else None,
        episodes=len(pairs),
        excluded=len(base.score) - len(pairs),
    )


def exclusions(policies: Mapping[str, PolicyResult]) -> list[str]:
    """A sentence for each policy that has episodes without a score."""
    return [
        f"{name}: {len(entry.lost)} episodes lost by infrastructure and {entry.unscored} "
        "without a reward, left out of its numbers and of its comparisons"
        for name, entry in policies.items()
        if entry.lost or entry.unscored
    ]


def oddities(policies: Mapping[str, PolicyResult]) -> list[str]:
    """A sentence for each policy whose numbers mean something else than they seem to.

    That is a model whose context ended episodes, and a policy that is no model and was mostly refused: it is no
    baseline.
    """
    said = [
        f"{name}: {entry.context_overflows} of its {entry.episodes} episodes outgrew the model's context and "
        "ended there, scored by what they had been paid until then: raise model.context, or lower rollout.max_turns"
        for name, entry in policies.items()
        if entry.context_overflows
    ]
    return said + [
        f"{name}: {refused_in_words(entry.invalid_rate)}"
        for name, entry in policies.items()
        if entry.decoding is None and entry.invalid_rate is not None and entry.invalid_rate > MOSTLY
    ]


def refused_in_words(rate: float) -> str:
    """What it means that a policy which is no model was mostly refused."""
    return f"the environment refused {100 * rate:.0f} % of its actions, so it is no baseline"


MOST_LOST = 0.05
"""Share of lost episodes above which nothing is concluded from those that are left. Were all that was lost successes,
or none of it, a success rate would move by so much: half of what its interval over 100 tasks reaches to either side."""
NUMBER = re.compile(r"\d+(\.\d+)?")


def too_many(lost: int, flown: int) -> bool:
    """Whether more was lost than is borne.

    Args:
        lost: Episodes that were lost.
        flown: All of them.
    """
    return lost > MOST_LOST * flown


class LossesState(CheckpointState):
    """The state of :class:`Losses`."""

    errors: tuple[str, ...]


@dataclass(slots=True)
class Losses:
    """What is lost while episodes are flown one batch after the other; a part of a checkpoint.

    Attributes:
        what: Which episodes.
        planned: How many there will be in all.
        errors: Why each of the lost ones was lost.
    """

    what: str
    planned: int
    errors: list[str] = field(default_factory=list)

    def take(self, errors: Sequence[str]) -> str | None:
        """Count those of a batch; answers all of them in words, None for none.

        Raises:
            EnvironmentFailure: They are more by now than is borne of all.
        """
        self.errors += errors
        return check_losses(self.what, self.errors, self.planned)

    def state(self) -> LossesState:
        """For a checkpoint."""
        return LossesState(errors=tuple(self.errors))

    def restore(self, state: LossesState) -> None:
        """As it was at a checkpoint."""
        self.errors = list(state.errors)


def check_losses(what: str, errors: Sequence[str], flown: int) -> str | None:
    """What was lost, in words; None where nothing was.

    Args:
        what: Which episodes.
        errors: Why each of the lost ones was lost.
        flown: How many were flown in all.

    Raises:
        EnvironmentFailure: It is more than is borne.
    """
    if not errors:
        return None
    said = f"{what}: {losses_in_words(errors, flown)}"
    if too_many(len(errors), flown):
        raise EnvironmentFailure(
            f"{said}; that is more than {MOST_LOST:.0%}, too many to conclude from the rest"
        )
    return said


def losses_in_words(errors: Sequence[str], flown: int) -> str:
    """How many episodes were lost and the commonest reason, in the words of one that was lost so.

    Args:
        errors: Why each of the lost ones was lost; not empty.
        flown: How many were flown in all.
    """
    kinds = Counter(NUMBER.sub("#", error) for error in errors)
    kind, count = kinds.most_common(1)[0]
    example = next(error for error in errors if NUMBER.sub("#", error) == kind)
    why = "" if count == len(errors) else f" (of {count})"
    return f"{len(errors)} of {flown} episodes lost; the commonest reason{why}: {example}"
