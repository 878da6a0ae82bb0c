"""The program inside the worker process: loads one foreign environment and answers batches.

It owns everything that touches foreign code, and therefore imports nothing of gonogo: it is run by
its path, possibly by another virtual environment's interpreter that has only openenv. The wire's
other end is :mod:`gonogo.env.worker.client`.

A request is four bytes of length, big-endian, and JSON: ``["reset", [[slot, options], …]]``,
``["step", [[slot, action], …]]``, ``["state", [[slot, null], …]]``, ``["close", []]``; and, for whoever
looks instead of flying, in the form of ``state``: ``describe`` (an instance made for the question, in that
slot), ``retire`` (the instance is closed), ``renew`` (a new one), ``raw`` (the last answer before it was JSON),
``fits`` (actions, each with whether its class takes it; no instance is asked), ``cover`` (lines are measured from now
on; the lines that there are).
Each slot's answer is a frame of its own, sent when the slot has been served, and no later than a moment after:
four bytes of length, four of the slot's number, and JSON, ``[kind, payload, identity]`` with kind ``ok``,
``invalid`` (the action failed validation; the payload is pydantic's list of errors), ``raised``, ``erred`` (a step
raised what its code does not raise itself; the payload is what was ``said``, and type and place ``at`` which),
``unmade`` (no instance could be made; the payload says why, as a greeting does) or ``reward`` (a reward given from
outside broke a rule; see :mod:`gonogo.env.worker.reward`), and identity ``[episode_id, step_count]`` or null. A fourth
part holds lines that were reached for the first time, where they are measured and there are any; a fifth, of a step,
what was compared with what, ``[[op, left, right, held, site, times, at], …]``, where that is taken down (see
:mod:`gonogo.env.worker.comparisons`): ``times`` says how often, and ``at`` when, by numbers that count all of it. The
first frame, of slot -1, is a greeting: the schemas, or why not.

The frames travel on two descriptors of their own with high numbers, so that an environment which prints, or
closes what it takes for its own, cannot break them.

Semantics are those of OpenEnv's WebSocket: ``deserialize_action``, ``serialize_observation``, NaN as null,
reset options filtered by the signature, a message of what was raised. One thing is kinder: a validator that
raises ValueError makes OpenEnv's server drop the socket; here the action is refused and the episode lives.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import fcntl
import importlib.util
import inspect
import json
import os
import resource
import runpy
import struct
import sys
import time
import traceback
import typing
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json

Json = dict[str, Any]


def beside(name: str) -> Path:
    """The file of a module beside this one, which is known to the others by a name that no environment has."""
    return Path(__file__).with_name(f"{name.removeprefix('worker_')}.py")


def sibling(name: str) -> ModuleType:
    """A module beside this one, by its path, as this one was started; once for all."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, beside(name))
        if spec is None or spec.loader is None:
            raise ImportError(name)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


if typing.TYPE_CHECKING:
    from gonogo.env.worker import comparisons as worker_comparisons
    from gonogo.env.worker import coverage as worker_coverage
    from gonogo.env.worker import load as worker_load
    from gonogo.env.worker import reward as worker_reward
    from gonogo.env.worker.boundary import CLOSE_S, Boundary, Gone, Late, within
else:
    boundary = sibling("worker_boundary")  # first: the others import it by this name
    CLOSE_S, Boundary, Gone, Late, within = (
        boundary.CLOSE_S,
        boundary.Boundary,
        boundary.Gone,
        boundary.Late,
        boundary.within,
    )
    worker_load, worker_reward = sibling("worker_load"), sibling("worker_reward")

HEADER = struct.Struct(">I")
ANSWER = struct.Struct(">Ii")
GREETING = -1
FLUSH_S = 0.05
"""Seconds that an answer waits for others at most: who waits for it counts the time from the last one."""
OUT_OF_THE_WAY = 500
"""Numbers of descriptors from which on nobody looks for his own."""
MAX_TRACES = 50  # printed to the log; an environment may raise at every step of a long run


