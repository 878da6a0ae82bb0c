from __future__ import annotations

import math
from typing import Any

import pytest

from flightrules.reward.outcome import Outcome

FAIR: dict[str, Any] = {
    "f": 0.5,
    "success": False,
    "q": 0.5,
    "legal_share": 0.5,
    "efficiency": 0.5,
    "progress": 0.5,
}


@pytest.mark.parametrize("share", ["f", "q", "legal_share", "efficiency", "progress"])
@pytest.mark.parametrize("value", [-1e-9, 1.0 + 1e-9, math.nan, math.inf])
def test_a_share_outside_its_range_is_refused(share: str, value: float) -> None:
    with pytest.raises(ValueError, match=r"every share of an outcome lies in \[0, 1\]"):
        Outcome(**{**FAIR, share: value})


@pytest.mark.parametrize(("f", "success"), [(1.0, False), (0.99, True)])
def test_success_that_contradicts_f_is_refused(f: float, success: bool) -> None:
    with pytest.raises(ValueError, match="the same event"):
        Outcome(**{**FAIR, "f": f, "success": success})
