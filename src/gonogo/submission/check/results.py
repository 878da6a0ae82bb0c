"""Boxes about what was measured: plots, axes, the baseline, the saved model."""

from __future__ import annotations

from gonogo.plots.metadata import SOURCE, PlotAxes, read_axes, read_texts
from gonogo.records.record import Verdict
from gonogo.records.training import TrainingReport
from gonogo.rollouts.summary import BASELINE, CANDIDATE
from gonogo.submission.check.answers import BoxAnswer, go, needs_you, no_go
from gonogo.submission.check.subject import PLOTS, Subject, mean_score

__all__ = ["look_at_axes", "look_at_baseline", "look_at_model", "look_at_plots"]

CURVE = frozenset({"overall", "validation"})
"""Names of the series in the training curve, one of which a baseline must stand beside."""


def look_at_plots(subject: Subject) -> BoxAnswer:
    """Whether the reward curve and the plot before and after are committed."""
    missing = [name for name in PLOTS if name not in subject.plots]
    if missing:
        return no_go(f"no {' and no '.join(missing)} in the folder or shown by README.md")
    said = {name: subject.uncommitted(path) for name, path in subject.plots.items()}
    wrong = [f"{name}: {why}" for name, why in said.items() if why is not None]
    if wrong:
        return no_go("; ".join(wrong))
    return go(f"committed: {', '.join(str(path) for path in subject.plots.values())}")


def axes_by_plot(subject: Subject) -> dict[str, list[PlotAxes]] | BoxAnswer:
    """What the plots say of their axes, or why that is not known."""
    if len(subject.plots) < len(PLOTS):
        return look_at_plots(subject)
    found = {}
    for name, path in subject.plots.items():
        axes = read_axes(path)
        if axes is None:
            return needs_you(
                f"{path} says nothing of its axes in its metadata: it was drawn by another program, or by an "
                "older gonogo"
            )
        found[name] = axes
    return found


def look_at_axes(subject: Subject) -> BoxAnswer:
    """Whether every axis has a label, by the plots' metadata."""
    found = axes_by_plot(subject)
    if isinstance(found, BoxAnswer):
        return found
    bare = [
        f"{name}: axes {number} ({each.title or 'untitled'}) has no label of {which}"
        for name, axes in found.items()
        for number, each in enumerate(axes, start=1)
        for which, label in (("x", each.x), ("y", each.y))
        if not label
    ]
    if bare:
        return no_go("; ".join(bare))
    said = ", ".join(f"{name}: {len(axes)}" for name, axes in found.items())
    return go(f"every axes has a label of x and of y ({said})")


def look_at_baseline(subject: Subject) -> BoxAnswer:
    """Whether the untrained model flew the same tasks, and stands on the training curve's axes."""
    record, path = subject.evaluation
    for name in (BASELINE, CANDIDATE):
        if name not in record.policies:
            return no_go(f"{path} has no policy {name}, only {', '.join(record.policies)}")
    base, model = record.policies[BASELINE], record.policies[CANDIDATE]
    if base.episodes != model.episodes:
        return no_go(
            f"{path}: {base.episodes} episodes of {BASELINE}, {model.episodes} of {CANDIDATE}"
        )
    score = mean_score(record, path, BASELINE)
    measured = f"{BASELINE} scored {score:.3f} on the same {base.episodes} tasks as {CANDIDATE}"
    found = axes_by_plot(subject)
    if isinstance(found, BoxAnswer):
        return BoxAnswer(found.word, f"{measured}; {found.said}", found.command)
    for name, plot in subject.plots.items():
        if read_texts(plot).get(SOURCE) != record.digest():
            return no_go(
                f"{plot} was drawn from another record than {path}: {name} shows other runs"
            )
    beside = [set(axes.series) for axes in found["reward_curve.png"]]
    if not any(BASELINE in series and series & CURVE for series in beside):
        return no_go(f"{measured}, but is not drawn beside the training in reward_curve.png")
    return go(f"{measured}, and is drawn on the training's axes")


def look_at_model(subject: Subject) -> BoxAnswer:
    """Whether the saved model was reloaded in a fresh process, held against training, and flown."""
    folder = subject.run.trained_in
    record = TrainingReport.load(folder, subject.source)
    if record.verdict is not Verdict.GO:
        return no_go(f"{TrainingReport.path(folder)}: {record.reason}")
    if not record.saved:
        return no_go(f"{TrainingReport.path(folder)} has no proof of a saved model")
    said = [
        f"{each.model} (logits within {each.logit_difference:.2g} of training's)"
        for each in record.saved
        if each.logit_difference is not None
    ]
    if record.missing_16bit is not None:
        return no_go(f"there is no 16-bit model: {record.missing_16bit}")
    return go(f"reloaded in a fresh process and flown: {', '.join(said)}")
