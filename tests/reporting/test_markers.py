"""A page is written between its markers only."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gonogo.reporting.markers import SECTIONS, begin_of, end_of, filled, marks_in

LINES = st.text(alphabet="ab <!->:#\r\n`|é", max_size=40)


@given(
    st.lists(st.sampled_from(list(SECTIONS)), unique=True, min_size=1),
    st.lists(LINES, min_size=2 * len(SECTIONS) + 1, max_size=2 * len(SECTIONS) + 1),
    st.sampled_from(["\n", "\r\n"]),
)
def test_outside_of_the_markers_nothing_is_touched(
    names: list[str], texts: list[str], end: str
) -> None:
    outside, inside = iter(texts[: len(names) + 1]), iter(texts[len(names) + 1 :])
    page = after = next(outside)
    for name in names:
        first = f"\n{begin_of(name)}{end}"
        last = f"{end_of(name)}{end}{next(outside)}"
        page += f"{first}{next(inside)}\n{last}"
        after += f"{first}New.\n{last}"
    assert filled(page, "page", dict.fromkeys(names, "New.\n")) == after
    assert list(marks_in(page, "page")) == names
    assert filled(page, "page", {}) == page
