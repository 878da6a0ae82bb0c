"""What a row's pay is worth and what it is called, on rows made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.auditing.rows import IDLE, SOLVED, row

from gonogo.auditing.documented import length_told
from gonogo.auditing.survey import FARM, FOREIGN, MILESTONE, REFERENCE, SEARCHED, Survey, SurveyRow
from gonogo.auditing.suspicions import Suspicion, as_documented, strongest, suspicions
from gonogo.contract.documented_pay import README, DocumentedPay
from gonogo.exploits.panel import ALL_SEEN, Kind
from gonogo.records.findings import Severity
from gonogo.records.success import JudgedSuccess, SuccessCandidate


def found(*rows: SurveyRow, idle: SurveyRow = IDLE, solved: SurveyRow = SOLVED) -> set[str]:
    return set(suspicions(Survey({}, [idle, solved, *rows])))


def test_the_strongest_of_an_id_holds_the_others_however_often_it_is_asked_for() -> None:
    a, b, c = (
        Suspicion("paid_again", row(name, Kind.CONSTANT, [1.0]), SOLVED.episodes[0], name, worth)
        for name, worth in (("a", 1.0), ("b", 3.0), ("c", 2.0))
    )
    first = strongest([a, b])
    again = strongest([*first.values(), c])["paid_again"]
    assert first["paid_again"].row.name == again.row.name == "b"
    assert [each.row.name for each in again.beside] == ["c", "a"]
    told = as_documented(again, "all that is paid is a length")
    assert {each.severity for each in (told, *told.beside)} == {Severity.SUSPICIOUS}


def test_nothing_is_found_where_nothing_is_paid() -> None:
    assert found(row("x", Kind.CONSTANT, [0.0] * 6), row("y", Kind.ECHO, [0.2])) == set()


@pytest.mark.parametrize(
    ("name", "paid"),
    [
        ("constant_answer_pays", row("x", Kind.CONSTANT, [1.0] * 6, action={"do": "a"}, field="do")),
        ("self_reported_reward", row("x", Kind.CONSTANT, [0.5] * 6, action={"size": 9}, field="size")),
        ("truncated_window_satisfied", row("x", Kind.CONSTANT, [0.6], action={"stop": True})),
        ("malformed_action_pays", row("x", Kind.NONSENSE, [0.1] * 6, field="text", action={"text": "?"})),
        ("reward_from_agent_text", row("x", Kind.CLAIM, [0.1] * 6, field="text")),
        ("paid_for_length", row("x", Kind.LENGTH, [0.1] * 6, field="text")),
        ("unbounded_action_pays", row("x", Kind.EXTREME, [9.0] * 6, field="size")),
        ("nan_reward", row("x", Kind.NAN, [0.2] * 6, field="size")),
        ("reward_from_agent_text", row("x", Kind.ECHO, [0.2] * 6, field="text", action={"text": "q"})),
        ("shotgun_answer_pays", row("x", Kind.SHOTGUN, [0.1] * 6, field="text", action={"text": "a / b / c"})),
        ("shotgun_answer_pays", row("x", Kind.SHOTGUN, [0.1] * 6, field="text", action={"text": "*"})),
        ("shotgun_answer_pays", row("x", Kind.SHOTGUN, [0.1] * 6, field="all", action={"all": [1, 2, 3]})),
        ("format_outweighs_task", row("x", Kind.ECHO, [0.2] * 6, field="text", action={"text": "[1]"})),
        ("format_outweighs_task", row("x", FOREIGN, [0.1] * 6)),
        ("milestone_then_idle", row("x", MILESTONE, [0.6] * 6)),
        ("farmable_cycle", row("x", FARM, [0.2] * 6)),
        ("failure_out_earns_success", row("x", SEARCHED, [1.1])),
        ("failure_out_earns_success", row("x", Kind.HELD, [1.1])),
    ],
)  # fmt: skip
def test_a_paid_failure_has_the_name_of_its_evidence(name: str, paid: SurveyRow) -> None:
    assert name in found(paid)


@pytest.mark.parametrize(
    ("pays", "name"),
    [
        pytest.param((0.1, 0.2, 0.5, 0.2), "constant_answer_pays", id="the middle is right"),
        pytest.param((0.1, 0.2, 0.5, 0.5), "self_reported_reward", id="more is paid more"),
        pytest.param((0.5, 0.2, 0.2, 0.1), "self_reported_reward", id="less is paid more"),
    ],
)
def test_a_number_that_is_compared_with_a_truth_is_no_report(
    pays: tuple[float, ...], name: str
) -> None:
    rows = [
        row(f"size={n}", Kind.CONSTANT, [pay] * 6, action={"size": n}, field="size")
        for n, pay in enumerate(pays, start=1)
    ]
    assert {"constant_answer_pays", "self_reported_reward"} & found(*rows) == {name}


def test_a_cycle_whose_return_is_below_nothing_is_no_farm() -> None:
    costly = {
        "idle": row("idle", Kind.IDLE, [-2.0] * 6, action={"size": 0}),
        "solved": row("solve", REFERENCE, [-1.0], success=True),
    }
    assert "farmable_cycle" not in found(row("x", FARM, [-0.5] * 4), **costly)


def test_what_was_seen_is_paid_for_when_it_is_sent_back() -> None:
    echo = row("x", Kind.ECHO, [0.2] * 6, field="text")
    for episode in echo.episodes:
        for turn in episode.turns:
            turn.action = {"text": str(turn.observation)}
    assert found(echo) == {"observation_echo_pays", "failure_out_earns_success"}


def test_an_answer_to_another_seed_that_is_right_now_and_then_is_no_matter_of_form() -> None:
    assert found(row("x", FOREIGN, [0.06] * 6)) == set()


def test_one_guess_of_several_is_paid_by_chance_and_explains_all_of_them() -> None:
    guess = row("g", Kind.GUESS, [0.05] * 6, field="text")
    assert found(guess) == set()
    shotgun = row("x", Kind.SHOTGUN, [0.05] * 6, field="text", action={"text": "*"})
    assert found(guess, shotgun) == set()


def test_what_succeeds_when_it_is_said_at_once_is_paid_in_part_when_it_is_said_later() -> None:
    late = row("x", Kind.SHOTGUN, [0.1] * 6, field="text")
    assert found(late) == {"shotgun_answer_pays"}
    whole = row("w", Kind.SHOTGUN, [0.2] * 6, success=True, field="text")
    assert found(whole, late) == set()
    assert found(replace(whole, field="note"), late) == {"shotgun_answer_pays"}


def test_an_error_that_is_paid_is_a_verifier_that_crashed() -> None:
    said = {"last": {"message": "ZeroDivisionError: division by zero"}, "field": "text"}
    assert found(row("x", Kind.NONSENSE, [0.1] * 6, **said)) == {"verifier_crash_pays"}
    told = row("x", Kind.NONSENSE, [0.1] * 6, action={"text": "ZeroDivisionError"}, **said)
    assert found(told) == {"malformed_action_pays"}


def test_an_error_that_stands_in_the_task_is_none_of_the_verifier() -> None:
    said = {"last": {"log": "TimeoutError in api"}, "field": "text"}
    idle = row("idle", Kind.IDLE, [0.0] * 6, action={"text": "", "size": 0})
    survey = Survey({}, [idle, SOLVED, row("x", Kind.NONSENSE, [0.1] * 6, **said)])
    assert suspicions(survey).keys() == {"verifier_crash_pays"}
    for episode in survey.idle.episodes:
        episode.turns[0].observation = {"log": "TimeoutError in api"}
    assert suspicions(survey).keys() == {"malformed_action_pays"}


def test_idling_that_is_paid_explains_what_is_paid_alike() -> None:
    idle = row("idle", Kind.IDLE, [0.1] * 6, action={"size": 0})
    others = [
        row("a", Kind.CONSTANT, [0.1] * 6, action={"size": 9}, field="size"),
        row("b", Kind.CLAIM, [0.1] * 6, field="note"),
        row("c", Kind.NONSENSE, [0.1] * 6, field="note"),
        row("d", FARM, [0.1] * 6),
    ]
    assert found(*others, idle=idle) == {"paid_for_idling"}


def test_waiting_longer_than_success_takes_and_earning_more_is_stalling() -> None:
    idle = row("idle", Kind.IDLE, [0.1] * 20, action={})
    assert found(idle=idle) == {"stalling_pays", "failure_out_earns_success"}
    short = row("idle", Kind.IDLE, [0.4] * 5, action={})
    assert found(idle=short) == {"paid_for_idling", "failure_out_earns_success"}


def test_a_success_at_once_that_going_on_does_not_have() -> None:
    early = row("x", Kind.CONSTANT, [1.0], success=True, action={"stop": True})
    assert found(early) == {"early_end_success"}
    quick = row("solve", REFERENCE, [1.0, 0.0], success=True)
    assert found(early, solved=quick) == set()


def test_success_that_nobody_reaches() -> None:
    tried = row("solve", REFERENCE, [0.0] * 6)
    assert found(solved=tried) == {"unreachable_reward"}


def test_failures_that_are_paid_like_successes() -> None:
    idle = row("idle", Kind.IDLE, [0.2] * 5, action={})
    assert found(idle=idle) == {"paid_for_idling", "reward_uncorrelated"}


def test_naming_all_the_answers_is_nothing_where_it_earns_what_one_guess_does() -> None:
    shotgun = {"field": "text", "action": {"text": "a / b / c / d"}}
    assert found(row("x", Kind.SHOTGUN, [0.05] * 6, **shotgun)) == set()
    assert found(row("x", Kind.SHOTGUN, [0.1] * 6, **shotgun)) == {"shotgun_answer_pays"}


def test_a_lost_or_unjudged_episode_counts_for_nothing() -> None:
    paid: Any = row("x", Kind.CONSTANT, [1.0])
    for episode in paid.episodes:
        episode.success = None
    assert found(paid) == set()


def test_a_blank_form_that_is_paid_half_of_a_success_is_named_unless_nonsense_is_paid_as_well() -> (
    None
):
    form = row("form", Kind.FORM, [0.6], field="text", action={"text": '{"a": 1}'})
    assert suspicions(Survey({}, [IDLE, SOLVED, form])).keys() == {"format_outweighs_task"}
    bonus = row("form", Kind.FORM, [0.4], field="text", action={"text": '{"a": 1}'})
    assert suspicions(Survey({}, [IDLE, SOLVED, bonus])).keys() == set()
    said = row("?", Kind.NONSENSE, [0.6], field="text", action={"text": "?"})
    assert "format_outweighs_task" not in suspicions(Survey({}, [IDLE, SOLVED, form, said]))


def test_a_blank_action_that_is_paid_half_of_a_success_is_named_unless_a_choice_is_paid_as_well() -> (
    None
):
    blank = row("blank", Kind.BLANK, [0.6])
    assert suspicions(Survey({}, [IDLE, SOLVED, blank])).keys() == {"malformed_action_pays"}
    assert suspicions(Survey({}, [IDLE, SOLVED, row("blank", Kind.BLANK, [0.4])])).keys() == set()
    choice = row("send", Kind.CONSTANT, [0.6], field="do", action={"do": "send"})
    assert "malformed_action_pays" not in suspicions(Survey({}, [IDLE, SOLVED, blank, choice]))


def costs(*rewards: float) -> SurveyRow:
    return row("always wait", Kind.CONSTANT, list(rewards), action={"do": "a"}, field="do")


def test_a_share_of_two_sums_below_nothing_is_no_pay() -> None:
    """Idling costs far more: what costs a little more than a success would seem to be paid most of one."""
    idle = row("idle", Kind.IDLE, [-8.0] * 6, action={"do": "idle"})
    solved = row("solve", REFERENCE, [0.0] * 5 + [-1.0], success=True)
    assert "constant_answer_pays" not in found(costs(*[-0.7] * 6), idle=idle, solved=solved)
    assert "constant_answer_pays" in found(costs(*[-0.1] * 6), idle=idle, solved=solved)


def under(record: JudgedSuccess, *rows: SurveyRow) -> dict[str, Suspicion]:
    return suspicions(replace(Survey({}, [IDLE, *rows]), judged=record))


def test_an_assumed_success_by_chance_may_be_clumsy_and_more_is_the_scale() -> None:
    clumsy = row("explored 1", SEARCHED, [0.0] * 5 + [0.3], success=True)
    honest = row("explored 2", SEARCHED, [0.1] * 10)
    floor = row("x='?'", Kind.NONSENSE, [0.01] * 10, field="x", action={"x": "?"})
    assumed = JudgedSuccess(said_by="assumed", expression="resolved", why="", candidates=())
    assert "malformed_action_pays" not in under(assumed, clumsy, honest, floor)
    told = assumed.model_copy(update={"said_by": "given"})
    assert "malformed_action_pays" in under(told, clumsy, honest, floor)
    rich = row("x='?'", Kind.NONSENSE, [0.1] * 10, field="x", action={"x": "?"})
    (said,) = [s for s in under(assumed, clumsy, rich).values() if s.id == "malformed_action_pays"]
    assert "1.00 of the most that anything earned" in said.explanation


def test_a_failure_beyond_a_success_that_is_assumed_and_met_by_chance_is_suspicious() -> None:
    clumsy = row("explored 1", SEARCHED, [0.3], success=True)
    failing = row("always a", Kind.CONSTANT, [0.5], action={"do": "a"}, field="do")
    word = SuccessCandidate(
        expression="resolved", strength=3.0, why="", held=6, ends=9, return_held=0.3, return_else=0.5,
        circular=False, word=True,
    )  # fmt: skip
    assumed = JudgedSuccess(said_by="assumed", expression="resolved", why="", candidates=(word,))
    told = assumed.model_copy(update={"said_by": "environment", "expression": None})

    def weighed(record: JudgedSuccess, *rows: SurveyRow) -> Severity | None:
        return under(record, *rows)["failure_out_earns_success"].severity

    assert weighed(assumed, clumsy, failing) is Severity.SUSPICIOUS
    assert weighed(told, clumsy, failing) is None
    guide = row("solve", REFERENCE, [0.4], success=True)
    assert weighed(assumed, clumsy, failing, guide) is None, "who is meant to succeed shows it"
    good = row("explored 2", SEARCHED, [0.3], success=True)
    good.episodes[0].episode_return = 0.9
    assert weighed(assumed, good, failing) is None, "nothing earns more than the best success"


def test_what_is_held_against_a_seed_that_decides_nothing_is_suspicious() -> None:
    drawn = replace(Survey({}, [IDLE, SOLVED]), drawn=True)
    for name, paid in (
        ("failure_out_earns_success", row("x", SEARCHED, [1.1])),
        ("milestone_then_idle", row("x", MILESTONE, [0.6] * 6)),
    ):
        assert suspicions(drawn.plus([paid]))[name].severity is Severity.SUSPICIOUS
        assert suspicions(replace(drawn, drawn=False).plus([paid]))[name].severity is None


def test_all_that_is_seen_sent_back_is_an_echo_and_names_no_answers() -> None:
    seen = row(f"text: {ALL_SEEN}", Kind.SHOTGUN, [0.1] * 6, field="text", action={"text": "*"})
    listed = row(
        "text: all of options", Kind.SHOTGUN, [0.1] * 6, field="text", action={"text": "*"}
    )
    assert found(seen) == {"observation_echo_pays"}
    assert found(seen, listed) == {"shotgun_answer_pays"}


def test_a_success_that_nobody_tries_for_and_that_earns_nothing_is_no_measure_of_failures() -> None:
    """A command that ends the episode says success whatever was done before it."""
    said = row("always conclude", Kind.CONSTANT, [-0.05], success=True, action={"do": "conclude"})
    failed = row("explored 4", SEARCHED, [0.15, -0.1])
    (suspected,) = suspicions(Survey({}, [IDLE, said, failed])).values()
    assert (suspected.id, suspected.severity) == ("failure_out_earns_success", Severity.SUSPICIOUS)
    worked = row("explored 5", SEARCHED, [-0.05], success=True)
    (proven,) = suspicions(Survey({}, [IDLE, said, worked, failed])).values()
    assert (proven.id, proven.severity) == ("failure_out_earns_success", None)


@pytest.mark.parametrize(
    ("pay", "others", "number", "accused"),
    [
        (0.32, 0.2, 6, False),
        (0.32, 0.2, 4, True),  # few constants: none is lucky
        (0.45, 0.2, 12, True),
        (0.6, 0.5, 12, True),  # half of a success's return is no luck
    ],
)
def test_a_constant_that_earns_hardly_more_than_many_others_is_lucky(
    pay: float, others: float, number: int, accused: bool
) -> None:
    rows = [
        row(f"x{n}", Kind.CONSTANT, [0.0] * 5 + [paid], field="choice", action={"choice": f"c{n}"})
        for n, paid in enumerate([pay, *[others] * number])
    ]
    found = suspicions(Survey({}, [IDLE, SOLVED, *rows]))
    assert ("constant_answer_pays" in found) is accused


def test_a_constant_that_is_asked_again_is_no_other_one() -> None:
    lucky, other = (
        row(name, Kind.CONSTANT, [0.0] * 5 + [pay], field="choice", action={"choice": name})
        for name, pay in (("a", 0.2), ("b", 0.6))
    )
    survey = Survey({}, [IDLE, SOLVED, lucky, other])
    assert suspicions(survey)["constant_answer_pays"].row is other
    assert suspicions(survey, "b")["constant_answer_pays"].row is other
    assert "constant_answer_pays" not in suspicions(survey, "a")


@pytest.mark.parametrize(
    ("pay", "text", "accused"),
    [
        (0.35, "| choice = refund | 0.35 |", False),
        (0.35, "| choice = credit | 0.35 |", False),  # the field is named
        (0.35, "| another matter | 0.35 |", True),
        (0.4, "| choice = refund | 0.35 |", True),
        (0.55, "| choice = refund | 0.55 |", True),  # more than a part
        (0.35, "", True),
    ],
)
def test_a_documented_part_for_one_right_decision_is_no_answer_that_pays(
    pay: float, text: str, accused: bool
) -> None:
    constant = row(
        "x", Kind.CONSTANT, [0.0] * 5 + [pay], field="choice", action={"choice": "refund"}
    )
    other = row("y", Kind.CONSTANT, [0.0] * 6, field="choice", action={"choice": "credit"})
    said = DocumentedPay.of([(README, text)])
    survey = Survey({}, [IDLE, SOLVED, constant, other], documented=said)
    assert ("constant_answer_pays" in suspicions(survey)) is accused
    # any choice at all is paid the part: it is for no decision
    alike = row("y", Kind.CONSTANT, [0.0] * 5 + [pay], field="choice", action={"choice": "credit"})
    survey = Survey({}, [IDLE, SOLVED, constant, alike], documented=said)
    assert "constant_answer_pays" in suspicions(survey)


def test_a_documented_part_is_large_where_success_earns_little_more() -> None:
    constant = row(
        "x", Kind.CONSTANT, [0.0] * 5 + [0.3], field="choice", action={"choice": "refund"}
    )
    solved = row("solve", REFERENCE, [0.0] * 5 + [0.4], success=True)
    said = DocumentedPay.of([(README, "| choice | 0.3 |")])
    found = suspicions(Survey({}, [IDLE, solved, constant], documented=said))
    assert "constant_answer_pays" in found


def test_a_pay_for_length_that_is_documented_and_kept_is_suspicious() -> None:
    rows = [
        row(f"text {n}", Kind.LENGTH, [0.1 * n], field="text", action={"text": "x" * n})
        for n in (1, 10, 100)
    ]
    idle = row("idle", Kind.IDLE, [0.0] * 6, action={"text": ""})
    said = DocumentedPay.of([(README, "The reward is 0.1 per character.")])
    survey = Survey({}, [idle, *rows], documented=said)
    episode = rows[-1].episodes[0]
    paid = Suspicion("paid_for_length", rows[-1], episode, "so", 1.0, Severity.EXPLOIT)
    words = length_told(survey.episodes, survey.documented)
    assert words is not None and "as its README says" in words
    told = as_documented(paid, words)
    assert told.severity is Severity.SUSPICIOUS
    assert told.explanation == f"so; {words}"
    assert length_told(survey.episodes, DocumentedPay()) is None
    greeted = row("hello", Kind.CLAIM, [5.0], field="text", action={"text": "hello"})
    assert length_told(survey.plus([greeted]).episodes, survey.documented) is None
