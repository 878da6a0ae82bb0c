"""How suspicions become findings."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.auditing.audits import audit, fly_audit
from tests.auditing.conftest import Opened
from tests.auditing.rows import IDLE, SOLVED, row
from tests.records_made import episode_witness, finding

from gonogo.api import replay_file
from gonogo.auditing.budget import BudgetSpent, Limit
from gonogo.auditing.checks.free_success import FREE_SUCCESS, as_in_the_end
from gonogo.auditing.confirmation import (
    IS_AN_EXPLOIT,
    Confirmed,
    above_random,
    both_said,
    both_weigh,
    confirm,
    earns_alike,
    ends_alike,
    fly_candidate,
    fly_witness,
    fresh_tasks,
    goes_round,
    plan_of,
    prove_like,
    prove_shortest,
    proven,
    rows_to_confirm,
    seen_twice,
    shortest,
)
from gonogo.auditing.report import witness
from gonogo.auditing.session import AuditContext, AuditSession
from gonogo.auditing.survey import CANDIDATE, COMPARED, Survey
from gonogo.auditing.suspicions import Suspicion
from gonogo.errors import Misuse
from gonogo.exploits.panel import Kind
from gonogo.exploits.witness import Witness, trimmed
from gonogo.records.audit import AuditReport
from gonogo.records.findings import EpisodeWitness, Severity
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import Action

pytestmark = pytest.mark.usefixtures("from_the_root")

IDLING = "paid_for_idling"
FREE = "paid_without_trying"
COLD: Action = {"power": 0.0}
RNG = np.random.default_rng(0)


def suspicion(episode: Episode, opened: Opened, said: str = "so") -> dict[str, Suspicion]:
    """That idling is paid, shown by an episode."""
    _, flown = opened
    return {IDLING: Suspicion(IDLING, flown.idle, episode, said, 1.0)}


@pytest.fixture
def thermostat(opened: Callable[..., Opened]) -> Opened:
    """A session over an environment that pays for idling, and the least survey of it."""
    return opened("paid_for_idling:Defect")


@pytest.mark.parametrize(
    ("name", "second", "weighs"),
    [
        ("success_costs_nothing", Severity.SUSPICIOUS, Severity.SUSPICIOUS),
        ("success_costs_nothing", Severity.EFFORTLESS, Severity.EXPLOIT),
        ("paid_again", Severity.SUSPICIOUS, Severity.EXPLOIT),
    ],
)
def test_what_is_for_nothing_has_to_weigh_on_the_fresh_seeds_too(
    name: str, second: Severity, weighs: Severity
) -> None:
    def of(severity: Severity) -> Suspicion:
        return Suspicion(name, IDLE, IDLE.episodes[0], "so", 1.0, severity)

    assert both_weigh(name, of(Severity.EXPLOIT), of(second)) is weighs


def test_what_has_to_be_seen_on_many_seeds_is_flown_on_as_many_and_counts_each_once() -> None:
    sent = row("always send", Kind.CONSTANT, [1.0], success=True, action={"kind": "send"})

    def on(first: int) -> Suspicion:
        episodes = [replace(e, task={"seed": first + n}) for n, e in enumerate(sent.episodes)]
        made = replace(sent, episodes=episodes)
        witness = episodes[0]
        return Suspicion(FREE_SUCCESS, made, witness, "", 1.0, Severity.EFFORTLESS, True, 12)

    assert both_weigh(FREE_SUCCESS, on(0), on(6)) is Severity.EFFORTLESS
    assert both_weigh(FREE_SUCCESS, on(0), on(5)) is Severity.SUSPICIOUS
    tasks = [{"seed": seed} for seed in range(9)]
    assert len(fresh_tasks(on(0), sent, tasks, 4)) == 6
    changed = replace(sent, name="send later", about=sent.name)
    assert len(fresh_tasks(on(0), changed, tasks, 4)) == 6
    idle = row("idle", Kind.IDLE, [0.0], success=False)
    assert len(fresh_tasks(on(0), replace(idle, about=sent.name), tasks, 4)) == 4


def test_a_free_success_that_fails_later_on_is_suspicious_in_the_end() -> None:
    sent = row("always send", Kind.CONSTANT, [1.0], success=True, action={"kind": "send"})
    refused = row("random", Kind.RANDOM, [0.0])
    for episode in [*sent.episodes, *refused.episodes]:
        episode.turns[-1].done = True
    proof = Confirmed(finding(FREE_SUCCESS), None, sent.name, FREE_SUCCESS)
    proof = proof.weighing(Severity.EFFORTLESS)
    assert as_in_the_end(proof, Survey({}, [IDLE, sent, refused])).finding.blocks
    failed = replace(sent.episodes[0], task={"seed": 7}, success=False, episode_return=0.0)
    later = replace(sent, episodes=[*sent.episodes, failed])
    assert not as_in_the_end(proof, Survey({}, [IDLE, later, refused])).finding.blocks
    other = replace(proof, suspected=IDLING)
    assert as_in_the_end(other, Survey({}, [IDLE, later, refused])).finding.blocks


def test_what_is_seen_again_and_replays_stands_with_its_shortest_plan(thermostat: Opened) -> None:
    session, flown = thermostat
    first = suspicion(flown.idle.episodes[0], thermostat, "idle is paid")
    second = suspicion(flown.idle.episodes[1], thermostat, "it is paid again")
    (found,), notes = confirm(session, {"level": 1}, first, second)
    assert notes == []
    assert (found.finding.id, found.finding.task) == (IDLING, {"level": 1})
    said = "idle is paid; on fresh seeds: it is paid again; its witness, flown last: "
    assert found.finding.explanation.startswith(said)
    assert found.policy == flown.idle.name
    assert found.episode is not None and found.episode.turns[0].observation
    seen = Witness.of(flown.idle.episodes[0])
    assert seen.differs(Witness.of(found.episode)) is None
    assert found.finding.witness == seen.record([COLD])


def test_what_stands_is_of_the_policy_that_fresh_seeds_confirm(thermostat: Opened) -> None:
    session, flown = thermostat
    cold, again = flown.idle.episodes[:2]
    (warm,) = session.plans("plan", [(cold.task, [{"power": 0.5}])])
    lucky = replace(flown.idle, name="always power=0.5", episodes=[warm])
    strongest = Suspicion("paid_again", lucky, warm, "power=0.5 is paid most", 2.0)
    sure = Suspicion("paid_again", flown.idle, cold, "idle is paid", 1.0, Severity.SUSPICIOUS)
    fresh = replace(sure, witness=again, explanation="it is paid again")
    first = {"paid_again": replace(strongest, beside=(sure,))}
    (found,), notes = confirm(session, {}, first, {"paid_again": fresh})
    assert (found.policy, found.finding.plan, notes) == (flown.idle.name, (COLD,), [])
    assert found.finding.severity is Severity.SUSPICIOUS
    said = "idle is paid; on fresh seeds: it is paid again; its witness, flown last: "
    assert found.finding.explanation.startswith(said)


def test_a_policy_that_no_survey_shows_twice_is_suspicious(thermostat: Opened) -> None:
    session, flown = thermostat
    first = suspicion(flown.idle.episodes[0], thermostat, "idle is paid")
    second = {IDLING: replace(first[IDLING], row=replace(flown.idle, name="always power=0.5"))}
    (found,), _ = confirm(session, {}, first, second)
    assert found.finding.severity is Severity.SUSPICIOUS and not found.finding.blocks
    (found,), _ = confirm(session, {}, first, first)
    assert found.finding.blocks


def test_of_the_policies_that_both_surveys_show_the_strongest_is_taken_that_blocks() -> None:
    def of(name: str, worth: float, *beside: Suspicion, severity: Severity) -> Suspicion:
        made = replace(SOLVED, name=name)
        shown = Suspicion(FREE, made, made.episodes[0], "so", worth, severity)
        return replace(shown, beside=beside)

    exploit = partial(of, severity=Severity.EXPLOIT)
    doubted = partial(of, severity=Severity.SUSPICIOUS)
    b, c = exploit("b", 2.0), exploit("c", 1.0)
    first = exploit("a", 3.0, b, c)

    def taken(second: Suspicion, name: str = FREE) -> tuple[str, str]:
        one, again = seen_twice(name, first, second)
        return one.row.name, again.row.name

    assert taken(exploit("b", 3.0, exploit("a", 2.0))) == ("a", "a")
    assert taken(exploit("d", 4.0, c, b)) == ("b", "b")
    assert taken(exploit("c", 3.0, doubted("a", 0.5))) == ("c", "c")
    assert taken(doubted("c", 0.6, doubted("b", 0.5))) == ("b", "b")
    assert taken(exploit("d", 3.0)) == ("a", "d")
    assert both_weigh(FREE, first, exploit("d", 3.0)) is Severity.SUSPICIOUS
    assert both_weigh("reward_uncorrelated", first, exploit("d", 3.0)) is Severity.EXPLOIT


def test_a_witness_that_sends_a_plainer_action_says_so(thermostat: Opened) -> None:
    session, flown = thermostat
    options = flown.idle.episodes[0].task
    (warm,) = session.plans("plan", [(options, [{"power": -0.001}])])
    shown = suspicion(warm, thermostat, "power=-0.001 is paid")
    (found,), _ = confirm(session, {"level": 1}, shown, shown)
    assert found.finding.plan == (COLD,)
    assert "the witness sends simpler actions than those first seen" in found.finding.explanation


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
    known = {IDLING: Suspicion(IDLING, IDLE, kept, "so", 1.0)}
    assert confirm(session, {}, known, known)[1] == [
        f"{IDLING} did not replay in a fresh process: it was lost"
    ]


def test_where_the_audit_ends_before_the_plan_is_the_shortest_the_replay_is_the_proof(
    thermostat: Opened, context_of: Callable[..., AuditContext]
) -> None:
    _, flown = thermostat
    idle = flown.idle.episodes[0]
    seen = Witness.of(idle)
    context = context_of("tests.zoo.cases.paid_for_idling:Defect")
    with closing(AuditSession(replace(context, limit=Limit(most=0)))) as session:
        with pytest.raises(BudgetSpent):
            prove_shortest(session, IDLING, {}, seen, lambda _: True, "it is paid", "idle")
        proof = prove_shortest(
            session, IDLING, {}, seen, lambda _: True, "it is paid", "idle", idle
        )
    assert proof is not None and proof.whole and proof.episode is idle
    assert proof.finding.witness == seen.record([COLD])
    said = f"it is paid; its witness: {seen.total:g} in {len(seen.actions)} steps, not made shorter yet"
    assert proof.finding.explanation == said


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


@pytest.mark.parametrize(
    ("name", "paid", "alike"),
    [
        ("self_reported_reward", -1e11, False),
        ("self_reported_reward", 0.0, False),
        ("paid_without_trying", 0.0, False),
        ("unbounded_action_pays", 0.5, True),
        ("nothing_to_win", 0.0, True),
    ],
)
def test_what_earns_nothing_proves_no_pay_where_nobody_says_success(
    name: str, paid: float, alike: bool
) -> None:
    """A loan that is paid back costs more than idling, which earns nothing."""
    seen = Witness({}, (COLD,), (-1e11,), success=None, done=True)
    episode = Episode(0, {}, "t", "p", turns=[Turn("", {}, action=COLD)])
    episode.episode_return = paid
    assert earns_alike(name, seen, episode) is alike


def test_the_witness_of_idling_is_one_idle_action(tmp_path: Path) -> None:
    _, record = audit("paid_for_idling:Defect", tmp_path)
    found = {finding.id: finding for finding in record.findings}
    assert {name for each in found.values() for name in each.names} == {
        "paid_for_idling",
        "failure_out_earns_success",
    }
    finding = found["paid_for_idling"]
    assert finding.witness.plan == ({"power": 0.0},)
    assert finding.witness.success is False
    numbers = record.tasks[0].numbers
    assert numbers.paid_for_nothing.mean > 1
    assert numbers.reachability.mean == 1
    assert numbers.failure_out_earns_success.same_seed > 0.2


@pytest.mark.parametrize(
    ("name", "found"), [("UnpaidLock", ["failure_earns_as_much"]), ("PaidLock", [])]
)
def test_a_failure_that_earns_what_a_success_does_is_found_and_the_table_agrees(
    name: str, found: list[str], tmp_path: Path
) -> None:
    given = {"target": f"tests.zoo.single:{name}", "audit.reference": "tests.zoo.single:lock"}
    verdict, record = fly_audit(tmp_path, {**given, "audit.seeds": 4, "audit.search": 200})
    assert [finding.id for finding in record.findings] == found
    assert verdict is (Verdict.NO_GO if found else Verdict.GO)
    numbers = record.tasks[0].numbers
    assert numbers.best_failing_return == 1.0
    assert numbers.success_on_its_seed == numbers.best_known_return
    assert (numbers.success_on_its_seed > 1.0) == (not found)
    if found:
        assert replay_file(tmp_path / "witnesses.jsonl", None).verdict is Verdict.GO


def test_a_failure_that_earns_what_a_success_does_is_no_go_for_an_audit_that_was_cut(
    tmp_path: Path,
) -> None:
    given = {"target": "tests.zoo.single:UnpaidLock", "audit.reference": "tests.zoo.single:lock"}
    fields = {"audit.seeds": 4, "audit.search": 200, "audit.budget": 10000}
    verdict, record = fly_audit(tmp_path, {**given, **fields})
    assert "a failure beside a success" in record.budget.unreached
    assert (verdict, record.findings) == (Verdict.HOLD, ())
    assert "a failure earns as much as a success on its seed" in record.reason
    verdict, record = fly_audit(tmp_path / "short", {**given, **fields, "audit.budget": 1500})
    assert "the panel" in record.budget.unreached and verdict is Verdict.HOLD


def test_it_flies_the_surveys_tasks_as_one_more_row(opened: Callable[..., Opened]) -> None:
    session, flown = opened("paid_for_idling:Defect", "random")
    wider = fly_candidate(session, flown, "idle", flown.tasks)
    assert wider.rows[:-1] == flown.rows
    (mine,) = wider.of_kind(CANDIDATE)
    assert mine.name == "idle"
    assert [e.task for e in mine.episodes] == [e.task for e in flown.idle.episodes]
    with pytest.raises(Misuse, match="no policy 'pilot'"):
        fly_candidate(session, flown, "pilot", flown.tasks)


def test_to_be_like_a_proven_exploit_is_a_finding_and_like_a_habit_none(
    opened: Callable[..., Opened],
) -> None:
    session, flown = opened("paid_for_idling:Defect", "random")
    flown = fly_candidate(session, flown, "idle", flown.tasks)
    said, none = prove_like(session, flown, [], RNG)
    assert none == [] and said.likeness[0].distance == 0.0
    idling = finding("paid_for_idling", witness=episode_witness(plan=[{"power": 0.0}]))
    proofs = [Confirmed(idling, None, flown.idle.name, IDLING)]
    said, (proof,) = prove_like(session, flown, proofs, RNG)
    assert said.policy == proof.policy == "idle"
    assert proof.finding.id == IS_AN_EXPLOIT
    assert proof.finding.explanation.startswith("idle is ")
    assert said.above_random["return"] is not None


def test_the_candidate_is_held_against_random_on_the_same_seeds() -> None:
    random = row("random", Kind.RANDOM, [0.25])
    mine = row("mine", CANDIDATE, [1.0], success=True)
    flown = Survey({}, [IDLE, SOLVED, random, mine])
    above = above_random(flown, mine, RNG)
    assert above["return"] is not None and above["return"].mean == 0.75
    assert above["success"] is not None and above["success"].mean == 1.0
    for episode in random.episodes:
        episode.success = None
    assert above_random(flown, mine, RNG)["success"] is None
    for episode in random.episodes:
        episode.episode_return = None
    assert above_random(flown, mine, RNG) == {"return": None, "success": None}


def test_a_proofs_plan_is_what_was_sent_with_its_numbers() -> None:
    odd = episode_witness(plan=[{"x": {"$number": "Infinity"}}])
    proof = Confirmed(finding("nan_reward", witness=odd), None, "x", "nan_reward")
    assert plan_of(proof) == [{"x": float("inf")}]


@pytest.mark.long
def test_a_policy_that_has_become_an_exploit_is_found_and_one_that_has_not_is_left(
    tmp_path: Path,
) -> None:
    found = {}
    for name in ("idle", "random"):
        _, record = audit("paid_for_idling:Defect", tmp_path / name, **{"audit.policy": name})
        found[name] = [finding.id for finding in record.findings]
        (task,) = record.tasks
        assert task.candidate.policy == name
    assert "policy_is_an_exploit" in found["idle"]
    assert "policy_is_an_exploit" not in found["random"]
    near = AuditReport.load(tmp_path / "idle").tasks[0].candidate.likeness
    assert near[0].distance == 0.0
    assert replay_file(tmp_path / "idle" / "witnesses.jsonl", None).verdict is Verdict.GO


def test_what_any_episode_shows_comes_back_where_resets_drop_their_seed(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.noise:Drawn")
    flown = session.plans("idle", [({"seed": seed}, [{"n": 0}]) for seed in range(6)])

    def standing(name: str) -> list[Confirmed]:
        row = replace(IDLE, episodes=flown)
        each = [{name: Suspicion(name, row, episode, "so", 1.0)} for episode in flown]
        return [proof for shown in each for proof in confirm(session, {}, shown, shown)[0]]

    paid = standing("paid_without_trying")
    assert len(paid) == len(flown)
    assert any("one seed opens different episodes" in proof.finding.explanation for proof in paid)
    assert len(standing("failure_out_earns_success")) < len(flown)


@pytest.mark.parametrize(("number", "before"), [(3, 0), (2, 1)])
def test_a_witness_says_of_which_reset_of_a_fresh_process_it_is(
    number: int,
    before: int,
    session_of: Callable[[str], AuditSession],
    tmp_path: Path,
) -> None:
    """What the first reset shows as well is proven there; what only a later one pays holds the resets before it."""
    session = session_of("tests.zoo.turns:PaidAlways")
    plan = ({"seed": 1}, [{"number": 1}])
    seen = [session.plans("flown", [plan])[0] for _ in range(number)][-1]
    row = replace(IDLE, episodes=[seen])
    shown = {name: Suspicion(name, row, seen, "so", 1.0) for name in ("paid_without_trying",)}
    (proof,), _ = confirm(session, {}, shown, shown)
    assert isinstance(proof.finding.witness, EpisodeWitness)
    assert len(proof.finding.witness.resets_before or ()) == before
    assert ("at reset 2 of a fresh process" in proof.finding.explanation) is (before == 1)
    assert ("at reset 2 of a fresh process" in witness(proof.finding.witness, "x")) is (before == 1)
    assert proof.episode is not None
    file = tmp_path / "witnesses.jsonl"
    file.write_text(f"{proof.episode.to_json()}\n")
    assert replay_file(file, None).verdict is Verdict.GO


def test_a_cycle_does_something_twice() -> None:
    def sending(*actions: str) -> Episode:
        made = row("x", "x", [0.1] * len(actions)).episodes[0]
        for turn, action in zip(made.turns, actions, strict=True):
            turn.action = {"do": action}
        return made

    assert goes_round("farmable_cycle", sending("look", "sell", "look"))
    assert not goes_round("farmable_cycle", sending("look", "sell"))
    assert goes_round("paid_again", sending("look", "sell"))


def test_what_a_suspicion_is_held_against_is_flown_again_with_it() -> None:
    beside = replace(row("always b", "x", [0.1]), context={"do": "b"})
    shown, scale = row("always a", "x", [0.9]), row("put in", COMPARED, [1.0])
    flown = Survey({}, [IDLE, shown, beside, scale])
    of_all = replace(shown, needs=(beside.name,))
    for suspected, again in ((shown, [IDLE, shown, scale]), (of_all, flown.rows)):
        held = Suspicion("paid_without_trying", suspected, shown.episodes[0], "so", 1.0)
        names = [each.name for each in rows_to_confirm(flown, held, plain=True)]
        assert names == [each.name for each in again]


def test_what_fresh_seeds_showed_is_told_beside_what_was_seen_first() -> None:
    first = Suspicion(IDLING, IDLE, IDLE.episodes[0], "idle: paid 1", 1.0)
    again = replace(first, explanation="idle: paid 2")
    other = replace(first, row=SOLVED, explanation="solve: its failures out-earn it")
    assert both_said(first, first) == "idle: paid 1; the same on fresh seeds"
    assert both_said(first, again) == "idle: paid 1; on fresh seeds: paid 2"
    assert both_said(first, other) == (
        "idle: paid 1. On fresh seeds another policy shows it: solve: its failures out-earn it"
    )
