"""What a map's proof shows in a process that flew nothing: the same, after some resets, or nothing of the kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, chdir, closing
from pathlib import Path
from typing import cast

import pytest

from gonogo import config
from gonogo.contract.findings import Item, failed
from gonogo.contract.placing import ABOUT_SEVERAL_RESETS, ProofPlacing
from gonogo.contract.provocations import after_done_item
from gonogo.contract.responses import numeric_item, steps_of
from gonogo.contract.tasks import Task
from gonogo.contract.trajectories import Trace, fly
from gonogo.env.environment import Env
from gonogo.errors import EnvironmentFailure
from gonogo.records.findings import ContractWitness
from gonogo.rollouts.types import Inspection
from gonogo.rollouts.watch import Watch
from gonogo.wire import TaskOptions

ROOT = Path(__file__).parents[2]
OWN: TaskOptions = {"seed": 1}
HARD: TaskOptions = {"task": "hard"}
TASK = Task({}, "default")
Judge = Callable[[str, Trace], Sequence[Item]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], Callable[[], Inspection]]]:
    """Gives what starts processes of one of the zoo's environments; those that are left are closed at the end."""
    with ExitStack() as stack, chdir(ROOT):

        def of(name: str) -> Callable[[], Inspection]:
            given = {"target": f"tests.zoo.turns:{name}", "out": str(tmp_path)}
            env = Env.of(config.load(None, given))
            return lambda: stack.enter_context(closing(env.connect(1)))

        yield of


def past_an_end(_: str, trace: Trace) -> list[Item]:
    """What the check of steps past an end says."""
    return [after_done_item(TASK, trace)]


def of_types(_: str, trace: Trace) -> list[Item]:
    """What the check of rewards' types says."""
    return [numeric_item(TASK, list(steps_of([trace])), 0)]


def nothing(_: str, trace: Trace) -> list[Item]:
    """A check that flies what it judges, and says nothing of a flight."""
    return []


def number(connection: Inspection, times: int) -> Trace:
    """A flight of some numbers."""
    return fly(connection, 0, OWN, [{"number": 0}] * times, past=True)


def test_a_task_that_an_earlier_reset_named_is_named_before_the_proof(
    start: Callable[[str], Callable[[], Inspection]],
) -> None:
    fresh = start("Keeping")
    running = fresh()
    running.reset({0: HARD})
    (item,) = past_an_end("", number(running, 3))
    assert item.finding is not None and item.finding.id == "paid_after_done"
    placed = ProofPlacing(fresh, {}, past_an_end, [(HARD,)]).place(item)
    assert placed.finding is not None
    assert isinstance(placed.finding.witness, ContractWitness)
    assert placed.finding.witness.resets_before == (HARD,)
    unknown = ProofPlacing(fresh, {}, past_an_end).place(item)
    assert unknown.finding is None and unknown.proof is None
    assert "a fresh process did not show this within 24 resets" in unknown.checked.said
    assert unknown.checked.verdict == "na" and unknown.checked.evidence.unclear


def test_where_each_reset_draws_what_the_check_says_of_another_flight_counts(
    start: Callable[[str], Callable[[], Inspection]],
) -> None:
    fresh = start("Flags")
    (item,) = of_types("", number(fresh(), 2))
    assert item.finding is not None and item.finding.id == "bool_reward"
    placed = ProofPlacing(fresh, {}, of_types).place(item)
    assert placed.finding is not None and placed.finding.id == "bool_reward"
    assert placed.proof is not None and item.proof is not None
    assert placed.proof.trace is not item.proof.trace


@pytest.mark.parametrize(("name", "before"), [("DiesLate", 1), ("RaisesLate", 1)])
def test_a_loss_and_a_refusal_come_back_after_as_many_resets(
    name: str, before: int, start: Callable[[str], Callable[[], Inspection]]
) -> None:
    fresh = start(name)
    running = fresh()
    running.reset({0: OWN})
    trace = number(running, 2)
    item = failed("malformed_actions", "dies", "so", TASK, trace.witness())
    placed = ProofPlacing(fresh, {}, nothing).place(item)
    assert placed.proof is not None
    assert placed.proof.trace.before == (OWN,) * before


class CountedClock:
    """A clock that is out once it was asked so often."""

    def __init__(self, most: int) -> None:
        self.left = most

    @property
    def out(self) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize("checks", [0, 1, 5, 40])
def test_a_search_that_the_clock_ends_leaves_the_item_and_says_so(
    checks: int, start: Callable[[str], Callable[[], Inspection]]
) -> None:
    """Before the first process starts, within its flight, and at a later reset; nothing is flown after that."""
    fresh, clock = start("Flags"), CountedClock(checks)
    (item,) = of_types("", number(fresh(), 2))
    came = ProofPlacing(fresh, {}, nothing, watch=cast("Watch", clock)).place(item)
    assert clock.left == -1
    assert came.finding is not None and item.finding is not None
    assert (came.finding.id, came.proof) == (item.finding.id, item.proof)
    assert "the time for this check ran out" in came.checked.said and came.checked.verdict == "fail"
    assert "the time for this check ran out" in came.finding.explanation


def test_a_process_that_cannot_be_started_leaves_the_item_and_says_so() -> None:
    def never() -> Inspection:
        raise EnvironmentFailure("no memory is left")

    item = failed("malformed_actions", "dies", "so", TASK, Trace(OWN).witness())
    came = ProofPlacing(never, {}, nothing).place(item)
    assert came.finding is not None and came.finding.id == "dies"
    assert came.checked.said.endswith("no memory is left")


def test_what_is_about_several_resets_keeps_its_form() -> None:
    def never() -> Inspection:
        raise AssertionError("nothing is to be started")

    for name in ABOUT_SEVERAL_RESETS:
        item = failed("seed_control", name, "so", TASK, Trace(OWN).witness())
        assert ProofPlacing(never, {}, nothing).place(item) is item
