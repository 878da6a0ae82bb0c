"""How episodes begin: resets and single actions are flown once, when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gonogo.auditing.checks.beginnings import Beginnings
from gonogo.auditing.session import AuditSession

pytestmark = pytest.mark.usefixtures("from_the_root")


def test_what_is_asked_twice_is_flown_once(session_of: Callable[[str], AuditSession]) -> None:
    session = session_of("tests.zoo.desk:MeanOfAttempted")
    start, nothing = Beginnings(session, session.tasks({}, range(4))), session.steps
    assert start.complete and len(start.openings) == 4 and start.dropped == set()
    looks, flown = start.looks, session.steps
    assert flown > nothing
    assert start.looks is looks and len(start.openings) == 4 and session.steps == flown
    assert looks.shown[0] == (None, start.openings[0].observation)
    assert looks.ends == ({"do": "finish"},)
    assert {"do": "look"} in [action for action, _ in looks.asks]


def test_what_differs_between_two_resets_of_a_task_is_dropped(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.noise:Noisy")
    start = Beginnings(session, session.tasks({"kind": "uuid"}, range(3)))
    assert start.complete and start.dropped
    assert all("beside" in path for path in start.dropped)
