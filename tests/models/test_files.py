"""A folder is a model's by its files: any chat model's, or one of gonogo's, which may be an adapter alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonogo.models.files import MODEL_FILE, OUR_MODEL_FILE, holds_model


@pytest.mark.parametrize("name", [MODEL_FILE, OUR_MODEL_FILE])
def test_a_folder_holds_a_model_by_one_of_its_files(name: str, tmp_path: Path) -> None:
    assert not holds_model(tmp_path)
    (tmp_path / name).mkdir()
    assert not holds_model(tmp_path)
    (tmp_path / name).rmdir()
    (tmp_path / name).write_text("{}")
    assert holds_model(tmp_path)


def test_neither_a_file_nor_nothing_holds_one(tmp_path: Path) -> None:
    (tmp_path / "weights.gguf").write_bytes(b"GGUF")
    assert not holds_model(tmp_path / "weights.gguf") and not holds_model(tmp_path / "nowhere")
