"""The tasks of an audit, side by side: as many at once as the config says, or over Ray.

Each task is audited by processes of its own, so that a record depends neither on how many are audited at once nor
on where. Several tasks take turns, as :mod:`gonogo.auditing.budget` says: a task's turn reads the task's log up to its
end, and goes on. Over Ray a worker does a turn, and writes the task's log where the driver would. So a worker that is
killed costs the flight that it was in: the one that does the turn again reads the others.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from gonogo.auditing.budget import Limit, allowed, counted, share_of
from gonogo.auditing.flight_log import FlightLog, fingerprint_of, log_in_use
from gonogo.auditing.outcome import Outcome, audit_task
from gonogo.auditing.progress import AuditProgress, TaskProgress
from gonogo.auditing.session import AuditContext, ReadCode
from gonogo.auditing.success_judge import SuccessJudge
from gonogo.config import RunConfig
from gonogo.contract.sources import Sources
from gonogo.env.environment import Env
from gonogo.errors import Misuse
from gonogo.records.contract import ContractReport
from gonogo.records.findings import Finding
from gonogo.records.provenance import AuditorFingerprint, provenance
from gonogo.rollouts.watch import Watch
from gonogo.runners.runner import check_ray
from gonogo.wire import TaskOptions

CLOSING_S, CLOSING = 4.5, 0.04
"""Seconds that are left at the end of the time, for processes to end and the record to be written; at most that share
of it."""


class TaskTurn(NamedTuple):
    """A task's turn.

    Attributes:
        number: Its place among the audit's tasks.
        task: Its reset options.
        most: What it may have spent at the turn's end; None without end.
        seconds: What is left of the audit's time; None without end.
        gone: How much of it is gone.
    """

    number: int
    task: TaskOptions
    most: int | None
    seconds: float | None
    gone: float


def audit_tasks(
    run: RunConfig,
    env: Env,
    card: ContractReport,
    tasks: Sequence[TaskOptions],
    seeds: Sequence[int],
    logs: Path,
    guides: Sequence[str] = (),
    watch: Watch | None = None,
    *,
    over_ray: bool,
) -> list[Outcome | None]:
    """Audit every task, as far as the clock or the budget goes.

    Args:
        run: The config.
        env: The environment.
        card: The map.
        tasks: Reset options of each task, without a seed.
        seeds: The survey's, then as many fresh ones.
        logs: The folder for the tasks' logs.
        guides: Names of policies, given to the environment as objects, that are meant to succeed.
        watch: The clock; None for one that never ends. A budget of the config takes its place.
        over_ray: Whether Ray's workers audit them, as many at once as there are, instead of this process.

    Returns:
        The outcomes in the tasks' order; None of a task whose turn did not come.

    Raises:
        MissingExtra: The ``ray`` extra is not installed.
        Misuse: The target cannot be audited over Ray.
        KeyboardInterrupt: The user ended it; what was flown is written down.
    """
    watch = flown_within(watch or Watch())
    if run.audit.budget is not None:
        watch = Watch(None, watch.began)
    rounds = Rounds(run.audit.budget, watch, tasks)
    if over_ray:
        return by_workers(run, partial(Auditor, run, card, seeds, logs), rounds, card.findings)
    auditor = Auditor(run, card, seeds, logs, env, guides)
    return by_threads(auditor, rounds, run.audit.jobs, card.findings)


def flown_within(watch: Watch) -> Watch:
    """The clock of the flights: it ends a little sooner than the command's, for the record is still to be written."""
    if watch.seconds is None:
        return watch
    return Watch(watch.seconds - min(CLOSING_S, CLOSING * watch.seconds), watch.began)


Audit = Callable[[Sequence[TaskTurn]], list[Outcome]]
"""Does some turns, side by side or one after another."""


