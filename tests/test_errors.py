"""No error that gonogo raises on purpose is a NO-GO."""

from __future__ import annotations

from gonogo import errors
from gonogo.errors import GonogoError


def test_no_error_of_gonogo_is_a_no_go() -> None:
    known = [each for each in vars(errors).values() if isinstance(each, type)]
    codes = {each.exit_code for each in known if issubclass(each, GonogoError)}
    assert codes == {2, 3, 70}
