"""The same thing in other spellings: what pays it again, and what a sound game takes for another thing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import pytest

from gonogo.auditing.checks.lapped import PaidStep
from gonogo.auditing.checks.respelled import (
    FAMILIES,
    GRADED,
    MEANT,
    NONSENSE,
    ORDERED,
    REMARKED,
    SUMS,
    Respelled,
    Respellings,
    Spelt,
    doubt_of,
    held_at,
    masked,
    moves_in,
    news_in,
    nonsense_for,
    plain,
    remarks_at,
    spelt_at,
    steady,
    texts_at,
    unseen,
)
from gonogo.auditing.session import AuditSession
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.space import Space
from gonogo.wire import Action, TaskOptions

Start = Callable[[str], AuditSession]
TASK = {"seed": 3}
pytestmark = pytest.mark.usefixtures("from_the_root")


def tried(session: AuditSession, *way: Action) -> Respelled | None:
    """A paid action in other spellings."""
    plans = [(TASK, list(way))]
    (flown,) = session.plans("a paid action", plans, turns=len(way), whole=True)
    pay = flown.turns[-1].reward or 0.0
    assert pay > 0
    return Respellings(session).of(PaidStep(TASK, way, pay, "x"))


def reported(session: AuditSession) -> Respelled | None:
    """A parcel that is reported in other spellings, after a look that shows which one is damaged."""
    look: Action = {"do": "look", "parcel": "", "remark": ""}
    (seen,) = session.plans("a look", [(TASK, [look])], turns=1, whole=True)
    (first, *_) = seen.final_observation["damaged"]
    return tried(session, look, {"do": "report", "parcel": first, "remark": "wet"})


@pytest.mark.parametrize(
    ("case", "told", "doubt"),
    [
        ("Depot", "other capitals", None),
        ("DepotRemarks", "another remark beside it", REMARKED),
        ("DepotLines", "more spaces behind it", None),  # some are not taken, alone either
        ("DepotSqueezed", "with more spaces behind it, other capitals", None),
    ],
)
def test_what_is_judged_otherwise_than_it_is_remembered_is_paid_again(
    case: str, told: str, doubt: str | None, session_of: Start
) -> None:
    found = reported(session_of(f"tests.zoo.respelled:{case}"))
    assert found is not None and found.doubt == doubt
    assert told in found.words
    assert found.lapped.anew and len(found.lapped.pays) > 12
    sent = [repr(turn.action) for turn in found.lapped.turns]
    assert len(set(sent)) == len(sent)


@pytest.mark.parametrize("case", ["DepotOnce", "DepotExact"])
def test_what_is_remembered_as_it_is_judged_is_paid_once(case: str, session_of: Start) -> None:
    assert reported(session_of(f"tests.zoo.respelled:{case}")) is None


def test_the_terms_of_a_sum_are_the_same_in_any_order(session_of: Start) -> None:
    session = session_of("tests.zoo.respelled:Sums")
    (begun,) = session.plans("a look", [(TASK, [{"line": ""}])], turns=1, whole=True)
    number = int(begun.turns[0].observation["asked"].split()[-1].strip("."))
    found = tried(session, {"line": f"50+7-3+1+{number - 55}"})
    assert found is not None and found.doubt is None
    assert "its terms in another order" in found.words
    once = session_of("tests.zoo.respelled:SumsOnce")
    assert tried(once, {"line": f"50+7-3+1+{number - 55}"}) is None


@pytest.mark.parametrize(
    ("told", "doubt"),
    [
        ("A composition is a sum in which the order matters.", ORDERED),
        ("Write it as an ordered sum.", ORDERED),
        ("Write the number as a sum, in the order of the day.", None),
        ("The same sum in any order counts once.", None),
        ("The order never matters.", None),
    ],
)
def test_where_the_order_is_said_to_matter_the_terms_of_a_sum_may_be_other_things(
    told: str, doubt: str | None
) -> None:
    assert doubt_of(SUMS, [told]) == doubt
    assert doubt_of("other capitals", [told]) is None


@pytest.mark.parametrize(
    ("family", "told", "doubt"),
    [
        ("other capitals", "Names are case-sensitive.", MEANT),
        ("other capitals", "Names are not case-sensitive.", None),
        ("other capitals", "Each case counts once.", None),
        ("other capitals", "Capitals and zeros never matter.", None),
        ("more spaces within it", "White space counts.", MEANT),
        ("more spaces within it", "Capitals matter.", None),
        ("zeros before its number", "Leading zeros are significant.", MEANT),
        ("zeros before its number", "No matter how many zeros.", None),
        ("full stops behind it", "It hashes all of it, capitals and spaces included.", MEANT),
        ("wide letters", "Any mutation, also of capitals, zeros and spaces, is fair.", MEANT),
        ("wide letters", "Capitals count.", None),
        ("quotes or an article", "Articles differ in length.", None),
        ("other signs", "Road signs are different in each town.", None),
        ("zeros before its number", "Words are strings: `01` and `001` are two.", MEANT),
        ("zeros before its number", "`01` and `001` are one cell.", None),
        ("other capitals", "`a1` and `A1` are two of the cells.", MEANT),
        ("more spaces behind it", "`a1` and `A1` are two of the cells.", None),
        ("zeros before its number", "Send two words, such as 12 and 3.", None),
    ],
)
def test_a_difference_that_is_said_to_be_meant_may_make_another_thing(
    family: str, told: str, doubt: str | None
) -> None:
    assert doubt_of(family, ["Begin.", told]) == doubt


def test_what_grades_each_spelling_by_itself_pays_some_and_not_others(session_of: Start) -> None:
    found = tried(session_of("tests.zoo.respelled:Fuzzed"), {"line": "GET /path"})
    assert found is not None and found.doubt == GRADED


def test_a_list_in_another_order_may_be_another_thing(session_of: Start) -> None:
    found = tried(session_of("tests.zoo.respelled:Crews"), {"line": "ada,bo,cy,dee"})
    assert found is not None and found.doubt == ORDERED


@pytest.mark.parametrize(
    ("case", "line"),
    [
        ("Tours", "ada,bo,cy,dee"),  # each order is answered otherwise
        ("Twins", "a1"),  # other capitals are another cell, which is shown
        ("Gladly", "good morning"),  # nonsense is paid as well
    ],
)
def test_a_sound_game_that_pays_another_spelling_is_not_accused(
    case: str, line: str, session_of: Start
) -> None:
    assert tried(session_of(f"tests.zoo.respelled:{case}"), {"line": line}) is None


def test_what_is_paid_again_as_it_was_is_no_matter_of_spelling(session_of: Start) -> None:
    session = session_of("tests.zoo.again:KindWords")
    assert tried(session, {"move": "listen", "words": "please"}) is None


@pytest.mark.parametrize(
    ("family", "spelt"),
    [
        ("more spaces behind it", "C-14 "),
        ("other capitals", "c-14"),
        ("a sign doubled", "C--14"),
        ("zeros before its number", "C-014"),
        ("other signs", "C14"),
        ("quotes or an article", "the C-14"),
        ("wide letters", "\uff23\uff0d\uff11\uff14"),
    ],
)
def test_a_name_is_spelt_in_ways_that_a_reader_takes_for_it(family: str, spelt: str) -> None:
    assert spelt in list(FAMILIES[family]("C-14"))


def test_terms_keep_their_signs_in_another_order() -> None:
    orders = list(FAMILIES["its terms in another order"]("40+12-3"))
    assert "-3+40+12" in orders and "12-3+40" in orders
    assert not list(FAMILIES["its terms in another order"]("C-14"))
    assert "3*8" in list(FAMILIES["its terms in another order"]("8*3"))


def test_lists_of_three_or_more_have_orders_enough() -> None:
    assert "b, a, c" in list(FAMILIES["its parts in another order"]("a, b, c"))
    assert not list(FAMILIES["its parts in another order"]("a, b"))
    (only,) = spelt_at({"crew": ["a", "b", "c"]}, ("crew",))
    assert len(only.values) == 5


def test_choices_are_no_texts_and_nested_texts_are() -> None:
    schema = {
        "type": "object",
        "properties": {
            "op": {"enum": ["look", "pull"]},
            "tub": {"type": "string"},
            "more": {"type": "object"},
        },
    }
    action: Action = {"op": "pull", "tub": "C-14", "more": {"who": "x", "n": 3, "none": " "}}
    assert list(texts_at(action, Space(schema).leaves())) == [("tub",), ("more", "who")]
    assert held_at(action, ("more", "who")) == "x"


def test_each_spelling_that_is_shown_may_name_another_thing() -> None:
    signs = Spelt("other signs", ("cell",), ("12", "1 2", "1-2"))
    few = Spelt("zeros before its number", ("cell",), ("01.2",))
    left = list(unseen([signs, few], {"1.2", "1 2", "12", "01.2"}))
    assert [(each.family, each.values) for each in left] == [("other signs", ("1-2",))]


class DrawnAnew:
    """Pays a name in another spelling once, and in no later episode: each reset draws another name."""

    space = Space({"type": "object", "properties": {"line": {"type": "string"}}})

    def plans(
        self, name: str, plans: Sequence[tuple[TaskOptions, Sequence[Action]]], **_: object
    ) -> list[Episode]:
        found = []
        for task, actions in plans:
            told = [name.endswith("otherwise") and sent["line"] == "BO" for sent in actions]
            turns = [
                Turn("", {}, action=sent, reward=float(paid))
                for sent, paid in zip(actions, told, strict=True)
            ]
            found.append(Episode(3, task, "t", name, turns=turns))
        return found


def test_spellings_none_of_which_is_paid_a_second_time_are_no_finding() -> None:
    session = cast(AuditSession, DrawnAnew())
    assert Respellings(session).of(PaidStep(TASK, ({"line": "Bo"},), 1.0, "x")) is None


def test_nonsense_is_of_the_same_kind_and_remarks_are_each_another_one() -> None:
    assert nonsense_for("C-14") == NONSENSE
    assert nonsense_for(["a"]) == [NONSENSE]
    values = remarks_at(("note",)).values
    assert len(set(values)) == len(values)


def test_an_answer_is_read_without_what_was_sent_and_without_numbers() -> None:
    turn = Turn("", {"said": "", "log": ["old"], "left": 9}, action={"tub": "c--14"}, reward=0.1)
    told = {"said": "C-14 goes in bin 3.", "log": ["old", "new"], "left": 8}
    assert news_in(turn, told) == {"§goesinbin§", "new"}
    assert moves_in(turn.observation, told) == {".left": -1}
    assert steady({".left": -1.0}, {".left": -1.0})
    assert not steady({".left": -1.0}, {".left": -2.0})
    assert plain("Tub C--014") == "tubc14"
    assert masked("C 14, 20 g", ["c14"]) == "§§g"
