"""From episodes to numbers: what a model scored beside idle, how often it spoke validly, how much it said.

Scores are compared with idle's interval on the same tasks, not with zero: doing nothing is paid in many
environments. A model is above idle where its mean lies above the upper end of idle's interval (above idle's
score where that is constant) and it beat idle on some task. What was lost is counted and has no score.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence
from statistics import fmean

import numpy as np

from gonogo.records.probe import ContextNeed, EpisodeTokens, IdleComparison, MeasuredPolicy
from gonogo.records.record import Estimate
from gonogo.rollouts.episodes import Episode
from gonogo.statistics import bootstrap_mean, paired_difference, wilson
from gonogo.training.forecast import bytes_of, most_tokens


def summarize(
    name: str, episodes: Sequence[Episode], idle: Sequence[Episode], seed: int
) -> MeasuredPolicy:
    """One policy's numbers.

    Args:
        name: The policy's, for its stream of resamples.
        episodes: In the order of the tasks.
        idle: Idle's, in the same order.
        seed: Of the resampling.
    """
    scores = [score_of(episode) for episode in episodes]
    scored = [e for e, score in zip(episodes, scores, strict=True) if score is not None]
    told = any(e.success is not None for e in (*episodes, *idle))
    lost = Counter(e.error for e in episodes if e.error is not None)
    turns = sum(len(e.turns) for e in scored)
    invalid = sum(e.invalid_count for e in scored)
    said = Counter(turn.invalid for e in scored for turn in e.turns if turn.invalid and turn.reply)
    return MeasuredPolicy(
        episodes=len(scored),
        lost=dict(lost.most_common()),
        unscored=len(episodes) - len(scored) - lost.total(),
        scores=tuple(scores),
        score=estimate([score for score in scores if score is not None], seed, name),
        success=wilson([e.success is True for e in scored]) if scored and told else None,
        invalid_rate=invalid / turns if turns else None,
        invalid_said=dict(said.most_common(3)),
        timeout_rate=fmean(e.timeout for e in scored) if scored else None,
        mean_turns=turns / len(scored) if scored else None,
        example=example_of(scored),
        tokens=tokens_of(scored),
        same_action=same_action(scored),
    )


def score_of(episode: Episode) -> float | None:
    """The return of an episode that was scored; None for one that was lost or never paid for."""
    value = episode.episode_return
    return value if episode.error is None and value is not None and math.isfinite(value) else None


def estimate(values: Sequence[float], seed: int, name: str) -> Estimate:
    """A mean with its interval; neither where there is nothing."""
    if not values:
        return Estimate(mean=None, ci95=None, note="no episode was scored")
    return bootstrap_mean(values, stream(seed, name))


def stream(seed: int, name: str) -> np.random.Generator:
    """A generator for one policy's numbers."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def against(model: MeasuredPolicy, idle: MeasuredPolicy, seed: int, name: str) -> IdleComparison:
    """A model beside idle on the tasks that both have a score for; idle's interval is that of these tasks."""
    pairs = [
        (base, other)
        for base, other in zip(idle.scores, model.scores, strict=True)
        if base is not None and other is not None
    ]
    if not pairs:
        return IdleComparison(episodes=0, idle_top=None, better=0, difference=None, above=None)
    base, other = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    top = top_of(estimate(base, seed, "idle"))
    better = sum(second > first for first, second in pairs)
    return IdleComparison(
        episodes=len(pairs),
        idle_top=top,
        better=better,
        difference=paired_difference(base, other, stream(seed, f"{name}-idle")),
        above=top is not None and fmean(other) > top and better > 0,
    )


def top_of(estimated: Estimate) -> float | None:
    """Upper end of an interval; the mean of a constant sample."""
    return estimated.mean if estimated.ci95 is None else estimated.ci95[1]


def tokens_of(episodes: Sequence[Episode]) -> EpisodeTokens | None:
    """Tokens of an episode: mean and longest, how many were said a turn, and what was cut or no longer fitted.

    Of a model in this process they are counted from its ids; a served one's are the server's own counts, where the
    last prompt holds the whole conversation. None where nothing was counted.
    """
    lengths, replies = [], []
    for episode in episodes:
        length, said = counted(episode)
        if said:
            lengths.append(length)
            replies += said
    full = sum(episode.context_overflow for episode in episodes)
    if not lengths and not full:
        return None
    return EpisodeTokens(
        mean=fmean(lengths) if lengths else None,
        longest=max(lengths, default=None),
        reply_mean=fmean(replies) if replies else None,
        reply_longest=max(replies, default=None),
        context_ran_out=full,
    )


def counted(episode: Episode) -> tuple[int, list[int]]:
    """Tokens of an episode, and those that were said at each of the turns of which they are known."""
    ids = [turn.tokens for turn in episode.turns if turn.tokens is not None]
    if ids:
        said = [len(each.completion_ids) for each in ids]
        return sum(said) + sum(len(each.prompt_ids) for each in ids), said
    served = [turn.counted for turn in episode.turns if turn.counted is not None]
    return (sum(served[-1]), [said for _, said in served]) if served else (0, [])


def same_action(episodes: Sequence[Episode]) -> bool:
    """Whether every valid action of every episode was the same one."""
    turns = [turn for episode in episodes for turn in episode.turns if turn.invalid is None]
    actions = [turn.action for turn in turns if turn.action is not None]
    return len(actions) > 1 and all(action == actions[0] for action in actions)


def example_of(episodes: Sequence[Episode]) -> str | None:
    """What was said first, in the model's own words."""
    replies = (t.reply for e in episodes for t in e.turns if t.reply is not None)
    return next((reply[:200] for reply in replies), None)


def context_need(
    instructions: str, plain: Sequence[Episode], measured: Sequence[tuple[Sequence[Episode], bool]]
) -> ContextNeed:
    """How long the longest episode of the policies that are no model is, in bytes and in tokens.

    Args:
        instructions: What a model is told before.
        plain: Episodes of idle, random and a teacher: what an episode is made of.
        measured: Each model's episodes, and whether its tokenizer was made for this environment.
    """
    opening = len(instructions.encode())
    longest = max((opening + bytes_of(episode) for episode in plain), default=opening)
    bound = max((opening + most_tokens(e) for e in plain), default=opening)
    ratios = [
        ratio
        for episodes, ours in measured
        if not ours and (ratio := tokens_a_byte(opening, episodes)) is not None
    ]
    worst = max(ratios, default=None)
    tokens = None if worst is None else math.ceil(longest * worst)
    return ContextNeed(bytes=longest, tokens=tokens, at_most=bound, tokens_a_byte=worst)


def tokens_a_byte(opening: int, episodes: Sequence[Episode]) -> float | None:
    """Tokens for each byte of a model's episodes, the chat template's markers included."""
    tokens = spoken = 0
    for episode in episodes:
        length, said = counted(episode)
        if said and len(said) == len(episode.turns):
            tokens += length
            spoken += opening + bytes_of(episode)
    return tokens / spoken if spoken else None