class Instance:
    """One environment instance in one slot; where it is asynchronous, its answers are coroutines."""

    def __init__(self, bundle: worker_load.Bundle, loop: asyncio.AbstractEventLoop) -> None:
        from openenv.core.env_server.interfaces import Environment
        from openenv.core.env_server.serialization import deserialize_action

        self._bundle = bundle
        self.env = env = bundle.factory()
        self._action, self._deserialize, self._loop = bundle.action, deserialize_action, loop
        self._scorer = None if bundle.reward is None else worker_reward.Scorer(bundle.reward)
        self._sent: Any = None  # the last action that fitted its model
        self.fitted = False  # whether the last action fitted its model
        self.last: Any = None  # the last observation, or what was raised instead
        self._nameless = getattr(env, "nameless", False) is True
        own = [
            getattr(getattr(env, name), "__func__", None) is not getattr(Environment, name)
            for name in ("reset_async", "step_async")
        ]
        self.is_async = any(own)
        self._reset = env.reset_async if own[0] else env.reset
        self._step = env.step_async if own[1] else env.step
        self._options = reset_parameters(self._reset)
        self._stack = contextlib.AsyncExitStack()
        session = getattr(env, "mcp_session", None)
        if callable(session):
            loop.run_until_complete(self._stack.enter_async_context(session()))

    def reset(self, options: Json) -> Any:
        """Reset with the options that the environment's signature knows; perhaps a coroutine."""
        known = self._options
        return self._reset(**{k: v for k, v in options.items() if known is None or k in known})

    def step(self, action: Json) -> Any:
        """Validate the action and step; perhaps a coroutine."""
        self.fitted = False
        self._sent = self._deserialize(action, self._action)
        self.fitted = True
        return self._step(self._sent)

    def scored(self, name: str, observation: Any) -> Any:
        """What a reset or a step answered, with the reward that was given from outside."""
        if self._scorer is None:
            return observation
        if name == "step":
            return self._scorer.score(self._sent, observation)
        self._scorer.begin()
        return observation

    def refused(self, name: str, error: Exception | None) -> None:
        """What was asked was not done."""
        self.last = error
        if self._scorer is not None and name == "step":
            self._scorer.refuse()

    def identity(self) -> list[Any] | None:
        """``[episode_id, step_count]``, or None where the state cannot be read."""
        if self._nameless:
            return None
        with Boundary():
            state = self.env.state
            if isinstance(state, dict):
                return [state.get("episode_id"), state.get("step_count")]
            return [getattr(state, "episode_id", None), getattr(state, "step_count", None)]
        return None

    def state(self) -> Json:
        """The whole state, as the server's ``state`` message gives it."""
        state = self.env.state
        dumped: Json = state.model_dump() if hasattr(state, "model_dump") else dict(state or {})
        return dumped

    def describe(self) -> Json:
        """What the environment says of itself; see :mod:`gonogo.env.worker.inspect`."""

        def wait(value: Any) -> Any:
            return self._loop.run_until_complete(value) if inspect.isawaitable(value) else value

        described: Json = sibling("worker_inspect").describe(self.env, self._bundle, wait)
        return described

    def close(self) -> None:
        """Leave the MCP session and close the environment, whatever it thinks of that."""
        for leave in (lambda: self._loop.run_until_complete(self._stack.aclose()), self.env.close):
            with Boundary():
                leave()


def reset_parameters(reset: Callable[..., Any]) -> frozenset[str] | None:
    """Names that a reset method takes; None where it takes any."""
    parameters = inspect.signature(reset).parameters
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        return None
    return frozenset(parameters)


class Answers:
    """Where answers go.

    Args:
        stream: The pipe.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._flushed = 0.0

    def write(self, answer: list[Any]) -> None:
        """Write a slot's answer; one that cannot be JSON becomes the error it is."""
        slot, *rest = answer
        try:
            body = to_json(rest, inf_nan_mode="null")
        except (PydanticSerializationError, ValueError) as error:
            body = encode_plainly(error, *rest[:3])
        self._stream.write(ANSWER.pack(len(body), slot) + body)
        if time.monotonic() > self._flushed + FLUSH_S:
            self.flush()

    def flush(self) -> None:
        """Send what was written."""
        self._stream.flush()
        self._flushed = time.monotonic()

    def greet(self, content: Json) -> None:
        """Write the first frame."""
        body = json.dumps(content, default=ascii).encode()
        self._stream.write(ANSWER.pack(len(body), GREETING) + body)
        self.flush()


