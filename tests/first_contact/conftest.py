"""Commands on the environments of this folder, as a stranger types them beside them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gonogo.records.audit import AuditReport
from gonogo.cli import main

HERE = Path(__file__).parent

Json = dict[str, Any]
Audited = Callable[..., tuple[int, Json]]


@pytest.fixture
def audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Audited:
    """Audits a folder on few seeds: the exit code and the record, which is empty where there is none."""
    monkeypatch.chdir(HERE)

    def audit(
        folder: str, *flags: str, seeds: int = 4, minutes: float = 10, budget: int | None = None
    ) -> tuple[int, Json]:
        end = ["--minutes", str(minutes)] if budget is None else ["--budget", str(budget)]
        few = ["--seeds", str(seeds), *end]
        asked = ["gonogo", "audit", folder, "--out", str(tmp_path), *few, *flags]
        monkeypatch.setattr("sys.argv", asked)
        with pytest.raises(SystemExit) as ended:
            main()
        code = int(ended.value.code or 0)
        return code, json.loads(file.read_text()) if (file := AuditReport.path(tmp_path)).exists() else {}

    return audit
