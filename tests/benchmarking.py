"""Scripts of the benchmarks folder as modules."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def benchmark(name: str) -> Any:
    """The module of a script, which finds those beside it."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)
