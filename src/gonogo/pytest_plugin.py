"""``pytest --gonogo TARGET``: the audit's findings as tests, beside those that an environment has.

Each gate is a test: one for each severity that is NO-GO, and one for the verdict. The first that runs audits the
target, in a process of its own; the others read its record. A finding that ``gonogo.yaml`` accepts fails nothing.
Without the option nothing of gonogo's but this module is imported.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest._code.code import ExceptionInfo, TerminalRepr

    from gonogo.records.audit import AuditReport

GATES = ("contract", "pays without an effort", "proven exploit")
"""Severities that are NO-GO."""
VERDICT = "verdict"
SHOWN_CHARS = 4000
Audits = dict[str, "AuditReport | str"]
AUDITS = pytest.StashKey[Audits]()


class FailedGate(Exception):
    """What a gate does not let through, for a reader."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    group = parser.getgroup("gonogo", "gonogo: what an environment's reward pays for")
    group.addoption(
        "--gonogo",
        action="append",
        default=[],
        metavar="TARGET",
        help="audit an environment, as gonogo audit TARGET does; may be given several times",
    )
    group.addoption(
        "--gonogo-args",
        default="",
        metavar="WORDS",
        help="further words for gonogo audit, as in its --help",
    )
    group.addoption(
        "--gonogo-fail-on",
        choices=["no-go", "hold"],
        default="no-go",
        help="hold fails the verdict's test also where the audit cannot tell",
    )
    group.addoption(
        "--gonogo-out",
        metavar="FOLDER",
        help="folder for the records, one below it for each target; temporary if left out",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the gates of each target."""
    config.stash[AUDITS] = {}
    for number, target in enumerate(config.getoption("--gonogo")):
        for gate in (*GATES, VERDICT):
            name = f"gonogo[{target}: {gate}]"
            item = Gate.from_parent(session, name=name)
            item.aim(target, number, gate)
            items.append(item)


class Gate(pytest.Item):
    """One gate of one target's audit."""

    def aim(self, target: str, number: int, gate: str) -> None:
        """Say what it is about.

        Args:
            target: The environment.
            number: Its place among the targets.
            gate: A severity, or :data:`VERDICT`.
        """
        self._target, self._number, self._gate = target, number, gate

    def runtest(self) -> None:
        """Fail where a finding of its severity stands, or where the audit came to no verdict.

        Raises:
            FailedGate: It does.
        """
        known = self.config.stash[AUDITS]
        if self._target not in known:
            known[self._target] = self._audit()
        report = known[self._target]
        if isinstance(report, str):
            raise FailedGate(report)
        if self._gate == VERDICT:
            self._judge(report)
            return
        found = [f for f in report.findings if f.severity.value == self._gate]
        for finding in found:
            if finding.accepted is not None:
                said = f"{finding.id} is accepted: {finding.accepted}"
                self.add_report_section("call", "gonogo", said)
        from gonogo.auditing.report import told

        if lines := [line for f in found if f.blocks for line in told(f)]:
            raise FailedGate("\n".join(lines))

    def repr_failure(
        self, excinfo: ExceptionInfo[BaseException], style: object = None
    ) -> str | TerminalRepr:
        """What does not pass, without a traceback of gonogo's."""
        if isinstance(excinfo.value, FailedGate):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it stands in a report."""
        return self.path, None, self.name

    def _judge(self, report: AuditReport) -> None:
        """The verdict's own gate: findings have theirs."""
        said = f"{report.verdict.name}: {report.reason}"
        self.add_report_section("call", "gonogo", said)
        if report.verdict.name == "HOLD" and self.config.getoption("--gonogo-fail-on") == "hold":
            raise FailedGate(said)

    def _audit(self) -> AuditReport | str:
        """The target's audit; what was printed where it came to no verdict."""
        given = self.config.getoption("--gonogo-out")
        if given is not None:
            return self._audit_into(Path(given) / str(self._number))
        with tempfile.TemporaryDirectory(prefix="gonogo-") as folder:
            return self._audit_into(Path(folder) / str(self._number))

    def _audit_into(self, folder: Path) -> AuditReport | str:
        """The same, with its records in a folder; what an audit before it left there counts for nothing."""
        from gonogo.records.audit import AuditReport

        file = AuditReport.path(folder)
        before = file.stat().st_mtime_ns if file.is_file() else None
        words = [*shlex.split(self.config.getoption("--gonogo-args")), "--out", str(folder)]
        command = [sys.executable, "-m", "gonogo", "audit", self._target, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if file.is_file() and file.stat().st_mtime_ns != before:
            return AuditReport.load(folder)
        printed = "\n".join(lines_of(done.stdout, done.stderr))
        return (
            f"the audit came to no verdict: exit code {done.returncode}\n{printed[-SHOWN_CHARS:]}"
        )


def lines_of(*printed: str) -> Iterator[str]:
    """The lines of what was printed that are not empty."""
    for text in printed:
        yield from (line for line in text.splitlines() if line.strip())
