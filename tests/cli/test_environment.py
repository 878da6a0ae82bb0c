"""What the commands about an environment ask before they begin."""

from __future__ import annotations

from pathlib import Path

from tests.test_cli import gonogo


def test_a_reward_is_written_where_the_statement_is_confirmed(
    gridworld: Path, tmp_path: Path
) -> None:
    done = gonogo("reward", str(gridworld), "--out", str(tmp_path / "run"))
    assert done.returncode == 3
    assert "no problem statement there; see gonogo theme" in done.stderr
    assert not (tmp_path / "run" / "map.json").exists()
