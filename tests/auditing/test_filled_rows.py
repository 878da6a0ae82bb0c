"""How lists and maps that are filled plainly are sent, and which of them count as constants."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import blocked_of, fly_audit
from tests.auditing.rows import row

from gonogo.auditing.filled_rows import (
    FilledField,
    ScreenedFilling,
    as_guess,
    best_of,
    filled_fields,
    is_explained,
    is_flawless,
    on_all,
)
from gonogo.auditing.plain_fillings import PlainFilling, SeenGroups
from gonogo.auditing.survey import SurveyRow
from gonogo.exploits.crossings import around
from gonogo.exploits.panel import Habit, Kind
from gonogo.rollouts.space import ActionField, Space
from gonogo.rollouts.types import View
from gonogo.wire import Action, Observation

pytestmark = pytest.mark.usefixtures("from_the_root")

SCHEMA = {
    "properties": {
        "do": {"enum": ["wait", "sign", "drop"]},
        "tag": {"type": "string"},
        "readings": {"type": "array", "items": {"type": "number"}},
    },
    "required": ["do", "tag"],
}
SEEN: Observation = {"bench": {"a": "new", "b": "new"}, "loads": [5, 10, 20]}


@pytest.mark.parametrize(
    ("case", "blocked"),
    [
        ("Ties", {"paid_without_trying"}),
        ("StrictTies", set()),
        ("Ward", set()),
        ("Orchard", set()),
        ("Copy", set()),
    ],
)
def test_a_plain_filling_is_accused_only_where_it_is_no_fair_guess(
    case: str, blocked: set[str], tmp_path: Path
) -> None:
    assert blocked_of(f"tests.zoo.answers:{case}", tmp_path, 6_000) == blocked


def test_a_list_is_sent_for_each_thing_that_is_seen(tmp_path: Path) -> None:
    given = {"target": "tests.zoo.answers:Lab", "audit.seeds": 8, "audit.budget": 6_000}
    _, report = fly_audit(tmp_path, given, {})
    known = {each.policy: each.returns for task in report.tasks for each in task.policies}
    pay = known["kind=certify, tag: each seen name in turn, readings: copied loads"]
    assert pay is not None and pay.mean == 1.0


def field(name: str) -> ActionField:
    """A field of the schema."""
    return next(leaf for leaf in Space(SCHEMA).leaves() if leaf.name == name)


def filled(address: ActionField | None, ask: Action | None = None) -> FilledField:
    """Ones for each of the loads, beside a choice."""
    place = around(((field("do"), "sign"),), field("readings"))
    ones = PlainFilling(
        "ones", Kind.CONSTANT, lambda seen: [1] * len(seen.get("loads", ())) or None, guessed=True
    )
    return FilledField(place, "do=sign", address, SeenGroups([SEEN], ask), ones)


def sent(habit: Habit, *shown: Observation) -> list[Action | None]:
    """What a habit sends for what is seen turn by turn."""
    return [habit.act({0: View("", seen, {}, turn)})[0].action for turn, seen in enumerate(shown)]


def test_each_thing_is_named_in_turn_and_then_the_episode_is_ended() -> None:
    end: Action = {"do": "drop", "tag": ""}
    about = [{"do": "sign", "tag": tag, "readings": [1, 1, 1]} for tag in ("a", "b")]
    assert sent(filled(field("tag")).habit(end), *[SEEN] * 4) == [*about, end, end]
    assert sent(filled(field("tag")).habit(), *[SEEN] * 3) == [*about, about[0]]
    once = {"do": "sign", "tag": "", "readings": [1, 1, 1]}
    assert sent(filled(None).habit(end), SEEN, SEEN, SEEN) == [once, end, end]
    assert sent(filled(None).habit(), SEEN, SEEN) == [once, once]


def test_what_shows_a_list_is_sent_first_and_nothing_where_none_is_seen() -> None:
    ask: Action = {"do": "wait", "tag": "list"}
    habit = filled(None, ask).habit()
    assert sent(habit, {}, SEEN, {}) == [
        ask,
        {"do": "sign", "tag": "", "readings": [1, 1, 1]},
        {"do": "sign", "tag": ""},
    ]
    assert habit.name.endswith(f"after {ask}")


def test_each_filling_stands_beside_each_choice_and_each_address() -> None:
    fields = filled_fields(Space(SCHEMA), [SeenGroups([SEEN])], [field("tag")])
    beside = {(each.beside, each.address is not None) for each in fields}
    assert beside == {(do, named) for do in ("", "do=sign", "do=drop") for named in (True, False)}
    assert {each.place.name for each in fields} == {"readings"}
    assert len({each.name() for each in fields}) == len(fields)
    # The plainest of each way comes before the second of any.
    assert len({(each.beside, each.address is None) for each in fields[:6]}) == 6


def paid(pays: list[float]) -> SurveyRow:
    """A row with an episode of one turn for each pay."""
    episodes = [row("x", Kind.CONSTANT, [pay]).episodes[0] for pay in pays]
    return SurveyRow("x", Kind.CONSTANT, episodes)


@pytest.mark.parametrize(
    ("pays", "flawless"),
    [
        ([0.98, 0.99], True),
        ([0.96, 0.97], False),  # equal shares, where yields fall off
        ([1.0], True),
        ([0.9, 0.5], False),
        ([100.0, 100.0], True),
        ([90.0], False),
        ([], False),
    ],
)
def test_all_of_a_mark_of_one_or_of_a_larger_one_is_no_guess(
    pays: list[float], flawless: bool
) -> None:
    assert is_flawless(paid(pays)) is flawless


@pytest.mark.parametrize(
    ("guessed", "pay", "kind"),
    [(True, 0.5, Kind.FILLING), (True, 1.0, Kind.CONSTANT), (False, 0.5, Kind.CONSTANT)],
)
def test_what_may_be_a_fair_guess_is_one(guessed: bool, pay: float, kind: Kind) -> None:
    habit = Habit.constant("x", Kind.CONSTANT, {})
    each = as_guess(ScreenedFilling(guessed, "", habit, paid([pay] * 2)))
    assert each.row.kind == each.habit.kind == kind


@pytest.mark.parametrize(
    ("kind", "pay", "explained"),
    [
        (Kind.FILLING, 0.25, True),
        (Kind.BLANK, 0.25, True),
        (Kind.FILLING, 0.1, False),
        (Kind.CYCLE, 0.25, False),
    ],
)
def test_a_copy_is_paid_for_what_stands_beside_it_where_a_guess_is_paid_alike(
    kind: Kind, pay: float, explained: bool
) -> None:
    def of(kind: Kind, pay: float, way: str = "drop") -> ScreenedFilling:
        habit = Habit.constant(str(kind), kind, {})
        return ScreenedFilling(False, way, habit, row(str(kind), kind, [pay]))

    copy = of(Kind.ECHO, 0.25)
    assert is_explained(copy, [copy, of(kind, pay)]) is explained
    assert not is_explained(copy, [copy, of(kind, pay, "sign")])


def test_the_best_are_kept_and_some_of_each_kind() -> None:
    def of(kind: Kind, pay: float) -> ScreenedFilling:
        name = f"{kind} {pay}"
        return ScreenedFilling(False, "", Habit.constant(name, kind, {}), row(name, kind, [pay]))

    rows = [of(Kind.CONSTANT, 0.5 + n / 100) for n in range(9)]
    rows += [of(Kind.ECHO, n / 100) for n in range(4)]
    kept = [each.row.name for each in best_of(rows)]
    assert kept == [r.row.name for r in [*rows[8:2:-1], *rows[12:10:-1]]]


@pytest.mark.parametrize(("last", "kind"), [(0.99, Kind.CONSTANT), (0.9, Kind.FILLING)])
def test_a_filling_is_a_constant_only_if_no_seed_says_otherwise(last: float, kind: Kind) -> None:
    each = as_guess(
        ScreenedFilling(True, "", Habit.constant("x", Kind.CONSTANT, {}), paid([0.99, 0.99]))
    )
    assert each.row.kind == Kind.CONSTANT
    row = on_all(each, paid([0.99, last]))
    assert (len(row.episodes), row.kind, each.habit.kind) == (4, kind, kind)
