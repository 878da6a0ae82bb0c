"""The committed planted pairs pay as they promise, and are judged by one rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from benchmarks import planted

Json = dict[str, Any]


def side(*found: tuple[str, str]) -> Json:
    """A side with findings, each an id and its severity."""
    findings = [{"id": name, "severity": severity} for name, severity in found]
    return {"verdict": "NO_GO" if found else "GO", "why_not": None, "findings": findings}


LEAK, DOUBT = ("leaked_answer", "pays without an effort"), ("paid_again", "suspicious")


@pytest.mark.parametrize(
    ("broken", "sound", "named"),
    [
        (side(LEAK), side(), True),
        (side(LEAK), side(LEAK), False),
        (side(DOUBT), side(), False),
        (side(("state_contract", "contract")), side(), False),
        (side(), side(LEAK), False),
    ],
)
def test_a_defect_is_named_where_the_twin_is_not_accused_alike(
    broken: Json, sound: Json, named: bool
) -> None:
    assert planted.named({"planted": broken, "sound": sound}) is named


def test_the_page_has_each_set_and_pair() -> None:
    row = {"name": "one/tugs", "gonogo": "0" * 40, "planted": side(LEAK, DOUBT), "sound": side()}
    page = planted.page([row])
    assert "| one (read while rules were written) | 1 of 1: 1.00 (" in page
    assert "NO-GO: leaked_answer, *paid_again* | GO | yes |" in page


def test_each_pair_is_whole() -> None:
    folders = planted.pairs_of([], [])
    assert len({planted.name_of(folder) for folder in folders}) == len(folders) >= 16
    for folder in folders:
        assert all((folder / side / "openenv.yaml").is_file() for side in planted.SIDES)


PAIRS = planted.pairs_of([], [])


@pytest.mark.parametrize(
    "folder",
    [
        pytest.param(folder, marks=[] if folder.name == "courier_desk" else pytest.mark.long)
        for folder in PAIRS
    ],
    ids=planted.name_of,
)
def test_a_pair_pays_its_exploit_and_its_twin_does_not(folder: Path) -> None:
    found, holds = planted.checked(folder)
    assert holds, found
