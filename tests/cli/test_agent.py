"""What the commands about an agent ask before they begin."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.test_cli import gonogo

TRAINS = """\
target: {target}
out: {out}
train:
  validation: {{tasks: {{options: {{split: train}}, start: 0}}, episodes: 2}}
  curriculum: {{stages: [{{name: all, options: {{split: train}}, tasks: 2}}]}}
  sft: {{teacher: random}}
"""


@pytest.mark.parametrize("command", ["train", "demo", "probe"])
def test_what_costs_much_asks_for_a_confirmed_statement(
    command: str, gridworld: Path, tmp_path: Path
) -> None:
    config = tmp_path / "trains.yaml"
    config.write_text(TRAINS.format(target=gridworld, out=tmp_path / "run"))
    done = gonogo(command, "--config", str(config))
    assert done.returncode == 3
    assert "no problem statement there; see gonogo theme" in done.stderr
    assert not [each for each in (tmp_path / "run").glob("*.json*") if each.name != "flags.json"]
