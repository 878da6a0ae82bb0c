"""The page says what the record says, nothing more."""

from __future__ import annotations

from tests.records_made import episode_witness

from gonogo.auditing.report import episode_rows, farming_rows, leak_rows, witness
from gonogo.records.audit import (
    EpisodesTold,
    EpisodesWithout,
    FarmedCycle,
    FarmingFigures,
    LeakedCopy,
    LeakFigures,
    LearnedByHeart,
    LengthTrend,
)
from gonogo.records.findings import ContractWitness, FirstDifference
from gonogo.records.record import Estimate


def test_a_witness_in_words_can_be_sent_again() -> None:
    seen = episode_witness(plan=[{"bed": None}], total=0.45)
    told = 'reset seed=3, send [{"bed": null}]: return 0.45, no success'
    assert witness(seen, "paid_for_nothing") == told
    assert witness(ContractWitness(difference=FirstDifference(step=0)), "dies") == ""


def test_a_return_of_which_the_wire_made_null_is_no_number() -> None:
    seen = episode_witness(plan=[{"bed": None}], total=0.0, rewards=[None])
    assert "return no number, no success" in witness(seen, "nan_reward")
    assert "return 0, no success" in witness(seen, "action_raises")
    paid = episode_witness(plan=[{"bed": None}], total=0.5, rewards=[0.5])
    assert "return 0.5, no success" in witness(paid, "nan_reward")


def test_a_copy_and_whether_the_task_needs_it() -> None:
    copy = LeakedCopy(
        path="state.answer",
        field="letter",
        items=True,
        success=1.0,
        success_with_another_seeds_value=0.1,
        needed_by_reference=None,
        verdict="leak",
    )
    (row,) = leak_rows(LeakFigures(paths=1, copies_flown=1, agreements=(), copies=(copy,)))
    assert row == ["the items of state.answer", "letter", "1.00", "0.10", "not told", "leak"]


def told(
    estimated: float | None = 3.0,
    by_heart: LearnedByHeart | None = None,
    answers: LearnedByHeart | None = None,
) -> EpisodesTold:
    return EpisodesTold(
        resets=200,
        openings=3,
        estimated=estimated,
        unseen=0.0,
        by_heart=by_heart,
        answers=answers,
        episodes=None,
    )


def learned(number: int) -> LearnedByHeart:
    success = Estimate(mean=1.0, ci95=(0.8, 1.0))
    return LearnedByHeart(learned=number, flown=8, success=success, success_of_reference=1.0)


def test_episodes_seen_and_learned() -> None:
    rows = dict(episode_rows(told(by_heart=learned(3))))
    assert rows["openings"] == "3 in 200 resets, at least 3 in all"
    assert rows["learned by heart"].startswith("3 succeed in 1.000 [0.800, 1.000]")
    tried = dict(episode_rows(told(answers=learned(4))))
    assert tried["known answers, tried in turn"].startswith("4 succeed in 1.000")
    unbounded = dict(episode_rows(told(estimated=None)))
    assert unbounded == {"openings": "3 in 200 resets, more than can be estimated"}
    assert dict(episode_rows(EpisodesWithout(note="one episode"))) == {"openings": "one episode"}


def test_farming_with_and_without_a_slope() -> None:
    cycle = FarmedCycle(
        cycle="a and b in turn", episodes=2, total=2.0, return_per_step=0.1, paid=None
    )
    slope = Estimate(mean=0.1, ci95=(0.0, 0.2))
    length = LengthTrend(episodes=9, spearman=0.9, slope_per_step=slope, note=None)
    assert dict(farming_rows(FarmingFigures(length=length, cycles=(cycle,)))) == {
        "return against length": "Spearman 0.900",
        "return per step": "0.100 [0.000, 0.200]",
        "a and b in turn": "2, 0.1 a step",
    }
    few = LengthTrend(episodes=1, spearman=None, slope_per_step=None, note="too few")
    assert list(farming_rows(FarmingFigures(length=few, cycles=()))) == [
        ("return against length", "too few")
    ]
