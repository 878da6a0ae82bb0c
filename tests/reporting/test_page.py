"""The page: itself and nothing else, the same for the same records, and texts that stay texts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.records_made import estimate, evaluation_report, paired_comparison, policy_result
from tests.reporting.conftest import spoil_episodes
from tests.reporting.reading import NASTY, Reader, page_of

from gonogo.records.record import Verdict
from gonogo.reporting import run as station
from gonogo.reporting.gather import RunContents, StationRecords
from gonogo.reporting.page import levels_of, outcomes_of, reach, short, signed, title_of_headline
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


def test_numbers_as_the_page_writes_them() -> None:
    assert [signed(value) for value in (None, 0.5, -0.25)] == ["–", "+0.500", "−0.250"]
    assert short(0.00012345) == "0.00012"