class Worker:
    """Instances by slot, and the answers to the requests.

    Args:
        bundle: The environment.
        answers: Where the answers go.
        spec: What was loaded, with its folder, whose lines can be measured.
        comparisons: What takes down what its code compares in a step; None where nothing does.
    """

    def __init__(
        self,
        bundle: worker_load.Bundle,
        answers: Answers,
        spec: Json,
        comparisons: worker_comparisons.Comparisons | None = None,
    ) -> None:
        from openenv.core.env_server.serialization import (
            deserialize_action,
            serialize_observation,
        )
        from openenv.core.env_server.types import Observation

        self._bundle, self._answers = bundle, answers
        self._closes = True
        self._loop = asyncio.new_event_loop()
        self._instances: dict[int, Instance] = {}
        self._observation, self._deserialize = Observation, deserialize_action
        self._serialize = serialize_observation
        self._traces = 0
        self._spec = spec
        self._comparisons = comparisons
        self._coverage: worker_coverage.Coverage | None = None
        if spec.get("cover"):
            self._cover()

    def serve(self, requests: BinaryIO) -> None:
        """Answer frames until the other end closes."""
        while (request := read_frame(requests)) is not None:
            name, batch = request
            if name == "close":
                break
            self._answer_all(name, batch)
            self._answers.flush()
        self._close(self._instances)
        if self._bundle.app is not None:
            with contextlib.suppress(Late), within(CLOSE_S):
                self._bundle.app.close()

    def _answer_all(self, name: str, batch: list[tuple[int, Any]]) -> None:
        """Answer each slot: one after the other, or together where the environment awaits."""
        if name in {"retire", "fits"}:  # no instance is asked
            for slot, payload in batch:
                said = self._fit(payload) if name == "fits" else {"late": self._close([slot])}
                self._answers.write([slot, "ok", said, None])
            return
        waiting = []
        for slot, payload in batch:
            if name == "renew":
                self._close([slot])
            with Boundary() as making, worker_load.staying():
                if slot not in self._instances:
                    self._instances[slot] = Instance(self._bundle, self._loop)
            if making.error is not None:
                waiting.append(self._report(slot, None, making.error))
            elif name in {"describe", "cover"}:  # its methods may wait, so no loop runs here
                self._answers.write([slot, "ok", self._told(name, self._instances[slot]), None])
            else:
                waiting.append(self._answer(name, slot, self._instances[slot], payload))
        if any(instance.is_async for instance in self._instances.values()):
            self._loop.run_until_complete(self._together(waiting))
            return
        for answer in waiting:
            self._answers.write(finish(answer))

    def _fit(self, actions: list[Json]) -> list[bool]:
        """Of each action whether its class takes it."""
        fits = []
        for action in actions:
            with Boundary() as taken:
                self._deserialize(action, self._bundle.action)
            fits.append(taken.error is None)
        return fits

    def _close(self, slots: Iterable[int]) -> str | None:
        """Close instances, all within one deadline; where it has passed once, none is closed any more.

        Returns:
            What was late; None where nothing was.
        """
        said = None
        try:
            with within(CLOSE_S):
                for slot in list(slots):
                    instance = self._instances.pop(slot, None)
                    if instance is not None and self._closes:
                        instance.close()
        except Late:
            self._closes = False
            said = f"close() of the environment did not return within {CLOSE_S:g} s"
            print(said, file=sys.stderr)
        return said

    async def _together(self, answers: list[Coroutine[Any, Any, list[Any]]]) -> None:
        async def tell(answer: Coroutine[Any, Any, list[Any]]) -> None:
            self._answers.write(await answer)

        await asyncio.gather(*map(tell, answers))

    def _told(self, name: str, instance: Instance) -> Any:
        """What an instance is like: what it says of itself, or the lines of its code that can be reached."""
        return self._cover().lines(instance.env) if name == "cover" else instance.describe()

    def _cover(self) -> worker_coverage.Coverage:
        """What measures the lines, from now on: what was reached before counts for nothing."""
        if self._coverage is None:
            self._coverage = sibling("worker_coverage").measure(own_folder(self._spec))
            if self._bundle.app is not None:
                self._bundle.app.follow(self._coverage.followed)
        else:
            self._coverage.forget()
        return self._coverage

    async def _answer(self, name: str, slot: int, instance: Instance, payload: Any) -> list[Any]:
        if self._comparisons is None or name != "step":
            return await self._measured(name, slot, instance, payload)
        with self._comparisons.step() as log:
            answer = await self._measured(name, slot, instance, payload)
        asked, reached = answer[:4], answer[4:] or [[]]
        return [*asked, *reached, log.entries]

    async def _measured(self, name: str, slot: int, instance: Instance, payload: Any) -> list[Any]:
        coverage = self._coverage
        if coverage is None or name not in {"reset", "step"}:
            return await self._asked(name, slot, instance, payload)
        coverage.begin()
        answer = await self._asked(name, slot, instance, payload)
        reached = coverage.end()
        return [*answer, reached] if reached else answer

    async def _asked(self, name: str, slot: int, instance: Instance, payload: Any) -> list[Any]:
        with Boundary() as asked:
            if name == "state":
                return [slot, "ok", instance.state(), None]
            if name == "renew":  # a new one was made
                return [slot, "ok", None, None]
            if name == "raw":
                return [
                    slot,
                    "ok",
                    sibling("worker_inspect").raw(instance.last, instance.fitted),
                    None,
                ]
            result = instance.step(payload) if name == "step" else instance.reset(payload)
            if instance.is_async and inspect.isawaitable(result):
                result = await result
            if not isinstance(result, self._observation):
                result = sibling("worker_shapes").make_served(result)
            instance.last = result = instance.scored(name, result)
            return [slot, "ok", self._serialize(result), instance.identity()]
        error = asked.error
        instance.refused(name, error)
        at = None
        if name == "step" and error is not None:
            with Boundary():  # an error of foreign code is foreign code
                at = sibling("worker_inspect").unmeant(error, instance.fitted)
        if at is None and (errors := errors_of(error)) is not None:
            return [slot, "invalid", errors, instance.identity()]
        slot, kind, said, identity = await self._report(slot, instance, error)
        if at is not None and kind == "raised":
            kind, said = "erred", {"said": said, "at": at}
        return [slot, kind, said, identity]

    async def _report(
        self, slot: int, instance: Instance | None, error: Exception | None
    ) -> list[Any]:
        self._traces += 1
        if self._traces <= MAX_TRACES and not isinstance(error, worker_load.Left):
            traceback.print_exception(error)
        if isinstance(error, worker_reward.BrokenReward):
            return [slot, "reward", str(error), None]
        if isinstance(error, Gone):
            return [slot, "gone", str(error), None]
        if instance is None:
            return [slot, "unmade", worker_load.explain(error, self._spec), None]
        variable = None if error is None else worker_load.variable_of(error)
        said = f"the environment variable {variable} is not set" if variable else str(error)
        return [slot, "raised", said or type(error).__name__, instance.identity()]


