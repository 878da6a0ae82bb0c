"""The same environment in two processes whose hash seeds differ, renewed together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gonogo import config
from gonogo.contract.processes import ProcessPair
from gonogo.env.environment import Env
from gonogo.errors import TargetError
from gonogo.records.inspection import Description
from gonogo.rollouts.types import Transition

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import paths are looked up from the working directory."""
    monkeypatch.chdir(ROOT)


@pytest.fixture
def pair_of(tmp_path: Path) -> Iterator[Callable[[str], ProcessPair]]:
    """Opens a pair of a target, closed at the end."""
    opened: list[ProcessPair] = []

    def start(target: str) -> ProcessPair:
        run = config.load(None, {"target": target, "out": str(tmp_path)})
        opened.append(ProcessPair(Env.of(run)))
        return opened[-1]

    yield start
    for pair in opened:
        pair.close()


def test_two_processes_are_renewed_together(pair_of: Callable[[str], ProcessPair]) -> None:
    pair = pair_of("tests.zoo.single:Careless")
    assert pair.second is not None
    pids = [pair.first.pid, pair.second.pid]  # type: ignore[attr-defined]
    assert None not in pids and len(set(pids)) == 2
    assert not pair.cut_off
    pair.uneven = True
    assert pair.renew() is None
    assert pair.second is not None and not pair.uneven
    again = [pair.first.pid, pair.second.pid]  # type: ignore[attr-defined]
    assert len({*pids, *again}) == 4
    for connection in (pair.first, pair.second):
        assert isinstance(connection.reset({0: {}, 1: {}})[1], Transition)
    assert pair.describe().reset is not None and pair.notes == []


def test_what_cannot_be_asked_is_a_note(pair_of: Callable[[str], ProcessPair]) -> None:
    pair = pair_of("tests.zoo.defects:Stillborn")
    assert pair.describe() == Description()
    (note,) = pair.notes
    assert note.startswith("the environment could not be asked what it is: ")
    assert "no instance today" in note


def test_where_one_cannot_be_started_none_is_left(pair_of: Callable[[str], ProcessPair]) -> None:
    with pytest.raises(TargetError, match="has no attribute 'Nobody'"):
        pair_of("tests.zoo.single:Nobody")


def test_a_server_is_one_process(
    serve: Callable[..., str], gridworld: Path, tmp_path: Path
) -> None:
    run = config.load(None, {"target": serve(gridworld), "out": str(tmp_path)})
    with closing(ProcessPair(Env.of(run))) as pair:
        first = pair.first
        assert pair.second is None
        assert pair.renew() is None and pair.first is first
