"""The worker transport: one child process holds all the instances and answers batches over a pipe.

Foreign code runs there and only there. A crash, a hang or a broken pipe costs the episodes that were
in flight, each a :class:`~gonogo.rollouts.types.Failure`; the next reset starts a new worker. The
state's identity rides on every answer, so that checking it costs no round trip. The other end is
:mod:`gonogo.env.worker.program`, which describes the frames.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from gonogo.env import install
from gonogo.env.install import say
from gonogo.env.target import FolderTarget, ImportTarget, RewardFile, UrlTarget, token_for
from gonogo.env.variables import child_environment, hint, needs, wanted
from gonogo.env.worker.answers import (
    GONE,
    LONGER,
    UNREADABLE,
    BrokenRewardFile,
    Greeting,
    SlotAnswer,
    Slots,
    Unloaded,
    frame,
    read_answer,
    read_greeting,
    take_frame,
)
from gonogo.env.worker.boundary import CLOSE_S
from gonogo.env.worker.process import MARGIN_S, Child, Malformed, child_spec, fork, worker_command
from gonogo.errors import ConfigError, EnvironmentFailure, EnvironmentTimeout, Misuse, TargetError
from gonogo.faults import cache_folder
from gonogo.records.inspection import Description, RawAnswer
from gonogo.rollouts.types import Failure, Schemas, Transition
from gonogo.wire import WireObject

DESCRIBED = -2
"""Slot of the instance that is made to describe the environment."""
UNMADE = -3
"""Slot of what is asked of no instance."""
TOKEN = "GONOGO_SERVER_TOKEN"
"""Variable in which a worker that speaks with a server is given the token for it."""
TRACE_LINES = 60
SHOWN_CHARS = 300
LONG_S = 10.0
"""Seconds of reading an environment's code after which that is said."""
LOSES: dict[str, Literal["died", "malformed"]] = {GONE: "died", UNREADABLE: "malformed"}
"""Answers that lose an episode, and how it was lost."""
BROKEN = "the environment's process broke the worker's protocol"


