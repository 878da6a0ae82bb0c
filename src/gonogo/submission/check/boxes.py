"""The submission list: every box with its question, the function that looks, why it is asked, and what to run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gonogo.submission.check.answers import BoxAnswer
from gonogo.submission.check.notebook import look_at_notebook
from gonogo.submission.check.package import (
    look_at_base_class,
    look_at_client,
    look_at_contract,
    look_at_files,
    look_at_manifest,
    look_at_release,
    look_at_tools,
)
from gonogo.submission.check.page import (
    look_at_before_after,
    look_at_links,
    look_at_sections,
    look_at_writeup,
)
from gonogo.submission.check.results import (
    look_at_axes,
    look_at_baseline,
    look_at_model,
    look_at_plots,
)
from gonogo.submission.check.rewards import look_at_components, look_at_exploits
from gonogo.submission.check.space import look_at_image, look_at_space, look_at_submission
from gonogo.submission.check.subject import Subject

__all__ = ["BOXES", "TRAINING", "Box"]

MAP = "gonogo map {target} --out {out}"
EVALUATE = "{train}gonogo evaluate {target} --out {out} --policies idle,random,untrained,trained"
PUBLISH = "gonogo publish {out} {target}/README.md --plots {target}/plots"
README = "gonogo report {out} --readme {target}/README.md --words {words}"
TRAINING = "gonogo train {target} --out {out} --config FILE"


@dataclass(frozen=True, slots=True)
class Box:
    """One box of the list.

    Attributes:
        name: Short, unique.
        question: What has to be so.
        look: Looks, and answers.
        why: Why a submission needs it.
        command: What to run where the box cannot tell; ``{target}``, ``{out}``, ``{words}``, ``{policies}``,
            ``{split}``, ``{check}`` for the present command, and ``{train}`` for what has to be run first where
            no model was trained, are filled in.
    """

    name: str
    question: str
    look: Callable[[Subject], BoxAnswer]
    why: str
    command: str


BOXES: tuple[Box, ...] = (
    Box(
        "release",
        "the OpenEnv release is the newest that the registry shows",
        look_at_release,
        "required of an entry",
        "python -m pip index versions openenv",
    ),
    Box(
        "manifest",
        "openenv.yaml is valid and the package complete",
        look_at_manifest,
        "openenv push and openenv validate refuse others",
        "openenv validate {target}",
    ),
    Box(
        "base_class",
        "the environment's base class is Environment or MCPEnvironment",
        look_at_base_class,
        "OpenEnv's server serves nothing else",
        MAP,
    ),
    Box(
        "client",
        "the client imports nothing of the server",
        look_at_client,
        "a trainer installs the client and not the server",
        MAP,
    ),
    Box(
        "contract",
        "reset, step and state keep their contract",
        look_at_contract,
        "a trainer relies on it",
        MAP,
    ),
    Box(
        "tools",
        "no tool is named reset, step, state or close",
        look_at_tools,
        "OpenEnv reserves these names",
        MAP,
    ),
    Box(
        "files",
        "no large video or model files are in the folder",
        look_at_files,
        "a Space is cloned by everyone who tries it",
        "du -ah {target} | sort -h | tail",
    ),
    Box(
        "image",
        "the container image builds, starts and plays",
        look_at_image,
        "a Space is this image",
        "openenv build {target}",
    ),
    Box(
        "space",
        "the Space answers /health and plays an episode",
        look_at_space,
        "judges try the environment there",
        "openenv push {target} && {check} --space URL",
    ),
    Box(
        "submission",
        "the submission's URL is the Space's",
        look_at_submission,
        "another URL is another entry",
        "{check} --space URL --submission URL",
    ),
    Box(
        "notebook",
        "the notebook runs from top to bottom",
        look_at_notebook,
        "anyone must be able to train again",
        "{check} --notebook FILE",
    ),
    Box(
        "plots",
        "the reward curve and the plot before and after are committed",
        look_at_plots,
        "a link to a tracker is no evidence when the tracker is gone",
        f"{EVALUATE} && {PUBLISH}",
    ),
    Box(
        "axes",
        "the plots' axes are labelled",
        look_at_axes,
        "a curve without units says nothing",
        f"{EVALUATE} && {PUBLISH}",
    ),
    Box(
        "baseline",
        "a baseline is measured and on the same axes",
        look_at_baseline,
        "an improvement is one over something",
        f"{EVALUATE} && {PUBLISH}",
    ),
    Box(
        "before_after",
        "before and after are in the README",
        look_at_before_after,
        "what the agent learned is a fifth of the judgement",
        f"{EVALUATE} && {PUBLISH}",
    ),
    Box(
        "sections",
        "the README has the six sections",
        look_at_sections,
        "a stranger understands the entry by them",
        README,
    ),
    Box(
        "writeup",
        "a writeup or video is linked",
        look_at_writeup,
        "storytelling is nearly a third of the judgement",
        "gonogo report {out} --writeup {target}/writeup.md --words {words}",
    ),
    Box(
        "links",
        "the README links the Space, the notebook, a writeup or video, and the tracker's run",
        look_at_links,
        "required of an entry",
        "fill in links in {words}, then " + README,
    ),
    Box(
        "components",
        "at least four reward components are independent",
        look_at_components,
        "a reward of one number in four names is easy to game",
        "gonogo rollout {target} --out {out} --policies {policies}{split} --episodes 40",
    ),
    Box(
        "exploits",
        "each component has exploits and guards that run",
        look_at_exploits,
        "a guard that nothing runs into guards nothing",
        "gonogo reward {target} --out {out}",
    ),
    Box(
        "model",
        "the model was saved by the safe path and its inference tested",
        look_at_model,
        "merging a LoRA into 4 bit quietly ruins a model",
        TRAINING,
    ),
)
"""The list, in the order in which it is shown."""
