"""Which model a training keeps: the best by validation of those that act."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

from gonogo.errors import StaleRecord
from gonogo.records.training import Alarm, TrainingRow
from gonogo.rollouts.losses import Losses
from gonogo.training.callback import STATE, TrainingCallback, TrainingHooks


def course(
    scores: list[float], kept: list[int], rows: list[TrainingRow] | None = None
) -> TrainingCallback:
    """A course that validates every step with these scores, the first at its start."""
    written = [] if rows is None else rows
    left = iter(scores)
    step = len(scores)
    return TrainingCallback(
        TrainingHooks(
            "sft", lambda: next(left), lambda: kept.append(step), written.append, lambda: False,
            every=1,
        )
    )  # fmt: skip


def end_step(found: TrainingCallback, step: int) -> bool:
    """End a step; whether the training stops."""
    control = SimpleNamespace(should_training_stop=False, should_save=False)
    state = SimpleNamespace(global_step=step, max_steps=10)
    found.on_step_begin(None, state, control)
    found.on_step_end(None, state, control)
    return control.should_training_stop


@pytest.mark.parametrize(
    ("scores", "best_step"), [([0.5, 0.4, 0.45], 0), ([0.1, 0.2, 0.2], 1), ([0.0, 0.0, 0.1], 2)]
)
def test_the_best_is_kept(scores: list[float], best_step: int) -> None:
    kept: list[int] = []
    found = course(scores, kept)
    found.begin(None)
    assert len(kept) == 1
    assert not any(end_step(found, step) for step in (1, 2))
    assert found.best_step == best_step
    assert found.best == scores[best_step]


def test_an_alarm_that_stops_keeps_what_was_best_before_it() -> None:
    kept: list[int] = []
    rows: list[TrainingRow] = []
    found = course([0.1, 0.9], kept, rows)
    found.begin(None)
    alarm = Alarm(rule="entropy", stage="one", step=1, reason="gone")
    found.alarm([alarm], stops=False)
    assert found.halted is None
    found.alarm([alarm], stops=True)
    control = SimpleNamespace(should_training_stop=False, should_save=False)
    found.on_step_end(None, SimpleNamespace(global_step=1, max_steps=10), control)
    assert control.should_training_stop
    assert (len(kept), found.best, found.alarms) == (1, 0.1, [alarm, alarm])
    found.on_log(None, SimpleNamespace(global_step=1), control, {"loss": 0.5})
    assert rows[-1].alarm == "entropy in step 1, stage one: gone"
    assert (rows[-1].step, rows[-1].numbers["loss"]) == (1, 0.5)


@pytest.mark.parametrize("beginner", [-1.6, 0.0])
def test_a_model_that_acts_is_better_than_one_that_never_does(beginner: float) -> None:
    seen = iter([(0.0, False), (0.0, False), (beginner, True), (0.4, True), (0.9, False)])
    kept: list[float] = []
    newest = (0.0, False)

    def validate() -> float:
        nonlocal newest
        newest = next(seen)
        return newest[0]

    found = TrainingCallback(
        TrainingHooks(
            "sft", validate, lambda: kept.append(newest[0]), lambda row: None, lambda: False,
            every=1, acts=lambda: newest[1],
        )
    )  # fmt: skip
    found.begin(None)
    assert not any(end_step(found, step) for step in (1, 2, 3, 4))
    assert kept == [0.0, beginner, 0.4]
    assert (found.best, found.best_step) == (0.4, 3)


def test_freed_memory_goes_back_once_a_minute_and_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, back = [0.0], []
    monkeypatch.setattr("gonogo.training.callback.time.monotonic", lambda: clock[0])
    monkeypatch.setattr(
        "gonogo.training.callback.return_freed_memory", lambda: back.append(clock[0])
    )
    found = course([0.0] * 6, [])
    found.begin(None)
    for step, now in enumerate((30.0, 61.0, 90.0, 121.0, 122.0), 1):
        clock[0] = now
        end_step(found, step)
    assert back == [61.0, 122.0]
    found.on_train_end(None, None, None)
    assert back == [61.0, 122.0, 122.0]


def losing() -> TrainingCallback:
    """A course that also counts what is lost."""
    hooks = TrainingHooks(
        "grpo", lambda: 0.5, lambda: None, lambda row: None, lambda: False, every=1
    )
    return TrainingCallback(hooks, losses=Losses("flights", 100))


@pytest.mark.parametrize(
    ("torn", "lacks"),
    [
        (lambda state: state["parts"].pop("losses"), "losses"),
        (lambda state: state["parts"]["losses"].pop("errors"), "losses.errors"),
        (lambda state: state.pop("best_acts"), "best_acts"),
    ],
)
def test_a_checkpoint_of_another_version_is_refused(
    tmp_path: Path, torn: object, lacks: str
) -> None:
    losing().save(tmp_path)
    losing().begin(tmp_path)
    state = json.loads((tmp_path / STATE).read_text())
    assert callable(torn)
    torn(state)
    (tmp_path / STATE).write_text(json.dumps(state))
    with pytest.raises(StaleRecord, match=rf"lacks {lacks}, .* --restart trains anew"):
        losing().begin(tmp_path)
