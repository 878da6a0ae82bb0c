"""The candidates in their order: a score for each axis, a total, a choice with its reasons, the verdict, and advice.

An axis is a number in [0, 1], or None where it is not known. What is not known earns nothing in a total: a fact
that nobody has verified and a model that nobody has flown count against it. Ties go to the earlier row. Advice is what
follows from the episodes of a model: the next thing to change, what stands in the way of the rest first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from gonogo.records.probe import (
    MeasuredPolicy,
    MemoryBudget,
    ModelAdvice,
    ModelChoice,
    ModelNumbers,
    RankedModel,
)
from gonogo.records.record import Verdict
from gonogo.training.probe.measurements import top_of

WEIGHTS = {
    "reward": 4,
    "format": 2,
    "memory": 2,
    "context": 2,
    "cost": 1,
    "licence": 1,
    "unsloth": 1,
}
"""What each axis counts in the total. ``reward``: share of tasks on which the model beat idle; ``format``: share of
valid replies; ``memory``: what fits the machine; ``context``: whether an episode fits; ``cost``: 1 for a hundred
million weights, 0 for a hundred billion, by the logarithm; ``licence``: 1 for a free one, 1/2 for another that is
known; ``unsloth``: whether it trains it. Round figures, a matter of taste."""
FREE = frozenset({"apache-2.0", "mit", "bsd-3-clause", "bsd-2-clause"})
FITS = {"lora_16bit": 1.0, "lora_4bit": 0.75, "inference_16bit": 0.25, "inference_4bit": 0.25}
SMALLEST, LARGEST = 1e8, 1e11
OFTEN_INVALID = 0.3
"""Share of invalid replies from which a short warm start is worth more than another level."""


def fit_of(memory: dict[str, float] | None, machine_gb: float) -> str | None:
    """The most that fits the machine, ``nothing``, or None where the shape is not known."""
    if memory is None:
        return None
    return next((use for use in FITS if memory[f"{use}_gb"] <= machine_gb), "nothing")


def axes_of(row: ModelNumbers) -> dict[str, float | None]:
    """A candidate's score on each axis."""
    measured, licence = row.measured, row.licence
    parameters, unsloth, fit = row.parameters, row.unsloth, row.fits
    beside = None if measured is None else measured.against_idle
    known = None if parameters is None else math.log(parameters / SMALLEST)
    cost = None if known is None else 1 - known / math.log(LARGEST / SMALLEST)
    return {
        "reward": beside.better / beside.episodes if beside and beside.episodes else None,
        "format": None
        if measured is None or measured.invalid_rate is None
        else 1 - measured.invalid_rate,
        "memory": None if fit is None else FITS.get(fit, 0.0),
        "context": None if row.context.enough is None else float(row.context.enough),
        "cost": None if cost is None else min(1.0, max(0.0, cost)),
        "licence": None if licence is None else 1.0 if licence in FREE else 0.5,
        "unsloth": None if unsloth is None else float(unsloth),
    }


def total_of(axes: dict[str, float | None]) -> float:
    """The weighted mean of all axes, the unknown ones as 0."""
    earned = sum(WEIGHTS[name] * (value or 0.0) for name, value in axes.items())
    return round(earned / sum(WEIGHTS.values()), 4)


def choose(
    rows: Sequence[RankedModel], idle: MeasuredPolicy, machine: MemoryBudget
) -> tuple[Verdict, str, ModelChoice | None]:
    """The verdict, its reason and the choice.

    GO is a model that was flown, scored above idle and can be trained here. Where none was above idle it is NO-GO,
    without a choice; where nothing was measured HOLD, and the choice is what to try first.
    """
    flown = [row for row in rows if row.measured and row.measured.episodes]
    if not flown:
        first = best(rows)
        said = "no model was flown"
        failures = [f"{row.name}: {row.failure}" for row in rows if row.failure]
        lost = [row for row in rows if row.measured]
        said += f" ({'; '.join(failures)})" if failures else ""
        said += f" ({len(lost)} lost every episode)" if lost else ""
        if not failures and not lost:
            said += ": give the weights of a candidate, --model NAME=WHERE"
        return Verdict.HOLD, said, None if first is None else chosen(first, rows, machine)
    top = top_of(idle.score)
    if top is None:
        return Verdict.HOLD, "idle has no score to compare with", None
    above = [row for row in flown if row.measured and row.measured.against_idle.above]
    if not above:
        return Verdict.NO_GO, f"none of {len(flown)} flown scores above idle ({top:.3f})", None
    ready = [row for row in above if row.trains and row.context.enough is not False]
    if ready:
        pick = chosen(best(ready) or ready[0], rows, machine)
        return Verdict.GO, f"{pick.name} scores above idle ({top:.3f}) and can be trained", pick
    names = ", ".join(row.name for row in above)
    unknown = [row.name for row in above if row.fits is None]
    if unknown:
        said = f"above idle is {names}, but the shape of {', '.join(unknown)} is not known: "
        return Verdict.HOLD, f"{said}name a candidate, --model NAME=WHERE", None
    said = f"above idle is {names}, but training fits no memory or no context here"
    return Verdict.NO_GO, said, None


def best(rows: Sequence[RankedModel]) -> RankedModel | None:
    """The row of the highest total, of those that can be trained where any can."""
    able = [row for row in rows if row.trains] or list(rows)
    return max(able, key=lambda row: row.total, default=None)


def chosen(row: RankedModel, rows: Sequence[RankedModel], machine: MemoryBudget) -> ModelChoice:
    """The choice, and why in three sentences."""
    why = [result_sentence(row), room_sentence(row, machine), total_sentence(row, rows)]
    return ModelChoice(name=row.name, measured=row.measured is not None, why=" ".join(why))


def result_sentence(row: RankedModel) -> str:
    """What it scored."""
    measured = row.measured
    if measured is None:
        return f"{row.name} has not been flown, so that only its facts speak for it."
    beside, low_high = measured.against_idle, measured.score.ci95
    span = "" if low_high is None else f" [{low_high[0]:.3f}, {low_high[1]:.3f}]"
    return (
        f"{row.name} scored {measured.score.mean:.3f}{span} in {measured.episodes} zero-shot "
        f"episodes, better than idle on {beside.better} of {beside.episodes} tasks, with "
        f"{100 * (measured.invalid_rate or 0.0):.0f} % invalid replies."
    )


def room_sentence(row: RankedModel, machine: MemoryBudget) -> str:
    """Whether it fits."""
    use, context = row.fits, row.context
    if use is None or row.memory is None:
        memory = "What it takes of the memory is not known"
    elif use == "nothing":
        memory = f"It does not fit the {machine.gb:.1f} GB of {machine.whose}"
    else:
        what = use.replace("lora_", "LoRA at ").replace("inference_", "flying, not training, at ")
        gb = row.memory[f"{use}_gb"]
        memory = f"For {what.replace('bit', ' bit')} it takes about {gb:.1f} GB of the "
        memory += f"{machine.gb:.1f} GB of {machine.whose}"
    had = "an unknown number of" if context.had is None else context.had
    return f"{memory}; its context is {had} tokens, and an episode takes {context.basis} {context.need}."


def total_sentence(row: RankedModel, rows: Sequence[RankedModel]) -> str:
    """Its licence, its tools and its place."""
    licence = row.licence or "unknown"
    trained = "Unsloth trains it" if row.unsloth else "Unsloth does not train it"
    tool = "whether Unsloth trains it is unknown" if row.unsloth is None else trained
    return f"Its licence is {licence}, {tool}, and its total is {row.total:.2f} among {len(rows)} candidates."


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
