"""Numbers from episodes by hand: what was lost has no score, idle's interval is the bar."""

from __future__ import annotations

from gonogo.records.probe import EpisodeTokens, MeasuredPolicy
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.types import Tokens
from gonogo.training.probe.measurements import against, context_need, summarize, tokens_of, top_of

ACTION = {"move": "stay"}


def episode(value: float | None, *turns: Turn, error: str | None = None) -> Episode:
    return Episode(
        0, {}, "t", "p", turns=list(turns) or [Turn("seen", {}, ACTION)], episode_return=value, error=error
    )  # fmt: skip


def numbers(*values: float | None) -> MeasuredPolicy:
    flown = [episode(value, error="lost" if value is None else None) for value in values]
    return summarize("idle", flown, flown, seed=0)


def test_what_was_lost_is_counted_and_not_scored() -> None:
    said = numbers(1.0, None, 0.5, None)
    assert (said.episodes, said.lost) == (2, {"lost": 2})
    assert said.scores == (1.0, None, 0.5, None)
    assert said.score.mean == 0.75
    assert said.success is None  # nobody says what success is
    nothing = numbers(None, None)
    assert nothing.score.mean is None and nothing.invalid_rate is None


def test_above_is_above_the_upper_end_of_idles_interval() -> None:
    idle = numbers(0.0, 0.4, 0.0, 0.4)  # mean 0.2, and its interval reaches higher
    top = top_of(idle.score)
    a_little = numbers(0.1, 0.4, 0.1, 0.4)
    assert a_little.score.mean is not None and top is not None and a_little.score.mean < top
    beside = against(a_little, idle, 0, "p")
    assert (beside.above, beside.better, beside.idle_top) == (False, 2, top)
    assert against(numbers(0.9, 0.9, 0.9, 0.9), idle, 0, "p").above is True


def test_above_a_constant_idle_is_more_than_its_score_on_some_task() -> None:
    idle = numbers(0.5, 0.5, 0.5)
    assert against(numbers(0.5, 0.5, 0.5), idle, 0, "p").above is False
    assert against(numbers(0.5, 0.5, 0.6), idle, 0, "p").above is True
    # What idle earned on a task that the model lost is no part of the comparison.
    assert against(numbers(None, 0.5, 0.5), numbers(0.2, 0.5, 0.5), 0, "p").above is False
    assert against(numbers(None, 0.6, 0.6), numbers(9.0, 0.5, 0.5), 0, "p").above is True
    assert against(numbers(None, None, None), idle, 0, "p").above is None


def test_tokens_are_the_ids_or_the_servers_own_count() -> None:
    ids = Turn("seen", {}, ACTION, reply="said", tokens=Tokens((1,) * 20, (2,) * 5, (0.0,) * 5))
    outgrown = episode(0.0, ids)
    outgrown.context_overflow = True
    told = tokens_of([episode(0.0, ids, ids), outgrown])
    assert told == EpisodeTokens(
        mean=37.5, longest=50, reply_mean=5, reply_longest=5, context_ran_out=1
    )
    served = [Turn("seen", {}, ACTION, reply="said", counted=pair) for pair in ((30, 4), (60, 6))]
    assert tokens_of([episode(0.0, *served)]) == EpisodeTokens(
        mean=66, longest=66, reply_mean=5, reply_longest=6, context_ran_out=0
    )
    assert tokens_of([episode(0.0)]) is None


def test_the_context_needed_is_bounded_by_bytes_until_a_pretrained_model_was_flown() -> None:
    plain = [episode(0.0, Turn("x" * 90, {}, ACTION))]
    need = context_need("y" * 10, plain, [])
    assert need.tokens is None and need.at_most > need.bytes > 100
    ids = Turn(
        "x" * 80, {}, ACTION, reply="z" * 10, tokens=Tokens((1,) * 40, (2,) * 10, (0.0,) * 10)
    )
    flown = [episode(0.0, ids)]
    assert context_need("y" * 10, plain, [(flown, True)]).tokens is None
    need = context_need("y" * 10, plain, [(flown, False)])
    assert need.tokens_a_byte == 0.5
    assert need.tokens == -(-need.bytes // 2)
