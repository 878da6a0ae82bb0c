"""The program inside the worker process: loads one foreign environment and answers batches.

It owns everything that touches foreign code, and therefore imports nothing of gonogo: it is run by
its path, possibly by another virtual environment's interpreter that has only openenv. The wire's
other end is :mod:`gonogo.adapters.openenv_worker`.

A frame is four bytes of length, big-endian, and JSON. Requests: ``["reset", [[slot, options], …]]``,
``["step", [[slot, action], …]]``, ``["state", [[slot, null], …]]``, ``["close", []]``; and, for whoever
looks instead of flying, in the form of ``state``: ``describe`` (an instance made for the question),
``renew`` (new instances), ``raw`` (the last answer before it was JSON). Answers keep the order:
``[slot, kind, payload, identity]`` with kind ``ok``, ``invalid`` (the action failed validation; the
payload is pydantic's list of errors), ``raised`` or ``unmade`` (no instance could be made; the payload is
the message) or ``reward`` (a reward given from outside broke a rule; see :mod:`gonogo.adapters.worker_reward`),
and identity ``[episode_id, step_count]`` or null. The first frame is a greeting: the schemas, or why not.

The frames travel on two descriptors of their own, so that an environment which prints cannot break
them. Semantics are those of OpenEnv's WebSocket: ``deserialize_action``, ``serialize_observation``,
NaN as null, reset options filtered by the signature, a message of what was raised. One thing is
kinder: a validator that raises ValueError makes OpenEnv's server drop the socket; here the action is
refused and the episode lives.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import importlib.util
import inspect
import json
import os
import resource
import runpy
import struct
import sys
import traceback
import typing
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json

Json = dict[str, Any]


def sibling(name: str) -> ModuleType:
    """A module beside this one, by its path, as this one was started; once for all."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
        if spec is None or spec.loader is None:
            raise ImportError(name)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


if typing.TYPE_CHECKING:
    from gonogo.adapters import worker_load, worker_reward
    from gonogo.adapters.worker_boundary import Boundary
else:
    Boundary = sibling("worker_boundary").Boundary  # first: the others import it by this name
    worker_load, worker_reward = sibling("worker_load"), sibling("worker_reward")

HEADER = struct.Struct(">I")
MAX_TRACES = 50  # printed to the log; an environment may raise at every step of a long run


class Instance:
    """One environment instance in one slot; where it is asynchronous, its answers are coroutines."""

    def __init__(self, bundle: worker_load.Bundle, loop: asyncio.AbstractEventLoop) -> None:
        from openenv.core.env_server.interfaces import Environment
        from openenv.core.env_server.serialization import deserialize_action

        self._bundle = bundle
        self._env = env = bundle.factory()
        self._action, self._deserialize, self._loop = bundle.action, deserialize_action, loop
        self._scorer = None if bundle.reward is None else worker_reward.Scorer(bundle.reward)
        self._sent: Any = None  # the last action that fitted its model
        self.fitted = False  # whether the last action fitted its model
        self.last: Any = None  # the last observation, or what was raised instead
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
        with Boundary():
            state = self._env.state
            if isinstance(state, dict):
                return [state.get("episode_id"), state.get("step_count")]
            return [getattr(state, "episode_id", None), getattr(state, "step_count", None)]
        return None

    def state(self) -> Json:
        """The whole state, as the server's ``state`` message gives it."""
        state = self._env.state
        dumped: Json = state.model_dump() if hasattr(state, "model_dump") else dict(state or {})
        return dumped

    def describe(self) -> Json:
        """What the environment says of itself; see :mod:`gonogo.adapters.worker_inspect`."""

        def wait(value: Any) -> Any:
            return self._loop.run_until_complete(value) if inspect.isawaitable(value) else value

        described: Json = sibling("worker_inspect").describe(self._env, self._bundle, wait)
        return described

    def close(self) -> None:
        """Leave the MCP session and close the environment, whatever it thinks of that."""
        for leave in (lambda: self._loop.run_until_complete(self._stack.aclose()), self._env.close):
            with Boundary():
                leave()


