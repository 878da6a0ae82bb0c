"""What is sent for a value that is told: itself, or the choice whose words hold it; and where a value stands."""

from __future__ import annotations

from gonogo.auditing.checks.told_values import Fit, ToldValue
from gonogo.rollouts.space import Space

SPACE = Space(
    {
        "properties": {
            "mark": {"type": "string", "enum": ["mark_spam", "mark_not_spam", "mark_high_risk"]},
            "text": {"type": "string"},
        },
        "required": ["mark", "text"],
    }
)
MARK, TEXT = SPACE.leaves()


def test_a_value_is_sent_as_the_choice_that_holds_its_words() -> None:
    fit = Fit.of(MARK, ())
    assert fit.sent("spam") == "mark_spam"
    assert fit.sent("not_spam") == "mark_not_spam"
    assert fit.sent("High") == "mark_high_risk"
    assert fit.sent("mark_spam") == "mark_spam"
    assert fit.sent("low") is None
    assert fit.sent("") is None
    assert fit.sent(None) is None


def test_a_free_field_takes_the_value_itself_or_what_is_known_for_it() -> None:
    assert Fit.of(TEXT, ()).sent("anything") == "anything"
    assert Fit.of(TEXT, ()).sent(3) is None
    assert Fit.of(TEXT, ("to hold", "to drop")).sent("hold") == "to hold"


def test_a_fit_makes_an_action_of_a_value_alone_and_beside_a_choice() -> None:
    fit = Fit.of(TEXT, ())
    assert fit.action("anything") == {"mark": "mark_spam", "text": "anything"}
    assert fit.action(3) is None
    beside = fit.beside(((MARK, "mark_not_spam"),))
    assert beside is not None
    assert beside.action("a") == {"mark": "mark_not_spam", "text": "a"}
    assert fit.beside(((TEXT, "a"),)) is None


def test_a_value_of_several_parts_is_there_where_all_of_them_are() -> None:
    told = ToldValue("a, b", (), names=(("state.a_x", "x"), ("state.a_y", "y")))
    assert told.among({"state.a_x": 1, "state.a_y": 2}) == {"x": 1, "y": 2}
    assert told.among({"state.a_x": 1}) is None
    assert ToldValue("state.a_x", ()).among({"state.a_x": 1}) == 1
