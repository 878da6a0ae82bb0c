"""``plain``: FastAPI with ``/reset``, ``/step`` and ``/state``, and nothing of OpenEnv."""

from __future__ import annotations

from gonogo.records.contract import ContractReport
from pathlib import Path

from gonogo import config
from gonogo.contract import check_env as station

HERE = Path(__file__).parent


def test_it_is_mapped_by_the_schemas_of_its_openapi(tmp_path: Path) -> None:
    station.run(config.load(None, {"target": str(HERE / "plain"), "out": str(tmp_path)}))
    assert [field.name for field in ContractReport.load(tmp_path).action.fields] == ["answer"]