def reset_parameters(reset: Callable[..., Any]) -> frozenset[str] | None:
    """Names that a reset method takes; None where it takes any."""
    parameters = inspect.signature(reset).parameters
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        return None
    return frozenset(parameters)


class Worker:
    """Instances by slot, and the answers to the requests."""

    def __init__(self, bundle: worker_load.Bundle) -> None:
        from openenv.core.env_server.serialization import serialize_observation

        self._bundle = bundle
        self._loop = asyncio.new_event_loop()
        self._instances: dict[int, Instance] = {}
        self._serialize = serialize_observation
        self._traces = 0

    def serve(self, requests: BinaryIO, answers: BinaryIO) -> None:
        """Answer frames until the other end closes."""
        while (request := read_frame(requests)) is not None:
            name, batch = request
            if name == "close":
                break
            write_frame(answers, self._answer_all(name, batch))
        for instance in self._instances.values():
            instance.close()

    def _answer_all(self, name: str, batch: list[tuple[int, Any]]) -> list[list[Any]]:
        """One answer for each slot: one after the other, or together where the environment awaits."""
        if name == "describe":
            return [self._describe()]
        answers = []
        for slot, payload in batch:
            if name == "renew" and slot in self._instances:
                self._instances.pop(slot).close()
            with Boundary() as making:
                if slot not in self._instances:
                    self._instances[slot] = Instance(self._bundle, self._loop)
            if making.error is not None:
                answers.append(self._report(slot, None, making.error))
            else:
                answers.append(self._answer(name, slot, self._instances[slot], payload))
        if any(instance.is_async for instance in self._instances.values()):
            return self._loop.run_until_complete(self._together(answers))
        return [finish(answer) for answer in answers]

    def _describe(self) -> list[Any]:
        """An answer about an instance made for the question; its methods may wait, so no loop runs here."""
        with Boundary() as making:
            instance = Instance(self._bundle, self._loop)
        if making.error is not None:
            return [0, "unmade", f"no instance could be made: {making.error!r}", None]
        described = instance.describe()
        instance.close()
        return [0, "ok", described, None]

    async def _together(self, answers: list[Coroutine[Any, Any, list[Any]]]) -> list[list[Any]]:
        return await asyncio.gather(*answers)

    async def _answer(self, name: str, slot: int, instance: Instance, payload: Any) -> list[Any]:
        with Boundary() as asked:
            if name == "state":
                return [slot, "ok", instance.state(), None]
            if name == "renew":
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
            instance.last = result = instance.scored(name, result)
            return [slot, "ok", self._serialize(result), instance.identity()]
        error = asked.error
        instance.refused(name, error)
        if isinstance(error, ValidationError):
            return [slot, "invalid", plain_errors(error), instance.identity()]
        return await self._report(slot, instance, error)

    async def _report(
        self, slot: int, instance: Instance | None, error: Exception | None
    ) -> list[Any]:
        self._traces += 1
        if self._traces <= MAX_TRACES:
            traceback.print_exception(error)
        if isinstance(error, worker_reward.BrokenReward):
            return [slot, "reward", str(error), None]
        if instance is None:
            return [slot, "unmade", f"no instance could be made: {error!r}", None]
        return [slot, "raised", str(error) or type(error).__name__, instance.identity()]


def finish(answer: Coroutine[Any, Any, list[Any]]) -> list[Any]:
    """Run a coroutine that never waits, without a loop: a step may start one of its own."""
    try:
        answer.send(None)
    except StopIteration as stop:
        finished: list[Any] = stop.value
        return finished
    raise RuntimeError("a synchronous environment waited")


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


