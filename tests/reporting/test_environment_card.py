"""The environment's card: the hub's front matter, and what the records say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from huggingface_hub import SpaceCard
from tests.reporting.conftest import edit

from gonogo.errors import Misuse, StaleRecord
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.evaluation import EvaluationReport
from gonogo.reporting import report as station
from gonogo.reporting.environment_card import environment_card
from gonogo.reporting.run_contents import StationRecords


def test_it_has_the_front_matter_of_a_space_and_what_the_records_say(run: Path) -> None:
    station.run(run)
    card = SpaceCard.load(run / "environment_card.md")
    said = card.data.to_dict()
    found, audit, evaluation = (
        ContractReport.load(run),
        AuditReport.load(run),
        EvaluationReport.load(run),
    )
    assert said["title"] == found.environment
    assert (said["sdk"], said["app_port"], said["base_path"]) == ("docker", 8000, "/web")
    assert said["tags"] == ["openenv"]
    for entry in (*found.action.fields, *found.observation):
        assert f"| `{entry.name}` |" in card.text
    assert audit.reason in card.text
    for finding in audit.findings:
        assert finding.explanation in card.text
    for name, entry in evaluation.policies.items():
        assert f"| {name} | {entry.score.mean:.3f} " in card.text


def test_without_a_map_there_is_none(run: Path) -> None:
    (run / "map.json").unlink()
    station.run(run)
    assert not (run / "environment_card.md").exists()


def test_the_readme_s_own_front_matter_and_the_manifest_s_port_stand(
    run: Path, tmp_path: Path
) -> None:
    manifest = {"port": 7860, "validation": {"types": {"tags": ["games"]}}}
    changes = {"target": str(tmp_path), "manifest": manifest}
    record = ContractReport.load(run).model_copy(update=changes)
    made = SpaceCard(environment_card(record, StationRecords())).data.to_dict()
    assert (made["app_port"], made["tags"]) == (7860, ["openenv", "games"])
    (tmp_path / "README.md").write_text("---\ntitle: Own\nlicense: mit\n---\n\n# Text\n")
    made = SpaceCard(environment_card(record, StationRecords())).data.to_dict()
    assert (made["title"], made["license"], made["sdk"]) == ("Own", "mit", "docker")


@pytest.mark.parametrize("front", ["a: [", "- a\n- b"])
def test_front_matter_that_is_none_is_said(run: Path, tmp_path: Path, front: str) -> None:
    (tmp_path / "README.md").write_text(f"---\n{front}\n---\n")
    with pytest.raises(Misuse, match=r"README\.md: its front matter must be a mapping"):
        environment_card(
            ContractReport.load(run).model_copy(update={"target": str(tmp_path)}), StationRecords()
        )


def test_a_map_that_was_edited_is_refused_with_the_field(run: Path, tmp_path: Path) -> None:
    whole = shutil.copy(ContractReport.path(run), tmp_path / "map.json")
    for places, value in ((("action", "fields"), [1]), (("reward", "declared"), [0.0])):
        edit(ContractReport.path(run), *places, value=value)
        with pytest.raises(StaleRecord, match=rf"{places[0]}\.{places[1]}"):
            station.run(run)
        shutil.copy(whole, ContractReport.path(run))
