"""An audit maps first."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.records_made import contract_report

from gonogo import config
from gonogo.env.target import resolve, source_of
from gonogo.pipeline import gates as gates_command
from gonogo.records.provenance import reward_hash


@pytest.fixture
def run(tmp_path: Path) -> config.RunConfig:
    target = tmp_path / "environment"
    (target / "server").mkdir(parents=True)
    (target / "server" / "app.py").write_text("app = None\n")
    (target / "openenv.yaml").write_text("name: x\n")
    return config.load(None, {"target": str(target), "out": str(tmp_path / "out")})


def test_an_audit_maps_first_where_the_map_is_none_or_of_something_else(
    run: config.RunConfig,
) -> None:
    def left(**others: object) -> None:
        mapped = run.model_copy(update=others)
        contract_report(
            target=mapped.target,
            seed=mapped.seed,
            config=mapped.model_dump(mode="json", include={"rollout", "map"}),
            reward_hash=reward_hash(mapped.reward),
            source_hash=source_of(resolve(run.target)),
        ).save(run.out)

    assert "no map record there" in str(gates_command.why_map(run))
    left()
    assert gates_command.why_map(run) is None
    left(seed=7)
    assert "of another seed" in str(gates_command.why_map(run))
    left(map=config.MapConfig(reset={"level": "odd"}))
    assert "of another config" in str(gates_command.why_map(run))
    reward = run.out / "reward.py"
    reward.parent.mkdir(parents=True, exist_ok=True)
    reward.write_text("")
    left(reward=reward)
    assert "of another reward_hash" in str(gates_command.why_map(run))
    left(target="somewhere else")
    assert "of another target" in str(gates_command.why_map(run))
    left()
    (Path(run.target) / "server" / "app.py").write_text("app = 1\n")
    assert "source has changed" in str(gates_command.why_map(run))