class Rounds:
    """The turns of an audit's tasks.

    Args:
        budget: What all tasks may spend; None without end.
        watch: The clock.
        tasks: Reset options of each task.

    Attributes:
        watch: The clock.
        outcomes: What each task came to so far; None of one whose turn has not come.
    """

    def __init__(self, budget: int | None, watch: Watch, tasks: Sequence[TaskOptions]) -> None:
        self._budget, self.watch, self._tasks = budget, watch, tasks
        self.outcomes: list[Outcome | None] = [None] * len(tasks)

    @property
    def spent(self) -> list[int]:
        """What each task has spent, as far as it counts."""
        return [0 if outcome is None else outcome.spent for outcome in self.outcomes]

    @property
    def left(self) -> int | None:
        """What is left of the budget; None without end."""
        return None if self._budget is None else max(0, self._budget - sum(self.spent))

    @property
    def over(self) -> bool:
        """Whether nothing more is to be flown."""
        done = all(outcome is not None and outcome.exhausted for outcome in self.outcomes)
        return done or self.watch.out or self.left == 0

    def fly(self, audit: Audit, together: int) -> list[Outcome | None]:
        """Let the tasks take turns until the clock, the budget or their flights are at an end.

        Args:
            audit: Does turns.
            together: How many it is given at once.

        Returns:
            The outcomes in the tasks' order; None of a task whose turn did not come.
        """
        number = 0
        while not self.over:
            waiting = [n for n, o in enumerate(self.outcomes) if o is None or not o.exhausted]
            for start in range(0, len(waiting), together):
                if not self.over:
                    self._round(audit, waiting[start : start + together], number)
            number += 1
        return self.outcomes

    def _round(self, audit: Audit, numbers: Sequence[int], number: int) -> None:
        """Turns side by side; of what they flew counts what they would have flown one after another."""
        before, left = [self.spent[n] for n in numbers], self.left
        shares = [share_of(number, n, len(self._tasks)) for n in numbers]
        mosts = [allowed(was, share, left) for was, share in zip(before, shares, strict=True)]
        found = audit([self._turn(n, most) for n, most in zip(numbers, mosts, strict=True)])
        ended = [
            outcome.exhausted or (most is not None and outcome.spent >= most)
            for outcome, most in zip(found, mosts, strict=True)
        ]
        after = counted(before, [outcome.spent for outcome in found], ended, left)
        for n, was, now, most, outcome in zip(numbers, before, after, mosts, found, strict=True):
            # A turn that was to end there ended there, whatever its last flight spent beyond it.
            if now in {outcome.spent, most}:
                self.outcomes[n] = outcome
            elif now > was:  # it flew beyond the budget's end: its log is read up to there
                (self.outcomes[n],) = audit([self._turn(n, now, endless=True)])

    def _turn(self, number: int, most: int | None, *, endless: bool = False) -> TaskTurn:
        seconds = None if endless else self.watch.seconds
        return TaskTurn(number, self._tasks[number], most, seconds, self.watch.gone)


