"""A package in a folder, whose records any check's grader is run on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openenv.validation import NormalizedManifest, Subject
from tests.submission.graders.sound import BY_ID, Json, manifest

from gonogo.records.files import write_record
from gonogo.records.provenance import source_hash


@pytest.fixture
def judge(tmp_path: Path) -> Callable[..., Any]:
    """Run a check's grader on records; its result."""
    root, outputs = tmp_path / "package", tmp_path / "run"
    root.mkdir()
    (root / "policies.py").write_text("")

    def run(check: str, written: Json, declared: NormalizedManifest | None = None) -> Any:
        for kind, body in written.items():
            record = {**body, "source_hash": source_hash(root)}
            write_record(outputs / f"{kind}.json", kind, 1, record)
        subject = Subject(root, declared or manifest(), None, None, outputs)
        return BY_ID[check]().run(subject)

    return run
