"""What `reset` may be asked for, checked in one place for every way in.

OpenEnv validates seeds over HTTP only, coerces `true` and `"3"` to integers there, and drops unknown
options in silence. Here each option is checked for its type, its range and against the others, and the
error says the rule and the value that broke it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeGuard

from flightrules.errors import OptionError, show
from flightrules.missions.knobs import AS_DRAWN, Knobs
from flightrules.missions.knobs import NAMES as KNOBS
from flightrules.missions.splits import LEVELS, SPLITS, num_tasks

NAMES = ("seed", "level", "split", "index", "episode_id", *KNOBS)
SEED_MAX = 2**63 - 1
EPISODE_ID_MAX = 255


@dataclass(frozen=True, slots=True)
class ResetOptions:
    """Checked options of a reset; None is what was left open.

    Attributes:
        seed: Seed of the mission, 0 to 2**63 - 1; never together with a split.
        level: Name of a level.
        split: Name of a split; only together with an index.
        index: Index of a task within the split.
        episode_id: The caller's name for the episode.
        knobs: How the level is turned; with a seed, with a split, or with neither.
    """

    seed: int | None = None
    level: str | None = None
    split: str | None = None
    index: int | None = None
    episode_id: str | None = None
    knobs: Knobs = AS_DRAWN


def check_options(given: Mapping[str, object]) -> ResetOptions:
    """Check the options of a reset; an option that is None counts as not given.

    Args:
        given: Options by name, of any type, as a caller sent them.

    Raises:
        OptionError: If an option is unknown, of the wrong type, out of range, or contradicts another.
    """
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if name not in NAMES:
            raise OptionError(f"unknown reset option {show(name)}; known: {', '.join(NAMES)}")
    seed, index, episode_id = options.get("seed"), options.get("index"), options.get("episode_id")
    level, split = options.get("level"), options.get("split")
    _check_conflicts(options)
    if not (seed is None or _is_index(seed, SEED_MAX)):
        raise OptionError(f"seed must be an integer from 0 to {SEED_MAX}, got {show(seed)}")
    if not (level is None or _is_name(level, LEVELS)):
        raise OptionError(f"level must be one of {', '.join(LEVELS)}, got {show(level)}")
    if not (episode_id is None or _is_episode_id(episode_id)):
        raise OptionError(
            f"episode_id must be text of 1 to {EPISODE_ID_MAX} characters, got {show(episode_id)}"
        )
    knobs = Knobs.of(options)
    if split is None:
        return ResetOptions(seed=seed, level=level, episode_id=episode_id, knobs=knobs)
    name = check_split(split)
    last = num_tasks(name) - 1
    if not _is_index(index, last):
        raise OptionError(
            f"index in split {name} must be an integer from 0 to {last}, got {show(index)}"
        )
    return ResetOptions(level=level, split=name, index=index, episode_id=episode_id, knobs=knobs)


def check_split(split: object) -> str:
    """The name of a split that exists.

    Raises:
        OptionError: If there is no such split.
    """
    if not _is_name(split, SPLITS):
        raise OptionError(f"split must be one of {', '.join(SPLITS)}, got {show(split)}")
    return split


def _check_conflicts(options: Mapping[str, object]) -> None:
    if "seed" in options and ("split" in options or "index" in options):
        raise OptionError("give either seed (and level) or split and index, not both")
    if ("split" in options) != ("index" in options):
        raise OptionError("split and index name a task together; one was given without the other")


def _is_index(value: object, last: int) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= last  # type() and not isinstance: True is no index


def _is_name(value: object, names: tuple[str, ...]) -> TypeGuard[str]:
    return isinstance(value, str) and value in names


def _is_episode_id(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and 1 <= len(value) <= EPISODE_ID_MAX