class WorkerConnection:
    """A :class:`~gonogo.rollouts.types.Connection` to instances in a child process.

    Args:
        target: Folder or import path; or the URL of a server without OpenEnv's socket.
        slots: Slots wanted; the capacity is 1 where the environment does not declare
            ``SUPPORTS_CONCURRENT_SESSIONS``.
        timeout_s: Seconds that a step may take, counted from the answer before it in the same batch.
        startup_s: Seconds that loading the environment may take, and making an instance of it.
        hash_seed: The child's ``PYTHONHASHSEED``; None for ours.
        reward: What pays instead of the environment; None for its own reward.
        compare: Whether steps tell what the environment's code compared with what; a server's tell nothing.

    Attributes:
        note: Why the environment is not that of the first place that could hold one; None where it is.
        components: Name, weight and guards of each component of the given reward; empty without one.

    Raises:
        ConfigError: The given reward breaks a rule; also while flying.
        TargetError: The environment cannot be loaded.
        EnvironmentFailure: The worker died or hung while loading it.
    """

    def __init__(
        self,
        target: FolderTarget | ImportTarget | UrlTarget,
        slots: int,
        *,
        timeout_s: float,
        startup_s: float,
        hash_seed: int | None = None,
        reward: RewardFile | None = None,
        compare: bool = False,
    ) -> None:
        if slots < 1:
            raise Misuse(f"slots must be at least 1, not {slots}")
        self._target, self._timeout_s, self._startup_s = target, timeout_s, startup_s
        self._hash_seed, self._reward = hash_seed, reward
        self._compares = compare and not isinstance(target, UrlTarget)
        self._slots = Slots()
        self._child: Child | None = None
        self._made: set[int] = set()  # slots with an instance in this child
        self._covers = False  # whether lines are measured, in whatever process
        self._late: str | None = None  # what was late in closing
        self._flown = False  # whether an instance was ever made
        greeting = self._start()
        told = greeting.schemas
        self.schemas = Schemas(
            told["action"],
            told["observation"],
            told["state"],
            names_episodes=not greeting.nameless,
        )
        self.capacity = slots if greeting.concurrent else 1
        self.components = greeting.reward or []
        self.note = greeting.note

    @property
    def pid(self) -> int | None:
        """The worker's process; None while one that was lost is not replaced."""
        return None if self._child is None else self._child.pid

    def reset(self, options: Mapping[int, WireObject]) -> dict[int, Transition | Failure]:
        """Reset the named slots; starts a new worker where the last one was lost."""
        if self._child is None:
            self._start()
        made = {slot: self._make(slot) for slot in options if slot not in self._made}
        out: dict[int, Transition | Failure] = {s: lost for s, lost in made.items() if lost}
        batch = {slot: given for slot, given in options.items() if slot not in out}
        for slot, answer in self._ask("reset", batch).items():
            if isinstance(answer, Failure):
                out[slot] = answer
            elif answer.kind == "ok":
                asked = options[slot].get("episode_id")
                began = self._slots.began(slot, answer.payload, answer.identity, asked)
                out[slot] = reaching(began, answer)
            elif answer.kind in LOSES:
                kind = LOSES[answer.kind]
                out[slot] = self._slots.lose(slot, Failure(answer.payload, kind))
            else:
                said = f"reset raised: {answer.complaint}{self._needed(answer.complaint)}"
                out[slot] = self._slots.lose(slot, Failure(said, "raised"))
        return out

    def step(self, actions: Mapping[int, WireObject]) -> dict[int, Transition | Failure]:
        """Step the named slots."""
        lost = self._slots.lost_of(actions)
        out: dict[int, Transition | Failure] = {**lost}
        batch = {slot: action for slot, action in actions.items() if slot not in lost}
        for slot, answer in self._ask("step", batch).items():
            if isinstance(answer, Failure):
                out[slot] = answer
            elif answer.kind == "ok":
                stepped = self._slots.stepped(slot, answer.payload, answer.identity, batch[slot])
                out[slot] = self._comparing(reaching(stepped, answer), answer)
            elif answer.kind in LOSES:
                kind = LOSES[answer.kind]
                out[slot] = self._slots.lose(slot, Failure(answer.payload, kind))
            else:
                said, who = answer.complaint, answer.identity
                refused = self._slots.refused(slot, said, who, erred=answer.erred)
                out[slot] = self._comparing(reaching(refused, answer), answer)
        return out

    def state(self, slots: Iterable[int]) -> dict[int, WireObject | Failure]:
        """The whole state of each named slot."""
        asked = list(slots)
        lost = self._slots.lost_of(asked)
        out: dict[int, WireObject | Failure] = {**lost}
        batch = {slot: None for slot in asked if slot not in lost}
        for slot, answer in self._ask("state", batch).items():
            if isinstance(answer, Failure):
                out[slot] = answer
            elif answer.kind == "ok":
                out[slot] = answer.payload
            else:
                out[slot] = Failure(f"state raised: {answer.payload}", "raised")
        return out

    def describe(self) -> Description:
        """What the environment says of itself, asked of an instance that flies nothing.

        Raises:
            EnvironmentFailure: No instance could be made, or the process was lost.
            EnvironmentTimeout: The first instance took too long.
        """
        if self._child is None:
            self._start()
        if 0 not in self._made and (failure := self._make(0)) is not None:
            raise EnvironmentFailure(f"{self._target}: {failure.message}")
        within_s = self._startup_s + self._timeout_s  # it makes an instance, and asks it
        answer = self._ask("describe", {DESCRIBED: None}, within_s)[DESCRIBED]
        if isinstance(answer, Failure):
            raise EnvironmentFailure(f"{self._target}: {answer.message}")
        if answer.kind != "ok":
            raise EnvironmentFailure(f"{self._target}: {answer.payload}")
        self._retire(DESCRIBED)
        said = Description.model_validate(answer.payload)
        late = {} if self._late is None else {"close": self._late}
        return said.model_copy(update={"problems": {**said.problems, **late}})

    def renew(self, slots: Iterable[int]) -> dict[int, Failure | None]:
        """Replace the instances in these slots by new ones, not yet reset."""
        if self._child is None:
            self._start()
        out = {}
        for slot in slots:
            self._slots.forget(slot)
            out[slot] = self._make(slot)
        return out

    def raw(self, slots: Iterable[int]) -> dict[int, RawAnswer | None]:
        """What the wire does not show of each slot's last answer."""
        return {
            slot: RawAnswer.model_validate(answer.payload)
            if isinstance(answer, SlotAnswer) and answer.kind == "ok"
            else None
            for slot, answer in self._ask("raw", dict.fromkeys(slots)).items()
        }

    def fits(self, actions: Sequence[WireObject]) -> list[bool]:
        """Whether the environment's action class takes each action; none where it cannot be asked."""
        if self._child is None:
            self._start()
        answer = self._ask("fits", {UNMADE: list(actions)})[UNMADE]
        told = answer.payload if isinstance(answer, SlotAnswer) and answer.kind == "ok" else ()
        return list(told) if len(told) == len(actions) else [False] * len(actions)

    def cover(self) -> tuple[str, ...] | None:
        """Measure which lines are reached, from now on; the lines that there are, as ``file:line``."""
        if self._child is None:
            self._start()
        if 0 not in self._made and self._make(0) is not None:
            return None
        answer = self._ask("cover", {0: None}, self._startup_s)[0]
        if isinstance(answer, Failure) or answer.kind != "ok":
            return None
        self._covers = True
        return tuple(answer.payload)

    def close(self) -> None:
        """End the worker."""
        if self._child is not None:
            self._child.close(frame(["close", []]))
            self._child = None

    def _comparing(self, came: Transition | Failure, answer: SlotAnswer) -> Transition | Failure:
        """What came of a step's answer, with what was compared in it."""
        if not self._compares or isinstance(came, Failure):
            return came
        return replace(came, comparisons=answer.comparisons)

    def _retire(self, slot: int) -> None:
        """Close an instance; where that does not return, its process is given up."""
        within_s = CLOSE_S + MARGIN_S
        answer = self._ask("retire", {slot: None}, within_s)[slot]
        if isinstance(answer, Failure):
            self._late = f"close() of the environment did not return within {within_s:g} s"
        elif answer.kind == "ok":
            self._late = answer.payload["late"] or self._late
        self._made.discard(slot)

    def _make(self, slot: int) -> Failure | None:
        """Put a new instance into a slot: that may take as long as loading, an instance may load a model.

        Raises:
            EnvironmentTimeout: The process's first instance took too long.
            TargetError: The first instance of all needs what is not there.
        """
        if slot in self._made:
            self._retire(slot)
        if self._child is None:
            self._start()
        first = not self._made
        answer = self._ask("renew", {slot: None}, self._startup_s)[slot]
        if isinstance(answer, SlotAnswer):
            if answer.kind == "ok":
                self._made.add(slot)
                self._flown = True
                return None
            told = Unloaded.model_validate(answer.payload)
            lost = not self._flown and lacks(told)
            printed = self._bury_quietly() if lost else self._printed()
            said = f"no instance could be made: {self._advice(told, printed)}"
            if lost:
                raise TargetError(f"{self._target} cannot be opened: {said}")
            return self._slots.lose(slot, Failure(said, "unmade"))
        if answer.kind == "timeout" and first:
            stack = answer.message.partition("\n")[2]
            said = f"no instance of it within {self._startup_s:g} s"
            raise EnvironmentTimeout(f"{self._target}: {said}{self._where(stack)}; {LONGER}")
        return answer

    def _start(self) -> Greeting:
        self._made.clear()
        cwd = self._target.folder if isinstance(self._target, FolderTarget) else Path.cwd()
        spec = child_spec(self._target, self._reward)
        also = {"cover": self._covers, **({"compare": True} if self._compares else {})}
        self._child = Child(
            worker_command({**spec, **also}, "{read}", "{write}"),
            cwd,
            {**child_environment(self._hash_seed), **self._token()},
            fork,
        )
        try:
            greeting = read_greeting(self._first_frame(self._child))
        except Malformed as error:
            self._abort()
            raise EnvironmentFailure(f"{self._target}: {BROKEN}: {error}") from None
        except BrokenPipeError:
            if self._flown:
                raise EnvironmentFailure(f"{self._target}: {self._ended()}") from None
            raise TargetError(f"{self._target} cannot be opened: {self._ended()}") from None
        except TimeoutError:
            where = self._where(self._abort())
            raise EnvironmentTimeout(
                f"{self._target}: not loaded within {self._startup_s:g} s{where}; {LONGER}"
            ) from None
        if isinstance(greeting, BrokenRewardFile):
            self._bury()
            raise self._broken(greeting.broken_reward)
        if isinstance(greeting, Unloaded):
            said = self._advice(greeting, self._bury_quietly())
            raise TargetError(f"{self._target} cannot be opened: {said}")
        return greeting

    def _first_frame(self, child: Child) -> bytes:
        """What a process says first; that one takes long is said while it does.

        Raises:
            TimeoutError: It took too long.
        """
        soon = min(LONG_S, self._startup_s)
        try:
            return child.exchange(b"", take_frame, soon)[1]
        except TimeoutError:
            if soon == self._startup_s:
                raise
        say(
            f"{self._target} is still being read after {soon:g} s; it is given up after {self._startup_s:g} s "
            "(--startup-s)"
        )
        return child.exchange(b"", take_frame, self._startup_s - soon)[1]

    def _token(self) -> dict[str, str]:
        """The token for a server, for the worker alone, which runs no foreign code for it."""
        token = token_for(self._target) if isinstance(self._target, UrlTarget) else None
        return {} if token is None else {TOKEN: token}

    def _ended(self) -> str:
        """How a process ended that was to load the environment, in one line; what it printed goes to a file."""
        child, self._child = self._child, None
        if child is None:
            return "its process is gone"
        how = child.end_of()
        printed = child.tail(TRACE_LINES)
        child.close()
        said = f"reading its code ended its process, which {how}"
        stack = CRASHED.search(printed)
        words = last_line(printed if stack is None else printed[: stack.start()])
        place = code_place(printed, self._root())
        where = "" if place is None else f" ({place})"
        kept = kept_trace(self._target, printed)
        return f"{said}{where}{words}{hint(words) or wanted(words)}{kept}"

    def _printed(self) -> str:
        """The last of what the process has printed."""
        return "" if self._child is None else self._child.tail(TRACE_LINES)

    def _bury_quietly(self) -> str:
        """End the process; the last of what it printed."""
        child, self._child = self._child, None
        if child is None:
            return ""
        printed = child.last_words(TRACE_LINES)
        child.close()
        return printed

    def _where(self, printed: str) -> str:
        """Where a process was that was ended, of the stack that it printed, which goes to a file."""
        place = code_place(printed, self._root())
        where = "" if place is None else f", and is at {place}"
        return f"{where}{kept_trace(self._target, printed)}"

    def _root(self) -> Path:
        """Where the environment's own code may lie."""
        return self._target.folder if isinstance(self._target, FolderTarget) else Path.cwd()

    def _advice(self, told: Unloaded, printed: str) -> str:
        """Why nothing was loaded or made and what to do, in one line; what the process printed goes to a file."""
        where = "" if told.place is None else f" ({told.place})"
        if told.left:
            words = last_line(printed)
            return f"{told.error}{where}{words}{hint(words) or wanted(words)}"
        keeps = told.place or told.missing
        traced = kept_trace(self._target, printed) if keeps else ""
        if told.missing is not None:
            said = f"the module {told.missing!r} is not installed here{where}"
            return f"{said}: {self._installing(told.missing)}{traced}"
        if told.variable is not None:
            return f"{needs((told.variable,))}{where}{traced}"
        other = getattr(self._target, "other", None)
        beside = "" if other is None else f"; its app is {other}'s, whose routes have no schemas"
        asked = hint(told.error) or wanted(told.error)
        return f"{told.error}{where}{beside}{asked}{traced}"

    def _needed(self, complaint: str) -> str:
        """What to do where something complains of what is not there, a variable or a module; else nothing."""
        if (found := MODULE.search(complaint)) is not None:
            return f"; {self._installing(found[1].partition('.')[0])}"
        return hint(complaint) or wanted(complaint)

    def _installing(self, module: str) -> str:
        """What to do about a module that is not installed, or that lies in the environment where nothing finds it."""
        if not isinstance(self._target, FolderTarget):
            return f"install it, as by pip install {module}"
        if (own := beside_code(self._target.folder, module)) is not None:
            return f"it is the environment's own {own}: audit the folder that holds it, or import it by its package"
        if not (declared := install.declared(self._target.folder)):
            return f"install it, as by pip install {module}"
        if install.interpreter_of(self._target.folder) is not None:
            return f"{declared.name} does not name it: pip install {module}"
        return f"give --install, which installs what {declared.name} names"

    def _ask(
        self, name: str, batch: Mapping[int, Any], within_s: float | None = None
    ) -> dict[int, SlotAnswer | Failure]:
        """Exchange one batch; where the worker is lost, every slot of it fails.

        Args:
            name: What is asked.
            batch: What each slot is sent.
            within_s: Seconds that a slot may take, from the answer before it on; None for those of a step.
        """
        within_s = within_s or self._timeout_s
        if not batch:
            return {}
        if self._child is None:
            failure = Failure("the environment's process is gone")
        else:
            try:
                return {**self._hear(self._child, name, batch, within_s)}
            except BrokenPipeError:
                failure = Failure(f"the environment's process {self._bury()}")
            except TimeoutError:
                said = f"no answer to {name} within {within_s:g} s\n{self._abort()}"
                failure = Failure(said, "timeout")
            except Malformed as error:
                self._abort()
                failure = Failure(f"{BROKEN}: {error}")
        self._slots.lose_others(failure)
        return {slot: self._slots.lose(slot, failure) for slot in batch}

    def _hear(
        self, child: Child, name: str, batch: Mapping[int, Any], within_s: float
    ) -> dict[int, SlotAnswer]:
        """Send a batch and take its answers, one by one: each restarts the clock."""
        if child.unasked():
            raise Malformed("it said something that nobody had asked for")
        answers: dict[int, SlotAnswer] = {}
        unsent = frame([name, list(batch.items())])
        while len(answers) < len(batch):
            slot, body = child.exchange(unsent, take_frame, within_s)
            answer, unsent = read_answer(slot, body, name, batch.keys() - answers), b""
            if answer.kind == "reward":
                raise self._broken(answer.payload)
            answers[slot] = answer
        return answers

    def _broken(self, said: str) -> ConfigError:
        file = None if self._reward is None else self._reward.file
        return ConfigError(f"reward: {file}: {said}")

    def _bury(self) -> str:
        """How the worker ended, which is gone from now on."""
        child, self._child = self._child, None
        if child is None:
            return "is gone"
        last_words = child.obituary()
        child.close()
        return last_words + hint(last_words)

    def _abort(self) -> str:
        """End a worker that hangs or cannot be read; its last words."""
        child, self._child = self._child, None
        if child is None:
            return ""
        last_words = child.abort()
        child.close()
        return last_words


