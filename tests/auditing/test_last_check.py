"""What is proven in a running session is flown in a process that flew nothing: the same, after resets, or no proof."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gonogo.api import replay_file
from gonogo.auditing.checks.contract_breaks import Suspect, prove_loss
from gonogo.auditing.checks.environment_errors import Raised, error_at, proof_of
from gonogo.auditing.confirmation import Confirmed, confirm, fly_witness, proven
from gonogo.auditing.last_check import last_check, unchecked
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import SurveyRow
from gonogo.auditing.suspicions import Suspicion
from gonogo.records.findings import Finding
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import Action, TaskOptions

pytestmark = pytest.mark.usefixtures("from_the_root")
OWN: TaskOptions = {"seed": 1}
HARD: TaskOptions = {"seed": 1, "task": "hard"}
SAY: Action = {"number": 1}
Sessions = Callable[[str], AuditSession]


def shown(session: AuditSession, name: str = "paid_without_trying") -> Confirmed:
    """The proof that saying numbers is paid, flown last in a session."""
    proof = proven(session, name, {}, OWN, [SAY], "so", "x")
    assert proof is not None
    return proof


def stands(session: AuditSession, proof: Confirmed) -> Confirmed:
    """A proof that a fresh process shows."""
    came = last_check(session, proof)
    assert isinstance(came, Confirmed) and came.shows is None
    return came


def before(found: Finding) -> tuple[TaskOptions, ...]:
    """The resets that a finding's witness holds."""
    return found.witness.resets_before or ()


def is_replayed(proof: Confirmed, folder: Path) -> bool:
    """Whether a replay of its episode shows the same."""
    assert proof.episode is not None
    file = folder / "witnesses.jsonl"
    file.write_text(f"{proof.episode.to_json()}\n")
    return replay_file(file, None).verdict is Verdict.GO


