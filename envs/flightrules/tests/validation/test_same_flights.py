"""The digest of flights: the same twice, another for other flights."""

from __future__ import annotations

from flightrules.validation.same_flights import digest


def test_the_same_flights_have_the_same_digest_and_others_another() -> None:
    first = digest(1)
    assert digest(1) == first
    more = digest(2)
    assert more[0] > first[0]
    assert more[1] != first[1]
