"""A place that cannot be written is told before work starts."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.test_cli import gonogo

from gonogo.errors import Misuse
from gonogo.records.lock import file_in_use, folder_in_use


@pytest.mark.parametrize("kind", ["file", "below a file", "loop", "nowhere", "device", "long"])
@pytest.mark.parametrize("option", ["--out", "--file"])
def test_a_place_that_cannot_be_written_is_misuse_before_work_starts(
    gridworld: Path, tmp_path: Path, kind: str, option: str
) -> None:
    (tmp_path / "file").write_text("kept")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "nowhere").symlink_to(tmp_path / "none" / "such")
    (tmp_path / "folder").mkdir()
    place = {
        "file": tmp_path / ("file" if option == "--out" else "folder"),
        "below a file": tmp_path / "file" / "x" / "y",
        "loop": tmp_path / "loop" / "x",
        "nowhere": tmp_path / "nowhere" / "x",
        "device": Path("/dev/null") if option == "--out" else Path("/dev/null/x"),
        "long": tmp_path / ("x" * 300),
    }[kind]
    held = folder_in_use if option == "--out" else file_in_use
    with pytest.raises(Misuse, match=r"cannot be written|must be a file"), held(place, "map"):
        pass
    if kind == "file":
        ended = gonogo(
            "rollout" if option == "--file" else "map", str(gridworld), option, str(place)
        )
        assert ended.returncode == 2 and str(place) in ended.stderr, ended.stderr
    assert (tmp_path / "file").read_text() == "kept"
