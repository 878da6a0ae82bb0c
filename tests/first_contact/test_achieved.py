"""``achieved``: success is said in a field whose name nobody has thought of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Json = dict[str, Any]


@pytest.mark.xfail(strict=True, reason="First contact: success is read in fields of known names only")
def test_the_candidates_for_success_are_said(audited: Callable[..., tuple[int, Json]]) -> None:
    _, record = audited("achieved")
    assert "task_achieved" in record["reason"]
