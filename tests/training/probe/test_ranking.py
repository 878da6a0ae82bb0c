"""Axes, totals and the verdict from rows by hand."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.records_made import idle_comparison, measured_model, measured_policy, ranked_model

from gonogo.records.probe import ContextFit, EpisodeTokens, MeasuredModel, MemoryBudget, RankedModel
from gonogo.records.record import Estimate, Verdict
from gonogo.training.probe.ranking import WEIGHTS, advise, advise_all, choose, fit_of
from gonogo.training.probe.report import lost_of

IDLE = measured_policy(score=Estimate(mean=0.2, ci95=(0.1, 0.3)))
MACHINE = MemoryBudget(gb=16.0, whose="RAM", on_cpu=True)
MEMORY = {
    "lora_16bit_gb": 20.0, "lora_4bit_gb": 8.0, "inference_16bit_gb": 17.0, "inference_4bit_gb": 5.0,
}  # fmt: skip
BELOW = {"against_idle": idle_comparison(above=False)}


def row(name: str, above: bool | None = None, better: int = 0, **given: Any) -> RankedModel:
    """A candidate; flown where it is said whether it is above idle."""
    measured = None
    if above is not None:
        beside = idle_comparison(above, better)
        measured = measured_model(invalid_rate=0.1, against_idle=beside)
    return ranked_model(name, measured, **given)


@pytest.mark.parametrize(
    ("gb", "fit"),
    [
        (24, "lora_16bit"),
        (19, "lora_4bit"),
        (8, "lora_4bit"),
        (6, "inference_4bit"),
        (1, "nothing"),
    ],
)
def test_what_fits_is_the_most_that_fits(gb: float, fit: str) -> None:
    assert fit_of(MEMORY, gb) == fit
    assert fit_of(None, gb) is None


def test_what_is_not_known_earns_nothing() -> None:
    known = row("a", True, 10)
    assert known.axes["reward"] == 1 and known.axes["format"] == pytest.approx(0.9)
    assert known.axes["cost"] == pytest.approx(2 / 3)
    blank = row("b", licence=None, unsloth=None, parameters=None, fits=None)
    assert blank.axes["licence"] is None and blank.axes["reward"] is None
    assert blank.total == round(WEIGHTS["context"] / sum(WEIGHTS.values()), 4)
    assert row("c", licence="llama3.1").axes["licence"] == 0.5


def test_go_is_the_best_of_those_above_idle_that_can_be_trained() -> None:
    rows = [row("weak", False, 3), row("some", True, 2), row("most", True, 9), row("paper")]
    verdict, reason, choice = choose(rows, IDLE, MACHINE)
    assert (verdict, choice and choice.name) == (Verdict.GO, "most")
    assert "above idle (0.300)" in reason
    assert choice is not None and "better than idle on 9 of 10 tasks" in choice.why
    assert "LoRA at 4 bit it takes about 8.0 GB of the 16.0 GB of RAM" in choice.why


def test_one_above_idle_that_cannot_be_trained_is_no_go_and_of_no_known_shape_a_hold() -> None:
    big = row("big", True, 9, fits="inference_4bit")
    assert choose([big], IDLE, MACHINE)[0] is Verdict.NO_GO
    context = ContextFit(need=100, basis="about", had=64, enough=False)
    assert choose([row("short", True, 9, context=context)], IDLE, MACHINE)[0] is Verdict.NO_GO
    verdict, reason, _ = choose([row("served", True, 9, fits=None)], IDLE, MACHINE)
    assert verdict is Verdict.HOLD and "shape of served is not known" in reason


def test_none_above_idle_is_no_go_without_a_choice() -> None:
    verdict, reason, choice = choose([row("a", False, 5), row("b")], IDLE, MACHINE)
    assert (verdict, choice) == (Verdict.NO_GO, None)
    assert reason == "none of 1 flown scores above idle (0.300)"


def test_nothing_flown_holds_with_the_first_to_try_and_why_not() -> None:
    broken = row("broken", failure="no chat template").model_copy(update={"total": 0.0})
    rows = [broken, row("fit")]
    verdict, reason, choice = choose(rows, IDLE, MACHINE)
    assert verdict is Verdict.HOLD and "broken: no chat template" in reason
    assert choice is not None and choice.name == "fit" and not choice.measured
    nobody = measured_policy(score=Estimate(mean=None, ci95=None))
    assert choose([row("a", True, 9)], nobody, MACHINE)[0] is Verdict.HOLD


def test_who_lost_more_than_is_borne_holds_the_probe_but_for_a_model_that_lost_all() -> None:
    def flown(lost: int, of: int) -> MeasuredModel:
        reasons = {"no answer within 2 s": lost} if lost else {}
        scores = (None,) * lost + (0.5,) * (of - lost)
        return measured_model(episodes=of - lost, lost=reasons, scores=scores)

    assert lost_of({"idle": flown(0, 40)}, [ranked_model("a", flown(2, 40))]) == ""
    gone = ranked_model("gone", flown(40, 40))
    assert lost_of({"idle": flown(0, 40)}, [gone, ranked_model("none", None)]) == ""
    assert lost_of({"idle": flown(3, 40)}, [ranked_model("a", flown(4, 40))]) == (
        "idle: 3 of 40 episodes lost; the commonest reason: no answer within 2 s; "
        "a: 4 of 40 episodes lost; the commonest reason: no answer within 2 s; more than 5%"
    )


def tokens(ran_out: int, reply: float) -> EpisodeTokens:
    """Of replies of so many tokens in the mean."""
    return EpisodeTokens(
        mean=50.0, longest=60, reply_mean=reply, reply_longest=48, context_ran_out=ran_out
    )


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        ({"invalid_rate": 1.0, "invalid_said": {"no JSON": 9}, **BELOW}, "warm start.*no JSON"),
        ({"invalid_rate": 0.5}, "50 % of its replies are invalid: a short warm start"),
        ({"same_action": True, **BELOW}, "always the same one"),
        ({"timeout_rate": 1.0, **BELOW}, "ran out of turns"),
        (BELOW, "earn nothing above idle: start with an easier level"),
        ({"lost": {"it timed out": 2}}, "2 episodes were lost.*it timed out"),
        ({"tokens": tokens(3, 1.0)}, "ran out in 3 of 10"),
        (
            {"tokens": tokens(0, 47.0), "invalid_rate": 0.1},
            "cut at 48 tokens",
        ),
    ],
)
def test_the_advice_follows_from_the_evidence(evidence: dict[str, Any], words: str) -> None:
    (said,) = advise(measured_model(**evidence), 48)
    assert re.search(words, said)


def test_a_model_that_does_well_gets_none_and_one_that_was_lost_no_judgement() -> None:
    assert advise(measured_model(), 48) == []
    lost = measured_model(lost={"died": 10}, invalid_rate=None, tokens=None, **BELOW)
    assert len(advise(lost, 48)) == 1


def test_a_teacher_that_earns_nothing_points_at_the_reward() -> None:
    plain = {"idle": measured_policy(), "random": measured_policy(**BELOW)}
    rows = [ranked_model("a", None)]
    assert advise_all(rows, plain, 48) == ()
    (said,) = advise_all(rows, plain | {"walker": measured_policy(**BELOW)}, 48)
    assert said.name == "environment" and "audit the reward" in said.advice