def test_what_seed_and_actions_decide_costs_one_process_and_one_episode(
    session_of: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_of("tests.zoo.turns:Tally")
    proof, spent, started = shown(session), session.spent, list[AuditSession]()
    fresh = session.fresh
    monkeypatch.setattr(session, "fresh", lambda: started.append(fresh()) or started[-1])
    came = stands(session, proof)
    assert came.finding == proof.finding and came.episode is proof.episode
    assert len(started) == 1
    assert session.spent - spent == 1 + 2
    assert last_check(session, came) == came
    assert len(started) == 1


def test_what_is_served_in_turn_holds_the_resets_before_it(
    session_of: Sessions, tmp_path: Path
) -> None:
    session = session_of("tests.zoo.turns:PaidLate")
    fly_witness(session, OWN, [SAY])
    came = stands(session, shown(session, "farmable_cycle"))
    assert before(came.finding) == (OWN,)
    assert came.finding.explanation.endswith("it is shown again at reset 2 of a fresh process")
    assert is_replayed(came, tmp_path)


def test_what_another_reset_left_is_named_before_it(session_of: Sessions, tmp_path: Path) -> None:
    session = session_of("tests.zoo.turns:Keeping")
    fly_witness(session, HARD, [SAY])
    came = stands(session, shown(session, "farmable_cycle"))
    assert before(came.finding) == (HARD,)
    said = "it is shown again at reset 2 of a fresh process, after resets with other options"
    assert came.finding.explanation.endswith(said)
    assert is_replayed(came, tmp_path)


def test_what_no_reset_gives_is_no_proof(session_of: Sessions) -> None:
    session = session_of("tests.zoo.turns:Grown")
    for _ in range(3):
        fly_witness(session, OWN, [SAY])
    came = last_check(session, shown(session))
    assert isinstance(came, str) and "a fresh process did not show it within 24 resets" in came


def test_another_episode_counts_where_it_shows_the_same(
    session_of: Sessions, tmp_path: Path
) -> None:
    """By the rule by which it was proven, and in the words of the episode that a reader sees."""
    session = session_of("tests.zoo.turns:PaidEarly")
    fly_witness(session, OWN, [SAY])
    proof = shown(session, "farmable_cycle")
    assert before(stands(session, proof).finding) == (OWN,)

    def is_paid(episode: Episode) -> bool:
        return (episode.episode_return or 0.0) > 0

    came = stands(session, Confirmed(*(getattr(proof, n) for n in FIELDS), shows=is_paid))
    assert before(came.finding) == ()
    assert came.finding.witness.total == 0.125
    assert (
        "another episode shows it, which earns 0.125 in 1 steps, at reset 1"
        in came.finding.explanation
    )
    assert is_replayed(came, tmp_path)


FIELDS = ("finding", "episode", "policy", "suspected")


def test_a_loss_is_lost_after_the_resets_before_it(session_of: Sessions, tmp_path: Path) -> None:
    session = session_of("tests.zoo.turns:DiesLate")
    fly_witness(session, OWN, [SAY])
    seen = Episode(0, OWN, "tests.zoo.turns:DiesLate", "x", turns=[Turn("", {}, action=SAY)])
    proof = prove_loss(session, {}, Suspect(SurveyRow("x", "panel", [seen]), seen, 1))
    assert proof is not None and proof.finding.id == "dies"
    came = stands(session, proof)
    assert before(came.finding) == (OWN,)
    assert came.episode is not None
    came.episode.error = "lost"
    assert is_replayed(came, tmp_path)


def test_an_error_is_raised_after_the_resets_before_it(
    session_of: Sessions, tmp_path: Path
) -> None:
    session, name = session_of("tests.zoo.turns:RaisesLate"), "tests.zoo.turns:RaisesLate"
    fly_witness(session, OWN, [SAY])
    error = error_at(session, OWN, [SAY, SAY])
    assert error is not None
    seen = Episode(0, OWN, name, "x", turns=[Turn("", {}, action=SAY)] * 2)
    raised = Raised(Suspect(SurveyRow("x", "panel", [seen]), seen, 2), error)
    for _ in range(4):  # the tasks go round: the next one is the second again
        fly_witness(session, OWN, [SAY])
    proof = proof_of(session, {}, raised, [SAY, SAY], "action_raises", "so")
    assert proof is not None
    came = stands(session, proof)
    assert before(came.finding) == (OWN,)
    assert is_replayed(came, tmp_path)


def test_an_error_counts_by_its_line_whatever_is_paid_before_it(session_of: Sessions) -> None:
    """A noisy reward is never the same twice; the same error is."""
    name = "tests.zoo.chance:NoisyError"
    session, plan = session_of(name), [SAY] * 3
    error = error_at(session, OWN, plan)
    assert error is not None
    seen = Episode(0, OWN, name, "x", turns=[Turn("", {}, action=SAY)] * 3)
    raised = Raised(Suspect(SurveyRow("x", "panel", [seen]), seen, 3), error)
    proof = proof_of(session, {}, raised, plan, "action_raises", "so")
    assert proof is not None
    assert before(stands(session, proof).finding) == ()


def test_what_is_settled_is_not_looked_for_again(
    session_of: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What chance shows in a running process only was looked for in fresh ones, and says where it came back."""
    session = session_of("tests.zoo.turns:Grown")
    (seen,) = [fly_witness(session, OWN, [SAY]) for _ in range(4)][-1:]
    assert seen is not None
    row = SurveyRow("x", "panel", [seen])
    shown = {"paid_without_trying": Suspicion("paid_without_trying", row, seen, "so", 1.0)}
    monkeypatch.setattr("gonogo.auditing.confirmation.draws_anew", lambda *_: True)
    (proof,), _ = confirm(session, {}, shown, shown)
    assert (
        "the full witness came back in the running process, at try 1" in proof.finding.explanation
    )
    monkeypatch.setattr(session, "fresh", None)
    assert stands(session, proof).finding == proof.finding


def test_what_comes_out_another_by_its_nature_is_left(session_of: Sessions) -> None:
    session = session_of("tests.zoo.turns:Grown")
    for _ in range(3):
        fly_witness(session, OWN, [SAY])
    proof = shown(session, "process_dependent")
    assert proof.episode is not None
    proof.episode.replays = "other"
    assert last_check(session, proof) == proof


def test_a_proof_that_the_audit_ended_before_says_so(session_of: Sessions) -> None:
    proof = shown(session_of("tests.zoo.turns:Tally"))
    assert "the audit ended before" in unchecked(proof).finding.explanation
