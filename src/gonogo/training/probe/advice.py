"""What follows from the episodes of a model: the next thing to change, what stands in the way of the rest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gonogo.records.probe import MeasuredPolicy, ModelAdvice, RankedModel

__all__ = ["advise", "advise_all"]

OFTEN_INVALID = 0.3
"""Share of invalid replies from which a short warm start is worth more than another level."""


def advise(measured: MeasuredPolicy, max_reply_tokens: int) -> list[str]:
    """Advice for one model.

    Args:
        measured: Its numbers, with ``against_idle``.
        max_reply_tokens: Longest reply that was allowed.
    """
    said = [*about_losses(measured), *about_lengths(measured, max_reply_tokens)]
    rate = measured.invalid_rate
    if rate is None:
        return said
    if rate == 1:
        worst = next(iter(measured.invalid_said), "empty replies")
        return [
            *said,
            "no reply was a valid action: warm start it, by SFT on a teacher's traces (train.sft), before any "
            f"reinforcement; most often: {worst}",
        ]
    if rate >= OFTEN_INVALID:
        said.append(
            f"{100 * rate:.0f} % of its replies are invalid: a short warm start (train.sft) teaches the format"
        )
    if measured.against_idle is not None and measured.against_idle.above is False:
        said.append(about_nothing(measured))
    return said


def about_losses(measured: MeasuredPolicy) -> list[str]:
    """Episodes that infrastructure ended."""
    lost = sum(measured.lost.values())
    if not lost:
        return []
    why = next(iter(measured.lost))
    return [f"{lost} episodes were lost and have no score, see to that first: {why}"]


def about_lengths(measured: MeasuredPolicy, max_reply_tokens: int) -> list[str]:
    """A context that ran out, replies that were cut."""
    tokens, said = measured.tokens, []
    if tokens is None:
        return []
    if ran_out := tokens.context_ran_out:
        said.append(
            f"its context ran out in {ran_out} of {measured.episodes} episodes, which ended there: "
            "take a model with a longer one, or shorten the observation"
        )
    mean = tokens.reply_mean
    if mean is not None and mean >= 0.9 * max_reply_tokens and measured.invalid_rate:
        said.append(
            f"most replies are cut at {max_reply_tokens} tokens: raise rollout.max_reply_tokens, and see whether "
            "the model thinks aloud before it acts"
        )
    return said


def about_nothing(measured: MeasuredPolicy) -> str:
    """Valid actions that earned nothing above idle."""
    if measured.same_action:
        return (
            "its actions are valid and always the same one, whatever it sees: warm start it on a teacher's traces "
            "(train.sft), for sampling around one action finds little"
        )
    if measured.timeout_rate == 1:
        return (
            "its actions are valid and every episode ran out of turns: start with an easier or a shorter level, or "
            "raise rollout.max_turns"
        )
    return "its actions are valid and earn nothing above idle: start with an easier level (train.curriculum)"


def advise_all(
    rows: Sequence[RankedModel], plain: Mapping[str, MeasuredPolicy], max_reply_tokens: int
) -> tuple[ModelAdvice, ...]:
    """Advice by name, for every model that was flown; the environment's own first where its teacher earns nothing.

    Args:
        rows: The candidates.
        plain: Numbers of idle and the other policies that are no model; each but idle with ``against_idle``.
        max_reply_tokens: Longest reply that was allowed.
    """
    advice = []
    for name, numbers in plain.items():
        beside = numbers.against_idle
        if name not in {"idle", "random"} and beside is not None and beside.above is False:
            said = (
                f"not even {name}, its teacher, earns more than idle here: audit the reward first"
            )
            advice.append(ModelAdvice(name="environment", advice=said))
    for row in rows:
        if row.measured is not None:
            advice += [
                ModelAdvice(name=row.name, advice=said)
                for said in advise(row.measured, max_reply_tokens)
            ]
    return tuple(advice)
