"""The rubric: what was measured decides, then the author, and an unanswered question earns nothing."""

from __future__ import annotations

import pytest
from tests.records_made import theme_facts

from gonogo.config import THEMES, Answer, Words, blank
from gonogo.records.submission import ThemeFact
from gonogo.submission.theme.rubric import CRITERIA, choose, decide, mechanic, score, totals

YES, NO = Answer(answer=True, reason="It is."), Answer(answer=False, reason="It is not.")
NONE = Answer(answer=None, reason="")


def test_the_rubric_is_ten_points() -> None:
    assert [points for points, _ in CRITERIA.values()] == [3, 2, 2, 2, 1]


@pytest.mark.parametrize(
    ("holds", "answer", "points", "by"),
    [
        (True, NO, 3, "measured"),
        (False, YES, 0, "measured"),
        (None, YES, 3, "author"),
        (None, NO, 0, "author"),
        (None, NONE, 0, "nobody"),
    ],
)
def test_what_was_measured_outweighs_the_author(
    holds: bool | None, answer: Answer, points: int, by: str
) -> None:
    found = decide("2", "maps", ThemeFact(holds=holds, said="it was seen"), answer)
    assert (found.points, found.of, found.by) == (points, 3, by)
    against = holds is not None and answer.answer is not holds
    assert ("The author says otherwise." in found.reason) is against


def test_a_mechanic_is_refuted_by_one_part_and_proven_by_all() -> None:
    facts = theme_facts()

    def told(theme: str, **holds: bool | None) -> bool | None:
        changes = {
            name: getattr(facts, name).model_copy(update={"holds": each})
            for name, each in holds.items()
        }
        found = mechanic(theme, facts.model_copy(update=changes))
        return None if found is None else found.holds

    assert told("2", decisions=True, delay=True) is True
    assert told("2", decisions=True, delay=False) is False
    assert told("2", decisions=True, delay=None) is None
    assert told("4", curriculum=True) is None, "no flight shows that difficulty rises by itself"
    assert told("4", curriculum=False) is False
    assert mechanic("5", facts) is None


def test_every_criterion_of_every_theme_is_scored_and_summed() -> None:
    words = blank().model_copy(update={"paper": YES, "pitch": YES})
    points = score(theme_facts(), words)
    assert [(p.theme, p.criterion) for p in points] == [(t, c) for t in THEMES for c in CRITERIA]
    # Two points of the domain, which was measured, and three of the author's.
    assert totals(points) == dict.fromkeys(THEMES, 5)


def test_the_author_chooses_and_else_the_points_where_one_theme_has_most() -> None:
    scores = dict.fromkeys(THEMES, 4)
    chosen: Words = blank().model_copy(update={"theme": "3.1"})
    assert choose(scores, chosen) == ("3.1", "the author's choice, with 4 of 10 points")
    theme, why = choose({**scores, "5": 4, "1": 2}, blank())
    assert theme is None and "themes 2, 3.1, 3.2, 4, 5 have 4 points each" in why
    assert choose({**scores, "2": 9}, blank()) == ("2", "it has most points, 9 of 10")
