"""Paid actions done again: what is farmed, and the sound games that pay alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from tests.auditing.audits import Audit, fly_audit
from tests.auditing.rows import BEGIN, IDLE, lapped, row
from tests.records_made import episode_witness

from gonogo.auditing.checks.laps import (
    Farmed,
    PaidAgain,
    best_end,
    beyond_idling,
    idling_pays,
    keepers,
    lasts,
    leaves_all,
    repeats,
)
from gonogo.auditing.checks.paid import Paid
from gonogo.auditing.checks.respelled import Respelled
from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey
from gonogo.exploits.panel import Kind
from gonogo.records.findings import EpisodeWitness, Severity
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode

SOUND = [
    "KilnOnce", "KilnCheap", "PlainWords", "Arms", "Stall", "TotalGained", "PostedOnce", "SwitchOnce", "Meadow",
    "SaidOnce", "GoingOut", "ScoreGrows", "LevelGained", "Herd", "Runner",
]  # fmt: skip
ENOUGH = 3500
"""Steps after which each defect is proven."""
pytestmark = pytest.mark.usefixtures("from_the_root")


def audit_again(case: str, out: Path) -> Audit:
    """Audit an environment that may pay the same thing again."""
    given = {"target": f"tests.zoo.again:{case}", "audit.seeds": 6, "audit.budget": ENOUGH}
    return fly_audit(out, given, {})


@pytest.mark.parametrize(
    ("case", "name"),
    [
        ("Kiln", "farmable_cycle"),
        ("KindWords", "paid_again"),
        ("TotalEachStep", "score_paid_again"),
        ("Switch", "farmable_cycle"),
        ("OtherWords", "paid_again"),
        ("Waiting", "stalling_pays"),
        ("ScoreShown", "score_paid_again"),
        ("LevelEachStep", "score_paid_again"),
    ],
)
def test_what_is_paid_again_is_proven_on_the_seed_where_it_was_found(
    case: str, name: str, tmp_path: Path
) -> None:
    verdict, report = audit_again(case, tmp_path)
    found = {finding.id: finding for finding in report.findings if finding.blocks}
    assert verdict is Verdict.NO_GO
    assert found[name].severity is Severity.EXPLOIT
    witness = found[name].witness
    assert isinstance(witness, EpisodeWitness)
    assert sum((reward or 0.0) > 0 for reward in witness.rewards) >= 6


def test_what_needs_the_others_that_come_once_may_be_made_ready_by_them(tmp_path: Path) -> None:
    verdict, report = audit_again("PostedAgain", tmp_path)
    (found,) = [finding for finding in report.findings if finding.id == "paid_again"]
    assert verdict is Verdict.HOLD
    assert found.severity is Severity.SUSPICIOUS
    assert "come once however often they are done; but they may be" in found.explanation


@pytest.mark.parametrize(
    "case", ["Carrier", "Boat", "Ferry", "Pump", "Mine", "Room", "Kitchen", "Clover"]
)
def test_work_that_repeats_is_not_accused(case: str, tmp_path: Path) -> None:
    given = {
        "target": f"tests.zoo.work:{case}",
        "audit.seeds": 6,
        "audit.search": 600,
        "audit.budget": 5000,
    }
    verdict, report = fly_audit(tmp_path, given, {})
    assert verdict is not Verdict.NO_GO
    laps = ("farmable_cycle", "paid_again", "score_paid_again", "stalling_pays")
    accused = [name for finding in report.findings for name in finding.names if name in laps]
    assert bool(accused) is (
        case in {"Ferry", "Room", "Kitchen", "Clover"}
    )  # the others show what they make


@pytest.mark.parametrize("case", SOUND)
def test_a_sound_game_that_pays_alike_is_not_accused(case: str, tmp_path: Path) -> None:
    _, report = audit_again(case, tmp_path)
    assert [finding.id for finding in report.findings if finding.blocks] == []


@pytest.mark.parametrize(("case", "found"), [("Depot", ["paid_again"]), ("DepotOnce", [])])
def test_what_is_paid_again_in_another_spelling_is_proven(
    case: str, found: list[str], tmp_path: Path
) -> None:
    given = {
        "target": f"tests.zoo.respelled:{case}",
        "audit.seeds": 6,
        "audit.search": 600,
        "audit.budget": 4000,
    }
    _, report = fly_audit(tmp_path, given, {})
    assert [finding.id for finding in report.findings if finding.blocks] == found


def audit_errand(case: str, out: Path) -> Audit:
    """Audit an environment in which what was paid can be taken back."""
    given = {
        "target": f"tests.zoo.errands:{case}",
        "audit.seeds": 6,
        "audit.search": 600,
        "audit.budget": 4000,
    }
    return fly_audit(out, given, {})


@pytest.mark.parametrize(
    ("case", "severity"), [("Lockers", Severity.EXPLOIT), ("Rover", Severity.SUSPICIOUS)]
)
def test_what_is_taken_back_and_paid_again_is_found(
    case: str, severity: Severity, tmp_path: Path
) -> None:
    verdict, report = audit_errand(case, tmp_path)
    found = [finding.severity for finding in report.findings if finding.id == "farmable_cycle"]
    assert found == [severity]
    assert (verdict is Verdict.NO_GO) is (severity is Severity.EXPLOIT)


@pytest.mark.parametrize("case", ["LockersOnce", "RoverFair"])
def test_where_taking_back_costs_what_was_paid_nothing_is_found(case: str, tmp_path: Path) -> None:
    _, report = audit_errand(case, tmp_path)
    assert "farmable_cycle" not in [finding.id for finding in report.findings]


def ended(rewards: list[float], *, success: bool | None = None) -> Episode:
    """An episode that the environment ended."""
    episode = row("x", "x", rewards).episodes[0]
    episode.turns[-1].done, episode.success = True, success
    return episode


def test_an_end_is_one_that_an_action_makes_early_and_that_is_paid_for_itself() -> None:
    lap = lapped([BEGIN], [0.1] * 12)
    goal = ended([0.0, 0.1, 0.5])
    assert best_end([goal, ended([0.3])], lap) is goal
    assert best_end([ended([0.05, 0.05, 0.05])], lap) is None  # lost, and paid as before
    assert best_end([ended([0.0, 0.05])], lap) is None  # less than a step of the lap
    assert best_end([ended([0.0] * 9 + [0.5])], lap) is None  # the limit's end, or near it
    success = ended([0.0] * 9 + [0.5], success=True)
    assert best_end([success], lap) is success
    assert best_end([success], lap, told=False) is None


def test_what_was_proven_does_not_stand_where_an_end_that_is_met_later_earns_more() -> None:
    lap = lapped([BEGIN], [0.1] * 12)
    known = ended([0.0, 0.1, 0.5])
    farmed = Farmed(lap, "paid_again", known, "said")
    later = [known, ended([0.0, 0.1, 1.5])]
    assert farmed.stands([known], told=True)
    assert not farmed.stands(later, told=True)


def test_two_actions_keep_a_level_where_either_is_paid_what_another_was_before_it() -> None:
    episode = ended([0.2, 0.2, 0.2, 0.1, 0.1])
    for turn, verb in zip(episode.turns, ["look", "wait", "help", "help", "sing"], strict=True):
        turn.action = {"do": verb}
    assert list(keepers([episode], []).values()) == [{"do": "wait"}, {"do": "help"}]


def test_a_number_that_grows_is_a_product_unless_a_clock_or_a_score() -> None:
    def grows(name: str) -> bool:
        lap = lapped([BEGIN], [0.1] * 12)
        for number, turn in enumerate(lap.turns):
            turn.observation = {name: number, "clock": 9 - number, "log": ["x"] * number}
        idle = row("idle", Kind.IDLE, [0.0] * 6)
        for episode in idle.episodes:
            for number, turn in enumerate(episode.turns):
                turn.observation = {"clock": 9 - number}
        return Paid(Survey({}, [idle])).makes(lap.turns, 1)

    assert grows("loaves")
    assert not grows("total_score")


def test_an_episode_repeats_where_one_action_is_paid_twice() -> None:
    assert repeats(lapped([BEGIN], [0.1] * 3).episode)
    assert not repeats(ended([0.0, 0.0, 0.5]))


@pytest.mark.parametrize(("idle", "as_well"), [(0.0, False), (0.1, True)])
def test_a_lap_is_held_against_what_idling_is_paid(idle: float, as_well: bool) -> None:
    lap = lapped([BEGIN], [0.1] * 12)
    for turn in lap.episode.turns:
        turn.observation = {"room": 1}
    facts = Paid(Survey({}, [row("idle", Kind.IDLE, [idle] * 6)]))
    assert lasts(lap, facts)
    assert idling_pays(lap, facts) is as_well
    assert beyond_idling(lap, idle) == pytest.approx(1.3 - 13 * idle)


def test_a_full_mark_is_an_end_where_nothing_else_is_paid_so_much() -> None:
    lap = lapped([BEGIN], [0.1] * 12)
    full = ended([0.6, 0.8, 1.0])
    assert best_end([full], lap) is full
    assert best_end([ended([0.6, 0.8, 0.9])], lap) is None  # what grows with time is no mark
    assert best_end([full, ended([2.0] * 12)], lap) is None  # nor is one of which there is more


def test_a_lap_leaves_nothing_as_it_was_where_it_succeeds_or_what_is_seen_changes() -> None:
    facts = Paid(Survey({}, [IDLE]))
    lap = lapped([BEGIN], [0.1] * 12)
    for turn in lap.episode.turns:
        turn.observation = {"room": 1}
    assert leaves_all(lap, facts)
    lap.episode.success = True
    assert not leaves_all(lap, facts)
    lap.episode.success = False
    for number, turn in enumerate(lap.episode.turns):
        turn.observation = {"room": "abcdefghijklmn"[number]}
    assert not leaves_all(lap, facts)


def respelt(
    monkeypatch: pytest.MonkeyPatch, way: int, pay: float, rest: float, added: float
) -> list[Farmed]:
    """What is held of an action, paid in the last step of a way, that other spellings add something to.

    Args:
        monkeypatch: Puts a finding in place of the flights.
        way: Steps of the way.
        pay: What the action is paid.
        rest: What the best other episode earns.
        added: What the spellings add.
    """
    held: list[Farmed] = []
    lap = lapped([BEGIN], [added / 9] * 9 + [0.0])
    lap.episode.turns[0].reward = pay
    lap.episode.episode_return = pay + added
    found = SimpleNamespace(of=lambda _: Respelled(lap, "it is the same"))
    monkeypatch.setattr("gonogo.auditing.checks.laps.Respellings", lambda _: found)
    monkeypatch.setattr(PaidAgain, "_confirmed", lambda _, farmed, __: held.append(farmed))
    session = cast(AuditSession, SimpleNamespace(steps=0))
    known = [ended([*[0.0] * (way - 1), pay]), ended([rest])]
    known[0].turns[-1].done = False
    for turn in known[0].turns:
        turn.action = BEGIN
    known[1].turns[0].action = {"op": "crash"}
    laps = PaidAgain(lambda: session, pytest.fail, tuple)
    laps._respelled(Survey({}, [IDLE]), known, 1, 3_000)
    return held


@pytest.mark.parametrize(
    ("pay", "rest", "added", "severity"),
    [
        (1.0, 4.0, 3.0, Severity.EXPLOIT),
        (0.05, 50.0, 1.0, Severity.SUSPICIOUS),  # a bonus for what is new, beside the main prize
        (3.0, 3.0, 0.5, Severity.SUSPICIOUS),  # most of it was earned on the way
    ],
)
def test_other_spellings_have_to_add_much_to_be_an_exploit(
    pay: float, rest: float, added: float, severity: Severity, monkeypatch: pytest.MonkeyPatch
) -> None:
    (farmed,) = respelt(monkeypatch, 1, pay, rest, added)
    assert farmed.severity is severity


def test_an_action_at_the_end_of_a_very_long_way_is_not_spelt_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert respelt(monkeypatch, 300, 5.0, 4.0, 3.0) == []


@pytest.mark.parametrize("place", ["_proven", "_doubted"])
def test_a_lap_that_no_fresh_process_shows_is_not_the_one_that_is_proven(place: str) -> None:
    lap = lapped([{"op": "begin"}], [0.1])
    farmed = Farmed(lap, "paid_again", None, "so")
    laps = PaidAgain(pytest.fail, pytest.fail, tuple)
    proof = Confirmed.of("paid_again", {}, episode_witness(), "so", None, "x")
    setattr(laps, place, farmed)
    laps.unseen(proof)
    assert getattr(laps, place) is farmed  # another suspicion's
    laps.unseen(replace(proof, suspected=farmed.suspected))
    assert getattr(laps, place) is None
