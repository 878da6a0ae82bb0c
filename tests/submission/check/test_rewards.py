"""Independence of components by numbers, and exploits whose tests are run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from tests.records_made import contract_report

from gonogo.records.contract import ComponentSource
from gonogo.records.provenance import source_hash
from gonogo.records.submission import ComponentIndependence
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.submission.check.rewards import (
    OWN_SHARE,
    independent,
    look_at_components,
    look_at_exploits,
)
from gonogo.submission.check.subject import BoxAnswer, Subject

Subjects = Callable[..., Subject]
DRAWN = np.random.default_rng(0).random((50, 5))


def rank(paid: np.ndarray) -> int:
    return sum(share > OWN_SHARE for share in independent(paid))


def test_the_rank_is_that_of_the_numbers() -> None:
    assert rank(DRAWN) == 5
    assert rank(np.hstack([DRAWN, DRAWN])) == 5
    mixed = DRAWN.copy()
    mixed[:, 4] = 0.5 * mixed[:, 0] + 2.0 * mixed[:, 1]
    assert rank(mixed) == 4 == np.linalg.matrix_rank(mixed - mixed.mean(axis=0))
    mixed[:, 3] = 0.7  # a constant says nothing
    assert rank(mixed) == 3


def test_a_little_noise_makes_no_component() -> None:
    paid = np.hstack([DRAWN[:, :2], DRAWN[:, :1] + 1e-3 * DRAWN[:, 2:3]])
    assert rank(paid) == 2


def test_no_component_is_favoured_by_its_place() -> None:
    """Two that nearly say the same are one, whichever stands first, and what says more than both is kept."""
    one, other, noise = DRAWN[:, 0], DRAWN[:, 1], DRAWN[:, 2]
    paid = np.stack([one, one + 0.05 * noise, other, one + other], axis=1)
    orders = [list(order) for order in permutations(range(4))]
    assert {rank(paid[:, order]) for order in orders} == {2}


def fly(
    out: Path, paid: Iterable[dict[str, float]], policies: Sequence[str] = ("idle", "random")
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    lines = [
        Episode(
            n, {}, "x", policies[n % len(policies)], turns=[Turn("", {})], components=each
        ).to_json()
        for n, each in enumerate(paid)
    ]
    (out / "episodes.jsonl").write_text("".join(f"{line}\n" for line in lines))


def told(answer: BoxAnswer) -> ComponentIndependence:
    assert isinstance(answer.evidence, ComponentIndependence)
    return answer.evidence


def test_four_independent_components(subject: Subjects) -> None:
    looked = subject()
    fly(looked.run.out, [dict(zip("abcd", row, strict=False)) for row in DRAWN])
    answer = look_at_components(looked)
    assert answer.word == "GO", answer.said
    assert told(answer).rank == 4


def test_one_number_in_four_names(subject: Subjects) -> None:
    looked = subject()
    fly(looked.run.out, [{n: k * row[0] for k, n in enumerate("abcd", 1)} for row in DRAWN])
    answer = look_at_components(looked)
    assert (answer.word, told(answer).rank) == ("NO-GO", 1)
    highest = told(answer).highest_correlation
    assert highest is not None and highest.r == pytest.approx(1.0)


def test_episodes_of_one_kind_tell_too_little(
    subject: Subjects, gridworld: Path, tmp_path: Path
) -> None:
    paid = [{n: k * row[0] for k, n in enumerate("abcd", 1)} for row in DRAWN]
    looked = subject()
    fly(looked.run.out, paid, ["idle"])
    answer = look_at_components(looked)
    assert answer.word == "NEEDS YOU"
    assert "50 episodes of idle" in answer.said
    shipping = subject(target=str(gridworld), out=str(tmp_path / "grid"))
    assert "walker_careless" in shipping.breadth
    fly(shipping.run.out, paid, ["idle", "random", "walker"])
    assert look_at_components(shipping).word == "NEEDS YOU"
    fly(shipping.run.out, paid, shipping.breadth)
    assert look_at_components(shipping).word == "NO-GO"


def test_many_episodes_of_one_kind_drown_no_others(subject: Subjects) -> None:
    looked = subject()
    fly(looked.run.out, [dict(zip("abcd", row, strict=False)) for row in DRAWN])
    few = (looked.run.out / "episodes.jsonl").read_text()
    fly(looked.run.out, [dict.fromkeys("abcd", float(n % 2)) for n in range(20_000)])
    (looked.run.out / "episodes.jsonl").rename(looked.run.out / "traces.jsonl")
    assert told(look_at_components(looked)).rank == 1
    (looked.run.out / "episodes.jsonl").write_text(few)
    answer = look_at_components(looked)
    assert (answer.word, told(answer).episodes) == ("GO", 50)


def test_fewer_than_four_names_need_no_more_episodes(subject: Subjects) -> None:
    looked = subject()
    fly(looked.run.out, [{"a": row[0], "b": row[1]} for row in DRAWN], ["idle"])
    assert look_at_components(looked).word == "NO-GO"
    fly(looked.run.out, [{}] * 30)
    answer = look_at_components(looked)
    assert answer.word == "NO-GO"
    assert answer.said == "none of the 30 recorded episodes says a reward component"


def test_too_few_episodes_tell_nothing(subject: Subjects) -> None:
    looked = subject()
    fly(looked.run.out, [{"a": 1.0}] * 3)
    answer = look_at_components(looked)
    assert answer.word == "NEEDS YOU"
    assert "3 recorded episodes" in answer.said


def map_with(package: Path, out: Path, names: Iterable[str]) -> None:
    report = contract_report(source_hash=source_hash(package))
    breakdown = tuple(ComponentSource(name=name, place=None) for name in names)
    reward = report.reward.model_copy(update={"breakdown": breakdown})
    report.model_copy(update={"reward": reward}).save(out)


@pytest.mark.long
def test_exploits_that_run_into_their_guards(package: Path, subject: Subjects) -> None:
    looked = subject()
    assert look_at_exploits(looked).word == "NEEDS YOU"
    file = package / "tests" / "test_exploits.py"
    file.parent.mkdir()
    file.write_text("def test_it():\n    assert ['speed', 'speed', 'speed']\n")
    map_with(package, looked.run.out, ["speed"])
    answer = look_at_exploits(looked)
    assert answer.word == "GO", answer.said
    assert "1 passed" in answer.said


@pytest.mark.long
def test_exploits_that_pay_or_are_too_few(package: Path, subject: Subjects) -> None:
    looked = subject()
    file = package / "tests" / "test_exploits.py"
    file.parent.mkdir()
    file.write_text("def test_it():\n    assert not ['speed', 'speed', 'speed']\n")
    map_with(package, looked.run.out, ["speed"])
    answer = look_at_exploits(looked)
    assert (answer.word, "1 failed" in answer.said) == ("NO-GO", True)
    map_with(package, looked.run.out, ["speed", "style"])
    assert "fewer of style (0)" in look_at_exploits(subject()).said
