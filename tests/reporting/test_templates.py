"""What templates write: figures, and texts that stay texts on a page of HTML."""

from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from gonogo.reporting.templates import environment, render, signed


def test_numbers_as_the_page_writes_them() -> None:
    assert [signed(value) for value in (None, 0.5, -0.25)] == ["–", "+0.500", "−0.250"]
    assert environment().filters["short"](0.00012345) == "0.00012"


@pytest.mark.parametrize(("name", "escapes"), [("page.html.j2", True), ("writeup.md.j2", False)])
def test_only_a_page_of_html_escapes_what_it_is_given(name: str, escapes: bool) -> None:
    assert callable(environment().autoescape)
    assert environment().autoescape(name) is escapes


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render("writeup.md.j2")
