"""A table is a data frame and HTML in which nothing of a stranger's is a tag."""

from __future__ import annotations

from gonogo.records.frame import SHOWN, Frame


def test_a_frame_has_the_columns_and_rows() -> None:
    frame = Frame(("name", "score"), [("idle", 0.0), ("walker", 1.0)]).to_frame()
    assert list(frame.columns) == ["name", "score"]
    assert frame["score"].tolist() == [0.0, 1.0]


def test_a_frame_without_rows_still_has_its_columns() -> None:
    assert list(Frame(("name",), []).to_frame().columns) == ["name"]


def test_what_a_stranger_says_is_no_tag() -> None:
    html = Frame(("<b>",), [("<script>alert(1)</script>",)]).html()
    assert "<script>" not in html and "<b>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_of_many_rows_the_first_are_shown_and_the_others_counted() -> None:
    html = Frame(("n",), [(n,) for n in range(SHOWN + 3)]).html()
    assert html.count("<td>") == SHOWN and html.endswith("<p>and 3 more</p>")
