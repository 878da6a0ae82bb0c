"""Checks over nothing hold: whoever drops all the rows is paid, and is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gonogo.records.record import Verdict
from gonogo.api import replay_file

Json = dict[str, Any]


def test_dropping_everything_is_paid_and_is_the_witness(
    audited: Callable[..., tuple[int, Json]], tmp_path: Path
) -> None:
    code, record = audited("rows", "--reference", "policies:rows")
    assert code == Verdict.NO_GO
    found = {finding["id"]: finding["witness"] for finding in record["findings"]}
    witness = found["emptying_pays"]
    assert witness["plan"] == [{"kind": "drop", "rows": [0, 1, 2, 3, 4]}]
    assert (witness["return"], witness["success"]) == (0.5, False)
    assert record["tasks"][0]["numbers"]["best_known_return"] == 0.75
    assert replay_file(tmp_path / "witnesses.jsonl", None).verdict is Verdict.GO
