"""What a running session showed is looked for in fresh ones: here in lists of what each reset of a process gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count

import pytest

from gonogo.contract.reset_search import (
    FIRST_RESETS,
    MOST_RESETS,
    Before,
    ResetSearch,
    at_each_reset,
    past_resets,
)
from gonogo.wire import TaskOptions

OWN: TaskOptions = {"seed": 1}
OTHER: TaskOptions = {"task": "hard"}


@dataclass
class Started:
    """A process that gives at each reset what follows from all of its resets."""

    gives: Callable[[Before], str]
    resets: list[TaskOptions] = field(default_factory=list)
    closed: bool = False

    def reset(self, options: TaskOptions) -> str:
        self.resets.append(options)
        return self.gives(tuple(self.resets))

    def close(self) -> None:
        self.closed = True


def search(
    gives: Callable[[Before], str], shows: Callable[[str], bool], *, drawn: bool = False
) -> tuple[ResetSearch[Started, str], list[Started]]:
    """A search, and the processes that it starts."""
    started: list[Started] = []

    def fresh() -> Started:
        started.append(Started(gives))
        return started[-1]

    def fly(process: Started, before: Before) -> str:
        for options in before:
            process.reset(options)
        return process.reset(OWN)

    found = ResetSearch(OWN, fresh, fly, shows, lambda a, b: a == b, drawn=drawn)
    return found, started


def test_what_the_first_reset_shows_as_it_was_seen_takes_one_process() -> None:
    looked, started = search(lambda resets: "a", lambda seen: True)
    assert looked.find("a") == ("a", ())
    assert [process.closed for process in started] == [True]
    assert looked.find("b") == ("a", ())
    assert len(started) == 3  # another episode that shows it has to come twice


def test_what_comes_in_turn_holds_as_many_resets_before_it() -> None:
    looked, started = search(lambda resets: "abc"[(len(resets) - 1) % 3], lambda seen: seen == "c")
    assert looked.find("c") == ("c", (OWN, OWN))
    assert len(started[-1].resets) == 3
    assert all(process.closed for process in started)


def test_what_an_earlier_reset_left_is_found_after_it() -> None:
    looked, _ = search(
        lambda resets: "hard" if OTHER in resets else "easy", lambda seen: seen == "hard"
    )
    assert looked.find("hard") is None
    assert looked.find("hard", [(OTHER,)]) == ("hard", (OTHER,))


@pytest.mark.parametrize(("drawn", "found"), [(True, True), (False, False)])
def test_what_chance_gives_is_enough_only_where_it_is_about_any_episode(
    drawn: bool, found: bool
) -> None:
    numbers: Iterator[int] = count()
    looked, _ = search(lambda resets: str(next(numbers)), lambda seen: True, drawn=drawn)
    assert (looked.find("x") is not None) is found


@pytest.mark.parametrize("bad", [1, FIRST_RESETS - 1, FIRST_RESETS])
def test_what_chance_draws_in_some_episodes_is_looked_for_at_a_few_first_resets(bad: int) -> None:
    """No two flights are the same: which of the processes shows it at its first reset is chance."""
    drawn: Iterator[int] = count()

    def gives(resets: Before) -> str:
        return f"{'bad' if len(resets) == 1 and len(began()) == bad else 'good'} {next(drawn)}"

    def began() -> list[Started]:
        """The processes that flew one at their first reset alone."""
        return [each for each in started if len(each.resets) == 1]

    looked, started = search(gives, lambda seen: seen.startswith("bad"), drawn=True)
    found = looked.find("x")
    assert found is not None and found[1] == ()
    # one process looked at the later resets
    assert all(process.closed for process in started) and len(started) <= FIRST_RESETS + 1


def test_a_loss_ends_the_flights_and_so_does_their_number() -> None:
    left = iter(["a", None, "b"])
    assert at_each_reset(lambda: next(left), lambda number, seen: False) == ["a"]
    assert len(at_each_reset(lambda: "a", lambda number, seen: False)) == MOST_RESETS


def test_of_the_resets_before_it_those_count_that_are_not_its_own() -> None:
    assert past_resets(OWN, []) == []
    assert past_resets(OWN, [OWN, OWN]) == []
    assert past_resets(OWN, [OTHER]) == [(OTHER,)]
    assert past_resets(OWN, [OTHER, OWN]) == [(OTHER, OWN)]
    assert len(past_resets(OWN, [OTHER] * 100)[-1]) == MOST_RESETS
