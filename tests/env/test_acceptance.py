"""``gonogo.yaml`` beside an environment: what its author accepts, and why."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.records_made import finding

from gonogo.env.acceptance import acceptances, append, asked, read
from gonogo.env.target import resolve, source_of
from gonogo.errors import ConfigError, Misuse
from gonogo.records.findings import AcceptedFinding

ENTRY = "accept:\n- finding: paid_for_idling\n  reason: a game of patience\n"


@pytest.fixture
def game(gridworld: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(gridworld, tmp_path / "game"))


def written(folder: Path, text: str) -> Path:
    file = folder / "gonogo.yaml"
    file.write_text(text)
    return file


def test_what_is_accepted_has_its_reason_and_the_rest_has_none(game: Path) -> None:
    file = written(game, ENTRY)
    known = acceptances(str(game))
    assert known.file == file
    found = known.over([finding("paid_for_idling"), finding("farmable_cycle", accepted="once")])
    assert [each.accepted for each in found] == ["a game of patience", None]
    assert list(known.notes(found)) == [f"accepted by {file}: paid_for_idling"]
    assert list(known.unmatched(found)) == []
    assert list(known.notes(())) == []  # a map looks for no such thing
    assert list(known.unmatched(())) == [f"{file} accepts what was not found: paid_for_idling"]


def test_an_entry_may_be_about_one_task_one_component_or_one_environment(game: Path) -> None:
    written(
        game,
        "accept:\n"
        "- {finding: paid_for_idling, reason: here, task: {level: 1}, component: speed}\n"
        "- {finding: farmable_cycle, reason: there, environment: another}\n",
    )
    known = acceptances(str(game))
    meant = finding("paid_for_idling", task={"level": 1, "split": "a"}, component="speed")
    others = [
        finding("paid_for_idling", task={"level": 2}, component="speed"),
        finding("paid_for_idling", task={"level": 1}, component="fuel"),
        finding("paid_for_idling", task=None, component="speed"),
        finding("farmable_cycle"),
    ]
    assert known.reason(meant) == "here"
    assert list(known.unmatched(others)) == [
        f"{known.file} accepts what was not found: paid_for_idling of task {{'level': 1}}, component speed"
    ]
    assert [known.reason(each) for each in others] == [None] * 4


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("accept:\n- finding: paid_for_idling\n", "accept.0.reason: is missing"),
        ("accept:\n- {finding: paid_for_idling, reason: ' '}\n", "accept.0.reason: .*empty text"),
        (
            "accept:\n- {finding: paid_for_idlin, reason: x}\n",
            "accept.0.finding: .*'paid_for_idling'",
        ),
        (
            "accept:\n- {finding: farmable_cycle, reason: x, reasn: y}\n",
            "accept.0.reasn: .*'reason'",
        ),
        ("accept:\n- {finding: farmable_cycle, reason: x, task: 1}\n", "accept.0.task: .*mapping"),
        ("accept: farmable_cycle\n", "accept: must be a list"),
        ("accepted: []\n", "accept: is missing"),
        ("", "must hold a mapping with the list accept, not nothing"),
        ("accept:\n\0\n", "cannot be read"),
        ("- farmable_cycle\n", "must hold a mapping"),
        ("accept: [\n", "cannot be read"),
    ],
)
def test_a_file_that_breaks_a_rule_is_refused_with_the_field(
    game: Path, text: str, field: str
) -> None:
    file = written(game, text)
    with pytest.raises(ConfigError, match=rf"gonogo\.yaml.* {field}") as refused:
        acceptances(str(game))
    assert str(file) in str(refused.value) and "\n" not in str(refused.value)
    assert refused.value.exit_code == 2


def test_to_accept_makes_no_record_stale(game: Path) -> None:
    target = resolve(str(game))
    before = source_of(target)
    file = written(game, ENTRY)
    now = source_of(target)
    assert now == before and now is not None
    assert file.name not in vars(now)["data"]


def test_a_module_s_file_lies_beside_it_or_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "package"
    module.mkdir()
    (module / "game.py").write_text("class Game: ...\n")
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.syspath_prepend(module)
    assert acceptances("game:Game").file == here / "gonogo.yaml"
    written(here, ENTRY)
    assert acceptances("game:Game").file == here / "gonogo.yaml"
    assert acceptances("http://127.0.0.1:1").file == here / "gonogo.yaml"
    beside = written(module, ENTRY)
    assert acceptances("game:Game").file == beside


@pytest.mark.parametrize(
    "before",
    [
        "",
        "# why\naccept:\n  - finding: seed_ignored # one level\n    reason: x\n",
        "accept:\n- {finding: seed_ignored, reason: x}",
        "accept: [{finding: seed_ignored, reason: x}]\n",
    ],
)
def test_more_is_written_behind_what_is_there(tmp_path: Path, before: str) -> None:
    file = tmp_path / "gonogo.yaml"
    if before:
        file.write_text(before)
    more = AcceptedFinding(finding="paid_for_idling", reason='it: is "so" — # meant', task={"a": 1})
    append(file, [more])
    append(file, [more])
    assert [each.finding for each in read(file)][-2:] == ["paid_for_idling"] * 2
    assert len(read(file)) == (3 if before else 2) and read(file)[-1] == more
    assert ("# one level" in file.read_text()) == ("# one level" in before)


def test_what_is_accepted_of_a_shared_file_names_its_environment(
    game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shared = acceptances("http://127.0.0.1:1").entry("paid_for_idling", "meant")
    assert shared.environment == "127.0.0.1:1"
    assert acceptances(str(game)).entry("paid_for_idling", "meant").environment is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_takes_no_file_is_misuse(game: Path) -> None:
    known = acceptances(str(game))
    game.chmod(0o555)
    try:
        with pytest.raises(Misuse, match="cannot be written"):
            known.plus([known.entry("paid_for_idling", "meant")])
    finally:
        game.chmod(0o755)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("it is a game", (None, "it is a game")),
        ("farmable_cycle = it is  a game", ("farmable_cycle", "it is a game")),
        ("2 = two", (None, "2 = two")),
    ],
)
def test_a_reason_is_about_one_finding_or_all(given: str, meant: tuple[str | None, str]) -> None:
    assert asked(given) == meant


@pytest.mark.parametrize("given", ["farmable_cycl=x", "farmable_cycle=", " "])
def test_no_such_finding_and_no_reason_are_refused(given: str) -> None:
    with pytest.raises(Misuse, match="--accept: "):
        asked(given)