def write_frame(stream: BinaryIO, content: Any) -> None:
    """Write one frame; an answer that cannot be JSON becomes the error it is, alone."""
    try:
        body = to_json(content, inf_nan_mode="null")
    except (PydanticSerializationError, ValueError):
        body = b"[" + b",".join(encode_alone(answer) for answer in content) + b"]"
    stream.write(HEADER.pack(len(body)) + body)
    stream.flush()


def encode_alone(answer: list[Any]) -> bytes:
    """One slot's answer as JSON; where that fails, the reason in its place."""
    slot, kind, payload, identity = answer
    try:
        return to_json(answer, inf_nan_mode="null")
    except (PydanticSerializationError, ValueError) as error:
        if kind == "invalid":
            said: Any = [{**e, "input": ascii(e["input"])} for e in payload]
            return json.dumps([slot, kind, said, identity], default=ascii).encode()
        return json.dumps([slot, "raised", str(error), identity], default=ascii).encode()


def run_worker(spec: Json, requests: BinaryIO, answers: BinaryIO) -> None:
    """Load the environment, greet, serve."""
    with Boundary() as loading:
        bundle = load(spec)
        greeting = {
            "schemas": {
                "action": bundle.action.model_json_schema(),
                "observation": bundle.observation.model_json_schema(),
                "state": bundle.state.model_json_schema(),
            },
            "concurrent": bundle.concurrent,
            "reward": bundle.reward and worker_reward.describe_reward(bundle.reward()[0].reward),
        }
    if isinstance(loading.error, worker_reward.BrokenReward):
        write_frame(answers, {"broken_reward": str(loading.error)})
    elif loading.error is not None:
        traceback.print_exception(loading.error)
        write_frame(answers, {"error": f"{type(loading.error).__name__}: {loading.error}"})
    else:
        write_frame(answers, greeting)
        Worker(bundle).serve(requests, answers)


def load(spec: Json) -> worker_load.Bundle:
    """The environment, and the reward that was given from outside.

    Raises:
        BrokenReward: That broke a rule; what the environment raises comes through as it is.
    """
    if spec["kind"] == "folder":
        worker_load.open_folder(spec)
        bundle = worker_load.load_app(spec["app"], [*spec["packages"], *spec["aliases"]])
    else:
        sys.path.insert(0, os.getcwd())
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


def mute(descriptors: list[int]) -> None:
    """In a process that the environment forked: the requests are not for it, and nobody reads its answers."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        os.dup2(nowhere, descriptor, inheritable=False)
    os.close(nowhere)


def main() -> None:
    """``worker_main.py SPEC READ_FD WRITE_FD`` serves; ``worker_main.py SPEC [ARGUMENT …]`` runs a script or functions.

    With descriptors, a spec of the kind ``client`` imports a client and says what that brought in. A spec of the
    kind ``forks``, with a socket's descriptor, forks a process for each spec and arguments that it is sent.
    """
    spec, arguments = json.loads(sys.argv[1]), sys.argv[2:]
    worker_load.leave_unread("gradio")
    if spec["kind"] == "forks":
        sibling("worker_supervisor")
        told, *arguments = sibling("worker_forks").serve(int(arguments[0]))
        spec = json.loads(told)
    if spec["kind"] == "script":
        run_script(spec, arguments)
        return
    if spec["kind"] == "functions":
        sibling("worker_functions").serve(spec["role"], spec["paths"])
        return
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no dump of a crash in the foreign folder
    descriptors = [int(argument) for argument in arguments]
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    os.register_at_fork(after_in_child=lambda: mute(descriptors))
    with open(descriptors[0], "rb") as requests, open(descriptors[1], "wb") as answers:
        if spec["kind"] == "client":
            worker_load.open_folder(spec)
            folder = Path(spec["folder"])
            write_frame(answers, sibling("worker_inspect").import_client(spec["module"], folder))
        else:
            run_worker(spec, requests, answers)


if __name__ == "__main__":
    main()