class Auditor:
    """Audits tasks of one run; what every worker of Ray's has, a :class:`~gonogo.runners.ray_pool.WorkHandler`.

    Args:
        run: The config, with paths from the working directory.
        card: The map.
        seeds: The survey's, then as many fresh ones.
        logs: The folder for the tasks' logs.
        env: The environment; None for the config's.
        guides: Names of policies, given to the environment as objects, that are meant to succeed.
    """

    def __init__(
        self,
        run: RunConfig,
        card: ContractReport,
        seeds: Sequence[int],
        logs: Path,
        env: Env | None = None,
        guides: Sequence[str] = (),
    ) -> None:
        self._run, self._card, self._seeds, self._logs = run, card, seeds, logs
        self._env, self._guides = env or Env.of(run), guides
        self._read = ReadCode()

    def audit(self, turn: TaskTurn, part: TaskProgress) -> Outcome:
        """Do a task's turn.

        Args:
            turn: The task, and where its turn ends.
            part: Its progress.

        Raises:
            Misuse: Another audit writes the task's log.
        """
        path = self._logs / f"task-{turn.number}.jsonl"
        limit = Limit(Watch(turn.seconds, time.monotonic() - turn.gone), turn.most)
        with log_in_use(path, part.check):
            context = AuditContext(
                self._env,
                self._run,
                self._card,
                FlightLog(path),
                part,
                self._guides,
                SuccessJudge(self._run.rollout.success),
                limit,
                sources=self._sources,
                read=self._read,
            )
            return audit_task(context, turn.task, self._seeds, turn.number)

    def means(self, _: TaskTurn) -> AuditorFingerprint:
        """What the outcomes depend on."""
        return self._fingerprint

    @cached_property
    def _sources(self) -> Sources:
        """What the environment's folder says; it is read once for all turns."""
        return Sources.of(self._env.target)

    @cached_property
    def _fingerprint(self) -> AuditorFingerprint:
        return auditor_fingerprint(self._run, self._env)

    def do(self, part: TaskTurn) -> Outcome:
        """Do a turn in a process of Ray's, where nobody watches.

        Raises:
            Misuse: The run's folder is not on this machine.
        """
        if not self._logs.is_dir():
            raise Misuse(
                f"{self._logs.resolve()} is not on the Ray node {platform.node()}: the nodes need the run's folder "
                "at the same place, as on a shared file system"
            )
        with closing(AuditProgress()) as watch:
            return self.audit(part, watch.part(task_name(part.task)))

    def close(self) -> None:
        """Nothing is left to end: a task's processes end with its audit."""


def by_threads(
    auditor: Auditor, rounds: Rounds, jobs: int, known: Sequence[Finding]
) -> list[Outcome | None]:
    """The outcomes of the tasks, so many at once by threads of this process."""
    shown = AuditProgress(watch=rounds.watch, known=known)
    with closing(shown), ThreadPoolExecutor(jobs) as pool:

        def audit(turns: Sequence[TaskTurn]) -> list[Outcome]:
            parts = [shown.part(task_name(turn.task)) for turn in turns]
            futures = [pool.submit(auditor.audit, *each) for each in zip(turns, parts, strict=True)]
            return [future.result() for future in futures]

        try:
            return rounds.fly(audit, jobs)
        finally:
            # Where one failed or was interrupted, the others end at their next step.
            shown.stop()
            pool.shutdown(wait=True, cancel_futures=True)


def by_workers(
    run: RunConfig, make: partial[Auditor], rounds: Rounds, known: Sequence[Finding]
) -> list[Outcome | None]:
    """The outcomes of the tasks, as many at once as Ray has workers; where one failed, the others are ended."""
    env = Env.of(run)
    check_ray(env)
    from gonogo.runners.ray_pool import RayPool

    pool: RayPool[TaskTurn, Outcome]
    with (
        closing(AuditProgress("turns", watch=rounds.watch, known=known)) as shown,
        closing(RayPool(make)) as pool,
    ):
        part = shown.part("over Ray")
        proven: dict[int, list[Finding]] = {}

        def audit(turns: Sequence[TaskTurn]) -> list[Outcome]:
            part.expect(len(turns))
            outcomes: dict[int, Outcome] = {}
            for number, outcome in pool.work(turns, auditor_fingerprint(run, env)):
                outcomes[number] = outcome
                proven[turns[number].number] = [proof.finding for proof in outcome.proofs]
                part.proves([*chain.from_iterable(proven.values())])
                part.advance()
            return [outcomes[number] for number in range(len(turns))]

        return rounds.fly(audit, pool.size)


def auditor_fingerprint(run: RunConfig, env: Env) -> AuditorFingerprint:
    """What a task's outcome depends on beside the config and the task, as it is found on this machine."""
    found = asdict(fingerprint_of(run, env))
    return AuditorFingerprint(**found, packages=provenance()["packages"])


def task_name(options: TaskOptions) -> str:
    """A task's reset options on one line."""
    return ", ".join(f"{key}={value}" for key, value in options.items()) or "default"