def finish(answer: Coroutine[Any, Any, list[Any]]) -> list[Any]:
    """Run a coroutine that never waits, without a loop: a step may start one of its own."""
    try:
        answer.send(None)
    except StopIteration as stop:
        finished: list[Any] = stop.value
        return finished
    raise RuntimeError("a synchronous environment waited")


def errors_of(error: Exception | None) -> list[Json] | None:
    """What is wrong with an action that failed validation, a model's or an app's own; None where it did not."""
    if isinstance(error, ValidationError):
        return plain_errors(error)
    errors = getattr(error, "errors", None)
    return errors if isinstance(errors, list) else None


def plain_errors(error: Any) -> list[Json]:
    """Pydantic's errors with what a reader needs, free of exception objects."""
    return [
        {"loc": list(e["loc"]), "msg": e["msg"], "input": e["input"]}
        for e in error.errors(include_url=False, include_context=False)
    ]


def read_frame(stream: BinaryIO) -> Any:
    """The next frame's content, or None at the end of the stream."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    return json.loads(stream.read(HEADER.unpack(header)[0]))


def encode_plainly(error: Exception, kind: str, payload: Any, identity: Any) -> bytes:
    """An answer that could not be JSON, as the reason; what is wrong with an action, with its inputs as texts."""
    if kind == "invalid":
        said: Any = [
            {**e, "loc": list(map(str, e["loc"])), "input": ascii(e["input"])} for e in payload
        ]
        return json.dumps([kind, said, identity], default=ascii).encode()
    return json.dumps(["raised", str(error), identity], default=ascii).encode()


def run_worker(spec: Json, requests: BinaryIO, answers: Answers) -> None:
    """Load the environment, greet, serve."""
    with Boundary() as loading, worker_load.staying():
        if spec["kind"] == "class":
            sys.path.insert(0, os.getcwd())
        comparisons = follow_comparisons(spec) if spec.get("compare") else None
        bundle = load(spec)
        greeting = {
            "schemas": {
                "action": bundle.action.model_json_schema(),
                "observation": bundle.observation.model_json_schema(),
                "state": bundle.state.model_json_schema(),
            },
            "concurrent": bundle.concurrent,
            "nameless": bundle.nameless,
            "note": bundle.note,
            "reward": bundle.reward and worker_reward.describe_reward(bundle.reward()[0].reward),
        }
        # OpenEnv is imported here: an environment's own packages may be none that it goes with.
        worker = Worker(bundle, answers, spec, comparisons)
    if isinstance(loading.error, worker_reward.BrokenReward):
        answers.greet({"broken_reward": str(loading.error)})
    elif loading.error is not None:
        told = worker_load.explain(loading.error, spec)
        if not told["left"]:  # of one that ends the process, its own last words say why
            traceback.print_exception(loading.error)
        answers.greet(told)
    else:
        answers.greet(greeting)
        worker.serve(requests)


def own_folder(spec: Json) -> str:
    """The folder of the environment's own code; an id's is that of its module, a server has none."""
    if spec["kind"] == "folder":
        return str(spec["folder"])
    if spec["kind"] == "server":
        return os.devnull
    if spec["kind"] == "gym":
        return worker_load.folder_of_id(spec["path"])
    root: str = sibling("worker_coverage").root_of(spec["path"].partition(":")[0])
    return root


def follow_comparisons(spec: Json) -> worker_comparisons.Comparisons:
    """What takes down what the environment's code compares; to be called before any of it is imported."""
    for name in ("worker_coverage", "worker_pattern_texts", "worker_rewriting"):
        sibling(name)  # known to the other by this name
    worker = sibling("worker_comparisons")
    followed: worker_comparisons.Comparisons = worker.install(worker.roots_of(spec))
    return followed


