"""The probe's record as tables, for a terminal and for a page."""

from __future__ import annotations

from gonogo.records.probe import MeasuredPolicy, ModelChoice, ProbeReport, RankedModel
from gonogo.records.tables import TextTable, decimal, estimate

__all__ = ["sheets_of"]

UNKNOWN = "unknown"


def sheets_of(record: ProbeReport) -> list[TextTable]:
    """The candidates, what was measured, the axes, the advice."""
    machine = record.machine_memory
    room = f"{machine.gb:.1f} GB of {machine.whose}"
    return [
        TextTable(
            f"Candidates for {record.environment}, on {room}; GB at 4 / 16 bit",
            (
                "model",
                "weights",
                "to fly",
                "to train (LoRA)",
                "fits",
                "context: need / had",
                "licence",
                "Unsloth",
                "total",
            ),
            [facts_row(row) for row in record.candidates],
        ),
        TextTable(
            f"Flown zero-shot on {record.episodes} tasks, the same for all",
            (
                "policy",
                "score",
                "success",
                "better than idle",
                "invalid",
                "turns",
                "tokens",
                "lost",
            ),
            [
                *(measured_row(name, entry) for name, entry in record.policies.items()),
                *(
                    measured_row(row.name, row.measured)
                    for row in record.candidates
                    if row.measured is not None
                ),
            ],
        ),
        TextTable(
            "Scores by axis, 0 to 1; unknown earns nothing",
            ("model", *record.weights, "total"),
            [
                (
                    row.name,
                    *(number(row.axes[axis]) for axis in record.weights),
                    number(row.total),
                )
                for row in record.candidates
            ],
        ),
        TextTable(
            "Could not be flown",
            ("model", "why"),
            [(row.name, row.failure) for row in record.candidates if row.failure],
        ),
        TextTable("Advice", ("for", "what"), [(a.name, a.advice) for a in record.advice]),
        choice_sheet(record.choice),
    ]


def choice_sheet(choice: ModelChoice | None) -> TextTable:
    """The choice; a sheet without rows where there is none."""
    title = "Choice" if choice is None or choice.measured else "To try first"
    rows = [] if choice is None else [(choice.name, choice.why)]
    return TextTable(title, ("model", "why"), rows)


def facts_row(row: RankedModel) -> tuple[str, ...]:
    """What is known of a candidate without flying it."""
    memory, context, parameters = row.memory, row.context, row.parameters

    def pair(use: str) -> str:
        if memory is None:
            return UNKNOWN
        return f"{memory[f'{use}_4bit_gb']:.1f} / {memory[f'{use}_16bit_gb']:.1f}"

    fits = row.fits or UNKNOWN
    return (
        row.name,
        UNKNOWN if parameters is None else count(parameters),
        pair("inference"),
        pair("lora"),
        fits.replace("lora", "LoRA").replace("_", ", ").replace("bit", " bit"),
        f"{context.basis} {context.need} / {text(context.had)}",
        text(row.licence),
        UNKNOWN if row.unsloth is None else "yes" if row.unsloth else "no",
        number(row.total),
    )


def measured_row(name: str, entry: MeasuredPolicy) -> tuple[str, ...]:
    """What a policy did."""
    beside, tokens = entry.against_idle, entry.tokens
    return (
        name,
        estimate(entry.score),
        "-" if entry.success is None else estimate(entry.success),
        "-" if not beside else f"{beside.better} of {beside.episodes}",
        "-" if entry.invalid_rate is None else f"{100 * entry.invalid_rate:.0f} %",
        decimal(entry.mean_turns, 1),
        "-" if tokens is None or tokens.mean is None else f"{tokens.mean:.0f}",
        str(sum(entry.lost.values())),
    )


def count(parameters: int) -> str:
    """A number of weights in words of a table."""
    billions = parameters / 1e9
    return f"{billions:.2f} B" if billions >= 1 else f"{parameters / 1e6:.1f} M"


def number(value: float | None) -> str:
    """A score of an axis."""
    return "?" if value is None else f"{value:.2f}"


def text(value: object) -> str:
    """A fact, or that it is not known."""
    return UNKNOWN if value is None else str(value)
