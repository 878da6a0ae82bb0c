"""The flights of one task's audit, written as they end, so that an interrupted audit goes on where it was.

An audit of a task is a fixed sequence of flights: each depends on the config, the environment and the flights
before it. So the log is read in the same order as it was written. A flight that is in it is taken from it; from
the first that is not, or that is another than was asked for, everything is flown and written anew.

An environment may show much, the same again at each step: a long line is packed. What cannot be packed either is left
out beyond a size, from there to the end of the log, and flown again where an audit goes on.

Where the clock or a budget ended an audit before its sequence was flown, the log stays, and the next audit of the same
environment goes on from there; see :mod:`gonogo.auditing.budget`.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import json
import lzma
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import IO
from uuid import uuid4

from pydantic import BaseModel, ValidationError

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.env.target import module_hash
from gonogo.errors import Misuse, RecordError, StaleRecord
from gonogo.policies.named import policy_hash
from gonogo.records.files import append_text, read_lines, source_in, write_text
from gonogo.records.provenance import AuditFingerprint
from gonogo.rollouts.episodes import Episode
from gonogo.wire import JsonObject, TaskOptions

FOLDER = "audit-in-flight"
FORMAT = 3
"""Counts what a log's flights say: one more where a turn says what it did not before, so that none of yesterday's is
taken up, whose audit would come to something else than one that is flown anew. From 2 on, a turn says what it erred by;
from 3 on, a plan is known by its actions, each written once.
"""
LONG_LINE = 1 << 16
"""Characters from which on a line is packed."""
MOST_BYTES = 1 << 28
"""What one log may hold; most machines take a gigabyte in a file, and several tasks write at once."""
PACKING = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 1 << 23}]
MOST_UNPACKED = 1 << 30
"""What a packed line may hold, in bytes: it is unpacked at once."""
WAIT_S, LOOK_S = 60.0, 0.1


def log_folder(run: RunConfig, env: Env, tasks: Sequence[TaskOptions]) -> Path:
    """The folder for the logs of this very audit; what another left is removed.

    Args:
        run: The config.
        env: The environment.
        tasks: Reset options of each task that is audited.
    """
    depends_on = {
        "version": version("gonogo"),
        "format": FORMAT,
        "config": run.model_dump(
            mode="json",
            include={"target", "seed", "rollout", "audit"},
            # However many at once and wherever they end, the flights begin the same.
            exclude={"audit": {"jobs", "budget", "minutes"}},
        ),
        "tasks": tasks,
        **asdict(fingerprint_of(run, env)),
    }
    text = json.dumps(depends_on, sort_keys=True)
    folder = run.out / FOLDER / hashlib.sha256(text.encode()).hexdigest()[:16]
    for other in folder.parent.glob("*"):
        if other != folder:
            shutil.rmtree(other)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def fingerprint_of(run: RunConfig, env: Env) -> AuditFingerprint:
    """What the flights depend on beside the config and the tasks, as it is found on this machine.

    Args:
        run: The config.
        env: The environment.

    Raises:
        Misuse: No policy has the name of the one under audit.
    """
    functions = {path: module_hash(path) for path in functions_of(run)}
    functions |= {
        name: uuid4().hex for name in env.policies
    }  # nobody knows what an object is made of
    policy = run.audit.policy
    return AuditFingerprint(
        source=None if env.source is None else source_in(run.out, env.source),
        functions=functions,
        reward=env.reward_hash,
        policy=None
        if policy is None
        else policy_hash(policy, env.target, run.out / "models", run.model),
    )


def functions_of(run: RunConfig) -> list[str]:
    """The functions that an audit asks: the policy that succeeds, and the rewards outside the environment."""
    reference = run.audit.reference
    return [*([] if reference is None else [reference]), *run.audit.rewards]


@contextmanager
def log_in_use(path: Path, check: Callable[[], None]) -> Iterator[None]:
    """Hold a task's log alone; wait for whoever has it.

    Args:
        path: The log.
        check: Called while waiting; raises where nobody waits any more.

    Raises:
        Misuse: Another audit has it, and keeps it.
    """
    with path.with_suffix(".lock").open("w") as lock:
        deadline = time.monotonic() + WAIT_S
        while not taken(lock):
            check()
            if time.monotonic() > deadline:
                raise Misuse(
                    f"another audit writes {path}: wait for its end, or choose another folder "
                    "with --out"
                )
            time.sleep(LOOK_S)
        yield


def taken(lock: IO[str]) -> bool:
    """Whether this process has the lock now; it loses it with the file."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: it is as if nobody had it
        return True
    return True


