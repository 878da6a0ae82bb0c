"""``stockroom``: a sound game, whose constant order is paid; that can be accepted with a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gonogo.records.record import Verdict

Json = dict[str, Any]


@pytest.mark.xfail(strict=True, reason="First contact: audit does not take --accept")
def test_a_finding_is_accepted_with_a_reason_which_stands_in_the_record(
    audited: Callable[..., tuple[int, Json]],
) -> None:
    why = "a constant order is a fair beginning of this game"
    code, record = audited("stockroom", "--accept", f"constant_answer_pays={why}")
    assert code == Verdict.GO
    (finding,) = record["findings"]
    assert (finding["id"], finding["accepted"]) == ("constant_answer_pays", why)
