"""Copies and constants that are nearly right for each item, and what pays alike and is sound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit
from tests.auditing.rows import row

from gonogo.auditing.checks.nearly_full import (
    later_rows,
    likenesses,
    mark_nearly_earned,
    nearly_full,
    outdone,
)
from gonogo.auditing.checks.paid import Paid
from gonogo.auditing.survey import LATER, Survey, SurveyRow
from gonogo.contract.documented_pay import README, DocumentedPay
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity

pytestmark = pytest.mark.usefixtures("from_the_root")

TOLD = DocumentedPay.of([(README, "An episode pays up to 1.")])


@pytest.mark.parametrize(
    ("case", "copied", "of"),
    [("FadedLabels", "text", "1/6 for each"), ("RiverLevels", "level", "a perfect week pays 5")],
)
def test_what_is_shown_and_sent_back_is_nearly_right_for_each_item(
    case: str, copied: str, of: str, tmp_path: Path
) -> None:
    given = {"target": f"tests.zoo.likeness:{case}", "audit.seeds": 6, "audit.budget": 4_000}
    _, report = fly_audit(tmp_path, given, {})
    (finding,) = [each for each in report.findings if each.blocks]
    assert (finding.id, finding.severity) == ("observation_echo_pays", Severity.EFFORTLESS)
    assert finding.explanation.startswith(f"{copied}: copied")
    assert of in finding.explanation


@pytest.mark.parametrize("case", ["MendedLabels", "RiverSkill", "Dictated", "SlowOven", "DayWages"])
def test_sound_games_in_which_copies_or_constants_are_paid_are_not_accused(
    case: str, tmp_path: Path
) -> None:
    given = {"target": f"tests.zoo.likeness:{case}", "audit.seeds": 6, "audit.budget": 4_000}
    _, report = fly_audit(tmp_path, given, {})
    assert [each.id for each in report.findings if each.blocks] == []


def paid(name: str, kind: str, seeds: Sequence[Sequence[float]], about: str = "") -> SurveyRow:
    """A row whose items are paid so on each seed, and that the environment ended."""
    made = row(name, kind, list(seeds[0]), field="text", action={"text": name})
    for episode, rewards in zip(made.episodes, seeds, strict=True):
        for turn, reward in zip(episode.turns, rewards, strict=True):
            turn.reward = reward
        episode.turns[-1].done, episode.episode_return, episode.success = True, sum(rewards), None
    return replace(made, about=about or None, again=lambda session, tasks, flown: made)


def alike(*pays: float) -> list[list[float]]:
    """The same pays on each of six seeds."""
    return [list(pays)] * 6


LIKE = [[0.21 + 0.002 * seed, 0.22, 0.23, 0.24 - 0.002 * seed] for seed in range(6)]
"""Four items that are nearly right, on each of six seeds otherwise."""
IDLE = paid("idle", Kind.IDLE, alike(0.0, 0.0, 0.0, 0.0))
COPY = paid("copy", Kind.ECHO, LIKE)
AFTER = paid("copy, after idle", LATER, [[0.0, 0.0, *pays[2:]] for pays in LIKE], about=COPY.name)
CONSTANT = paid("same", Kind.CONSTANT, alike(0.22, 0.22, 0.22, 0.22))
LUCKY = paid("lucky", Kind.CONSTANT, alike(0.1, 0.25, 0.1, 0.1))
AFTER_CONSTANT = replace(
    paid("same, after idle", LATER, alike(0.0, 0.0, 0.22, 0.22)), about=CONSTANT.name
)


def facts(*rows: SurveyRow, told: DocumentedPay = TOLD) -> Paid:
    """What was flown."""
    return Paid(Survey({}, [IDLE, *rows], documented=told))


def test_a_copy_is_told_where_its_second_half_is_paid_for_itself() -> None:
    (found,) = nearly_full(facts(COPY, AFTER))
    assert (found.id, found.severity) == ("observation_echo_pays", Severity.EFFORTLESS)
    assert "earns at least 0.9 on each of 6 seeds" in found.explanation
    assert "on none the full mark of 1 (as its README says" in found.explanation
    assert list(nearly_full(facts(COPY))) == []
    kept = paid("k", LATER, [[0.0, 0.0, 0.2, 0.2]] * 6, about=COPY.name)
    assert list(nearly_full(facts(COPY, kept))) == []


def test_a_constant_has_to_be_outdone_for_some_items() -> None:
    assert list(nearly_full(facts(CONSTANT, AFTER_CONSTANT))) == []
    (found,) = nearly_full(facts(CONSTANT, AFTER_CONSTANT, LUCKY))
    assert (found.id, found.row.name) == ("paid_without_trying", "same")


@pytest.mark.parametrize(
    "pays",
    [
        alike(0.225, 0.225, 0.225, 0.225),  # a fixed cost of what is right
        [[0.25, 0.25, 0.25, 0.25 - 0.0001 * seed] for seed in range(6)],  # all of it
        [[0.25, 0.25, 0.25, 0.08 + 0.002 * seed] for seed in range(6)],  # a wrong verdict
        [[0.15, 0.16, 0.17, 0.18 - 0.002 * seed] for seed in range(6)],  # far from all
        [[0.21, 0.22, 0.23, 0.35 - 0.002 * seed] for seed in range(6)],  # no equal shares
    ],
)
def test_a_copy_that_is_right_or_far_from_it_is_no_likeness(pays: list[list[float]]) -> None:
    assert likenesses(facts(paid("copy", Kind.ECHO, pays))) == []


def test_who_lasts_longer_than_others_may_be_paid_for_it() -> None:
    fallen = paid("fallen", Kind.CONSTANT, alike(0.2, 0.0))
    assert likenesses(facts(COPY)) != [] == likenesses(facts(COPY, fallen))


def test_what_says_nothing_and_is_paid_as_well_is_plainer() -> None:
    nonsense = paid("?", Kind.NONSENSE, LIKE)
    assert [each.name for each, _ in likenesses(facts(COPY, nonsense))] == []
    (found,) = likenesses(facts(COPY, nonsense, paid("l", Kind.CONSTANT, alike(*[0.25] * 4))))
    assert found[0].name == "?"


def test_a_full_mark_that_nobody_states_has_to_be_earned_or_to_be_one_of_equal_shares() -> None:
    untold = DocumentedPay()
    mark = mark_nearly_earned(COPY, facts(COPY, told=untold))
    assert mark is not None
    assert (mark.whole, mark.item, mark.known) == (1.0, 0.25, True)
    single = paid("copy", Kind.ECHO, [[0.9 + 0.01 * seed] for seed in range(6)])
    mark = mark_nearly_earned(single, facts(single, told=untold))
    assert mark is not None and not mark.known
    (found,) = nearly_full(facts(single, told=untold))
    assert found.severity is Severity.SUSPICIOUS
    right = paid("right", Kind.RANDOM, alike(1.0))
    mark = mark_nearly_earned(single, facts(single, right, told=untold))
    assert mark is not None and mark.known
    dear = paid("dear", Kind.RANDOM, alike(3.0))
    assert mark_nearly_earned(single, facts(single, dear, told=untold)) is None


def test_a_mark_may_be_that_of_each_item() -> None:
    told = DocumentedPay.of([(README, "Each item pays up to 1/4.")])
    mark = mark_nearly_earned(COPY, facts(COPY, told=told))
    assert mark is not None and mark.said is not None
    assert (mark.whole, mark.item) == (1.0, 0.25)


class PlansOnly:
    """A session that is paid what a plan says it sent: the first half of one row, the second of another."""

    def plans(
        self, name: str, plans: Sequence[tuple[object, Sequence[dict[str, str]]]]
    ) -> list[object]:
        self.sent = [[action["text"] for action in plan] for _, plan in plans]
        return []


def test_a_second_half_is_flown_once_after_the_worst_beginning() -> None:
    session = PlansOnly()
    (made,) = later_rows(session, facts(COPY, LUCKY).survey)  # type: ignore[arg-type]
    assert (made.about, made.needs) == ("copy", ("idle", "copy"))
    assert session.sent == [["idle", "idle", "copy", "copy"]] * 6
    assert later_rows(session, facts(COPY, AFTER).survey) == []  # type: ignore[arg-type]


def spread(name: str, kind: str, *pays: float) -> SurveyRow:
    """A row of one item, paid so on each seed."""
    return paid(name, kind, [[pay] for pay in pays])


SHARED = (0.8, 0.83, 0.86, 0.89, 0.92, 0.95)
"""What equal shares of a budget earn on six seeds."""
LUCKY_ONCE = spread("lucky", Kind.RANDOM, 0.9, 0.9, 0.5, 0.5, 0.5, 0.5)
NOTHING = spread("nothing", Kind.IDLE, *[0.0] * 6)


def of_one_item(*rows: SurveyRow, drawn: bool = False) -> Paid:
    """What was flown of a game of one item, of which the words say what is paid at most."""
    return Paid(Survey({}, [NOTHING, *rows], documented=TOLD, drawn=drawn))


@pytest.mark.parametrize(
    ("kind", "beaten", "severity"),
    [
        (Kind.FILLING, False, None),
        (Kind.FILLING, True, Severity.SUSPICIOUS),
        (Kind.CONSTANT, True, Severity.SUSPICIOUS),  # nobody earned all that the words name
        (Kind.ECHO, False, Severity.EFFORTLESS),
        (Kind.GUESS, False, Severity.EFFORTLESS),
        (Kind.NONSENSE, True, Severity.EFFORTLESS),
    ],
)
def test_a_fair_filling_is_no_copy_and_words_alone_prove_nothing_of_a_decision(
    kind: Kind, beaten: bool, severity: Severity | None
) -> None:
    others = [LUCKY_ONCE] if beaten else []
    found = list(nearly_full(of_one_item(spread("equal shares", kind, *SHARED), *others)))
    assert [each.severity for each in found] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("kind", "severity"),
    [(Kind.CONSTANT, Severity.EFFORTLESS), (Kind.FILLING, Severity.SUSPICIOUS)],
)
def test_a_constant_is_proven_where_somebody_earned_all_of_it(
    kind: Kind, severity: Severity
) -> None:
    right = spread("right", Kind.RANDOM, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0)
    (found,) = nearly_full(of_one_item(spread("same", kind, *SHARED), right))
    assert found.severity is severity


def test_one_order_for_each_turn_is_only_suspicious_where_nobody_earned_what_the_words_name() -> (
    None
):
    told = DocumentedPay.of([(README, "Each order pays 0 to 1.")])
    orders = paid("50", Kind.CONSTANT, [[0.81 + 0.01 * seed, 0.9] * 5 for seed in range(6)])
    lucky = paid("60", Kind.CONSTANT, alike(*[0.7, 0.99] * 5))
    after = paid(
        "l", LATER, [[0.0] * 5 + p for p in [[0.9, 0.81 + 0.01 * s] * 3 for s in range(6)]]
    )
    for episode in after.episodes:
        del episode.turns[10:]
    after = replace(after, about=orders.name)
    idle = paid("idle", Kind.IDLE, alike(*[0.0] * 10))
    (found,) = nearly_full(Paid(Survey({}, [idle, orders, lucky, after], documented=told)))
    assert (found.row.name, found.severity) == ("50", Severity.SUSPICIOUS)


def test_a_share_of_a_turn_that_is_earned_on_a_lucky_day_proves_nothing_of_a_decision() -> None:
    rows = [CONSTANT, AFTER_CONSTANT, LUCKY]
    (found,) = nearly_full(facts(*rows, told=DocumentedPay()))
    assert found.severity is Severity.SUSPICIOUS
    right = paid("right", Kind.RANDOM, [[0.25] * 4, *alike(0.0, 0.0, 0.0, 0.0)[1:]])
    (found,) = nearly_full(facts(*rows, right, told=DocumentedPay()))
    assert found.severity is Severity.EFFORTLESS


def test_a_copy_may_be_what_is_asked_for_where_a_sentence_asks_to_say_it_again() -> None:
    told = DocumentedPay.of([(README, "Say it back, word for word. An episode pays up to 1.")])
    (found,) = nearly_full(facts(COPY, AFTER, told=told))
    assert found.severity is Severity.SUSPICIOUS


def test_where_the_seed_does_not_tell_the_episode_nothing_is_proven() -> None:
    copy = spread("copy", Kind.ECHO, *SHARED)
    (found,) = nearly_full(of_one_item(copy, drawn=True))
    assert found.severity is Severity.SUSPICIOUS


def opened(one: SurveyRow, mark: str) -> SurveyRow:
    """The row, as if its resets had shown something of their own."""
    made = replace(one, episodes=[replace(e, opened=f"{mark} {e.seed}") for e in one.episodes])
    return made


def test_where_levels_turn_only_the_same_level_is_held_against_another() -> None:
    constant, lucky = opened(CONSTANT, "a"), opened(LUCKY, "a")
    elsewhere = opened(LUCKY, "b")
    assert outdone(constant, facts(constant, lucky, opened(IDLE, "b")))
    assert not outdone(constant, facts(constant, elsewhere))
    copy, after = opened(COPY, "a"), opened(AFTER, "a")
    turning = opened(paid("o", Kind.CONSTANT, alike(0.0, 0.0, 0.0, 0.0)), "b")
    assert [each.row.name for each in nearly_full(facts(copy, after, turning))] == ["copy"]
    assert list(nearly_full(facts(copy, opened(AFTER, "b"), turning))) == []
    assert later_rows(PlansOnly(), facts(copy, turning, LUCKY).survey) == []  # type: ignore[arg-type]