CRASHED = re.compile(r"^(Fatal Python error|Current thread)", re.MULTILINE)
"""How what faulthandler prints begins."""
MODULE = re.compile(r"No module named '([\w.]+)'")
FRAME = re.compile(r'^  File "(.+?)", line (\d+)', re.MULTILINE)


def lacks(told: Unloaded) -> bool:
    """Whether an environment needs what is not there, a module or a variable, or ends its process."""
    return bool(told.missing or told.variable or told.left or wanted(told.error))


def last_line(printed: str) -> str:
    """The last line that a process printed, as a part of a sentence; empty where it printed none."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return f"; it last printed: {lines[-1][:SHOWN_CHARS]}" if lines else ""


def code_place(stack: str, folder: Path) -> str | None:
    """The innermost line of a folder's code in a stack that faulthandler printed; None where none is."""
    for file, line in FRAME.findall(stack):
        if Path(file).is_relative_to(folder) and "site-packages" not in file:
            return f"{Path(file).relative_to(folder)}:{line}"
    return None


def kept_trace(target: object, printed: str) -> str:
    """Where what a process printed is kept, as a part of a sentence; empty where nothing is."""
    log = kept_log(str(target), printed) if printed else None
    return "" if log is None else f"; traceback: {log}"


def reaching(came: Transition | Failure, answer: SlotAnswer) -> Transition | Failure:
    """What came of an answer, with the lines that it reached."""
    if not answer.reached or isinstance(came, Failure):
        return came
    return replace(came, reached=answer.reached)


def kept_log(name: str, printed: str) -> Path | None:
    """Keep what a process printed in the cache, for whoever wants to know more than a line; None where nothing is."""
    folder = cache_folder() / "logs"
    file = folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.log"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{name}\n{printed}\n", encoding="utf-8")
    except OSError:
        return None
    return file


def beside_code(folder: Path, module: str) -> str | None:
    """A module of this name in a folder right below an environment's, from there; None where there is not just one."""
    files = [*folder.glob(f"*/{module}.py"), *folder.glob(f"*/{module}/__init__.py")]
    own = [file for file in files if not file.relative_to(folder).parts[0].startswith(".")]
    return own[0].relative_to(folder).as_posix() if len(own) == 1 else None
