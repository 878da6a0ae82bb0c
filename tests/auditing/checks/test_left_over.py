"""What an episode leaves behind for the next one to be paid for; and what is kept and does no harm."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from tests.auditing.audits import Audit, fly_audit
from tests.zoo.leftovers import DOORS, Tallied, TalliedOn

from gonogo.auditing.checks.earlier import LEAK, EarlierEpisodes
from gonogo.auditing.checks.left_over import KEPT, LeftOver, first_episodes, runs, short_endings
from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.session import AuditContext, AuditSession
from gonogo.auditing.survey import Survey, fly_habit
from gonogo.contract.kept import KeptState
from gonogo.records.contract import SourcePlace
from gonogo.records.findings import ContractWitness, Finding, Severity
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import Action

pytestmark = pytest.mark.usefixtures("from_the_root")


def audit_rooms(case: str, out: Path) -> Audit:
    """Audit an environment of the zoo with nothing to help; what the source alone tells is told last."""
    most = 12_000 if case.startswith("Unreached") else 6_000
    given = {"target": f"tests.zoo.leftovers:{case}", "audit.seeds": 8, "audit.budget": most}
    return fly_audit(out, given, {})


def found(audit: Audit) -> dict[str, Finding]:
    """The findings of what an episode leaves behind."""
    return {f.id: f for f in audit[1].findings if f.id in {LEAK, KEPT}}


@pytest.mark.parametrize("case", ["Kept", "Shared"])
def test_what_the_earlier_episode_did_is_paid_to_the_later_one(case: str, tmp_path: Path) -> None:
    audit = audit_rooms(case, tmp_path)
    finding = found(audit)[LEAK]
    assert audit[0] is Verdict.NO_GO
    assert finding.severity is Severity.CONTRACT
    seen = finding.witness
    assert isinstance(seen, ContractWitness)
    assert seen.before is not None
    assert seen.before.actions
    assert seen.difference is not None
    assert seen.difference.field == "reward"
    alone, after = seen.difference.values or (0, 0)
    assert after > alone
    assert "is paid for what the earlier one did" in finding.explanation


def test_what_counts_up_over_episodes_is_found_by_flying_one_of_them_several_times(
    context_of: Callable[..., AuditContext],
) -> None:
    for case in ("TalliedOn", "Tallied"):
        context = context_of(f"tests.zoo.leftovers:{case}")
        with closing(AuditSession(context)) as session:
            session.cover()
            task, *_ = tasks = session.tasks({}, [1, 2])
            key = Random(1).randrange(Tallied.keys)
            plan: list[Action] = [{"do": "lock", "door": DOORS[0], "key": key}, {"do": "leave"}]
            explored = session.plans("locks one", [(task, plan)], whole=True)
            flown = Survey({}, [fly_habit(session, session.panel()[0], tasks)])
            proofs = LeftOver(EarlierEpisodes(context)).proofs(session, flown, explored)
        assert [proof.finding.id for proof in proofs] == [LEAK] * (case == "TalliedOn")
        for proof in proofs:
            seen = proof.finding.witness
            assert proof.finding.severity is Severity.CONTRACT
            assert isinstance(seen, ContractWitness)
            assert (seen.before, seen.rewards) == (None, (1.0,))
            assert seen.earlier is not None
            assert len(seen.earlier) == TalliedOn.enough
            assert {len(each.actions) for each in seen.earlier} == {1}
            assert seen.difference is not None
            assert seen.difference.values == (0.0, 1.0)
            said = proof.finding.explanation
            assert said.startswith(f"after {TalliedOn.enough} episodes of 1 step in the same")
            assert "paid for what the earlier ones did. Tallied.turned" in said


def test_what_no_episode_reached_is_suspicious_by_the_source_alone(tmp_path: Path) -> None:
    finding = found(audit_rooms("Unreached", tmp_path))[KEPT]
    assert finding.severity is Severity.SUSPICIOUS
    assert isinstance(finding.witness, ContractWitness)
    assert finding.witness.code is not None
    assert finding.witness.code[0].code == "self.locked.add(action.door)"


@pytest.mark.parametrize(
    "case",
    ["Emptied", "UnreachedEmptied", "Own", "Counted", "Cached", "Harder", "Drawn", "Tallied"],
)
def test_what_is_kept_and_pays_nobody_is_none(case: str, tmp_path: Path) -> None:
    assert found(audit_rooms(case, tmp_path)) == {}


@pytest.mark.parametrize(
    ("case", "name", "severity"),
    [
        ("Harder", LEAK, Severity.SUSPICIOUS),
        ("Harder", "nondeterministic", Severity.CONTRACT),
        ("Kept", LEAK, Severity.CONTRACT),
    ],
)
def test_that_a_success_depends_on_earlier_ones_is_suspicious_where_it_is_meant(
    case: str, name: str, severity: Severity, context_of: Callable[..., AuditContext]
) -> None:
    context = context_of(f"tests.zoo.leftovers:{case}")
    witness = ContractWitness(reset={"seed": 1}, actions=({"do": "leave"},))
    proof = Confirmed.of(name, {}, witness, "it is paid otherwise", None, "x")
    with closing(AuditSession(context)) as session:
        meant = EarlierEpisodes(context).as_meant(proof, session)
    assert meant.finding.severity is severity


def episode(actions: int, reward: float, *, reached: int | None = None) -> Episode:
    """An episode that ends with its last action; the number of the turn that was the first to run a line."""
    turns = [
        Turn("", {}, action={"n": n}, reward=0.0, done=n == actions - 1) for n in range(actions)
    ]
    turns[-1].reward = reward
    if reached is not None:
        turns[reached].reached = ("rooms/server/env.py:7",)
    return Episode(0, {"seed": 1}, "t", "p", turns=turns, episode_return=reward, success=reward > 1)


def test_episodes_that_change_what_is_kept_come_first_and_end_where_they_did() -> None:
    place = SourcePlace(file="server/env.py", line=7, inside="", text="self.a.add(1)", when=None)
    kept = KeptState("a", "Env", False, (place,), None)
    episodes = [episode(3, 1.0), episode(5, 0.5, reached=2), episode(4, 2.0)]
    first = list(first_episodes(episodes, [kept]))
    assert [len(each.actions) for each in first] == [3, 5, 4, 4]
    assert [each.kind for each in first[2:]] == ["a success", "what is paid best"]
    assert [each.kept for each in first_episodes(episodes, [])] == [None, None]


def test_a_file_may_be_named_from_another_folder() -> None:
    lines = {("server/env.py", 7)}
    assert runs(("rooms/server/env.py:7",), lines)
    assert runs(("env.py:7",), lines)
    assert not runs(("env.py:8", "other_env.py:7"), lines)


def test_a_short_ending_is_the_last_action_of_a_short_episode() -> None:
    assert short_endings([episode(2, 0.0), episode(1, 0.0), episode(30, 1.0)]) == [
        {"n": 0},
        {"n": 1},
    ]
