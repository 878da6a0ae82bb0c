"""``words``: a state whose ``step_count`` is a text is a finding of the map, over both transports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gonogo import config
from gonogo.records.contract import ContractReport
from gonogo.records.record import Verdict
from gonogo.contract import check_env as station

HERE = Path(__file__).parent


@pytest.mark.parametrize("served", [False, True])
def test_a_step_count_of_words_breaks_the_contract_of_the_state(
    served: bool, serve: Callable[..., str], tmp_path: Path
) -> None:
    target = serve(HERE / "words") if served else str(HERE / "words")
    verdict = station.run(config.load(None, {"target": target, "out": str(tmp_path)}))
    record = ContractReport.load(tmp_path)
    assert verdict is Verdict.NO_GO
    assert {finding.id for finding in record.findings} == {"state_contract"}
    assert "step_count is 'active'" in record.findings[0].explanation
