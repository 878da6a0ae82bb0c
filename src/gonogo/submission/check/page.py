"""Boxes about the README: its sections, its links, the numbers before and after."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gonogo.records.submission import DeadLinks, MissingParts
from gonogo.reporting.markers import SECTIONS, begin_of, end_of, marks_in
from gonogo.rollouts.summary import BASELINE, CANDIDATE
from gonogo.submission.check.answers import BoxAnswer, go, no_go
from gonogo.submission.check.readme import Link, headings_of
from gonogo.submission.check.subject import Subject, mean_score

__all__ = ["look_at_before_after", "look_at_links", "look_at_sections", "look_at_writeup"]

SPACE = r"huggingface\.co/spaces/[\w.-]+/[\w.-]+|[\w-]+\.hf\.space"
NOTEBOOK = r"\.ipynb(#.*)?$|colab\.research\.google\.com"
WRITEUP = (
    r"writeup[\w-]*\.md|youtube\.com/|youtu\.be/|vimeo\.com/|loom\.com/|huggingface\.co/blog/|medium\.com/"
    r"|\.(mp4|webm|mov|gif|pdf|pptx)(#.*)?$|docs\.google\.com/presentation"
)
TRACKER = r"wandb\.ai/|trackio|tensorboard|comet\.com/|mlflow"
WANTED = {
    "the Space": SPACE,
    "the notebook": NOTEBOOK,
    "a writeup or video": WRITEUP,
    "the tracker's run": TRACKER,
}


def look_at_sections(subject: Subject) -> BoxAnswer:
    """Whether the README has the six sections."""
    found = [title.casefold() for title in headings_of(subject.readme)]
    missing = [name for name in SECTIONS.values() if name.casefold() not in found]
    if missing:
        return no_go(
            f"README.md has no section {', '.join(missing)}; gonogo report --readme writes what stands between "
            f"lines as {begin_of('problem')} and {end_of('problem')}, and a new file whole",
            MissingParts(missing=tuple(missing)),
        )
    return go(f"README.md has {', '.join(SECTIONS.values())}")


def fitting(links: Sequence[Link], pattern: str) -> list[Link]:
    """Links that are of a kind."""
    return [link for link in links if re.search(pattern, link.to, re.IGNORECASE)]


def dead(subject: Subject, links: Sequence[Link]) -> list[str]:
    """Local links that lead nowhere."""
    return [each.to for each in links if each.local and not subject.file_of(each).exists()]


def look_at_links(subject: Subject) -> BoxAnswer:
    """Whether the README links the Space, the notebook, a writeup or video, and the tracker's run."""
    found = {what: fitting(subject.links, pattern) for what, pattern in WANTED.items()}
    missing = [what for what, links in found.items() if not links]
    if missing:
        return no_go(
            f"README.md does not link: {', '.join(missing)}", MissingParts(missing=tuple(missing))
        )
    if nowhere := dead(subject, subject.links):
        return no_go(
            f"README.md links what is not there: {', '.join(nowhere)}",
            DeadLinks(dead=tuple(nowhere)),
        )
    return go(", ".join(f"{what}: {links[0].to}" for what, links in found.items()))


def look_at_writeup(subject: Subject) -> BoxAnswer:
    """Whether the README links a writeup, a video or slides."""
    found = fitting(subject.links, WRITEUP)
    if not found:
        return no_go("README.md links no writeup, video or slides; gonogo report writes a writeup")
    if nowhere := dead(subject, found):
        return no_go(
            f"README.md links what is not there: {', '.join(nowhere)}",
            DeadLinks(dead=tuple(nowhere)),
        )
    return go(f"linked: {', '.join(link.to for link in found)}")


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
