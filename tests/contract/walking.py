"""Runs of the zoo's walks, which are long or never end, for stations whose numbers a limit of turns cuts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gonogo import config

LONGEST = 480
"""Steps of the zoo's longest walk."""


def run(walk: str, out: Path, **fields: Any) -> config.RunConfig:
    given = {"target": f"tests.zoo.walks:{walk}", "out": str(out), "map.steps": 4, "map.seeds": 2}
    given |= {
        "map.budget_s": 600,
        "map.minutes": 20,  # so that a busy machine cuts no flight
        "audit.seeds": 4,
        "audit.search": 0,
        "audit.reference": "tests.zoo.walks:walk",
    }
    return config.load(
        None, {**given, **{name.replace("__", "."): v for name, v in fields.items()}}
    )
