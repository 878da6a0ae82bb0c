"""The zoo's index: for each module one environment with a planted defect and its sound look-alike.

It lists this folder or another of the same form, by its package: :data:`UNSEEN` is the held-back half.

A module is named for the finding that an auditor should make in its ``Defect``, with a variant after two
underscores where there are several. It holds, beside the classes ``Defect`` and ``Sound``:

- ``solve(observation, memory) -> action``: a policy that succeeds;
- ``exploit``: the cheapest witness, a policy too or a list of actions whose last one is repeated;
- ``WITNESS``: how the exploit shows the defect, by its name in :mod:`._witnesses`; ``is_paid`` if not given;
- ``OPTIONS``: the reset options under which the defect shows, where it does not by default;
- ``ALSO``: other findings that would describe the defect as rightly;
- ``READS_STATE``: the exploit reads the state too.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["UNSEEN", "Case", "Pair", "Plan", "Policy", "cases", "pairs"]

Json = dict[str, Any]
Policy = Callable[[Json, Json], Json]
Plan = Policy | Sequence[Json]
CLASSES = {"Defect": True, "Sound": False}
UNSEEN = "tests.zoo.unseen"


@dataclass(frozen=True)
class Case:
    """One environment of the zoo.

    Attributes:
        finding: What is planted in it, or in what it resembles.
        module: Where it is, for an import.
        name: Its class.
        defective: Whether it has the defect.
    """

    finding: str
    module: str
    name: str
    defective: bool

    @property
    def target(self) -> str:
        """The import path that gonogo opens."""
        return f"{self.module}:{self.name}"


@dataclass(frozen=True)
class Pair:
    """A module of the zoo, imported: the defect, its look-alike, and how to fly them."""

    name: str
    package: str
    finding: str
    also: tuple[str, ...]
    defect: type[Any]
    sound: type[Any]
    solve: Policy
    exploit: Plan
    witness: str
    options: Json
    reads_state: bool

    @classmethod
    def load(cls, name: str, package: str = __name__) -> Pair:
        """Import a module of the zoo by its name."""
        module = importlib.import_module(f"{package}.{name}")
        return cls(
            name=name,
            package=package,
            finding=name.partition("__")[0],
            also=getattr(module, "ALSO", ()),
            defect=module.Defect,
            sound=module.Sound,
            solve=module.solve,
            exploit=module.exploit,
            witness=getattr(module, "WITNESS", "is_paid"),
            options=getattr(module, "OPTIONS", {}),
            reads_state=getattr(module, "READS_STATE", False),
        )


def names(package: str) -> list[str]:
    """The modules of a package of pairs."""
    folder = Path(str(importlib.import_module(package).__file__)).parent
    return sorted(path.stem for path in folder.glob("[a-z]*.py"))


def cases(package: str = __name__) -> Iterator[Case]:
    """Every environment of a package of pairs, without importing any."""
    for name in names(package):
        for class_name, defective in CLASSES.items():
            yield Case(name.partition("__")[0], f"{package}.{name}", class_name, defective)


def pairs(package: str = __name__) -> list[Pair]:
    """Every module of a package of pairs, imported."""
    return [Pair.load(name, package) for name in names(package)]
