"""Plots, axes, the baseline and the saved model: from metadata, records and git."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.records_made import training_report

from gonogo.errors import RecordError, StaleRecord
from gonogo.records.provenance import source_hash
from gonogo.submission.check.results import (
    look_at_axes,
    look_at_baseline,
    look_at_model,
    look_at_plots,
)
from gonogo.submission.check.subject import Subject

Subjects = Callable[..., Subject]
Draw = Callable[..., None]
CURVE, BEFORE_AFTER = "plots/reward_curve.png", "plots/before_after.png"


def test_plots_are_there_committed_and_unchanged(
    package: Path, subject: Subjects, draw: Draw, commit: Callable[[Path], None]
) -> None:
    assert "no reward_curve.png and no before_after.png" in look_at_plots(subject()).said
    for name in (CURVE, BEFORE_AFTER):
        draw(package / name)
    assert "reward_curve.png: it is not committed" in look_at_plots(subject()).said
    commit(package)
    assert look_at_plots(subject()).word == "GO"
    draw(package / CURVE, label="Another")
    answer = look_at_plots(subject())
    assert answer.word == "NO-GO"
    assert "changed after it was committed" in answer.said


def test_axes_are_read_from_the_metadata(package: Path, subject: Subjects, draw: Draw) -> None:
    for name in (CURVE, BEFORE_AFTER):
        draw(package / name)
    assert look_at_axes(subject()).word == "GO"
    draw(package / CURVE, label="")
    answer = look_at_axes(subject())
    assert answer.word == "NO-GO"
    assert "reward_curve.png: axes 1 (untitled) has no label of y" in answer.said


def test_a_plot_without_metadata_needs_you(package: Path, subject: Subjects, draw: Draw) -> None:
    draw(package / CURVE)
    Image.new("RGB", (4, 4)).save(package / BEFORE_AFTER)
    answer = look_at_axes(subject())
    assert answer.word == "NEEDS YOU"
    assert "says nothing of its axes" in answer.said


def test_a_baseline_is_measured_and_drawn_beside_the_training(
    package: Path, subject: Subjects, draw: Draw, evaluated: Callable[..., Any]
) -> None:
    record = evaluated()
    for name in (CURVE, BEFORE_AFTER):
        draw(package / name, record)
    answer = look_at_baseline(subject())
    assert answer.word == "GO", answer.said
    assert "untrained scored 0.125 on the same 20 tasks as trained" in answer.said
    draw(package / CURVE, record, series=("overall",))
    assert "is not drawn beside the training" in look_at_baseline(subject()).said
    draw(package / CURVE)
    assert "was drawn from another record" in look_at_baseline(subject()).said


def test_no_baseline(subject: Subjects, evaluated: Callable[..., Any]) -> None:
    evaluated(trained=0.5)
    answer = look_at_baseline(subject())
    assert (answer.word, "no policy untrained" in answer.said) == ("NO-GO", True)


def test_a_record_that_was_edited_is_refused_with_the_field(
    subject: Subjects, evaluated: Callable[..., Any]
) -> None:
    record = evaluated(untrained=None, trained=0.5)
    with pytest.raises(RecordError, match=r"policies\.untrained\.score\.mean must be a float"):
        look_at_baseline(subject())
    file = record.path(subject().run.out)
    file.write_text(file.read_text().replace('"mean": 0.5', '"mean": "much"'))
    with pytest.raises(StaleRecord, match=r"policies\.trained\.success\.mean: .*valid number"):
        look_at_baseline(subject())


@pytest.mark.parametrize(
    ("fields", "word", "said"),
    [
        ({}, "GO", "logits within 1e-06 of training's"),
        ({"verdict": "NO_GO", "reason": "it does not reload"}, "NO-GO", "it does not reload"),
        ({"saved": ()}, "NO-GO", "no proof of a saved model"),
        ({"missing_16bit": "no room"}, "NO-GO", "no 16-bit model: no room"),
    ],
)
def test_the_proof_of_the_saved_model(
    package: Path, subject: Subjects, fields: dict[str, Any], word: str, said: str
) -> None:
    training_report(source_hash=source_hash(package), **fields).save(subject().run.out)
    answer = look_at_model(subject())
    assert answer.word == word
    assert said in answer.said
