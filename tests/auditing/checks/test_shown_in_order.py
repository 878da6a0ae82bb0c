"""Lists of what is to be done are sent back, an entry a step: where that is the answer, a leak."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit

from gonogo.auditing.checks.beginnings import Beginnings
from gonogo.auditing.checks.handed_out import handed_out
from gonogo.auditing.checks.shown_in_order import (
    HiddenOrder,
    SpelledEntry,
    WholeEntry,
    are_seen,
    next_other,
    order_rows,
    promises_order,
    reordered,
    told_orders,
)
from gonogo.auditing.checks.told_values import Fit
from gonogo.auditing.resets import Opening
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, fly_idle
from gonogo.auditing.suspicions import Suspicion
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict
from gonogo.rollouts.space import Space

pytestmark = pytest.mark.usefixtures("from_the_root")
SessionOf = Callable[[str], AuditSession]
SCHEMA = {
    "properties": {
        "do": {"type": "string", "enum": ["press", "submit"]},
        "button": {"type": "integer", "minimum": 0, "maximum": 9},
    },
    "required": ["do", "button"],
    "additionalProperties": False,
}
SPACE = Space(SCHEMA)


def told_in(case: str, session_of: SessionOf) -> list[Suspicion]:
    """What the check alone comes to."""
    session = session_of(f"tests.zoo.orders:{case}")
    tasks = session.tasks({}, range(100, 104))
    flown = Survey({}, [fly_idle(session, tasks)])
    for row in order_rows(Beginnings(session, tasks), flown):
        flown = flown.having(row)
    return list(handed_out(flown))


@pytest.mark.parametrize(
    ("case", "copied"),
    [
        ("DarkWalk", "do: the items of state.solution sent back, one a step: "),
        ("NumberedWalk", "the action: the items of state.plan sent back, one a step: "),
        ("PromisedWalk", "do: the items of observation.correct_moves sent back, one a step: "),
        ("Safe", "button: the items of state.order sent back, one a step, then {'do': 'submit'}: "),
        ("WordedSafe", "do, button: the items of state.steps sent back, one a step: "),
        ("WholeSafe", "the action: the items of state.reference sent back, one a step: "),
    ],
)
def test_a_list_that_is_the_answer_is_found(case: str, copied: str, session_of: SessionOf) -> None:
    (found,) = told_in(case, session_of)
    assert found.explanation.startswith(f"{copied}earns 1 on average over 4 seeds")
    assert (found.id, found.severity) == ("leaked_answer", None)


@pytest.mark.parametrize(
    "case",
    [
        "LastWalk",
        "OtherWalk",
        "OrderedWalk",
        "SpokenWalk",
        "CalledWalk",
        "AskedWalk",
        "ReadSafe",
        "SortedSafe",
        "RankedSafe",
        "TimedSafe",
        "NeedySafe",
        "AnyOrderSafe",
    ],
)
def test_a_list_that_is_to_be_read_or_means_nothing_is_no_leak(
    case: str, session_of: SessionOf
) -> None:
    assert told_in(case, session_of) == []


def test_a_name_that_may_mean_something_else_makes_suspicious(session_of: SessionOf) -> None:
    (found,) = told_in("HintedWalk", session_of)
    assert found.severity is Severity.SUSPICIOUS


def test_an_audit_proves_it_and_tells_it_once(tmp_path: Path) -> None:
    given = {"target": "tests.zoo.orders:DarkWalk", "audit.seeds": 12, "audit.search": 300}
    verdict, report = fly_audit(tmp_path, {**given, "audit.budget": 6_000}, {})
    (finding,) = [each for each in report.findings if each.id == "leaked_answer"]
    assert (verdict, finding.blocks) == (Verdict.NO_GO, True)
    assert "do: the items of state.solution sent back, one a step" in finding.explanation
    assert [copy.path for copy in report.tasks[0].leakage.copies if copy.items] == []


def test_an_entry_fills_the_fields_that_it_names() -> None:
    whole = WholeEntry(SCHEMA, SPACE.idle())
    assert whole.action({"step": 1, "do": "submit"}) == {"do": "submit", "button": 0}
    assert whole.action({"button": 12}) is None
    assert whole.action({"step": 1}) is None
    assert whole.action("submit") is None


def test_an_entry_of_several_words_fills_the_fields_that_take_them() -> None:
    leaves = SPACE.leaves()
    spelled = SpelledEntry(tuple(Fit.of(leaf, ()) for leaf in leaves), SPACE.idle())
    assert spelled.action("press:3") == {"do": "press", "button": 3}
    assert spelled.action("submit") == {"do": "submit", "button": 0}
    assert spelled.action([4, "press"]) == {"do": "press", "button": 4}
    assert spelled.action("press 3 4") is None
    assert spelled.action([]) is None


def opened(seed: int, order: list[int], **seen: object) -> Opening:
    """A reset whose state tells an order."""
    return Opening({"seed": seed}, {**seen}, {}, {"order": order, "steps": [1, 2, 3]})  # type: ignore[arg-type]


def test_a_list_is_told_where_it_differs_and_is_not_seen() -> None:
    orders = [[3, 1, 2], [2, 3, 1], [1, 3, 2]]
    hidden = [opened(n, order) for n, order in enumerate(orders)]
    assert told_orders(hidden, 50) == [HiddenOrder("state.order")]
    assert told_orders(hidden, 2) == []
    assert told_orders([opened(n, o, jobs=o) for n, o in enumerate(orders)], 50) == []
    promised = [opened(n, o, expected_actions=o) for n, o in enumerate(orders)]
    assert told_orders(promised, 50) == [HiddenOrder("observation.expected_actions")]


def test_things_are_seen_where_half_of_them_are() -> None:
    assert are_seen([[3, 1, 2]], [opened(0, [3, 1, 2], jobs={"1": "a", "2": "b"})])
    assert not are_seen([[3, 1, 2]], [opened(0, [3, 1, 2], at=2)])


def test_a_list_is_held_against_another_one_and_against_another_order() -> None:
    assert next_other([[1, 2], [1, 2], [3, 4]], 0) == [3, 4]
    assert next_other([[1, 2], [1, 2]], 0) is None
    assert reordered([1, 2, 3]) == [3, 2, 1]
    assert reordered([1, 2, 1]) == [2, 1, 1]
    assert reordered([1, 1]) == []


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("observation.expected_actions", True),
        ("observation.solution", True),
        ("observation.orders", False),
        ("observation.steps", False),
    ],
)
def test_the_name_of_a_list_promises_the_answer_or_not(path: str, said: bool) -> None:
    assert promises_order(path) is said
