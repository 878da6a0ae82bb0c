"""The curriculum that the repository ships: every stage gives missions that are proved fair."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from flightrules.missions.generator import generate
from flightrules.missions.knobs import NAMES
from flightrules.missions.splits import LEVELS
from flightrules.server.options import check_options

CONFIG = Path(__file__).parents[3] / "configs" / "curriculum.yaml"
MISSIONS = 3


@pytest.fixture(scope="module")
def stages() -> list[dict[str, Any]]:
    if not CONFIG.is_file():
        pytest.skip("the environment was taken out of its repository")
    found: list[dict[str, Any]] = yaml.safe_load(CONFIG.read_text())["train"]["curriculum"][
        "stages"
    ]
    return found


def test_every_stage_gives_fair_missions(stages: list[dict[str, Any]]) -> None:
    for stage in stages:
        attempts = 0
        for index in range(MISSIONS):
            asked = check_options({**stage["options"], "index": index})
            assert asked.level is not None and asked.split == "train"
            mission, drawn = generate(asked.level, asked.split, index, asked.knobs)
            assert mission.proof is not None
            attempts += drawn
        assert attempts <= 2 * MISSIONS, f"{stage['name']} refuses more than half of its draws"


def test_the_stages_go_over_all_levels_and_turn_every_knob(stages: list[dict[str, Any]]) -> None:
    levels = [stage["options"]["level"] for stage in stages]
    assert levels == sorted(levels, key=LEVELS.index)
    assert set(levels) == set(LEVELS)
    assert {name for stage in stages for name in stage["options"]} >= set(NAMES)
    for level in LEVELS:  # a level's last stage is the level itself
        last = [stage["options"] for stage in stages if stage["options"]["level"] == level][-1]
        assert not set(last) & set(NAMES)
