"""Where to look for what a finding is about: a line of the card, in a file of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.mapped import card, method

from gonogo.auditing.source_locations import PARTS, Place, Places
from gonogo.env.target import resolve
from gonogo.records.findings import FINDINGS


def test_every_finding_has_a_part_of_the_environment_and_one_only() -> None:
    named = [finding for findings in PARTS.values() for finding in findings]
    assert sorted(named) == sorted(FINDINGS)


@pytest.mark.parametrize(
    ("name", "component", "place"),
    [
        ("seed_ignored", None, Place("envs/my grid/server/environment.py", 10)),
        ("nondeterministic", None, Place("envs/my grid/server/environment.py", 20)),
        ("paid_after_done", None, Place("envs/my grid/server/environment.py", 25)),
        ("paid_for_idling", None, Place("envs/my grid/server/environment.py", 30)),
        ("paid_for_idling", "speed", Place("envs/my grid/server/environment.py", 32)),
        ("paid_for_idling", "reach", Place("envs/my grid/server/rubrics.py", 5)),
        ("client_imports_server", None, Place("envs/my grid/client.py", 1)),
    ],
)
def test_a_finding_is_where_the_map_saw_what_it_is_about(
    repository: Path, name: str, component: str | None, place: Place
) -> None:
    target = resolve(str(repository / "envs" / "my grid"))
    assert Places(target, card(), None).of(name, component) == place


def test_what_the_map_did_not_see_is_at_the_manifest(repository: Path) -> None:
    target = resolve(str(repository / "envs" / "my grid"))
    bare = card(
        reset={"code": None},
        step={"code": method("/usr/lib/python3/elsewhere.py", 3)},
        terminal={"places": None},
        reward={"breakdown": [], "rubric": {}, "places": None},
        packaging={"files": {"client": None}, "project": None},
    )
    places = Places(target, bare, None)
    found = {places.of(name, "speed") for name in FINDINGS}
    assert found == {Place("envs/my grid/openenv.yaml", 1)}


def test_a_reward_that_was_given_is_where_it_pays(repository: Path) -> None:
    reward = repository / "reward.py"
    reward.write_text("")
    places = Places(resolve(str(repository / "envs" / "my grid")), card(), reward)
    assert places.of("paid_for_idling", "speed") == Place("reward.py", 1)
    assert places.of("seed_ignored", None) == Place("envs/my grid/server/environment.py", 10)


def test_a_folder_without_a_repository_is_its_own_root(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "app.py").write_text("")
    (tmp_path / "openenv.yaml").write_text("name: grid\n")
    bare = card(step={"code": None}, packaging=None)
    assert Places(resolve(str(tmp_path)), bare, None).of("client_broken", None) == Place(
        "openenv.yaml", 1
    )
