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
from importlib.resources import files

import yaml

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
from gonogo.submission.check import execution, package, presentation, rewards
from gonogo.submission.check.subject import BoxAnswer, Subject, needs_you, no_go

PAGE = "check.md"
LOOKS: dict[str, Callable[[Subject], BoxAnswer]] = {
    name.removeprefix("look_at_"): look
    for module in (package, execution, presentation, rewards)
    for name, look in vars(module).items()
    if name.startswith("look_at_")
}
"""Who looks, by the box's name: ``look_at_links`` at the box ``links``."""


@dataclass(frozen=True, slots=True)
class Box:
    """One box of the list.

    Attributes:
        name: Short, unique.
        question: What has to be so.
        why: Why a submission needs it.
        command: What to run where the box cannot tell; the list's file says what is filled in.
    """

    name: str
    question: str
    why: str
    command: str

    def look(self, subject: Subject) -> BoxAnswer:
        """Look, and answer."""
        return LOOKS[self.name](subject)


LIST = files(__package__).joinpath("checklist.yaml").read_text(encoding="utf-8")
BOXES = {entry["name"]: Box(**entry) for entry in yaml.safe_load(LIST)}
"""The list, in the order in which it is shown."""


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
    for number, box in enumerate(BOXES.values(), start=1):
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
    train = "" if trained else f"{BOXES['model'].command.format(**words)} && "
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
