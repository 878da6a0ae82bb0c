"""The proof says GO where nothing speaks against what was trained, and why where something does."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

from tests.conftest import ZOO
from tests.records_made import saved_model

from gonogo.config import RunConfig
from gonogo.records.record import Verdict
from gonogo.records.training import Alarm
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.training.environments import environments_of
from gonogo.training.proof import TrainingProof, by_environment, stopped

PROOF = TrainingProof(None, Path("models/trained"), (saved_model(),), None, None, None)


def test_nothing_against_it_is_go_and_says_what_it_flew() -> None:
    assert PROOF.verdict is Verdict.GO
    assert PROOF.said == "models/trained reloads and flies: {'reward/overall': 0.5}"


def test_a_reason_is_no_go_and_is_what_is_said() -> None:
    found = replace(PROOF, reason="other logits came back")
    assert (found.verdict, found.said) == (Verdict.NO_GO, "other logits came back")


def test_a_training_that_the_watch_stopped_says_where_its_best_model_is() -> None:
    said = stopped(Alarm(rule="entropy", stage="easy", step=7, reason="it fell"), Path("m/best"))
    assert "entropy in step 7, stage easy: it fell" in said and "is in m/best" in said


def test_each_of_several_environments_has_the_figures_of_its_own_episodes(
    gridworld: Path, rogue: Path, tmp_path: Path
) -> None:
    train = {
        "validation": {"tasks": {"options": {}}, "episodes": 2},
        "environments": [{"name": "two", "target": str(rogue), "validation": {"options": {}}}],
        "curriculum": {
            "stages": [
                {"name": "a", "options": {}},
                {"name": "b", "environment": "two", "options": {}},
            ]
        },
        "grpo": {},
    }
    run = RunConfig.model_validate_json(
        json.dumps({"target": str(gridworld), "out": str(tmp_path), "train": train})
    )
    flown = [
        Episode(n, {}, "x", "m", turns=[Turn("", {}, action={}, done=True)], episode_return=paid)
        for n, paid in enumerate((1.0, 0.0, 4.0, 2.0))
    ]
    found = by_environment(environments_of(run), 2, flown)
    assert list(found) == ["gridworld", "two"]
    assert found["gridworld"].target == str(ZOO / "gridworld")
    assert [each.validation["reward/overall"] for each in found.values()] == [0.5, 3.0]
