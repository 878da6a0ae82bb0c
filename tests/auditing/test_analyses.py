"""The analyses of a task in one go: what the record says of each, the strongest suspicion, and who pays for it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tests.auditing.conftest import Opened
from tests.records_made import contract_report, finding

from gonogo.auditing.analyses import analyse, explained
from gonogo.auditing.confirm import Confirmed
from gonogo.auditing.suspicions import Suspicion

CARD = contract_report()


def test_each_analysis_is_in_the_record_and_suspects_by_the_findings_name(
    opened: Callable[..., Opened],
) -> None:
    session, flown = opened("leaked_answer__copied:Defect")
    found = analyse(session, flown, CARD, np.random.default_rng(1))
    assert found.suspicions.keys() == {"leaked_answer"}
    leak = found.suspicions["leaked_answer"]
    assert isinstance(leak, Suspicion) and leak.id == "leaked_answer"
    assert leak.witness.success is True
    assert [copy.verdict for copy in found.leakage.copies] == ["leak"]
    failed = [episode for row in flown.rows for episode in row.failed]
    assert found.farming.length.episodes == len(failed)
    assert found.metamorphic
    assert found.distinct.model_dump() and found.components.note


def test_a_proof_names_the_one_component_that_pays_it(opened: Callable[..., Opened]) -> None:
    names = ("always bed=0", "random", "always bed=5")
    _, flown = opened("paid_for_idling__component:Defect", *names)
    proof = Confirmed(finding("paid_for_idling"), None, flown.idle.name)
    assert explained(proof, flown, CARD).finding.component == "thrift"
    stranger = Confirmed(finding("paid_for_idling", component="speed"), None, "nobody")
    assert explained(stranger, flown, CARD).finding.component is None
