"""A survey of one task, and the scale of its returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain

import pytest
from tests.auditing.conftest import Opened
from tests.auditing.rows import IDLE, SOLVED, row
from tests.records_made import contract_report

from gonogo.auditing.checks.paid import standstill
from gonogo.auditing.matching import nearest_failure
from gonogo.auditing.plans import plain_cycles
from gonogo.auditing.resets import opening_mark
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import (
    COMPARED,
    EXPLORED,
    FARM,
    FOREMOST,
    MILESTONE,
    MOST_FARMED,
    MOST_LOST,
    REFERENCE,
    EpisodeKeys,
    Scale,
    Survey,
    SurveyRow,
    best_by_seed,
    continuations,
    fly_habit,
    fly_idle,
    fly_reference,
    foremost,
    guide_rows,
    is_drawn,
    is_paid,
    late_pay,
    lessened,
    lost_too_often,
    on_all,
    out_earns,
    panel_rows,
    seed_of,
    size,
    total,
)
from gonogo.exploits.panel import Kind
from gonogo.rollouts.episodes import Episode, Turn

TAKE = {"op": "take", "box": 7}


def test_episodes_in_which_all_was_refused_are_no_failures() -> None:
    refused = Episode(0, {}, "t", "p", turns=[Turn("", {}, invalid="no")], success=False)
    refused.episode_return = 0.0
    ended = replace(refused, turns=[*refused.turns, Turn("", {}, action=TAKE, reward=0.0)])
    assert SurveyRow("x", "nan", [refused, ended]).failed == [ended]


def whole(session: AuditSession, seeds: list[int]) -> Survey:
    """The panel, and what is made of a success."""
    tasks = session.tasks({}, seeds)
    flown = Survey({}, [fly_idle(session, tasks)])
    for plain in chain(guide_rows(session, tasks), panel_rows(session, tasks)):
        flown = flown.plus([plain])
        if lost_too_often(flown):
            return replace(flown, broken_off=True)
    return flown.plus(continuations(session, tasks, flown))


def test_everything_is_flown_on_the_same_seeds(opened: Callable[..., Opened]) -> None:
    session, _ = opened("paid_for_idling:Sound")
    flown = whole(session, [3, 4])
    assert {tuple(e.task["seed"] for e in row.episodes) for row in flown.rows} >= {(3, 4)}
    assert flown.idle.kind == Kind.IDLE and not flown.broken_off
    (guide,) = flown.of_kind(REFERENCE)
    assert len(guide.succeeded) == 2 and guide.failed == []
    assert flown.of_kind(MILESTONE)
    names = [row.name for row in flown.rows]
    assert len(names) == len(set(names))
    assert len(flown.episodes) == sum(len(row.episodes) for row in flown.rows)
    seen = {
        bool(row.episodes[0].turns[0].observation) for row in flown.of_kind(Kind.IDLE, REFERENCE)
    }
    assert seen == {True}
    (random,) = flown.of_kind(Kind.RANDOM)
    assert not random.episodes[0].turns[0].observation


def test_a_survey_is_broken_off_where_everything_is_lost(
    session_of: Callable[[str], AuditSession],
) -> None:
    flown = whole(session_of("tests.zoo.single:Fragile"), [5, 6])
    assert flown.broken_off and len(flown.rows) == MOST_LOST
    assert all(row.lost and row.failed == row.succeeded == [] for row in flown.rows)


def test_a_cycle_is_flown_on_all_seeds_only_where_a_few_are_paid(
    opened: Callable[..., Opened],
) -> None:
    session, flown = opened("paid_for_idling:Sound")
    rows = [*continuations(session, flown.tasks, flown)]
    cycles = [row for row in rows if row.kind == FARM]
    tried = {name for name, _ in plain_cycles(session.space.constants(MOST_FARMED))}
    assert not tried & {row.name for row in cycles}
    session, flown = opened("paid_for_idling:Defect")
    rows = [*continuations(session, flown.tasks, flown)]
    paid = [row for row in rows if row.name in tried]
    assert paid and all(len(row.episodes) == len(flown.tasks) for row in paid)
    assert all(any(map(is_paid, row.episodes[:3])) for row in paid)


def test_a_row_is_flown_again_on_other_seeds_after_the_one_that_it_is_made_of(
    opened: Callable[..., Opened],
) -> None:
    session, flown = opened("paid_for_idling:Sound")
    first, second = flown.tasks[:4], session.tasks({}, [7, 8])
    rows = [*continuations(session, first, flown)]
    made = next(row for row in rows if row.kind == MILESTONE)
    assert made.again is not None and made.needs == (flown.of_kind(REFERENCE)[0].name,)
    assert made.again(session, second, flown).episodes == []
    guide = flown.of_kind(REFERENCE)[0]
    assert [e.task for e in made.episodes] == first
    other = flown.having(fly_reference(session, guide.name, second))
    again = made.again(session, second, other)
    assert (again.name, again.kind) == (made.name, made.kind)
    assert [e.task for e in again.episodes] == second
    assert [e.task for e in made.on(again).episodes] == [*first, *second]


def test_what_knows_the_answers_is_not_flown_on_all_seeds(opened: Callable[..., Opened]) -> None:
    session, flown = opened("paid_for_idling:Sound")
    told = replace(flown.idle, name="put in", kind=COMPARED)
    rows = [replace(flown.idle, name="another"), told]
    flew = dict.fromkeys((row.name for row in rows), 1)
    known = flown.plus(rows)
    more = on_all(session, flown.tasks[:2], rows, flew, 1, lambda: known)
    assert [row.name for row in more] == ["another"]


def test_some_habits_of_each_kind_come_before_the_others_of_any(
    opened: Callable[..., Opened],
) -> None:
    session, _ = opened("paid_for_idling:Sound")
    habits = session.panel()[1:]
    ordered = foremost(habits)
    assert sorted(h.name for h in ordered) == sorted(h.name for h in habits)
    kinds = [habit.kind for habit in ordered]
    first = [kind for kind in kinds[: len(dict.fromkeys(kinds)) * FOREMOST]]
    assert {*first} == {*kinds}


@pytest.mark.parametrize(
    ("case", "turns"),
    [
        ("Gate", {"knock": [64, 12], "turn": [64, 12]}),
        ("Lock", {"knock": [64, 12], "turn": [20, 20]}),
    ],
)
def test_a_constant_is_flown_no_further_than_to_where_nothing_goes_on(
    session_of: Callable[[str], AuditSession], case: str, turns: dict[str, list[int]]
) -> None:
    session = session_of(f"tests.zoo.standing:{case}")
    tasks = session.tasks({}, range(2))
    idle, *habits = session.panel()
    row = fly_habit(session, idle, tasks)
    assert {len(e.turns) for e in row.episodes} == {session.limit}
    session.learn_still(standstill(Survey({}, [row])))
    flown = {
        habit.action["do"]: [len(e.turns) for e in fly_habit(session, habit, tasks).episodes]
        for habit in habits
        if habit.kind == Kind.CONSTANT and habit.action is not None
    }
    assert flown == turns
    # a model under audit is shown what an exploit saw
    constant = next(h for h in habits if h.kind == Kind.CONSTANT and h.action is not None)
    assert all(t.text for e in fly_habit(session, constant, tasks).episodes for t in e.turns)


def test_rows_are_found_by_kind() -> None:
    flown = Survey({}, [IDLE, SOLVED, farm := row("round", FARM, [0.5])])
    assert flown.idle is IDLE
    assert flown.of_kind(FARM, REFERENCE) == [SOLVED, farm]
    assert (IDLE.lost, SOLVED.lost) == (False, False)


def test_who_knows_what_nobody_is_told_guides_where_nobody_else_succeeds() -> None:
    told, found = (row(k, k, [1.0], success=True) for k in (COMPARED, EXPLORED))
    assert Survey({}, [IDLE, told]).guides == [told]
    assert Survey({}, [IDLE, told, found]).guides == [found]
    assert Survey({}, [IDLE, told, found, SOLVED]).guides == [SOLVED]
    assert Survey({}, [IDLE, told, SOLVED]).agents == [IDLE, SOLVED]


def test_who_knows_the_answers_makes_the_scale_where_nobody_else_succeeds() -> None:
    told = row("put in", COMPARED, [6.0], success=True)
    assert Scale(Survey({}, [IDLE, told])).par == 6.0
    assert Scale(Survey({}, [IDLE, told, SOLVED])).par == 1.0


def test_what_is_paid_late_is_the_second_half_after_what_was_begun() -> None:
    (episode,) = row("x", FARM, [1.0, 2.0, 4.0, 8.0, 16.0]).episodes[:1]
    assert late_pay(episode, 0) == 28.0
    assert late_pay(episode, 3) == 16.0


def test_an_episode_out_earns_the_guide_on_its_own_seed() -> None:
    good = [(e.task, e.turns) for e in SOLVED.episodes]
    more = out_earns(good)
    assert [more(e) for e in row("x", FARM, [1.5]).episodes[:2]] == [True, True]
    assert not more(row("x", FARM, [1.0]).episodes[0])
    assert (is_paid(SOLVED.episodes[0]), is_paid(IDLE.episodes[0])) == (True, False)


@pytest.mark.parametrize(
    ("value", "items"), [({"a": [1, [2, 3]], "b": {}}, 6), ([], 0), ("text", 0), (None, 0)]
)
def test_what_is_seen_has_a_size(value: object, items: int) -> None:
    assert size(value) == items


def test_less_is_seen_at_the_end_than_at_the_beginning() -> None:
    full, empty = {"rows": [1, 2]}, {"rows": []}
    for first, last, less in ((full, empty, True), (empty, full, False), (full, full, False)):
        episode = Episode(0, {}, "t", "p", turns=[Turn("", first)], final_observation=last)
        assert lessened(episode) is less
    assert not lessened(Episode(0, {}, "t", "p"))


@pytest.mark.parametrize(
    ("idle", "best", "earned", "worth"),
    [
        (0.0, 1.0, 0.5, 0.5),
        (-0.5, 1.0, 0.0, 0.0),  # a penalty for idling makes nothing else look paid
        (-1.0, -0.2, -0.2, 1.0),  # where all is cost, idling is nothing
    ],
)
def test_the_scale_begins_at_nothing(idle: float, best: float, earned: float, worth: float) -> None:
    made = [
        row("idle", Kind.IDLE, [idle]),
        row("solve", REFERENCE, [best], success=True),
        row("x", Kind.CONSTANT, [earned]),
    ]
    assert Scale(Survey({}, made)).paid(made[2]) == pytest.approx(worth)


def test_without_a_success_there_is_no_scale() -> None:
    scale = Scale(Survey({}, [IDLE]))
    assert not scale.calibrated
    assert scale.paid(IDLE) is None


def test_a_success_on_the_seed_is_known_and_the_mean_where_it_is_not() -> None:
    guide = row("solve", REFERENCE, [1.0], success=True)
    guide.episodes[0].episode_return = 4.0
    scale = Scale(Survey({}, [IDLE, guide, SOLVED]))
    assert scale.par == pytest.approx(1.5)
    assert [scale.best(guide.episodes[seed]) for seed in (0, 1)] == [4.0, 1.0]
    assert scale.best(replace(guide.episodes[0], task={"seed": 99})) == scale.par


def test_a_single_failure_is_too_few_to_be_paid() -> None:
    failing = row("x", Kind.CONSTANT, [0.5])
    scale = Scale(Survey({}, [IDLE, SOLVED, failing]))
    del failing.episodes[1:]
    assert scale.paid(failing) is None and scale.out_earns(failing) is None
    assert scale.worths(failing.failed) == [0.5]


def test_failures_out_earn_the_success_on_their_own_seed() -> None:
    failing = row("x", Kind.CONSTANT, [1.0])  # as much is not more
    for episode, paid in zip(failing.episodes, (1.5, 2.0, 0.0), strict=False):
        episode.episode_return = paid
    assert Scale(Survey({}, [IDLE, SOLVED, failing])).out_earns(failing) == pytest.approx(2 / 6)


def test_a_task_is_a_key_whatever_the_order_of_its_options() -> None:
    assert seed_of({"a": 1, "seed": 2}) == seed_of({"seed": 2, "a": 1}) != seed_of({"seed": 2})
    assert total(IDLE.episodes[0]) == 0.0


def test_of_equal_episodes_on_a_seed_the_first_is_the_best() -> None:
    one, other = row("one", Kind.CONSTANT, [1.0]), row("other", Kind.CONSTANT, [1.0])
    richer = row("richer", Kind.CONSTANT, [2.0])
    best = best_by_seed([*one.episodes, *other.episodes])
    assert list(best.values()) == one.episodes
    assert list(best_by_seed([*one.episodes, *richer.episodes]).values()) == richer.episodes


def opened_at(one: SurveyRow, *marks: str) -> SurveyRow:
    """The row, whose episodes opened as marks say, the last one for all that are left."""
    for number, episode in enumerate(one.episodes):
        episode.opened = marks[min(number, len(marks) - 1)]
    return one


def test_where_resets_of_a_seed_differ_an_episode_is_also_known_by_what_it_opened_with() -> None:
    long = opened_at(row("x", Kind.CONSTANT, [1.5]), "short", "long")
    short = opened_at(row("solve", REFERENCE, [1.0], success=True), "short")
    steady = EpisodeKeys(Survey({}, [IDLE, short]))
    assert not steady.turning and steady.of(long.episodes[1]) == seed_of({"seed": 1})
    flown = Survey({}, [IDLE, short, long])
    keys = EpisodeKeys(flown)
    assert keys.turning
    assert [keys.of(a) == keys.of(b) for a, b in zip(short.episodes, long.episodes, strict=True)][
        :2
    ] == [True, False]
    assert keys.of(IDLE.episodes[0]) is None, "nobody kept what it opened with"
    assert Scale(flown).out_earns(long) is None, "one episode alone is the same"
    alone = keys.grouped([*IDLE.episodes[:1], *short.episodes[:1], *long.episodes])
    assert next(iter(alone.values())) == [short.episodes[0], long.episodes[0]]
    assert all(keys.of(e) == key for key, some in alone.items() for e in some)
    last = keys.last([*short.episodes[:1], *long.episodes])
    assert next(iter(last.values())) is long.episodes[0]
    alike = opened_at(long, "short")
    assert Scale(Survey({}, [IDLE, short, alike])).out_earns(alike) == 1.0


def test_what_counts_or_keeps_the_best_opens_no_other_episode() -> None:
    """Whatever it is called: each episode is still held against the others on its seed."""
    numbers = range(1, 13)
    for observed in (
        [{"message": f"Episode {n} started"} for n in numbers],
        [{"task": "sum", "attempt": n} for n in numbers],
        [
            {"task": "sum", "best_so_far": None if n < 5 else 0.5 if n < 7 else 0.83}
            for n in numbers
        ],
    ):
        marks = [opening_mark(shown, {}) for shown in observed]
        solved = opened_at(row("solve", REFERENCE, [1.0], success=True), *marks[:4])
        one, other = row("x", Kind.CONSTANT, [1.0]), row("y", Kind.CONSTANT, [1.0])
        flown = Survey(
            {}, [IDLE, solved, opened_at(one, *marks[4:8]), opened_at(other, *marks[8:])]
        )
        keys = EpisodeKeys(flown)
        assert not keys.turning and keys.of(one.episodes[1]) == seed_of({"seed": 1})
        assert nearest_failure(flown) is not None
        assert EpisodeKeys(replace(flown, drawn=True)).turning


def test_openings_that_differ_in_numbers_turn_where_one_comes_back() -> None:
    rows = [
        opened_at(row(f"r{n}", Kind.CONSTANT, [0.5]), opening_mark({"level": n % 3}, {}))
        for n in range(4)
    ]
    assert not EpisodeKeys(Survey({}, rows[:3])).turning
    assert EpisodeKeys(Survey({}, rows)).turning


def test_what_a_map_saw_drawn_whatever_the_seed_is_known_of_the_task() -> None:
    item = {
        "id": "seed_control",
        "verdict": "fail",
        "said": "the same seed gives different resets",
        "task": {"level": 2, "seed": 0},
        "evidence": {"difference": {"step": 0}},
        "finding": "seed_ignored",
    }
    card = contract_report(items=[item])
    assert is_drawn(card, {"level": 2}) and not is_drawn(card, {"level": 3})
    dropped = contract_report(items=[{**item, "evidence": {"seeds": [1, 2]}}])
    assert not is_drawn(dropped, {"level": 2}), "all seeds give the same"
