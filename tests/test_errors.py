"""No error that gonogo raises on purpose is a NO-GO, except the one by which a gate that is NO-GO forbids."""

from __future__ import annotations

from gonogo import errors
from gonogo.errors import Forbidden, GonogoError


def test_no_error_of_gonogo_is_a_no_go_but_a_gate_s() -> None:
    known = [each for each in vars(errors).values() if isinstance(each, type)]
    codes = {each: each.exit_code for each in known if issubclass(each, GonogoError)}
    assert codes.pop(Forbidden) == 1
    assert set(codes.values()) == {2, 3, 70}
