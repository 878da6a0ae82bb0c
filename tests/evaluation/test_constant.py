"""The best of those who repeat one action: chosen once, and told in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.evaluation.recorded import run_of

from gonogo.env.environment import Env
from gonogo.evaluation.constant import TRIED_ON, best_constant, constants_in_words
from gonogo.records.evaluation import BestConstant, ConstantChoice

EAST = 'always {"move": "east"}'
KEPT = ConstantChoice(tried=7, tasks=1, policy="always kept")


def test_the_choice_of_a_former_call_is_kept_and_nothing_is_opened(tmp_path: Path) -> None:
    run = run_of("nowhere.to:Be", tmp_path, ["idle"])
    BestConstant(fingerprint="the same", **dict(KEPT)).save(tmp_path / "evaluation")
    with Env.of(run) as env:
        assert best_constant(run, env, "the same") == KEPT


def test_what_depends_on_something_else_is_chosen_anew(gridworld: Path, tmp_path: Path) -> None:
    run = run_of(gridworld, tmp_path, ["idle"], split="test", episodes=2 * TRIED_ON)
    BestConstant(fingerprint="another", **dict(KEPT)).save(tmp_path / "evaluation")
    with Env.of(run) as env:
        found = best_constant(run, env, "this one")
    assert found.tasks == TRIED_ON and found.tried > 1 and found.policy != KEPT.policy
    saved = BestConstant.load(tmp_path / "evaluation")
    assert (saved.fingerprint, saved.choice) == ("this one", found)


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (None, []),
        (
            ConstantChoice(tried=6, tasks=3, policy=EAST),
            [
                'constants: of 6 fixed actions, repeated on the first 3 tasks, the best paid is {"move": "east"}'
            ],
        ),
        (
            ConstantChoice(tried=6, tasks=3, policy=None),
            [
                "constants: of 6 fixed actions, repeated on the first 3 tasks, none is paid more than idle, "
                "which stands for them"
            ],
        ),
    ],
)
def test_how_it_was_chosen_is_told(chosen: ConstantChoice | None, said: list[str]) -> None:
    assert constants_in_words(chosen) == said