class Damaged(Exception):
    """A line of the log cannot be read, or not be unpacked."""


class LoggedFlight(BaseModel):
    """A line of the log: the flight that was asked for, by its hash, and its episodes as they are written.

    Of a long line the episodes are packed: their JSON list, by LZMA, in base 64.
    """

    flight: str
    episodes: tuple[JsonObject, ...] = ()
    packed: str | None = None

    def flown(self) -> list[Episode]:
        """Its episodes.

        Raises:
            Damaged: The packed ones are not whole, or more than a log writes; or one is no episode.
        """
        try:
            rows = self.episodes if self.packed is None else self._unpacked(self.packed)
            return [Episode.from_json(json.dumps(row)) for row in rows]
        except (ValueError, TypeError, RecursionError, StaleRecord) as error:
            raise Damaged(str(error)) from error

    def _unpacked(self, packed: str) -> Sequence[JsonObject]:
        """The rows of the packed episodes."""
        unpacking = lzma.LZMADecompressor(format=lzma.FORMAT_XZ)  # no other has a checksum
        try:
            held = unpacking.decompress(base64.b64decode(packed), max_length=MOST_UNPACKED)
        except (lzma.LZMAError, ValueError) as error:  # base 64 of other letters is a ValueError
            raise Damaged(str(error)) from error
        if not unpacking.eof:
            raise Damaged("it ends early, or goes on beyond what a line may hold")
        rows: Sequence[JsonObject] = json.loads(held)  # LZMA has a checksum of what was written
        return rows


class FlightLog:
    """The log of one task.

    Args:
        path: Its file; what is in it is what an interrupted audit of the same task left.

    Attributes:
        episodes: Episodes that were flown so far, those of the log among them.
        steps: Their environment steps.
        looks: Steps and resets of what was flown beside the log, to look at.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._count = self.episodes = self.steps = self.looks = 0
        self._full = False
        rows = map(LoggedFlight.model_validate, read_lines(path)) if path.exists() else None
        self._left: Iterator[LoggedFlight] | None = rows

    @property
    def spent(self) -> int:
        """What was spent so far: environment steps, and one for each reset."""
        return self.steps + self.episodes + self.looks

    def flown(self, asked: str, fly: Callable[[], list[Episode]]) -> list[Episode]:
        """A flight, from the log or flown now.

        Args:
            asked: What tells this flight from others, as JSON.
            fly: Flies it.
        """
        name = hashlib.sha256(asked.encode()).hexdigest()[:16]
        episodes = self._known(name)
        if episodes is None:
            episodes = fly()
            self._write(name, episodes)
        self._count += 1
        self.episodes += len(episodes)
        self.steps += sum(len(episode.turns) for episode in episodes)
        return episodes

    def _known(self, name: str) -> list[Episode] | None:
        """The next flight of the log; None where it is damaged or not the one that is asked for: the log ends here."""
        if self._left is None:
            return None
        is_over = False
        with suppress(Damaged, RecordError, ValidationError, RecursionError):
            row = next(self._left, None)
            if row is not None and row.flight == name:
                return row.flown()
            is_over = row is None
        self._left = None
        if not is_over:
            # Not records.rewind: it reads the rows, and strict JSON has no NaN, which a policy may have sent.
            lines = self._path.read_bytes().split(b"\n")[: self._count]
            write_text(self._path, "".join(f"{line.decode()}\n" for line in lines))
        return None

    def _write(self, name: str, episodes: Sequence[Episode]) -> None:
        if self._full:
            return
        lines = ",".join(episode.to_json() for episode in episodes)
        line = f'{{"flight":"{name}","episodes":[{lines}]}}'
        if len(line) > LONG_LINE:
            large = f"[{lines}]".encode()
            if len(large) > MOST_UNPACKED:
                self._full = True
                return
            small = lzma.compress(large, filters=PACKING)
            line = f'{{"flight":"{name}","packed":"{base64.b64encode(small).decode()}"}}'
        held = self._path.stat().st_size if self._path.exists() else 0
        # From the first that is left out on: what is read again is a beginning of the sequence.
        self._full = held + len(line) > MOST_BYTES
        if not self._full:
            append_text(self._path, line, sync=False)  # thousands of them
