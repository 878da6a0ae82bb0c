"""``door``: nothing is paid before a room is chosen, and only texts say what the rooms are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gonogo.records.record import Verdict

Json = dict[str, Any]


def test_the_farm_behind_the_first_refusal_is_found_without_a_reference(
    audited: Callable[..., tuple[int, Json]],
) -> None:
    code, record = audited("door")
    assert code == Verdict.NO_GO
    witness = {finding["id"]: finding["witness"] for finding in record["findings"]}["farmable_cycle"]
    assert witness["success"] is False
    assert witness["return"] >= 9 * record["tasks"][0]["numbers"]["best_known_return"]
    coverage = record["tasks"][0]["coverage"]
    assert coverage["said"] == "100 % of the step's lines"
    assert coverage["lines"] == coverage["of"] > 10
