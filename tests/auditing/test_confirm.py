"""A suspicion is seen again and replays, or it is a note; its plan is the shortest that shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import audit
from tests.auditing.conftest import Opened

from gonogo.auditing.confirm import confirm, ends_alike, fly_witness, proven, shortest, trimmed
from gonogo.auditing.session import AuditSession
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.witness import Witness
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import Action

pytestmark = pytest.mark.usefixtures("from_the_root")

IDLING = "paid_for_idling"
COLD: Action = {"power": 0.0}


def suspicion(episode: Episode, opened: Opened, said: str = "so") -> dict[str, Suspicion]:
    """That idling is paid, shown by an episode."""
    _, flown = opened
    return {IDLING: Suspicion(IDLING, flown.idle, episode, said, 1.0)}


@pytest.fixture
def thermostat(opened: Callable[..., Opened]) -> Opened:
    """A session over an environment that pays for idling, and the least survey of it."""
    return opened("paid_for_idling:Defect")


def test_what_is_seen_again_and_replays_stands_with_its_shortest_plan(thermostat: Opened) -> None:
    session, flown = thermostat
    first = suspicion(flown.idle.episodes[0], thermostat, "idle is paid")
    second = suspicion(flown.idle.episodes[1], thermostat, "it is paid again")
    (found,), notes = confirm(session, {"level": 1}, first, second)
    assert notes == []
    assert (found.finding.id, found.finding.task) == (IDLING, {"level": 1})
    assert found.finding.explanation == "idle is paid; on fresh seeds it is paid again"
    assert found.policy == flown.idle.name
    assert found.episode is not None and found.episode.turns[0].observation
    seen = Witness.of(flown.idle.episodes[0])
    assert seen.differs(Witness.of(found.episode)) is None
    assert found.finding.witness == seen.record([COLD])


def test_what_is_not_seen_again_or_does_not_replay_is_a_note(thermostat: Opened) -> None:
    session, flown = thermostat
    first = suspicion(flown.idle.episodes[0], thermostat, "idle is paid")
    assert confirm(session, {}, first, {}) == (
        [],
        [f"{IDLING} was not seen again on fresh seeds (idle is paid)"],
    )
    turns = [replace(turn) for turn in flown.idle.episodes[0].turns]
    turns[2].reward = 9.5
    luck = replace(flown.idle.episodes[0], turns=turns)
    stands, (note,) = confirm(session, {}, suspicion(luck, thermostat), first)
    assert stands == []
    assert note.startswith(f"{IDLING} did not replay in a fresh process: turn 2: reward 9.5 seen")


def test_an_episode_that_is_lost_when_it_is_flown_again_proves_nothing(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.single:Mortal")
    plan = [{"add": 1}]
    assert fly_witness(session, {"seed": 1}, plan) is not None
    (whole,) = session.plans("plan", [({"seed": 1}, plan)])
    assert proven(session, IDLING, {}, {"seed": 2}, plan, "so", "idle") is None
    kept = replace(whole, task={"seed": 2})  # it was flown where its process did not end
    known = {IDLING: Suspicion(IDLING, None, kept, "so", 1.0)}  # type: ignore[arg-type]
    assert confirm(session, {}, known, known)[1] == [
        f"{IDLING} did not replay in a fresh process: it was lost"
    ]


def test_a_plan_keeps_what_shows_it_and_nothing_else(thermostat: Opened) -> None:
    session, flown = thermostat
    task = flown.idle.episodes[0].task
    plan = [COLD, {"power": 0.25}, {"power": 0.5}, COLD]
    seen = Witness.of(*session.plans("plan", [(task, plan)]))

    def is_warmed(episode: Episode) -> bool:
        return any(turn.action == {"power": 0.5} for turn in episode.turns)

    assert shortest(session, seen, is_warmed) == [{"power": 0.5}]
    assert shortest(session, seen, lambda _: True) == [COLD]
    assert shortest(session, seen, lambda _: False) == list(seen.actions)


def test_a_plan_is_told_without_the_repetitions_of_its_end() -> None:
    hot: Action = {"power": 1.0}
    assert trimmed([hot, COLD, COLD, COLD]) == [hot, COLD]
    assert trimmed([COLD, COLD]) == [COLD]
    assert trimmed([COLD, {"power": 0}]) == [COLD, {"power": 0}]  # another number on the wire


@pytest.mark.parametrize(
    ("paid", "success", "alike"),
    [(1.0, False, True), (0.9, False, True), (0.8, False, False), (1.0, True, False)],
)
def test_a_shorter_plan_has_to_be_paid_nearly_as_much_and_to_end_so(
    paid: float, success: bool, alike: bool
) -> None:
    seen = Witness({}, (COLD,), (1.0,), success=False, done=True)
    episode = Episode(0, {}, "t", "p", turns=[Turn("", {}, action=COLD)], success=success)
    episode.episode_return = paid
    assert ends_alike(seen, episode) is alike


def test_the_witness_of_idling_is_one_idle_action(tmp_path: Path) -> None:
    _, record = audit("paid_for_idling:Defect", tmp_path)
    found = {finding.id: finding for finding in record.findings}
    assert set(found) == {"paid_for_idling", "failure_out_earns_success"}
    finding = found["paid_for_idling"]
    assert finding.witness.plan == ({"power": 0.0},)
    assert finding.witness.success is False
    numbers = record.tasks[0].numbers
    assert numbers.paid_for_nothing.mean > 1
    assert numbers.reachability.mean == 1
    assert numbers.failure_out_earns_success.same_seed > 0.2
