"""docs/missions.md is what the committed records and the code give, and says of a record what is in it."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from flightrules.missions.splits import LEVELS
from flightrules.missions.store import MissionStore
from flightrules.validation import handbook

ROOT = Path(__file__).parents[4]
PAGE, RECORDS = ROOT / "docs" / "missions.md", ROOT / "docs" / "missions"
TRAINING = {
    "level": "detumble", "split": "test", "episodes": 500, "seed": 7, "decisions": 123_456,
    "success": {"mean": 0.75, "interval": [0.71, 0.785]}, "score": {"mean": 0.5, "interval": None},
    "illegal_share": 0.0, "decisions_per_episode": 12.25, "train_s": 903.0, "wall_s": 950.0,
    "minutes": 15.0, "cores": 1, "source": "0123456789abcdef",
}  # fmt: skip


def test_the_page_is_what_its_records_and_the_code_give() -> None:
    """Where this fails after a change: `python envs/flightrules/validation/handbook.py`, see the Makefile."""
    store = MissionStore()
    assert handbook.render(RECORDS, store) == PAGE.read_text(encoding="utf-8")


def test_the_page_links_to_what_is_there() -> None:
    page = PAGE.read_text(encoding="utf-8")
    links = [part.split(")")[0] for part in page.split("](")[1:]]
    assert links
    assert [link for link in links if link[0] != "#" and not (PAGE.parent / link).exists()] == []


def test_trainings_of_the_baseline_have_rows_of_their_own(tmp_path: Path) -> None:
    """Below the reference policies of their level, and what they were given beside."""
    for name in (handbook.FAIRNESS, handbook.POLICIES):
        shutil.copy(RECORDS / name, tmp_path)
    store = MissionStore()
    without = handbook.render(tmp_path, store)
    assert "ppo" not in without
    (tmp_path / handbook.PPO).write_text(json.dumps(TRAINING) + "\n", encoding="utf-8")
    lines = handbook.render(tmp_path, store).splitlines()
    row = "| `detumble` | ppo, seed 7 | 500 | 0.750 [0.710, 0.785] | 0.500 (constant) | 12.2 | - |"
    place = lines.index(row)
    assert lines[place - 1].startswith("| `detumble` | oracle |")
    assert lines[place + 1].startswith("| `retarget` | ")
    assert "| 7 | `detumble` | 15.1 | 1 | 123456 | `0123456789abcdef` |" in lines


def test_a_broken_rule_is_on_the_page(tmp_path: Path) -> None:
    shutil.copy(RECORDS / handbook.POLICIES, tmp_path)
    record = json.loads((RECORDS / handbook.FAIRNESS).read_text(encoding="utf-8"))
    record["levels"][LEVELS[0]]["broken"] = ["detumble validation 3: idling succeeds"]
    (tmp_path / handbook.FAIRNESS).write_text(json.dumps(record), encoding="utf-8")
    page = handbook.render(tmp_path, MissionStore())
    assert "- detumble validation 3: idling succeeds" in page
    assert "No rule is broken." not in page


def test_counts_are_told_by_mission() -> None:
    counts = {"hold": 10, "stay_quiet": 20, "gauge": 3, "alarm": 10}
    assert handbook.shares(counts, 10) == "stay_quiet × 2, alarm, hold, gauge × 0.3"
    assert handbook.shares({}, 10) == "-"


def test_a_folder_without_records_is_misuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["handbook.py", "--records", str(tmp_path), "--out", str(tmp_path / "page.md")]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as refused:
        handbook.main()
    assert refused.value.code == 2
    assert "--records must hold fairness.json" in capsys.readouterr().err


def test_a_record_of_another_source_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page is written all the same: not every change of the source changes a number."""
    for name in (handbook.FAIRNESS, handbook.POLICIES):
        shutil.copy(RECORDS / name, tmp_path)
    record = json.loads((tmp_path / handbook.FAIRNESS).read_text(encoding="utf-8"))
    record["about"]["source"] = "another"
    (tmp_path / handbook.FAIRNESS).write_text(json.dumps(record), encoding="utf-8")
    out = tmp_path / "page.md"
    monkeypatch.setattr(sys, "argv", ["handbook.py", "--records", str(tmp_path), "--out", str(out)])
    handbook.main()
    assert "fairness.json is of source another" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == handbook.render(tmp_path, MissionStore())
