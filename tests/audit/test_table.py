"""The page says what the record says, nothing more."""

from __future__ import annotations

from gonogo.audit.table import episode_rows, farming_rows, leak_rows, witness
from gonogo.rollout.types import Json


def test_a_witness_in_words_can_be_sent_again() -> None:
    seen = {"reset": {"seed": 3}, "plan": [{"bed": None}], "return": 0.45, "success": False}
    assert witness({"witness": seen}) == (
        'reset seed=3, send [{"bed": null}]: return 0.45, no success'
    )
    assert witness({"witness": {"difference": {}}}) == ""


def test_a_copy_and_whether_the_task_needs_it() -> None:
    copy: Json = {
        "path": "state.answer",
        "field": "letter",
        "items": True,
        "success": 1.0,
        "success_with_another_seeds_value": 0.1,
        "needed_by_reference": None,
        "verdict": "leak",
    }
    (row,) = leak_rows({"copies": [copy]})
    assert row == ["the items of state.answer", "letter", "1.00", "0.10", "not told", "leak"]


def test_episodes_seen_and_learned() -> None:
    heart = {
        "learned": 3,
        "success": {"mean": 1.0, "ci95": [0.8, 1.0]},
        "success_of_reference": 1.0,
    }
    seen: Json = {
        "resets": 200,
        "openings": 3,
        "estimated": 3.0,
        "by_heart": heart,
        "answers": None,
        "episodes": None,
    }
    rows = dict(episode_rows(seen))
    assert rows["openings"] == "3 in 200 resets, at least 3 in all"
    assert rows["learned by heart"].startswith("3 succeed in 1.000 [0.800, 1.000]")
    tried = dict(episode_rows({**seen, "by_heart": None, "answers": {**heart, "learned": 4}}))
    assert tried["known answers, tried in turn"].startswith("4 succeed in 1.000")
    unbounded = dict(episode_rows({**seen, "estimated": None, "by_heart": None}))
    assert unbounded == {"openings": "3 in 200 resets, more than can be estimated"}
    assert dict(episode_rows({"note": "one episode"})) == {"openings": "one episode"}


def test_farming_with_and_without_a_slope() -> None:
    cycles = [{"cycle": "a and b in turn", "return": 2.0, "return_per_step": 0.1}]
    length = {"spearman": 0.9, "slope_per_step": {"mean": 0.1, "ci95": [0.0, 0.2]}, "note": None}
    assert dict(farming_rows({"length": length, "cycles": cycles})) == {
        "return against length": "Spearman 0.900",
        "return per step": "0.100 [0.000, 0.200]",
        "a and b in turn": "2, 0.1 a step",
    }
    assert list(farming_rows({"length": {"note": "too few"}, "cycles": []})) == [
        ("return against length", "too few")
    ]
