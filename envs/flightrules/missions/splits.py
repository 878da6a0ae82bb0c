"""The splits: which missions are for training, which for validation, which for the test.

Owns their names, sizes and the parameters that keep them apart. The overall inertia scale is cut into bins of 1 %;
the training splits, ``validation`` and the test splits draw from different bins, so no vehicle of one is in another.
``test_compositions`` holds combinations of directives, and ``test_phrasings`` wordings, that training never shows;
``train_compositions`` shows the parts of those combinations, never a whole one.
"""

from __future__ import annotations

from flightrules.physics.vehicle import VehicleRanges

SPLITS = (
    "train",
    "validation",
    "test",
    "test_compositions",
    "test_phrasings",
    "train_compositions",
)
"""The splits. A mission is drawn by its split's place, so a new one comes last."""
COMPOSED = ("test_compositions", "train_compositions")
"""The splits whose missions combine directives otherwise."""
LEVELS = ("detumble", "retarget", "precision_hold", "mission_ops")
"""The levels, easy to hard."""
TASKS_PER_SPLIT = 2_000_000
"""Indices of every split: 0 up to this, exclusive."""

_FIRST_BIN, _LAST_BIN, _BIN = 80, 120, 0.01


def _bins(residues: tuple[int, ...]) -> tuple[tuple[float, float], ...]:
    """Ranges of the inertia scale: the bins whose number modulo 5 is one of ``residues``."""
    return tuple(
        (k * _BIN, (k + 1) * _BIN) for k in range(_FIRST_BIN, _LAST_BIN) if k % 5 in residues
    )


_TRAIN_BINS = _bins((0, 1, 2))
_BINS = {"train": _TRAIN_BINS, "train_compositions": _TRAIN_BINS, "validation": _bins((3,))}
_TEST_BINS = _bins((4,))


def num_tasks(split: str) -> int:
    """How many tasks a split has.

    Raises:
        IndexError: If there is no such split.
    """
    require_split(split)
    return TASKS_PER_SPLIT


def require_split(split: str) -> None:
    """Raise IndexError, naming the splits, where ``split`` is none of them."""
    if split not in SPLITS:
        raise IndexError(f"split must be one of {', '.join(SPLITS)}, got {split!r:.60}")


def vehicle_ranges(split: str, gyro_bias_deg_s: float) -> VehicleRanges:
    """Where a split draws its vehicles.

    Args:
        split: Name of the split.
        gyro_bias_deg_s: Largest gyro bias of the level, deg/s.
    """
    return VehicleRanges(_BINS.get(split, _TEST_BINS), gyro_bias_deg_s)
