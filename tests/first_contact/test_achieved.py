"""``achieved``: success is said in a field whose name nobody has thought of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Json = dict[str, Any]


def test_the_candidates_for_success_are_said(audited: Callable[..., tuple[int, Json]]) -> None:
    _, record = audited("achieved")
    assert "task_achieved" in record["reason"]
