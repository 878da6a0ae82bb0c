"""The skill: made from the stations, and written where OpenEnv puts its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from openenv.cli.commands import skills

from gonogo.agents import AGENTS, install_skill, skill_text
from gonogo.errors import Misuse
from gonogo.records.stations import STATIONS


def test_the_skill_has_each_station_and_the_rules() -> None:
    said = skill_text()
    assert said.startswith("---\nname: gonogo\ndescription: ")
    for name in STATIONS:
        assert f"`gonogo {name}`" in said
    assert "No invented API" in said and "at least three exploits" in said


def test_the_skill_lies_where_openenv_puts_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    skills.skills_add(claude=True)
    file, link = install_skill(None, ["claude"], force=False)
    own = tmp_path / skills.CENTRAL_LOCAL / skills.DEFAULT_SKILL_ID / "SKILL.md"
    assert (tmp_path / file).parent.parent == own.parent.parent
    assert (link / "SKILL.md").read_text() == skill_text()
    assert link.parent == skills.LOCAL_TARGETS["claude"] and link.is_symlink()
    with pytest.raises(Misuse, match="is there already; --force replaces it"):
        install_skill(None, [], force=False)
    install_skill(None, ["claude"], force=True)


def test_a_skill_for_nobody_is_misuse(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match=f"one of {', '.join(AGENTS)}, not 'hal'"):
        install_skill(None, ["hal"], force=False)
    with pytest.raises(Misuse, match="go without --dest"):
        install_skill(tmp_path, ["claude"], force=False)
    assert not any(tmp_path.iterdir())


@pytest.mark.long
def test_the_command_writes_and_shows_the_skill(tmp_path: Path) -> None:
    def skill(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gonogo", "skill", *words],
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=100,
        )  # fmt: skip

    assert skill("--show").stdout == skill_text()
    assert not any(tmp_path.iterdir())
    assert skill("--dest", "mine").stdout.strip() == "mine/gonogo/SKILL.md"
    assert skill("--dest", "mine").returncode == 2
