"""Boxes about what a reader is shown: the README's sections and links, plots, before and after, the saved model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gonogo.plots.style import SOURCE, PlotAxes, read_axes, read_texts
from gonogo.records.record import Verdict
from gonogo.records.submission import DeadLinks, MissingParts
from gonogo.records.training import TrainingReport
from gonogo.reporting.readme import SECTIONS, begin_of, end_of, marks_in
from gonogo.rollouts.summary import BASELINE, CANDIDATE
from gonogo.submission.check.subject import (
    PLOTS,
    BoxAnswer,
    Link,
    Subject,
    go,
    headings_of,
    mean_score,
    needs_you,
    no_go,
)

WRITEUP = (
    r"writeup[\w-]*\.md|youtube\.com/|youtu\.be/|vimeo\.com/|loom\.com/|huggingface\.co/blog/|medium\.com/"
    r"|\.(mp4|webm|mov|gif|pdf|pptx)(#.*)?$|docs\.google\.com/presentation"
)
WANTED = {
    "the Space": r"huggingface\.co/spaces/[\w.-]+/[\w.-]+|[\w-]+\.hf\.space",
    "the notebook": r"\.ipynb(#.*)?$|colab\.research\.google\.com",
    "a writeup or video": WRITEUP,
    "the tracker's run": r"wandb\.ai/|trackio|tensorboard|comet\.com/|mlflow",
}
"""What a README has to link, and how the addresses are told."""
CURVE = frozenset({"overall", "validation"})
"""Names of the series in the training curve, one of which a baseline must stand beside."""


def look_at_sections(subject: Subject) -> BoxAnswer:
    """Whether the README has the six sections."""
    found = [title.casefold() for title in headings_of(subject.readme)]
    if missing := tuple(name for name in SECTIONS.values() if name.casefold() not in found):
        return no_go(
            f"README.md has no section {', '.join(missing)}; gonogo report --readme writes what stands between "
            f"lines as {begin_of('problem')} and {end_of('problem')}, and a new file whole",
            MissingParts(missing=missing),
        )
    return go(f"README.md has {', '.join(SECTIONS.values())}")


def fitting(links: Sequence[Link], pattern: str) -> list[Link]:
    """Links that are of a kind."""
    return [link for link in links if re.search(pattern, link.to, re.IGNORECASE)]


def dead(subject: Subject, links: Sequence[Link]) -> BoxAnswer | None:
    """The answer if local links lead nowhere, or None."""
    nowhere = [each.to for each in links if each.local and not subject.file_of(each).exists()]
    said = f"README.md links what is not there: {', '.join(nowhere)}"
    return no_go(said, DeadLinks(dead=tuple(nowhere))) if nowhere else None


def look_at_links(subject: Subject) -> BoxAnswer:
    """Whether the README links the Space, the notebook, a writeup or video, and the tracker's run."""
    found = {what: fitting(subject.links, pattern) for what, pattern in WANTED.items()}
    if missing := tuple(what for what, links in found.items() if not links):
        said = f"README.md does not link: {', '.join(missing)}"
        return no_go(said, MissingParts(missing=missing))
    told = ", ".join(f"{what}: {links[0].to}" for what, links in found.items())
    return dead(subject, subject.links) or go(told)


def look_at_writeup(subject: Subject) -> BoxAnswer:
    """Whether the README links a writeup, a video or slides."""
    found = fitting(subject.links, WRITEUP)
    if not found:
        return no_go("README.md links no writeup, video or slides; gonogo report writes a writeup")
    return dead(subject, found) or go(f"linked: {', '.join(link.to for link in found)}")


def look_at_before_after(subject: Subject) -> BoxAnswer:
    """Whether the README shows the picture and the scores of before and after, as the record has them."""
    place = marks_in(subject.readme, "README.md").get("results")
    if place is None:
        return no_go(
            f"README.md has no lines {begin_of('results')} and {end_of('results')}, between which "
            "gonogo publish writes the results"
        )
    block = subject.readme[slice(*place)]
    if not any(link.image and link.to.endswith("before_after.png") for link in subject.links):
        return no_go("README.md does not show before_after.png")
    record, path = subject.evaluation
    means = [f"{mean_score(record, path, name):.3f}" for name in (BASELINE, CANDIDATE)]
    absent = [mean for mean in means if mean not in block]
    if absent:
        return no_go(f"the results in README.md do not say {', '.join(absent)}, as {path} does")
    return go(
        f"README.md shows before_after.png and the score {' → '.join(means)}, as {path} has it"
    )


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
