"""The trained policy under audit is held against every exploit; what it has become is proven."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.auditing.audits import audit
from tests.auditing.conftest import Opened
from tests.auditing.rows import IDLE, SOLVED, row
from tests.records_made import episode_witness, finding

from gonogo.auditing.candidate import FINDING, above_random, fly_candidate, plan_of, prove_like
from gonogo.auditing.confirm import Confirmed
from gonogo.auditing.survey import CANDIDATE, Survey
from gonogo.errors import Misuse
from gonogo.evaluation.replay import replay
from gonogo.exploits.panel import Kind
from gonogo.records.audit import AuditReport
from gonogo.records.record import Verdict

pytestmark = pytest.mark.usefixtures("from_the_root")
RNG = np.random.default_rng(0)


def test_it_flies_the_surveys_tasks_as_one_more_row(opened: Callable[..., Opened]) -> None:
    session, flown = opened("paid_for_idling:Defect", "random")
    wider = fly_candidate(session, flown, "idle")
    assert wider.rows[:-1] == flown.rows
    (mine,) = wider.of_kind(CANDIDATE)
    assert mine.name == "idle"
    assert [e.task for e in mine.episodes] == [e.task for e in flown.idle.episodes]
    with pytest.raises(Misuse, match="no policy 'pilot'"):
        fly_candidate(session, flown, "pilot")


def test_to_be_like_a_proven_exploit_is_a_finding_and_like_a_habit_none(
    opened: Callable[..., Opened],
) -> None:
    session, flown = opened("paid_for_idling:Defect", "random")
    flown = fly_candidate(session, flown, "idle")
    said, none = prove_like(session, flown, [], RNG)
    assert none == [] and said.likeness[0].distance == 0.0
    idling = finding("paid_for_idling", witness=episode_witness(plan=[{"power": 0.0}]))
    proofs = [Confirmed(idling, None, flown.idle.name)]
    said, (proof,) = prove_like(session, flown, proofs, RNG)
    assert said.policy == proof.policy == "idle"
    assert proof.finding.id == FINDING
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
    proof = Confirmed(finding("nan_reward", witness=odd), None, "x")
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
    assert replay(tmp_path / "idle" / "witnesses.jsonl", None).verdict is Verdict.GO
