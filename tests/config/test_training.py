"""A config that says how to train says something that can be done."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.config.configs_made import write

from gonogo import config
from gonogo.errors import ConfigError


def test_training_needs_something_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="at least one of sft and grpo"):
        config.load(write(tmp_path, {"train.sft": None, "train.grpo": None}))


def test_imitation_beside_reinforcement_needs_something_taught_and_not_flown(
    tmp_path: Path,
) -> None:
    asked = {"train.grpo.imitated": 4, "train.curriculum.open": 1}
    with pytest.raises(ConfigError, match="imitated must be 0 where sft is null, not 4"):
        config.load(write(tmp_path, {**asked, "train.sft": None}))
    stages = {"train.curriculum.stages": [{"name": "all", "options": {}}]}
    with pytest.raises(ConfigError, match="0 where all stages are open from the start, not 4"):
        config.load(write(tmp_path, asked | stages))
