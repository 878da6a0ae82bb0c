"""``stockroom``: a sound game, whose constant order is paid; that is accepted with a reason."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gonogo.auditing.export import SARIF
from gonogo.config import load
from gonogo.env.target import resolve, source_of
from gonogo.pipeline.gates import accept_named, may_go_on
from gonogo.pipeline.poll import poll
from gonogo.records.record import Verdict

Json = dict[str, Any]
BUDGET = 15000
"""Steps that prove what is accepted, and more."""
WHY = "a constant order is a fair beginning of this game"


def test_what_is_accepted_with_a_reason_stands_in_every_record_and_blocks_no_gate(
    audited: Callable[..., tuple[int, Json]], tmp_path: Path
) -> None:
    game = tmp_path / "stockroom"
    shutil.copytree("stockroom", game)
    code, record = audited(str(game), budget=BUDGET)
    found = {finding["id"] for finding in record["findings"]}
    assert code == Verdict.NO_GO and "constant_answer_pays" in found
    before = source_of(resolve(str(game)))

    # The file decides from now on, without another audit.
    run = load(None, {"target": str(game), "out": str(tmp_path)})
    assert not may_go_on(run, None)
    for name in sorted(found):
        accept_named(run, f"{name}={WHY}")
    assert source_of(resolve(str(game))) == before
    assert may_go_on(run, None)
    board = {row.station: row for row in poll(run, only_read=True).board}
    assert board["audit"].verdict is Verdict.GO and WHY in board["audit"].said

    code, record = audited(str(game), "--accept", f"constant_answer_pays={WHY}", budget=BUDGET)
    assert code == Verdict.GO
    assert {finding["accepted"] for finding in record["findings"]} == {WHY}
    assert f"constant_answer_pays ({WHY})" in record["reason"]
    results = json.loads((tmp_path / SARIF).read_text())["runs"][0]["results"]
    assert [each["suppressions"][0]["justification"] for each in results] == [WHY] * len(results)
    (game / "gonogo.yaml").unlink()
    assert not may_go_on(run, None)
    assert may_go_on(run, WHY)
