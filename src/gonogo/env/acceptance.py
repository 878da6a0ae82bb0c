"""``gonogo.yaml`` beside an environment: findings that its author means to be so, each with a reason.

What is accepted stands in every record and report with its reason, and no gate counts it. The file is read whenever a
gate or a report runs, and is no part of the environment's source: to accept a finding needs no new audit. It is::

    accept:
      - finding: constant_answer_pays
        reason: a constant order is a fair beginning of this game
        task: {level: 1}          # of this task alone; without it, of all
        component: service        # of this component of the reward alone
        environment: Stockroom    # of this environment alone, where several share the file

It lies in the environment's folder; of a module beside it, of a server's URL in the working directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import yaml
from pydantic import ValidationError

from gonogo.env.target import FolderTarget, ImportTarget, Target, find_module, resolve
from gonogo.errors import ConfigError, Misuse
from gonogo.folder import read_text, read_yaml
from gonogo.nearest import nearest
from gonogo.records.files import write_text
from gonogo.records.findings import FINDINGS, AcceptedFinding, Finding
from gonogo.records.provenance import ACCEPTANCES
from gonogo.records.record import Part
from gonogo.wire import TaskOptions

NAMED = re.compile(r"([a-z]+(?:_[a-z]+)*)\s*=\s*(.*)", re.DOTALL)
"""A finding and its reason, as ``--accept`` takes them."""


class AcceptanceFile(Part):
    """What the file holds."""

    accept: tuple[AcceptedFinding, ...]


@dataclass(frozen=True, slots=True)
class Acceptances:
    """What an environment's author accepts.

    Attributes:
        file: Where it stands, or would.
        environment: The environment's name.
        entries: What is accepted of this environment.
    """

    file: Path
    environment: str
    entries: tuple[AcceptedFinding, ...] = ()

    def reason(self, finding: Finding) -> str | None:
        """Why a finding is accepted; None where it is not."""
        return next((each.reason for each in self.entries if covers(each, finding)), None)

    def over(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Findings with the reasons for which they are accepted now."""
        return tuple(f.model_copy(update={"accepted": self.reason(f)}) for f in findings)

    def notes(self, findings: Sequence[Finding]) -> Iterator[str]:
        """Which file accepts what was found."""
        named = {finding.id for finding in findings if finding.accepted is not None}
        if named:
            yield f"accepted by {self.file}: {', '.join(sorted(named))}"

    def unmatched(self, findings: Sequence[Finding]) -> Iterator[str]:
        """Which entries of the file are about none of all that was found, the map's findings among it."""
        idle = [e for e in self.entries if not any(covers(e, finding) for finding in findings)]
        if idle:
            yield f"{self.file} accepts what was not found: {'; '.join(map(described, idle))}"

    def plus(self, more: Sequence[AcceptedFinding], *, keep: bool = True) -> Acceptances:
        """The same with more, which is written into the file.

        Args:
            more: What is accepted beside.
            keep: Whether it is written.

        Raises:
            Misuse: The file cannot be written.
        """
        if more and keep:
            append(self.file, more)
        return replace(self, entries=(*self.entries, *more))

    def entry(self, finding: str, reason: str) -> AcceptedFinding:
        """What accepts a finding of this environment, whatever the task."""
        shared = not (self.file.parent / "openenv.yaml").is_file()
        return AcceptedFinding(
            finding=finding, reason=reason, environment=self.environment if shared else None
        )


def described(entry: AcceptedFinding) -> str:
    """What an entry is about, for a reader."""
    task = None if entry.task is None else f"task {entry.task}"
    component = None if entry.component is None else f"component {entry.component}"
    limits = ", ".join(filter(None, [task, component]))
    return f"{entry.finding} of {limits}" if limits else entry.finding


def covers(entry: AcceptedFinding, finding: Finding) -> bool:
    """Whether an entry of the file is about a finding."""
    task: TaskOptions = finding.task or {}
    return (
        entry.finding == finding.id
        and entry.component in {None, finding.component}
        and all(name in task and task[name] == value for name, value in (entry.task or {}).items())
    )


