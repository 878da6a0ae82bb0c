"""How much a first training flies and learns: round numbers that have trained in other environments, and say so."""

from __future__ import annotations

from dataclasses import dataclass

from gonogo.training.plan.measure import PlanMeasurements

__all__ = ["Size", "size_of"]

FEW = 8
"""Sessions under which flying takes most of the time."""
TRIED = "round numbers that trained elsewhere: the dry run says what they take"


@dataclass(frozen=True, slots=True)
class Size:
    """How much is flown and learned, for a kind of model and machine.

    Attributes:
        slots: Episodes at once at most.
        validation: Episodes of one validation.
        sft: Fields of the supervised part.
        grpo: Fields of the part after it.
        why: The reason for all of them.
    """

    slots: int
    validation: int
    sft: dict[str, float]
    grpo: dict[str, float]
    why: str = TRIED


def size_of(measured: PlanMeasurements, *, pretrained: bool, gpu: bool) -> Size:
    """The size that fits the model, the machine and the environment."""
    if pretrained and not gpu:
        return Size(
            8,
            8,
            {
                "episodes": 240,
                "max_steps": 240,
                "batch": 1,
                "learning_rate": 1e-3,
                "validate_every": 120,
            },
            {"steps": 3, "tasks_per_step": 2, "group_size": 4, "validate_every": 3, **rates(1e-4)},
            "a start that a CPU takes hours over: for more there is a GPU",
        )
    if pretrained:
        return Size(
            16,
            32,
            {
                "episodes": 400,
                "max_steps": 400,
                "batch": 8,
                "learning_rate": 2e-4,
                "validate_every": 100,
            },
            {
                "steps": 40,
                "tasks_per_step": 4,
                "group_size": 8,
                "validate_every": 10,
                **rates(2e-5),
            },
        )
    sft = {
        "episodes": 400,
        "max_steps": 600,
        "batch": 4,
        "learning_rate": 3e-3,
        "validate_every": 200,
    }
    grpo = {"steps": 40, "tasks_per_step": 4, "group_size": 16, "validate_every": 10, **rates(1e-3)}
    if measured.teacher is None:
        sft |= {"episodes": 100, "max_steps": 150, "batch": 8, "validate_every": 50}
        grpo |= {"group_size": 32}  # among many random beginners one may be paid
    if measured.sessions >= FEW:
        return Size(64, 32, sft, grpo)
    fewer = {
        name: grpo[name] // 2
        for name in ("steps", "tasks_per_step", "group_size", "validate_every")
    }
    why = "few sessions at once take long over an episode: more where there is time"
    return Size(64, 32, sft, {**grpo, **fewer}, why)


def rates(first: float) -> dict[str, float]:
    """Learning rates from the first step to the last."""
    return {"learning_rate": first, "learning_rate_end": first * 0.3}
