"""Charts as numbers: places in percent of a box, axes that hold all values, lines that are not too long."""

from __future__ import annotations

import math

import pytest
from tests.records_made import estimate, evaluation_report, policy_result

from gonogo.records.training import TrainingRow
from gonogo.reporting.charts import (
    MOST_POINTS,
    RowPlaces,
    component_charts,
    curves,
    interval,
    points,
    scale,
    span,
)


def row(stage: str, step: int, **numbers: float) -> TrainingRow:
    return TrainingRow(
        stage=stage, step=step, numbers={name.replace("_", "/"): v for name, v in numbers.items()}
    )


@pytest.mark.parametrize(
    ("values", "axis"),
    [
        ([], (0.0, 1.0)),
        ([0.2, 0.9], (0.0, 1.0)),
        ([0.2, 3.0], (0.0, 3.0)),
        ([-2.0, -1.0], (-2.0, 0.0)),
        ([-1.0, 4.0], (-1.0, 4.0)),
    ],
)
def test_an_axis_holds_zero_and_all_values(values: list[float], axis: tuple[float, float]) -> None:
    assert span(values) == axis


def test_a_mean_and_its_interval_are_places_in_a_row() -> None:
    assert interval(estimate(0.5, 0.25), 0.0, 1.0) == RowPlaces(50.0, 25.0, 50.0, False)
    assert interval(estimate(0.5, None), 0.0, 2.0) == RowPlaces(25.0, 25.0, 0.0, True)
    assert interval(estimate(None), 0.0, 1.0) is None
    assert scale([estimate(1.5, 0.5), estimate(None)]) == (0.0, 2.0)


def test_a_curve_is_a_line_from_left_to_right_in_a_box_whose_top_is_the_most() -> None:
    rows = [row("grpo", 10 + n, reward_overall=n / 4, validation_score=0.5) for n in range(5)]
    rows += [row("sft", n, validation_score=0.25) for n in range(2)]
    record = evaluation_report({"untrained": policy_result(estimate(0.1))})
    sft, grpo = curves(rows, record)
    assert (sft.title, sft.line, sft.thin) == ("Supervised (SFT)", "", "M0 75L100 75")
    assert grpo.line == "M0 100L25 75L50 50L75 25L100 0"
    assert grpo.dots == "M0 50h0M25 50h0M50 50h0M75 50h0M100 50h0"
    assert (grpo.first_step, grpo.last_step, grpo.untrained, grpo.last) == (10, 14, 90.0, 0.5)
    assert curves(rows, None)[0].untrained is None


def test_each_component_has_a_chart_with_the_overall_reward_behind_it() -> None:
    rows = [row("grpo", n, reward_overall=0.5, reward_b=n / 2, reward_a=1.0) for n in range(3)]
    rows += [row("sft", 0, reward_c=1.0), row("grpo", 3, reward_b=math.nan)]
    charts = component_charts(rows)
    assert [(chart.title, chart.first, chart.last) for chart in charts] == [
        ("a", 1.0, 1.0),
        ("b", 0.0, 1.0),
    ]
    assert charts[1].line == "M0 100L33.333 50L66.667 0"
    assert charts[0].thin == "M0 50L33.333 50L66.667 50"


def test_a_long_line_is_thinned_and_keeps_its_ends() -> None:
    rows = [row("grpo", n, reward_overall=float(n)) for n in range(5 * MOST_POINTS + 3)]
    line = points(rows, "reward/overall")
    assert len(line) <= MOST_POINTS + 1
    assert (line[0], line[-1]) == ((0.0, 0.0), (5.0 * MOST_POINTS + 2, 5.0 * MOST_POINTS + 2))