def acceptances(target: Target | str) -> Acceptances:
    """What is accepted of an environment.

    Args:
        target: The environment, or its address.

    Raises:
        TargetError: There is none at the address.
        ConfigError: The file breaks a rule; the message names the field.
    """
    one = resolve(target) if isinstance(target, str) else target
    places = [folder / ACCEPTANCES for folder in folders(one)]
    there = next((file for file in places if file.exists() or file.is_symlink()), None)
    if there is None:
        return Acceptances(places[-1], one.name)
    entries = (each for each in read(there) if each.environment in {None, one.name})
    return Acceptances(there, one.name, tuple(entries))


def folders(target: Target) -> list[Path]:
    """Where the file may lie, the nearest first; the last is where a new one goes."""
    if isinstance(target, FolderTarget):
        return [target.folder]
    file = find_module(target.path.partition(":")[0]) if isinstance(target, ImportTarget) else None
    return [Path.cwd()] if file is None else [file.parent, Path.cwd()]


def read(file: Path) -> tuple[AcceptedFinding, ...]:
    """What a file accepts.

    Raises:
        ConfigError: It breaks a rule; the message names the field.
    """
    try:
        body = read_yaml(file)
    except OSError as error:
        why = " ".join(str(error).removeprefix(f"{file}: ").split())
        raise ConfigError(f"{file} cannot be read: {why}") from None
    if not isinstance(body, dict):
        held = "nothing" if body is None else f"{body!r:.80}"
        raise ConfigError(f"{file} must hold a mapping with the list accept, not {held}")
    try:
        return AcceptanceFile.model_validate(body).accept
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        *above, name = map(str, first["loc"])
        fields = AcceptedFinding.model_fields if above else AcceptanceFile.model_fields
        said = {
            "tuple_type": "must be a list of entries",
            "model_type": "must be a mapping with the fields finding and reason",
            "dict_type": "must be a mapping, such as {level: 1}",
            "missing": "is missing",
            "extra_forbidden": f"is no field; there are {', '.join(fields)}{nearest(name, fields)}",
        }.get(first["type"], first["msg"].removeprefix("Value error, "))
        raise ConfigError(f"{file}: {'.'.join([*above, name])}: {said}") from None


def asked(given: str) -> tuple[str | None, str]:
    """What ``--accept`` was given: a finding, or None for all that are found, and the reason.

    Args:
        given: ``REASON`` or ``FINDING=REASON``.

    Raises:
        Misuse: There is no such finding, or no reason.
    """
    named = NAMED.fullmatch(given.strip())
    finding, said = named.groups() if named else (None, given)
    if finding is not None and finding not in FINDINGS:
        raise Misuse(f"--accept: no finding is called {finding!r}{nearest(finding, FINDINGS)}")
    if not said.strip():
        raise Misuse(
            "--accept: a reason stands in every record that follows: an empty text is none"
        )
    return finding, " ".join(said.split())


def append(file: Path, entries: Sequence[AcceptedFinding]) -> None:
    """Write more entries at the end of a file, whose comments stay; it is made where there is none.

    Raises:
        Misuse: It cannot be written.
        ConfigError: What is there breaks a rule.
    """
    more = [entry.model_dump(mode="json") for entry in entries]
    before = read(file) if file.exists() else ()
    text = read_text(file) if before else ""
    list_of = listed(text)
    if before and list_of is None:  # a list within brackets cannot be gone on with
        more, text = [*(entry.model_dump(mode="json") for entry in before), *more], ""
    if not text:
        text, list_of = "accept:\n", 2
    written = yaml.safe_dump(more, allow_unicode=True, sort_keys=False, width=100)
    indent = " " * (list_of or 0)
    body = "".join(f"{indent}{line}\n" for line in written.splitlines())
    try:
        write_text(file, f"{text.rstrip()}\n{body}")
    except OSError as error:
        raise Misuse(f"{file} cannot be written: {error.strerror or error}") from None


def listed(text: str) -> int | None:
    """The column of the items of a document's list, where it can be gone on with at its end; else None."""
    root = yaml.compose(text, yaml.SafeLoader)
    values = [value for _, value in root.value] if isinstance(root, yaml.MappingNode) else []
    last = values[-1] if values else None
    block = isinstance(last, yaml.SequenceNode) and not last.flow_style
    return last.start_mark.column if block and last is not None else None
