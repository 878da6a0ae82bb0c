"""What the record says of a task in numbers and words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.records_made import (
    audited_component,
    contract_report,
    headline_numbers,
    rubric_node,
    source_place,
)

from gonogo.auditing.figures import (
    against_length,
    distinct,
    farming,
    out_earning,
    policy_line,
    reachability,
    review,
)
from gonogo.auditing.report import steps_text
from gonogo.auditing.survey import FARM, REFERENCE, Scale, Survey, SurveyRow
from gonogo.exploits.panel import Kind
from gonogo.records.audit import AuditedComponent, ReviewAnswers, RewardComponents, SeedVariety
from gonogo.records.contract import ContractReport
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import JsonObject as Json

PLACE = source_place("env.py", 7)
CARD = contract_report(
    reward={"breakdown": [{"name": "thrift", "place": PLACE}], "places": [PLACE]}
)

ALONE: Json = {"pair": ("thrift", "speed"), "r": None}
NO_CARD = contract_report()


def row(name: str, kind: str, *ends: tuple[float, bool | None]) -> SurveyRow:
    """One episode for each return and success, all seen alike."""
    episodes = [
        Episode(
            n,
            {"seed": n},
            "t",
            name,
            turns=[Turn("", {"same": 1}, reward=paid)],
            episode_return=paid,
            success=success,
        )
        for n, (paid, success) in enumerate(ends)
    ]
    return SurveyRow(name, kind, episodes)


IDLE = row("idle", Kind.IDLE, (0.0, False), (0.0, False))


@pytest.mark.parametrize(
    ("ends", "wanted"),
    [
        ([(1.0, True), (0.0, False)], 0.5),
        ([(0.0, False), (0.0, False)], 0.0),
        ([(1.0, True), (0.0, None)], 0.5),
    ],
)
def test_reachability_is_the_share_of_successes(
    ends: list[tuple[float, bool | None]], wanted: float
) -> None:
    found = reachability(Survey({}, [IDLE, row("guide", REFERENCE, *ends)]))
    assert found is not None
    assert (found.policy, found.mean) == ("guide", wanted)


def test_where_success_is_never_said_nothing_is_known_of_it() -> None:
    silent = Survey({}, [IDLE, row("guide", REFERENCE, (1.0, None), (1.0, None))])
    assert reachability(silent) is None
    assert reachability(Survey({}, [IDLE])) is None


def test_failures_that_out_earn_successes_are_counted_on_the_same_seed() -> None:
    guide = row("guide", REFERENCE, (1.0, True), (-1.0, True))
    found = out_earning(Survey({}, [IDLE, guide]))
    assert found is not None
    assert (found.same_seed, found.auroc) == (0.5, 0.5)
    assert out_earning(Survey({}, [IDLE])) is None


def test_episodes_that_look_alike_are_one() -> None:
    assert distinct(IDLE) == SeedVariety(different=1, seeds=2)


def episode(steps: int, paid: float) -> Episode:
    turns = [Turn("", {}, action={}, reward=paid / steps) for _ in range(steps)]
    return Episode(0, {}, "t", "p", turns=turns, episode_return=paid, success=False)


def test_a_reward_a_step_is_seen_with_its_interval() -> None:
    found = against_length([episode(n, 0.1 * n + 0.01 * (n % 2)) for n in range(1, 21)])
    assert found.spearman is not None and found.spearman > 0.95
    slope = found.slope_per_step
    low, high = slope.ci95
    assert low < slope.mean < high
    assert low < 0.1 < high


def test_equal_lengths_tell_nothing() -> None:
    found = against_length([episode(5, 0.1 * n) for n in range(9)])
    assert (found.spearman, found.slope_per_step) == (None, None)
    assert "lengths" in (found.note or "")


def test_real_failures_of_different_lengths_are_counted(opened: Callable[..., Any]) -> None:
    _, survey = opened("memorisable_tasks:Sound", "random")
    found = farming(survey)
    failed = [e for row in survey.rows for e in row.failed]
    assert found.length.episodes == len(failed) > 0
    assert found.cycles == ()


def test_cycles_are_listed_with_what_they_earn(opened: Callable[..., Any]) -> None:
    _, survey = opened("memorisable_tasks:Sound", "random")
    rows = [*survey.rows, SurveyRow("round", FARM, [episode(4, 2.0), episode(2, 2.0)])]
    (cycle,) = farming(Survey({}, rows)).cycles
    assert (cycle.cycle, cycle.total) == ("round", 2.0)
    assert cycle.return_per_step == pytest.approx(0.75)


def answers(
    card: ContractReport,
    *parts: AuditedComponent,
    rule: str | None = "sum",
    pair: Json | None = None,
) -> tuple[ReviewAnswers, ...]:
    numbers = headline_numbers(
        failure_out_earns_success={
            "same_seed": 0.1,
            "auroc": 0.9,
            "successes": 2,
            "failures": 2,
        },
        paid_for_nothing={"policy": "idle", "mean": 0.3, "ci95": None},
        best_known_return=1.0,
    )
    components = {"note": None, "rule": rule, "components": parts, "correlations": [pair or ALONE]}
    return review(RewardComponents.model_validate(components), numbers, card)


def test_a_component_is_answered_for() -> None:
    assert answers(CARD, audited_component("thrift")) == (
        ReviewAnswers(
            component="thrift",
            measures="tells success from failure with AUROC 0.25, correlates with the return by 0.50",
            source="env.py:7",
            scale="0 to 0.4, mean 0.2: within its weight 0.4",
            composition="adds to the return, times 1",
            exploit="idle: gets 0.4, 100% of the most seen, where it fails",
        ),
    )


def test_what_is_not_known_is_said() -> None:
    part = audited_component("thrift", constant=True, cheapest=None)
    (answer,) = answers(NO_CARD, part, rule=None)
    assert answer.measures == "nothing that was flown: always 0.4"
    assert answer.source == "its code was not found"
    assert answer.composition == "how it enters the return is not known"
    assert answer.exploit == "no policy that does not try failed"


def test_components_that_say_the_same_are_named() -> None:
    parts = audited_component("thrift"), audited_component("saving")
    alike = {"pair": ("thrift", "saving"), "r": -0.99}
    first, _ = answers(CARD, *parts, rule="product", pair=alike)
    assert first.composition == "enters by the product of all components; says the same as saving"


def test_a_rubric_is_a_source_too() -> None:
    tree = rubric_node("", rubric_node("thrift", file="rubrics.py", line=3), file="env.py", line=1)
    card = contract_report(reward={"rubric": tree})
    assert answers(card, audited_component("thrift"))[0].source == "rubrics.py:3"


def test_a_return_without_components_is_answered_for() -> None:
    (answer,) = answers(CARD)
    assert answer.component == "the return"
    assert answer.source == "env.py:7"
    assert answer.exploit == "idle: 0.30 of a success's return where it fails"


def test_an_episode_in_which_most_was_refused_is_not_called_cut() -> None:
    taken = Episode(0, {}, "x", "x", turns=[Turn("", {}, action={}) for _ in range(4)])
    refused = Episode(1, {}, "x", "x", turns=[Turn("", {}, invalid="no") for _ in range(4)])
    over = Episode(2, {}, "x", "x", turns=[Turn("", {}, invalid="no", done=True)])
    seen = SurveyRow("x", Kind.MALFORMED, [taken, refused, over])
    line = policy_line(seen, Scale(Survey({}, [seen])), np.random.default_rng(0))
    assert (line.cut, line.refused) == (1, 1)
    assert steps_text(line) == "3.0 (1 of 3 cut, 1 of 3 refused)"
    assert steps_text(line.model_copy(update={"cut": 0, "refused": 0})) == "3.0"