def load(spec: Json) -> worker_load.Bundle:
    """The environment, and the reward that was given from outside.

    Raises:
        BrokenReward: That broke a rule; what the environment raises comes through as it is.
    """
    if spec["kind"] == "folder":
        worker_load.open_folder(spec)
        bundle = worker_load.load_folder(spec)
    elif spec["kind"] == "server":
        bundle = worker_load.bundle_of_url(spec["url"], spec["timeout_s"], {})
    elif spec["kind"] == "gym":
        bundle = worker_load.bundle_of_id(spec["path"])
    else:
        bundle = worker_load.load_class(spec["path"])
    if spec.get("reward") is None:
        return bundle
    return bundle._replace(reward=worker_reward.load_reward(spec["reward"]))


def run_script(spec: Json, arguments: list[str]) -> None:
    """Run a script of the folder as ``python script arguments``, with the folder importable."""
    worker_load.open_folder(spec)
    script = str(Path(spec["folder"]) / spec["script"])
    sys.path.insert(0, os.path.dirname(script))
    sys.argv = [script, *arguments]
    runpy.run_path(script, run_name="__main__")


def out_of_the_way(descriptor: int) -> int:
    """A descriptor under a high number, which what this process starts does not inherit."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    few = most != resource.RLIM_INFINITY and most < OUT_OF_THE_WAY + 100
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3 if few else OUT_OF_THE_WAY)
    os.close(descriptor)
    return moved


def mute(descriptors: list[int]) -> None:
    """In a process that the environment forked: the requests are not for it, and nobody reads its answers."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        os.dup2(nowhere, descriptor, inheritable=False)
    os.close(nowhere)


def main() -> None:
    """``program.py SPEC READ_FD WRITE_FD`` serves; ``program.py SPEC [ARGUMENT …]`` runs a script or functions.

    With descriptors, a spec of the kind ``client`` imports a client and says what that brought in. A spec of the
    kind ``forks``, with a socket's descriptor, forks a process for each spec and arguments that it is sent.
    """
    spec, arguments = json.loads(sys.argv[1]), sys.argv[2:]
    worker_load.leave_unread("gradio")
    if spec["kind"] == "forks":
        for name in worker_load.BESIDE_ADAPTERS:  # most children need them
            sibling(name)
        told, *arguments = sibling("worker_supervisor").serve(int(arguments[0]))
        spec = json.loads(told)
    if spec["kind"] == "script":
        run_script(spec, arguments)
        return
    if spec["kind"] == "functions":
        sibling("worker_functions").serve(spec["role"], spec["paths"])
        return
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no dump of a crash in the foreign folder
    descriptors = [out_of_the_way(int(argument)) for argument in arguments]
    os.register_at_fork(after_in_child=lambda: mute(descriptors))
    with open(descriptors[0], "rb") as requests, open(descriptors[1], "wb", 1 << 20) as stream:
        answers = Answers(stream)
        if spec["kind"] == "client":
            worker_load.open_folder(spec)
            folder = Path(spec["folder"])
            answers.greet(sibling("worker_inspect").import_client(spec["module"], folder))
        else:
            run_worker(spec, requests, answers)


if __name__ == "__main__":
    main()
