"""The canaries that a package ships: known ways to cheat, each a plan of OpenEnv's own runtime schema."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from openenv.validation.manifest import ExecutionDeclaration
from openenv.validation.runtime.contracts import RuntimePlanError, load_runtime_plan

from gonogo.folder import no_file
from gonogo.wire import Action, TaskOptions

__all__ = ["Canary", "read_canaries"]


@dataclass(frozen=True, slots=True)
class Canary:
    """One canary.

    Attributes:
        name: Its file, relative to the package.
        task: Reset options.
        actions: In order.
        problem: Why it cannot be read; it has no actions then.
    """

    name: str
    task: TaskOptions
    actions: tuple[Action, ...]
    problem: str | None = None


def read_canaries(root: Path, location: str | None) -> list[Canary]:
    """The canaries at a location, in the order of their names.

    Args:
        root: The package.
        location: A JSON file, or a folder of them, relative to the package; None for no canaries.
    """
    if location is None:
        return []
    place = root / location
    files = sorted(place.glob("*.json")) if place.is_dir() else [place]
    return [read_canary(root, file.relative_to(root).as_posix()) for file in files]


def read_canary(root: Path, name: str) -> Canary:
    """One canary; OpenEnv's reader refuses what leaves the package."""
    if (root / name).exists() and (why := no_file(root / name, root)) is not None:
        return Canary(name, {}, (), why)
    try:
        plan = load_runtime_plan(root, ExecutionDeclaration(probe_path=name))
    except (RuntimePlanError, ValueError) as error:
        return Canary(name, {}, (), str(error))
    return Canary(name, {**plan.reset.options, "seed": plan.reset.seed}, tuple(plan.actions))
