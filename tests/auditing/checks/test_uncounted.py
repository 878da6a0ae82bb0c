"""One thing alone that earns all there is: a finding where pay is a share of what was chosen, and nowhere else."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit

from gonogo.auditing.checks.beginnings import Beginnings
from gonogo.auditing.checks.uncounted import (
    ANOTHER,
    BOTH,
    NOTHING,
    PART,
    STAYING,
    SUFFICES,
    WRONGLY,
    as_a_share,
    asks_for_one,
    uncounted,
    uncounted_rows,
)
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import EpisodeKeys, Survey, fly_idle
from gonogo.auditing.suspicions import Suspicion
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action, TaskOptions

DESK, LINKS = "tests.zoo.desk", "tests.zoo.links"
ANSWER: Action = {"do": "answer", "ticket": "", "topic": "billing"}


def suspected(session: AuditSession, explored: list[Episode]) -> list[Suspicion]:
    """What the check alone suspects."""
    tasks = session.tasks({}, range(4))
    flown = Survey({}, [fly_idle(session, tasks)])
    for row in uncounted_rows(Beginnings(session, tasks), flown, explored):
        flown = flown.having(row)
    return list(uncounted(flown))


@pytest.mark.parametrize(
    ("case", "said", "severity"),
    [
        ("MeanOfAttempted", "topic: one key of observation.tickets alone, then", None),
        ("ShareOfWaiting", "alone, do=withdraw, ticket: each other one, then", None),
        ("DeliveredOfAccepted", "do=accept, then do=deliver, order, hub: one id in", None),
        ("PartOfAttempted", "earns 0.4 or more on each of 4 seeds", None),
    ],
)
def test_a_share_of_what_was_chosen_is_suspected(
    case: str, said: str, severity: Severity | None, session_of: Callable[[str], AuditSession]
) -> None:
    (found,) = suspected(session_of(f"{DESK}:{case}"), [])
    assert (found.id, found.severity) == ("rest_not_counted", severity)
    assert said in found.explanation
    part = "0.2" if "0.4 or" in said else "0.5"
    assert f"{part} another one beside it not done" in found.explanation


def test_where_each_reset_opens_another_episode_nothing_is_flown(
    session_of: Callable[[str], AuditSession],
) -> None:
    """Each flight of a way would meet other things."""
    session = session_of(f"{DESK}:MeanOfAttempted")
    start = Beginnings(session, session.tasks({}, range(4)))
    steady = Survey({}, [fly_idle(session, start.tasks)])
    turning = copy.deepcopy(steady)
    turning.rows[0].episodes[0].opened = "words:1"
    turning.rows.append(steady.rows[0])
    drawn, began = replace(steady, drawn=True), session.spent
    assert EpisodeKeys(turning).turning
    for flown in (drawn, turning):
        assert list(uncounted_rows(start, flown)) == []
    assert session.spent == began
    assert list(uncounted_rows(start, steady))


@pytest.mark.parametrize(
    "case",
    [
        "ShareOfAll",
        "RestForAll",
        "SpamWithdrawn",
        "WithdrawingCosts",
        "AnyOneTicket",
        "OneCause",
        "AnyWillDo",
        "OneTicketOnly",
        "NoWrongAnswer",
        "OneOpen",
        "DeliveredOfAll",
        "FourArms",
        "HealthyOfAll",
    ],
)
def test_no_task_in_which_the_others_count_or_need_nothing_is_suspected(
    case: str, session_of: Callable[[str], AuditSession]
) -> None:
    assert suspected(session_of(f"{DESK}:{case}"), []) == []


@pytest.mark.parametrize(
    ("told", "so"),
    [
        ("Accept any one suitable flat; each unsuitable one costs half.", True),
        ("- You only need to answer any of these.", True),
        ("One right answer is enough.", True),
        ("She can move into only one flat, so a single suitable one is all that is needed.", True),
        ("A guest with one good table is as happy as a guest with three.", True),
        ("Finding more is no merit.", True),
        ("Only one action a turn is allowed.", False),
        ("A single mistake is as bad as none.", False),
        ("A single mistake is enough to fail the episode.", False),
        ("One missed bug is as bad as ten.", False),
        ("Just one wrong digit will do to lose.", False),
        ("Repeating any one command costs.", False),
        ("At least one of the odds must be above 0.", False),
        ("The tickets have one cause, which may be named at any of them.", False),
    ],
)
def test_a_sentence_asks_for_any_one_of_several_things(told: str, so: bool) -> None:
    assert asks_for_one(told) is so


@pytest.mark.parametrize(
    ("seen", "so"),
    [
        ("I can move into one flat, so you need not find me several.", True),
        ("Just somewhere I can eat; I won't eat twice.", True),
        ("Two tables are held.", False),
        ("You need not find more than three.", False),
        ("It won't work twice.", False),
    ],
)
def test_an_observation_says_that_one_is_enough(seen: str, so: bool) -> None:
    assert (SUFFICES.search(seen) is not None) is so


def test_one_thing_is_not_suspected_where_the_readme_asks_for_no_more(
    session_of: Callable[[str], AuditSession], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AuditSession, "spoken", ("Answer any one ticket.",))
    assert suspected(session_of(f"{DESK}:MeanOfAttempted"), []) == []


def test_one_link_of_two_records_of_the_same_text_is_suspected(
    session_of: Callable[[str], AuditSession],
) -> None:
    (found,) = suspected(session_of(f"{LINKS}:LinksMade"), [])
    assert (found.id, found.severity) == ("rest_not_counted", None)
    assert "customer, account: one id in observation.customers alone, then" in found.explanation


@pytest.mark.parametrize("case", ["LinkAll", "BalancedLinks", "OneLinkAsked"])
def test_links_of_which_all_count_or_one_is_asked_for_are_not_suspected(
    case: str, session_of: Callable[[str], AuditSession]
) -> None:
    assert suspected(session_of(f"{LINKS}:{case}"), []) == []


def test_what_was_paid_once_is_tried_with_the_other_things(
    session_of: Callable[[str], AuditSession], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_of(f"{DESK}:DeliveredOfAccepted")
    monkeypatch.setattr(AuditSession, "shares", [])
    task: TaskOptions = {"seed": 0}
    (opening,) = session.openings([task])
    assert opening is not None
    order = opening.observation["orders"][0]
    plan: list[Action] = [
        {"do": "accept", "order": order["id"]},
        {"do": "deliver", "order": order["id"], "hub": order["hub"]},
        {"do": "close"},
    ]
    flown = session.plans("by hand", [(task, plan)], whole=True)
    (found,) = suspected(session, flown)
    assert found.row.name.startswith("accept, then deliver")


SHARE = {ANOTHER: 1.0, BOTH: 1.0, PART: 0.5, WRONGLY: 0.0, NOTHING: 0.0}


@pytest.mark.parametrize(
    ("changed", "shares"),
    [
        ({}, True),
        ({ANOTHER: 0.5}, False),
        ({BOTH: 0.4}, False),
        ({PART: 1.0}, False),
        ({PART: 0.0}, False),
        ({WRONGLY: 1.0}, False),
        ({NOTHING: 1.0}, False),
    ],
)
def test_a_share_lies_between_the_right_and_the_wrong(
    changed: dict[str, float], *, shares: bool
) -> None:
    assert as_a_share(1.0, SHARE | changed, others_go=False) is shares
    assert not as_a_share(1.0, SHARE | changed, others_go=True)
    assert as_a_share(1.0, SHARE | changed | {STAYING: 0.2}, others_go=True) is shares


@pytest.mark.usefixtures("from_the_root")
def test_an_audit_proves_it_and_says_how_to_mend_it(tmp_path: Path) -> None:
    given = {
        "target": f"{DESK}:ShareOfWaiting",
        "audit.seeds": 8,
        "audit.search": 200,
        "audit.budget": 3_000,
    }
    verdict, report = fly_audit(tmp_path, given, {})
    (finding,) = [each for each in report.findings if each.blocks]
    assert verdict == Verdict.NO_GO
    assert (finding.id, finding.severity) == ("rest_not_counted", Severity.EXPLOIT)
    assert "divides by waiting, which" in finding.explanation
