"""Episodes of a step in figures, by the names that logs use, and a few of them to be read."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from gonogo.rollouts.episodes import Episode

__all__ = ["group_metrics", "metrics_of", "raw_replies", "sample"]


def metrics_of(episodes: Sequence[Episode]) -> dict[str, float]:
    """Means over the scored episodes of a step, by the names that logs use."""
    scored = [e for e in episodes if e.error is None and e.episode_return is not None]
    if not scored:
        return {}
    out = {"reward/overall": fmean(e.episode_return or 0.0 for e in scored)}
    for name in dict.fromkeys(name for e in scored for name in e.components):
        # A component is one environment's; the episodes of others say nothing of it.
        where = {e.target for e in scored if name in e.components}
        paid = [e.components.get(name, 0.0) for e in scored if e.target in where]
        out[f"reward/{name}"] = fmean(paid)
    out["episode/timeout_rate"] = fmean(e.timeout for e in scored)
    if any(e.context_overflow for e in scored):
        out["episode/context_overflow_rate"] = fmean(e.context_overflow for e in scored)
    judged = [e.success for e in scored if e.success is not None]
    if judged:
        out["episode/success_rate"] = fmean(judged)
    turns = sum(len(e.turns) for e in scored)
    out["episode/invalid_rate"] = sum(e.invalid_count for e in scored) / max(turns, 1)
    out["episode/turns"] = turns / len(scored)
    said = [len(t.tokens.completion_ids) for e in scored for t in e.turns if t.tokens is not None]
    if said:
        read = sum(
            len(t.tokens.prompt_ids) for e in scored for t in e.turns if t.tokens is not None
        )
        out["episode/reply_tokens"] = fmean(said)
        out["episode/tokens"] = (read + sum(said)) / len(scored)
    out["episode/lost"] = float(len(episodes) - len(scored))
    return out


def group_metrics(groups: Sequence[tuple[str, Sequence[Episode]]]) -> dict[str, float]:
    """Metrics of each stage's episodes, and the share of groups that teach nothing, as all were paid the same."""
    out: dict[str, float] = {}
    for stage in dict.fromkeys(stage for stage, _ in groups):
        flown = [episode for name, group in groups if name == stage for episode in group]
        out |= {f"level/{stage}/{name}": value for name, value in metrics_of(flown).items()}
    paid = [
        [e.episode_return for e in group if e.episode_return is not None] for _, group in groups
    ]
    out["groups/zero_variance"] = fmean(len(set(returns)) < 2 for returns in paid)
    return out


def sample(episodes: Sequence[Episode], count: int = 4) -> list[Episode]:
    """A few episodes, of different tasks where there are so many."""
    with_turns = [episode for episode in episodes if episode.turns]
    return with_turns[:: max(len(with_turns) // count, 1)][:count]


def raw_replies(episodes: Sequence[Episode]) -> list[str]:
    """A reply of each episode as the model said it, from different times."""
    out = []
    for number, episode in enumerate(episodes):
        turn = episode.turns[len(episode.turns) * number // len(episodes)]
        out.append(turn.reply if turn.invalid is None else f"{turn.reply}   <- {turn.invalid}")
    return [str(said) for said in out]
