"""The zoo's gridworld as most adapters meet it: resolved and connected, once for each file of tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gonogo.adapters.targets import Target, connect, resolve
from gonogo.rollout.protocols import Connection


@pytest.fixture(scope="module")
def target(gridworld: Path) -> Target:
    """The zoo's honest environment, resolved."""
    return resolve(str(gridworld))


@pytest.fixture(scope="module")
def grid(target: Target) -> Iterator[Connection]:
    """A connection to it with eight slots."""
    connection = connect(target, 8)
    yield connection
    connection.close()
