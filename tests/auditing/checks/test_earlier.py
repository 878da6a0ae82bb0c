"""What earlier episodes did to a later one, in words and as a witness; and who means it."""

from __future__ import annotations

import pytest

from gonogo.auditing.checks.earlier import ON_PURPOSE, apart, said_of, witness_of, worth
from gonogo.exploits.witness import Witness


def flight(*rewards: float, success: bool = False) -> Witness:
    """An episode of one action, repeated."""
    return Witness({"seed": 1}, ({"n": 0},) * len(rewards), rewards, success, True)


def test_one_earlier_episode_and_several() -> None:
    alone, after = flight(0.0, 0.0), flight(0.0, 1.0, success=True)
    one, two = witness_of([alone], alone, after), witness_of([alone, after], alone, after)
    assert (one.before, one.earlier) == (alone.record(), None)
    assert (two.before, two.earlier) == (None, (alone.record(), after.record()))
    assert one.difference == two.difference
    assert said_of([alone], alone, after, more=True).startswith(
        'after an episode of 2 steps in the same session and a reset, 2 steps that begin with {"n": 0} earn 1 and '
        "succeed; the same reset and actions earn 0 in a process that flew nothing before."
    )
    said = said_of([alone, flight(0.0)], alone, flight(0.0), more=False)
    assert said.startswith("after 2 episodes of 1 to 2 steps in the same session and a reset, 1 st")
    assert "is paid for" not in said
    assert "after 2 episodes of 2 steps in" in said_of([alone, after], alone, after, more=True)


def test_in_what_two_flights_differ() -> None:
    alone = flight(0.0, 0.0)
    assert apart(alone, flight(0.0, 1.0)) == (2, "reward", (0.0, 1.0))
    assert apart(alone, flight(0.0)) == (1, "length", (2, 1))
    won = flight(0.0, 0.0, success=True)
    assert apart(alone, won) == (2, "success", (False, True))
    assert worth(won, single=True) == "0 and succeeds"
    assert worth(won, single=False) == "0 and succeed"
    assert worth(alone, single=False) == "0"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("A curriculum: tasks grow harder.", True),
        ("Points carry over between episodes.", True),
        ("Each episode draws a map.", False),
        ("The state is kept until done.", False),
        ("Knowledge persists across episodes.", True),
        ("No state is shared between episodes.", False),
        ("The score is averaged over episodes.", False),
        ("Points are never carried over between episodes.", False),
        ("There is no curriculum.", False),
    ],
)
def test_words_of_who_means_it(said: str, meant: bool) -> None:
    assert bool(ON_PURPOSE.search(said)) is meant
