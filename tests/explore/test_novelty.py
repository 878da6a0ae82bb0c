"""What is news and what is only another number."""

from __future__ import annotations

from gonogo.explore.novelty import WORTH, Novelty, masked, shape_of
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import JsonObject


def flown(*turns: Turn, last: JsonObject | None = None, success: bool | None = None) -> Episode:
    episode = Episode(0, {}, "here", "someone", turns=list(turns), success=success)
    episode.final_observation = last or {}
    return episode


def turn(
    reward: float = 0.0,
    *,
    invalid: str | None = None,
    reached: tuple[str, ...] = (),
    done: bool = False,
) -> Turn:
    return Turn(
        "",
        {"text": "here"},
        {"say": "lamp"},
        invalid=invalid,
        reward=reward,
        reached=reached,
        done=done,
    )


def test_numbers_quotations_and_what_was_sent_are_no_news() -> None:
    assert masked("order 17 of 'x' has a lamp", {"say": "lamp"}) == "order # of # has a #"
    novelty = Novelty()
    first = novelty.of(flown(turn(invalid="no 'a' at 3")), "")
    again = novelty.of(flown(turn(invalid="no 'b' at 4")), "")
    assert first == [(0, WORTH["refusal"])]
    assert again == []


def test_lines_are_counted_and_are_no_news() -> None:
    novelty = Novelty()
    novelty.of(flown(turn(), last={"text": "here"}), "")
    assert novelty.of(flown(turn(reached=("a:1",)), last={"text": "here"}), "") == []
    assert list(novelty.lines) == ["a:1"]


def test_the_height_of_a_number_is_news_as_far_as_it_doubles() -> None:
    novelty = Novelty()
    novelty.of(flown(turn(), last={"clay": 1}), "")
    news = [bool(novelty.of(flown(turn(), last={"clay": n}), "")) for n in range(2, 10)]
    assert news == [True, True, True, False, False, False, True, False]


def test_a_higher_return_is_news_on_its_own_task() -> None:
    novelty, same = Novelty(), {"text": "here"}
    novelty.of(flown(turn(0.5), last=same), "one")
    assert novelty.of(flown(turn(0.5), last=same), "one") == []
    assert novelty.of(flown(turn(0.5), turn(0.5), last=same), "one") == [(1, WORTH["return"])]
    assert novelty.best == {"one": 1.0}


def test_the_first_success_is_worth_most() -> None:
    novelty = Novelty()
    novelty.of(flown(turn(done=True), success=False), "")
    (found,) = novelty.of(flown(turn(done=True), success=True), "")
    assert found == (0, WORTH["success"])


def test_a_shape_has_no_content() -> None:
    assert shape_of({"a": [1, 2], "b": "x"}) == shape_of({"a": [5], "b": "yz"})
    assert shape_of({"a": []}) != shape_of({"a": [1]})
