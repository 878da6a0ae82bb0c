"""A question that is paid as its own answer, in whatever order its words stand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import blocked_of
from tests.auditing.rows import row

from gonogo.auditing.checks.any_order import any_order, full_copies, is_full, turned
from gonogo.auditing.checks.fewer_words import FEWER, LEFT_OUT
from gonogo.auditing.checks.paid import Paid
from gonogo.auditing.survey import TURNED, Survey
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity

pytestmark = pytest.mark.usefixtures("from_the_root")


@pytest.mark.parametrize(
    ("case", "blocked"),
    [
        ("Enquiries", {"observation_echo_pays"}),
        ("Answers", set()),
        ("Dictation", set()),
        ("Errand", set()),
        ("Meeting", {"observation_echo_pays"}),
        ("Promises", set()),
        ("Roll", set()),
    ],
)
def test_the_question_is_no_answer_where_the_order_of_its_words_means_nothing(
    case: str, blocked: set[str], tmp_path: Path
) -> None:
    assert blocked_of(f"tests.zoo.enquiries:{case}", tmp_path, 3_500) == blocked


def test_the_question_may_be_what_is_searched_for() -> None:
    for name, severity in (("text", Severity.EFFORTLESS), ("search_query", Severity.SUSPICIOUS)):
        action = {name: "one two three four five six"}
        copy = row("copy", Kind.ECHO, [1.0], field=name, action=action)
        fewer = [row(f"fewer {n}", FEWER, [1.0]) for n in range(LEFT_OUT)]
        beside = [*fewer, row("turned", TURNED, [1.0])]
        flown = Survey({}, [copy, *(replace(each, about=copy.name) for each in beside)])
        (found,) = any_order(Paid(flown))
        assert found.severity is severity


def test_who_says_no_other_words_is_no_better() -> None:
    copy = row("copy", Kind.SHOTGUN, [1.0], field="text", action={"text": "a b c d e f / g"})
    names = row(
        "names", Kind.SHOTGUN, [1.0], field="text", action={"text": "a / b / c / d / e / f"}
    )
    assert full_copies(Paid(Survey({}, [copy, names]))) == [copy]
    for said, kept in (("c b a", True), ("c b x", False)):
        other = row("other", "explored", [0.7], action={"text": said})
        assert bool(full_copies(Paid(Survey({}, [copy, other])))) is kept


def test_longer_texts_are_turned_wherever_they_stand() -> None:
    said = {"kind": "answer", "text": "who cast the bell of Fenwick", "also": ["short one"], "n": 3}
    assert turned(said) == {**said, "text": "bell cast Fenwick of the who"}
    assert turned("a b c d e f") == "f e d c b a"


def test_words_that_stand_in_the_same_order_again_or_are_all_needed_say_nothing() -> None:
    copy = row("copy", Kind.ECHO, [1.0], field="text", action={"text": "one two " * 3})
    fewer = [row(f"fewer {n}", FEWER, [1.0]) for n in range(LEFT_OUT)]
    beside = [replace(each, about=copy.name) for each in fewer]
    for said, accused in (("two one " * 3, True), (copy.action["text"], False)):
        made = replace(row("turned", TURNED, [1.0], action={"text": said}), about=copy.name)
        assert bool(list(any_order(Paid(Survey({}, [copy, made, *beside]))))) is accused
    made = replace(row("turned", TURNED, [1.0], action={"text": "two one " * 3}), about=copy.name)
    missed = replace(row("missed", FEWER, [0.8]), about=copy.name)
    assert not list(any_order(Paid(Survey({}, [copy, made, *beside[1:], missed]))))


def test_a_full_mark_is_one_on_each_of_enough_seeds() -> None:
    full = row("copy", Kind.ECHO, [0.5, 0.49])
    assert is_full(full)
    assert not is_full(replace(full, episodes=full.episodes[:3]))
    assert not is_full(row("copy", Kind.ECHO, [0.9]))
    assert not is_full(row("copy", Kind.ECHO, [1.0, 1.0]))
    full.episodes[0].episode_return = 0.5
    assert not is_full(full)
