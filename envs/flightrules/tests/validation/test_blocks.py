"""Blocks: nothing is flown twice, nothing torn is believed, and another run begins anew."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import pytest

from flightrules.flight.command import Command
from flightrules.missions.generator import generate
from flightrules.validation.blocks import BLOCK, Block, blocks, finish, fly, write_record

TODO = [Block("detumble", "test", first, 1) for first in range(3)]
ABOUT = {"missions": 3}


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads for processes, which take seconds to start."""
    monkeypatch.setattr(
        "flightrules.validation.blocks.ProcessPoolExecutor",
        lambda workers, **_: ThreadPoolExecutor(workers),
    )


def refuse(block: Block) -> dict[str, object]:
    raise AssertionError(f"{block} is flown again")


def test_blocks_cover_the_missions_once() -> None:
    cut = blocks("detumble", "test", 2 * BLOCK + 3)
    assert [len(block.indices) for block in cut] == [BLOCK, BLOCK, 3]
    assert [index for block in cut for index in block.indices] == list(range(2 * BLOCK + 3))
    assert len({block.name for block in cut}) == 3


def test_results_come_in_order_and_a_finished_run_is_not_flown_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two processes; the second call has nothing left to do."""
    out = tmp_path / "new" / "record.json"
    results = finish(asdict, TODO, out, ABOUT)
    assert results == [asdict(block) for block in TODO]
    assert "3 of 3 blocks, about 0.0 min left" in capsys.readouterr().err
    assert finish(refuse, TODO, out, ABOUT) == results


@pytest.mark.usefixtures("threads")
def test_a_stopped_run_goes_on_behind_what_was_torn(tmp_path: Path) -> None:
    """One block was finished, the next one's line was cut: one is believed, two are flown."""
    out, kept = tmp_path / "record.json", tmp_path / "record.blocks.jsonl"
    finished = json.dumps({"block": TODO[1].name, "result": {"kept": True}})
    kept.write_text(json.dumps({"about": ABOUT}) + "\n" + finished + "\n" + finished[:20])
    results = finish(asdict, TODO, out, ABOUT)
    assert results == [asdict(TODO[0]), {"kept": True}, asdict(TODO[2])]
    assert len([json.loads(line) for line in kept.read_text().splitlines()]) == 1 + len(TODO)


@pytest.mark.usefixtures("threads")
def test_a_run_about_something_else_begins_anew(tmp_path: Path) -> None:
    out, kept = tmp_path / "record.json", tmp_path / "record.blocks.jsonl"
    stale = json.dumps({"block": TODO[0].name, "result": {"stale": True}})
    kept.write_text(json.dumps({"about": {"missions": 9}}) + "\n" + stale + "\n")
    assert finish(asdict, TODO[:1], out, ABOUT) == [asdict(TODO[0])]


def test_a_written_record_drops_its_blocks(tmp_path: Path) -> None:
    out, kept = tmp_path / "record.json", tmp_path / "record.blocks.jsonl"
    kept.write_text("")
    write_record(out, {"a": 1})
    assert json.loads(out.read_text()) == {"a": 1}
    assert list(tmp_path.iterdir()) == [out]


def test_a_flight_goes_to_the_end_whatever_is_lost_on_the_way() -> None:
    mission, _ = generate("detumble", "train", 0)
    flight = fly(mission, lambda _: Command("idle", "detumble", 300))
    assert flight.simulation.clock_s == mission.horizon_s
    flight = fly(mission, lambda _: Command("idle", "detumble", 10))
    assert flight.decisions == mission.decisions
