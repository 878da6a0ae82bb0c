"""The page and its charts are made from what was gathered, and say no more."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from tests.records_made import (
    estimate,
    evaluation_report,
    judged_success,
    paired_comparison,
    policy_result,
)
from tests.reporting.conftest import spoil_episodes
from tests.reporting.reading import NASTY, Reader, page_of

from gonogo.records.audit import AuditReport
from gonogo.records.record import Verdict
from gonogo.records.training import TrainingRow
from gonogo.reporting import report as station
from gonogo.reporting.page import (
    MOST_POINTS,
    RowPlaces,
    component_charts,
    curves,
    interval,
    levels_of,
    outcomes_of,
    points,
    reach,
    scale,
    span,
    title_of_headline,
)
from gonogo.reporting.run_contents import RunContents, StationRecords
from gonogo.rollouts.episodes import Episode


def test_the_page_needs_nothing_but_itself(run: Path) -> None:
    station.run(run)
    page = page_of(run)
    assert len(page.encode()) < 3_000_000
    for tag, fields in Reader(page).tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base"}
        assert not any(name.startswith("on") for name in fields)
        assert "src" not in fields
        assert str(fields.get("href", "#")).startswith("#")
    assert not re.search(r"url\(|@import", page)


def test_the_same_records_give_the_same_page(run: Path) -> None:
    station.run(run)
    first = page_of(run)
    station.run(run)
    assert page_of(run) == first


def test_the_page_says_which_success_was_assumed_and_why(run: Path) -> None:
    audit = AuditReport.load(run)
    judged = judged_success("assumed", 'state["won"]')
    tasks = tuple(task.model_copy(update={"judged": judged}) for task in audit.tasks)
    audit.model_copy(update={"tasks": tasks}).save(run)
    station.run(run)
    said = "".join(Reader(page_of(run)).text)
    assert 'state["won"] is assumed, because it held' in " ".join(said.split())


def test_markup_in_what_an_environment_says_stays_text(run: Path) -> None:
    spoil_episodes(run, NASTY)
    station.run(run)
    page = page_of(run)
    read = Reader(page)
    assert "<img" not in page
    assert page.count("<script") == 2  # the data and the page's own
    assert not any(tag == "img" for tag, _ in read.tags)
    assert NASTY in read.text  # in the transcripts, to be read
    data = re.search(r'id="replay-data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    assert json.loads(data[1])["tasks"][0]["flights"][0]["turns"][0]["saw"] == NASTY


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_change_is_claimed_only_where_the_verdict_says_that_there_is_one(
    verdict: Verdict,
) -> None:
    said = title_of_headline(("untrained", "trained"), verdict)
    assert (said == "What training changed") is (verdict is Verdict.GO)
    assert title_of_headline(("idle", "random"), verdict) == "The first and the last policy"


def flown(*episodes: tuple[str, bool | None, float]) -> list[Episode]:
    """Episodes of a level, with an outcome and what a component paid."""
    return [
        Episode(
            n, {"level": level}, "t", "p", success=won, episode_return=0.0, components={"a": paid}
        )
        for n, (level, won, paid) in enumerate(episodes)
    ]


def test_successes_are_counted_by_level_and_components_by_outcome() -> None:
    episodes = {
        "untrained": flown(("low", False, 0.0), ("high", False, 0.2)),
        "trained": flown(("low", True, 1.0), ("high", None, 0.6)),
    }
    found = RunContents(Path(), StationRecords(), episodes)
    levels = levels_of(found)
    assert levels.levels == ("low", "high")
    assert dict(levels.rows) == {"untrained": [(0, 1), (0, 1)], "trained": [(1, 1), (0, 0)]}
    one, both = outcomes_of(found)
    assert (one.name, one.failed, one.succeeded) == ("trained", 0, 1)
    assert one.rows[0].means == (None, 1.0) and one.rows[0].at[0] is None
    assert (both.failed, both.succeeded, both.rows[0].means) == (2, 1, (0.1, 1.0))


def test_comparisons_reach_as_far_as_their_widest_interval() -> None:
    record = evaluation_report({"idle": policy_result(estimate(0.0))})
    assert reach(record) == 1.0
    rows = tuple(paired_comparison(score_difference=estimate(mean)) for mean in (0.1, -0.7))
    assert reach(record.model_copy(update={"comparisons": rows})) == pytest.approx(0.8)


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
