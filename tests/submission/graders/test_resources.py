"""What an episode took, against what is declared."""

from __future__ import annotations

from typing import Any

import pytest
from openenv.validation import CheckStatus
from tests.submission.graders.sound import FAIL, PASS, SKIP, manifest

from gonogo.records.submission import ResourceUse
from gonogo.submission.graders.resources import within


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({}, PASS, "4 episodes: at most 10.00 s each and 300 MB"),
        ({"seconds": 10.5}, FAIL, "an episode took 10.50 s, and 10 s are declared"),
        ({"memory_mb": 301.0}, FAIL, "the process took 301 MB, and 300 MB are declared"),
        ({"memory_mb": None}, SKIP, "does not tell a process's peak of memory"),
        ({"memory_mb": None, "seconds": 10.5}, FAIL, "an episode took 10.50 s"),
        ({"lost": "it died", "seconds": 0.1}, FAIL, "an episode was lost: it died"),
        ({"episodes": 0, "seconds": 10.5}, SKIP, "no episode was measured"),
    ],
)
def test_what_is_declared_is_a_bound_that_may_be_reached(
    fields: dict[str, Any], status: CheckStatus, said: str
) -> None:
    taken = {"episodes": 4, "seconds": 10.0, "memory_mb": 300.0, "lost": None}
    answer = within(ResourceUse(**{**taken, **fields}), manifest().resources)
    assert answer.status is status
    assert said in answer.said[0]
