"""The check station: is this environment ready to be submitted?

It goes through the submission list, whose boxes have a question, a function that looks, why it is asked, and what to
run. They look at the package, at the records of the run, at what is committed, at servers; what they answer is left
in ``check.json`` and ``check.md``. A box says GO or NO-GO where it has evidence, and NEEDS YOU with a command where
only its author can go on. What goes wrong inside of a box is that box's answer, so that one fault hides no other box.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.env.target import FolderTarget
from gonogo.errors import GonogoError, MissingExtra, Misuse, RecordError
from gonogo.records.files import write_text
from gonogo.records.provenance import provenance
from gonogo.records.record import Verdict
from gonogo.records.submission import BoxWord, CheckedBox, CheckReport
from gonogo.records.tables import TextTable, markdown, print_sheets
from gonogo.records.terminal import Terminal
from gonogo.records.training import TrainingReport
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
from gonogo.submission.check.presentation import (
    look_at_axes,
    look_at_baseline,
    look_at_before_after,
    look_at_links,
    look_at_model,
    look_at_plots,
    look_at_sections,
    look_at_writeup,
)
from gonogo.submission.check.rewards import look_at_components, look_at_exploits
from gonogo.submission.check.space import look_at_image, look_at_space, look_at_submission
from gonogo.submission.check.subject import BoxAnswer, Subject, needs_you, no_go

__all__ = ["BOXES", "PAGE", "TRAINING", "Box", "run"]

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


PAGE = "check.md"


def run(run: RunConfig) -> Verdict:
    """Go through the list, write the record and the page, print the table.

    Args:
        run: The config; its ``out`` holds the records of the other stations.

    Returns:
        GO where every box is, NO_GO where one is, else HOLD: it needs its author.

    Raises:
        Misuse: The target is no folder: what is submitted is a package.
        TargetError: There is no environment at the target.
    """
    target = Env.of(run).target
    if not isinstance(target, FolderTarget):
        raise Misuse(f"a submission is about a package: give its folder, not {run.target!r}")
    subject = Subject(run, target)
    console = Terminal(stderr=True)
    rows = []
    for number, box in enumerate(BOXES, start=1):
        with console.status(f"{number}/{len(BOXES)} {box.question}"):
            rows.append(row_of(box, answer(box, subject), subject))
    verdict, reason = judge(rows)
    record = CheckReport(
        target=run.target,
        environment=target.name,
        source_hash=subject.source,
        seed=run.seed,
        verdict=verdict,
        reason=reason,
        notes=(),
        boxes=tuple(rows),
        config=run.model_dump(mode="json", include={"rollout", "map", "check"}),
        **provenance(),
    )
    record.save(run.out)
    sheets = [sheet_of(record)]
    write_text(run.out / PAGE, markdown(f"Check of {target.name}", sheets, record))
    print_sheets(sheets, record, Terminal())
    return verdict


def answer(box: Box, subject: Subject) -> BoxAnswer:
    """A box's answer; what goes wrong on the way is one too."""
    try:
        return box.look(subject)
    except (RecordError, MissingExtra) as error:  # what is missing can be had
        return needs_you(said_by(error))
    except GonogoError as error:
        return no_go(said_by(error))
    except subprocess.TimeoutExpired as error:
        return needs_you(f"it did not end within {error.timeout:g} s")
    except subprocess.CalledProcessError as error:
        return needs_you(f"exit code {error.returncode}: {shlex.join(map(str, error.cmd))}")
    except (OSError, UnicodeDecodeError) as error:  # a file, or a program that is not installed
        return needs_you(said_by(error))


def said_by(error: Exception) -> str:
    """An error on one line."""
    return " ".join(str(error).split()) or type(error).__name__


def row_of(box: Box, found: BoxAnswer, subject: Subject) -> CheckedBox:
    """A box in the record."""
    command = None
    if found.word is BoxWord.NEEDS_YOU:
        command = found.command or filled(box.command, subject)
    return CheckedBox(
        name=box.name,
        question=box.question,
        why=box.why,
        answer=found.word,
        said=found.said,
        command=command,
        evidence=found.evidence,
    )


def filled(command: str, subject: Subject) -> str:
    """A box's command about this environment."""
    run = subject.run
    names = {"target": run.target, "out": str(run.out), "words": str(run.words)}
    words = {name: shlex.quote(value) for name, value in names.items()}
    split = "" if subject.split is None else f" --split {shlex.quote(subject.split)}"
    policies = ",".join(subject.breadth)
    trained = TrainingReport.path(run.trained_in).is_file()
    train = "" if trained else f"{TRAINING.format(**words)} && "
    return command.format(
        **words, check=subject.command, policies=policies, split=split, train=train
    )


def judge(rows: Sequence[CheckedBox]) -> tuple[Verdict, str]:
    """The verdict over all boxes, and its reason."""
    by_word = {word: [row for row in rows if row.answer is word] for word in BoxWord}
    counted = ", ".join(f"{len(found)} {word}" for word, found in by_word.items() if found)
    if no := by_word[BoxWord.NO_GO]:
        return Verdict.NO_GO, f"{counted}; not so: {'; '.join(row.question for row in no)}"
    if open_ := by_word[BoxWord.NEEDS_YOU]:
        return Verdict.HOLD, f"{counted}; open: {'; '.join(row.question for row in open_)}"
    return Verdict.GO, f"all {len(rows)} boxes"


def sheet_of(record: CheckReport) -> TextTable:
    """The table, and below it what to run for the boxes that need their author."""
    rows = [(row.question, row.answer, row.said) for row in record.boxes]
    commands: dict[str, list[str]] = {}
    for row in record.boxes:
        if row.command is not None:
            commands.setdefault(row.command, []).append(row.question)
    return TextTable("Submission", ("box", "answer", "evidence"), rows, commands)
