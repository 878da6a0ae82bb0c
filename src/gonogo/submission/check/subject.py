"""What the boxes look at, an environment's folder, its README and the records of its run; and what a box may answer."""

from __future__ import annotations

import itertools
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from gonogo.config import RolloutConfig, RunConfig
from gonogo.contract.check_env import accepting
from gonogo.env.acceptance import acceptances
from gonogo.env.target import FolderTarget
from gonogo.env.variables import child_environment
from gonogo.errors import MissingRecord, RecordError
from gonogo.folder import read_text, walk
from gonogo.policies.named import untaught
from gonogo.records.contract import ContractReport
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.provenance import source_hash
from gonogo.records.submission import BoxEvidence, BoxWord
from gonogo.rollouts.builtin_policies import CARELESS

PLOTS = ("reward_curve.png", "before_after.png")
"""What ``gonogo evaluate`` draws."""
BUILT_IN = ("idle", "random")
"""Names of policies that a slip leaves as they are."""
HTML_LINK = re.compile(r"""<(a|img|video|source)\b[^>]*?\b(?:href|src)=["']([^"']+)["']""", re.I)
BARE_URL = re.compile(r"""https?://[^\s<>)"'\]]+""")
NOTHING_MORE = BoxEvidence()


@dataclass(frozen=True, slots=True)
class BoxAnswer:
    """What a box says, and why.

    Attributes:
        word: The answer.
        said: The evidence in one sentence.
        command: What to run, where the box's own command is not it; else None.
        evidence: The evidence as data.
    """

    word: BoxWord
    said: str
    command: str | None = None
    evidence: BoxEvidence = NOTHING_MORE


def go(said: str, evidence: BoxEvidence = NOTHING_MORE) -> BoxAnswer:
    """It is so."""
    return BoxAnswer(BoxWord.GO, said, None, evidence)


def no_go(said: str, evidence: BoxEvidence = NOTHING_MORE) -> BoxAnswer:
    """It is not so."""
    return BoxAnswer(BoxWord.NO_GO, said, None, evidence)


def needs_you(
    said: str, command: str | None = None, evidence: BoxEvidence = NOTHING_MORE
) -> BoxAnswer:
    """It cannot be told from here."""
    return BoxAnswer(BoxWord.NEEDS_YOU, said, command, evidence)


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a README.

    Attributes:
        to: As it is written.
        image: Whether it shows a picture.
    """

    to: str
    image: bool

    @property
    def local(self) -> bool:
        """Whether it is a path of the repository."""
        return "://" not in self.to and not self.to.startswith(("#", "mailto:"))


def headings_of(text: str) -> list[str]:
    """The headings of the first three ranks, without marks."""
    tokens = parsed(text)
    return [
        "".join(part.content for part in inline.children or ())
        for opened, inline in itertools.pairwise(tokens)
        if opened.type == "heading_open" and opened.tag in ("h1", "h2", "h3")
    ]


def links_of(text: str) -> list[Link]:
    """Links, pictures, and bare addresses, each once; none of those in code."""
    tokens = [part for token in parsed(text) for part in (token, *(token.children or ()))]
    return list(dict.fromkeys(link for token in tokens for link in leads(token)))


def parsed(text: str) -> list[Token]:
    """A text's blocks, with tables as GitHub and the hub read them."""
    return MarkdownIt("commonmark").enable("table").parse(text)


def leads(token: Token) -> Iterator[Link]:
    """Where a token leads."""
    match token.type:
        case "link_open":
            yield Link(str(token.attrs["href"]), image=False)
        case "image":
            yield Link(str(token.attrs["src"]), image=True)
        case "html_inline" | "html_block":
            for tag, to in HTML_LINK.findall(token.content):
                yield Link(to, tag.lower() == "img")
        case "text":
            for to in BARE_URL.findall(token.content):
                yield Link(to.rstrip(".,;:"), image=False)


