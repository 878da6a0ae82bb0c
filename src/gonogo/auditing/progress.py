"""How far an audit is, for whoever waits, and whether it is to stop.

At a terminal the bars count flights, or turns where these are flown elsewhere. Everywhere else, as in a log, a line
comes to stderr after five seconds and then every ten: what is gone of the time, the verdict so far, and of each task
what flies, what is proven and what is suspected.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from gonogo.records.audit import names_of
from gonogo.records.findings import Finding
from gonogo.records.tables import cut
from gonogo.records.terminal import Terminal
from gonogo.rollouts.watch import Heartbeat, Watch

MOST_CHARS = 60


class AuditProgress:
    """The progress of all the tasks of an audit, shown until it is closed.

    Args:
        counts: What the bars count.
        watch: The clock; None where nobody is told of it.
        known: What was found before, as by the map.
    """

    def __init__(
        self,
        counts: str = "flights",
        watch: Watch | None = None,
        known: Sequence[Finding] = (),
    ) -> None:
        console = Terminal(stderr=True)
        columns = (TextColumn("{task.description}", markup=False), BarColumn())
        self._bar = Progress(
            *columns,
            TextColumn(f"{{task.completed:.0f}} of about {{task.total:.0f}} {counts}, left"),
            TimeRemainingColumn(),
            TextColumn("gone"),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._watch = watch or Watch()
        self._stop = threading.Event()
        self._known = [*known]
        self._parts: dict[str, TaskProgress] = {}
        self._bar.start()
        self._heartbeat = None if watch is None else Heartbeat(self.said, console, watch)

    def close(self) -> None:
        """Show no more."""
        if self._heartbeat is not None:
            self._heartbeat.close()
        self._bar.stop()

    def part(self, name: str) -> TaskProgress:
        """A bar of its own for a task; the one that it has, where it had a turn before."""
        if name not in self._parts:
            bar = self._bar.add_task(name, total=0, start=False)
            self._parts[name] = TaskProgress(self._bar, bar, self._stop, name)
        return self._parts[name]

    def stop(self) -> None:
        """Let every flight end at its next step."""
        self._stop.set()

    def said(self) -> str:
        """How far everything is, and the verdict so far, on one line."""
        parts = [*self._parts.items()]
        found = [*self._known, *(finding for _, part in parts for finding in part.proven)]
        blocking = names_of(finding for finding in found if finding.blocks)
        verdict = f"so far NO-GO: {blocking}" if blocking else "so far nothing is proven"
        flies = [f"{name}: {part.said}" for name, part in parts if part.said]
        return "; ".join([f"audit, {self._watch.shown}", verdict, *flies])


class TaskProgress:
    """The progress of one task; made by :meth:`AuditProgress.part`.

    Attributes:
        proven: What was found so far.
    """

    def __init__(self, bar: Progress, task: TaskID, stop: threading.Event, name: str) -> None:
        self._bar, self._task, self._stop, self._name = bar, task, stop, name
        self._expected = self._done = 0.0
        self._stage = ""
        self._suspected: list[str] = []
        self.proven: list[Finding] = []

    @property
    def said(self) -> str:
        """What flies, what is proven and what is suspected; empty before anything flies."""
        if not self._stage:
            return ""
        words = [f"{self._stage}, {self._done:.0f} flights"]
        proven = {finding.id for finding in self.proven}
        words += [f"{len(proven)} proven: {names_of(self.proven)}"] if proven else []
        suspected = ", ".join(self._suspected)
        words += [f"{len(self._suspected)} suspected: {suspected}"] if suspected else []
        return ", ".join(words)

    def flying(self, stage: str) -> None:
        """A stage of the task is flown."""
        self._stage = stage
        self._describe()

    def suspects(self, names: Sequence[str]) -> None:
        """So much is suspected, and not proven yet."""
        self._suspected = [*names]
        self._describe()

    def proves(self, findings: Sequence[Finding]) -> None:
        """So much is proven."""
        self.proven = [*findings]
        known = {finding.id for finding in findings}
        self._suspected = [name for name in self._suspected if name not in known]
        self._describe()

    def _describe(self) -> None:
        """Show what flies, how much is suspected and what is proven beside the bar."""
        found = [f"{len(self._suspected)} suspected"] if self._suspected else []
        found += [f"proven: {names_of(self.proven)}"] if self.proven else []
        more = f" ({', '.join(found)})" if found else ""
        said = cut(f"{self._name}: {self._stage}{more}", MOST_CHARS)
        self._bar.update(self._task, description=said)

    def expect(self, flights: float) -> None:
        """So many flights more will be flown, about."""
        self._expected += flights
        self._bar.start_task(self._task)
        self._bar.update(self._task, total=self._expected)

    def advance(self, flights: float = 1.0) -> None:
        """So many flights have been flown."""
        self._done += flights
        self._bar.update(self._task, completed=min(self._done, self._expected))

    def finish(self) -> None:
        """What was expected and did not come will not come."""
        self._done = self._expected
        self.advance(0)

    def check(self, _: object = None) -> None:
        """End here if the audit is to stop.

        Raises:
            KeyboardInterrupt: It is.
        """
        if self._stop.is_set():
            raise KeyboardInterrupt
