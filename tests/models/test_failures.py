"""What a library raises over broken files of a model is of a known kind, and is said in a line."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from gonogo.models.failures import broken_errors, first_line


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("\n  no such kind\nTraceback: more\n"), "no such kind"),
        (KeyError("layers"), "'layers'"),
        (MemoryError(), "MemoryError"),
        (RuntimeError("   "), "RuntimeError"),
    ],
)
def test_the_first_line_says_it_and_its_kind_where_it_says_nothing(
    error: Exception, said: str
) -> None:
    assert first_line(error) == said


def test_files_that_are_broken_raise_one_of_these(tmp_path: Path) -> None:
    pytest.importorskip("safetensors", reason="the train extra is not installed")
    from safetensors import safe_open

    file = tmp_path / "model.safetensors"
    file.write_bytes(b"no tensors")
    with pytest.raises(broken_errors()), safe_open(file, "np"):
        pass
    with pytest.raises(broken_errors()):
        struct.unpack("<Q", b"too few")
    assert not issubclass(AssertionError, broken_errors())
    assert not issubclass(KeyboardInterrupt, broken_errors())