class Subject:
    """An environment before its submission.

    Args:
        run: The config; its ``out`` holds the run's records.
        target: The environment's folder.
    """

    def __init__(self, run: RunConfig, target: FolderTarget) -> None:
        self.run, self.target = run, target

    @property
    def command(self) -> str:
        """The command that checks this environment."""
        words = ["gonogo", "check", self.run.target, "--out", str(self.run.out)]
        if (notebook := self.run.check.notebook) is not None:
            words += ["--notebook", str(notebook)]
        return shlex.join(words)

    @property
    def alone(self) -> RolloutConfig:
        """How the environment is flown by itself: one episode at once."""
        return self.run.rollout.model_copy(update={"slots": 1})

    @property
    def folder(self) -> Path:
        """The environment's folder."""
        return self.target.folder

    @property
    def breadth(self) -> list[str]:
        """The policies whose episodes between them show what the reward's components tell apart.

        Those that come with the environment succeed or fail cleanly, and what a refused or needless action costs
        shows in neither: each of them is flown with slips too.
        """
        plain = list(untaught(self.target))
        able = [name for name in plain if name not in BUILT_IN]
        return [*plain, *(f"{name}{CARELESS}" for name in able)]

    @property
    def split(self) -> str | None:
        """A split of tasks that the map found; None where there is no map, or it found none."""
        try:
            splits = self.map.tasks.splits
        except RecordError:
            return None
        return splits[0].name if splits else None

    @cached_property
    def source(self) -> str:
        """Hash of the environment's present source."""
        return source_hash(self.folder)

    @cached_property
    def readme(self) -> str:
        """The environment's README.

        Raises:
            MissingRecord: There is none.
        """
        try:
            return read_text(self.folder / "README.md")
        except OSError as error:
            raise MissingRecord(f"README.md cannot be read: {error}") from error

    @cached_property
    def links(self) -> list[Link]:
        """The README's links, without those in code.

        Raises:
            MissingRecord: There is no README.
        """
        return links_of(self.readme)

    @property
    def links_there(self) -> list[Link]:
        """The README's links; none where there is no README."""
        try:
            return self.links
        except MissingRecord:
            return []

    def file_of(self, link: Link) -> Path:
        """The file that a local link means."""
        return (self.folder / unquote(link.to.partition("#")[0].partition("?")[0])).resolve()

    def below(self, name: str) -> list[Path]:
        """Files of a name below the folder, without those in hidden folders; a pattern fits several."""
        found = walk(self.folder, lambda entry: entry.startswith("."))
        return [path for path in found.files if path.match(name)]

    @cached_property
    def repository(self) -> Path | None:
        """Root of the git repository that the folder lies in; None where it lies in none."""
        answer = self.git("rev-parse", "--show-toplevel")
        return Path(answer.stdout.strip()) if answer.returncode == 0 else None

    def git(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Ask git in the environment's folder, whose settings may run programs: it gets no keys.

        Raises:
            OSError: git is not installed.
        """
        return subprocess.run(
            ["git", "-C", str(self.folder), *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env=child_environment() | {"HOME": os.path.expanduser("~")},
        )

    def uncommitted(self, path: Path) -> str | None:
        """Why a file is not in the repository as it lies here; None where it is."""
        if self.repository is None:
            return "the folder is in no git repository"
        if self.git("ls-files", "--error-unmatch", "--", str(path)).returncode != 0:
            return "it is not committed"
        if self.git("diff", "--quiet", "HEAD", "--", str(path)).returncode != 0:
            return "it was changed after it was committed"
        return None

    @cached_property
    def map(self) -> ContractReport:
        """The run's map of the environment as it is now.

        Raises:
            RecordError: There is none.
        """
        record = ContractReport.load(self.run.out, self.source)
        return accepting(record, acceptances(self.run.target))

    @cached_property
    def evaluation(self) -> tuple[EvaluationReport, Path]:
        """The evaluation and its file: the one that is published beside the plots, else the run's.

        Raises:
            RecordError: There is none of the environment as it is now.
        """
        places = [*(plot.parent for plot in self.plots.values()), self.run.out]
        paths = [EvaluationReport.path(place) for place in places]
        path = next((each for each in paths if each.is_file()), paths[-1])
        return EvaluationReport.load(path.parent, self.source), path

    @cached_property
    def plots(self) -> dict[str, Path]:
        """The two plots by name, where the README shows them or the folder has them."""
        images = [link for link in self.links_there if link.image and link.local]
        shown = [path for path in map(self.file_of, images) if path.is_file()]
        found = {
            name: [*(path for path in shown if path.name == name), *self.below(name)]
            for name in PLOTS
        }
        return {name: paths[0] for name, paths in found.items() if paths}


def mean_score(record: EvaluationReport, where: Path, name: str) -> float:
    """Mean score of a policy.

    Args:
        record: The evaluation's.
        where: Its file, for the error.
        name: The policy's.

    Raises:
        RecordError: It was not flown, or none of its episodes has a score.
    """
    entry = record.policies.get(name)
    if entry is None or entry.score.mean is None:
        raise RecordError(
            f"{where}: the field policies.{name}.score.mean must be a float, not None"
        )
    return entry.score.mean
