"""Orders as a planner reads them."""

from __future__ import annotations

import math

import pytest

from flightrules.directives.directive import (
    Directive,
    burn_only_in_contact,
    hold,
    keep_reserve,
    never_faster,
    reach_and_settle,
    respond,
    stay_quiet,
)
from flightrules.directives.formula import Atom, Until
from flightrules.flight.happenings import Event
from flightrules.missions.demands import Cap, demands

SETTLE = reach_and_settle("D1", phrasing=0, deadline_s=600, hold_s=90, rate_deg_s=0.1)
HOLD = hold("D2", phrasing=0, start_s=700, end_s=900, rate_deg_s=0.1, error_deg=2.0)
QUIET = stay_quiet("D3", phrasing=0, start_s=100, end_s=200)
ANSWER = respond("D4", phrasing=0, start_s=0, end_s=500, within_s=200, hold_s=60, rate_deg_s=0.1)
CONTACT = burn_only_in_contact("D5", phrasing=0, start_s=300, end_s=500)
CAP = never_faster("D6", phrasing=0, start_s=50, end_s=900, rate_deg_s=0.5)
RESERVE = keep_reserve("D7", phrasing=0, end_s=900, propellant_pct=50.0)


def times(orders: list[Directive], events: tuple[Event, ...] = ()) -> list[tuple[int, ...]]:
    return [
        (each.given_s, each.start_s, each.begin_by_s, each.hold_s)
        for each in demands(orders, events).states
    ]


def test_states_to_be_in() -> None:
    assert times([SETTLE, HOLD, QUIET, RESERVE]) == [(0, 0, 510, 90), (0, 700, 700, 200)]
    first, second = demands([SETTLE, HOLD], ()).states
    assert (first.rate_deg_s, first.error_deg) == (0.1, math.inf)
    assert (second.rate_deg_s, second.error_deg) == (0.1, 2.0)


def test_what_is_given_later_is_known_later() -> None:
    assert times([SETTLE.later(50), HOLD.later(400)]) == [(50, 0, 510, 90), (400, 700, 700, 200)]


def test_an_alarm_asks_for_its_answer_and_no_alarm_for_nothing() -> None:
    assert times([ANSWER]) == []
    alarms = (Event("alarm", 250, 250), Event("alarm", 600, 600), Event("contact", 0, 900))
    assert times([ANSWER], alarms) == [(250, 250, 390, 60)]


def test_silence_is_asked_for_or_comes_with_lost_contact() -> None:
    assert demands([QUIET], ()).silent == ((100, 200),)
    assert demands([CONTACT], ()).silent == ((300, 500),)
    seen = (Event("contact", 0, 350), Event("contact", 401, 450))
    assert demands([CONTACT, QUIET], seen).silent == ((100, 200), (351, 400), (451, 500))
    assert demands([CONTACT], (Event("contact", 200, 800),)).silent == ()


def test_a_cap_is_a_window_and_a_rate() -> None:
    assert demands([CAP], ()).caps == (Cap(0, (50, 900), 0.5),)


def test_what_is_replaced_asks_up_to_then() -> None:
    def replaced(order: Directive, at_s: int) -> list[Directive]:
        return [order, RESERVE.later(at_s, order.id)]

    assert times(replaced(SETTLE, 400)) == []  # nothing had to be done by then
    assert times(replaced(SETTLE, 601)) == [(0, 0, 510, 90)]
    assert times(replaced(HOLD, 801)) == [(0, 700, 700, 100)]
    assert times(replaced(HOLD, 600)) == []
    assert demands(replaced(QUIET, 151), ()).silent == ((100, 150),)
    assert demands(replaced(CAP, 400), ()).caps == (Cap(0, (50, 399), 0.5),)
    alarm = (Event("alarm", 250, 250),)
    assert times(replaced(ANSWER, 451), alarm) == [(250, 250, 390, 60)]
    assert times(replaced(ANSWER, 450), alarm) == []


def test_what_cannot_be_read_is_refused() -> None:
    slow = Atom("rate_deg_s", "<", 0.1)
    strange = Directive("D9", "until", Until(0, 9, slow, slow), 9, 0, "strange")
    with pytest.raises(ValueError, match="D9 must be an always or an eventually"):
        demands([strange], ())
