"""The policy table: an episode in numbers, whose rows there are, and what is asked for where it cannot count."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from flightrules.flight.flight import Flight
from flightrules.missions.splits import LEVELS
from flightrules.missions.store import MissionStore
from flightrules.validation import table
from flightrules.validation.blocks import Block
from flightrules.validation.policies import NAMES, Idle
from flightrules.validation.table import fly_pilot


def test_an_episode_in_numbers() -> None:
    """Idling through detumble takes two decisions; what it was shown is counted, the first text and the second."""
    mission = MissionStore().task("train", 0, "detumble")
    shown = []
    flight, pilot = Flight(mission), Idle()
    while not flight.done:
        shown.append(len(flight.telemetry().text))
        flight.execute(pilot.decide({}))
    episode = fly_pilot(mission, Idle(), len)
    assert episode == {
        "success": False, "score": episode["score"], "decisions": 2, "illegal": 0, "tokens": sum(shown),
    }  # fmt: skip
    assert len(shown) == 2
    assert episode["score"] <= 0.05


def test_every_policy_has_a_row_on_every_level_of_every_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the same again gives the same bytes."""

    def serial(
        work: Callable[[Block], dict[str, Any]], todo: Sequence[Block], out: Path, about: object
    ) -> list[dict[str, Any]]:
        return [json.loads(json.dumps(work(block))) for block in todo]

    monkeypatch.setattr(table, "finish", serial)
    monkeypatch.setattr(table, "token_counter", lambda: len)
    out = tmp_path / "policies.json"
    record = table.report(2, 1, out)
    first = out.read_bytes()
    assert json.loads(first) == json.loads(json.dumps(record))
    table.report(2, 1, out)
    assert out.read_bytes() == first
    rows = {(row["split"], row["level"], row["policy"]): row for row in record["rows"]}
    splits = (table.TEST, *table.HELD_OUT)
    assert set(rows) == {(s, level, name) for s in splits for level in LEVELS for name in NAMES}
    assert {row["episodes"] for key, row in rows.items() if key[0] == "test"} == {2}
    assert {row["episodes"] for key, row in rows.items() if key[0] != "test"} == {1}
    for name, success in (("oracle", 1.0), ("idle", 0.0)):
        assert {row["success"]["mean"] for key, row in rows.items() if key[2] == name} == {success}


@pytest.mark.parametrize(
    ("absent", "wrong", "words"),
    [
        (["gguf"], (), "gguf must be installed to count tokens: pip install"),
        ([], ("--missions", "0"), "--missions must be at least 1, got 0"),
        ([], ("--held-out", "-1"), "--held-out must be at least 1, got -1"),
    ],
)
def test_misuse(
    absent: list[str],
    wrong: tuple[str, ...],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(table, "missing", lambda: absent)
    monkeypatch.setattr(sys, "argv", ["table.py", "--out", "nowhere.json", *wrong])
    with pytest.raises(SystemExit) as refused:
        table.main()
    assert refused.value.code == 2
    assert words in capsys.readouterr().err
