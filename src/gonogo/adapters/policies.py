"""Policies by name: the environment's own, the built-in ones, a run's models, or a model's folder.

Names are looked up in that order, so that an environment which ships an ``idle`` is flown by its own.
A model's name may end in ``_sampled``; without it the model decodes greedily. Opening a model needs
the ``train`` extra; everything else works without.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gonogo.adapters.reference import ReferencePolicy
from gonogo.adapters.targets import FolderTarget, Target
from gonogo.errors import Misuse
from gonogo.rollout.policies import IdlePolicy, RandomPolicy
from gonogo.rollout.protocols import Policy, Schemas

__all__ = ["ModelOpener", "Pilot", "find_policy"]

SAMPLED = "_sampled"
MODEL_FILE = "config.json"

ModelOpener = Callable[[Path, str, bool], Policy]
"""Opens a model's folder as a policy of the given name; greedy or sampled."""


@dataclass(frozen=True, slots=True)
class Pilot:
    """A policy and what a record says of it.

    Attributes:
        policy: Who flies; to be closed by whoever asked for it.
        decoding: ``greedy`` or ``sampled`` for a model, else None.
        seed: Seed of its draws, or None where it draws nothing.
    """

    policy: Policy
    decoding: str | None = None
    seed: int | None = None


def find_policy(
    name: str,
    target: Target,
    schemas: Schemas,
    *,
    seed: int,
    open_model: ModelOpener | None = None,
    models: Path | None = None,
) -> Pilot:
    """The policy that a name means.

    Args:
        name: A reference policy of the target, ``idle``, ``random``, a model in ``models``, or a
            model's folder; models take the suffix ``_sampled``.
        target: The environment.
        schemas: Its schemas.
        seed: Seed of the policy's draws.
        open_model: Opens a model's folder; None for the transformers adapter.
        models: Folder with a run's models, each in a folder of its name.

    Raises:
        Misuse: No policy has that name.
    """
    references = target.references
    if isinstance(target, FolderTarget) and references is not None and name in references.names:
        return Pilot(ReferencePolicy(target, name, seed=seed), seed=seed)
    if name == "idle":
        return Pilot(IdlePolicy(schemas.action))
    if name == "random":
        return Pilot(RandomPolicy(schemas.action, seed), seed=seed)
    folder, sampled = find_model(name, models)
    if folder is None:
        known = [*(references.names if references is not None else ()), "idle", "random"]
        raise Misuse(
            f"no policy {name!r}: give one of {', '.join(dict.fromkeys(known))}, a model of the run "
            f"({models}), or a model's folder (none is there)"
        )
    policy = (open_model or default_opener())(folder, name, sampled)
    return Pilot(policy, "sampled" if sampled else "greedy", seed if sampled else None)


def find_model(name: str, models: Path | None) -> tuple[Path | None, bool]:
    """The folder of a model and whether it is to be sampled; None where there is no such model."""
    for stem, sampled in ((name, False), (name.removesuffix(SAMPLED), name.endswith(SAMPLED))):
        for folder in (*((models / stem,) if models is not None else ()), Path(stem)):
            if (folder / MODEL_FILE).is_file():
                return folder, sampled
    return None, False


def default_opener() -> ModelOpener:
    """The transformers adapter, imported when a model is flown and not before."""
    from gonogo.adapters.transformers import open_policy

    return open_policy
