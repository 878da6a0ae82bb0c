"""The WebSocket transport: one socket, and therefore one environment instance, per slot.

The sockets live on an event loop in a background thread; a batch is gathered over its slots. Behind
every reset and step a ``state`` message is sent in the same breath, so that checking the episode's
identity costs no round trip. OpenEnv's own client is not used: it reconnects to a fresh environment
without saying so. Here a dead socket costs the slot's episode and is replaced at the next reset only.

A server that is gone is waited for where the next episodes begin, as long as it may take to start; what
was in the air is lost, and nothing else. One that falls silent without closing is not waited for longer
than that: it is asked for its health, and is gone where it does not answer that either.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import ExitStack
from typing import Any, Literal, TypeVar, cast
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.protocol import State

from gonogo.env.http import LOCAL_HOSTS, answers, authorization, describe_server, fetch_schemas
from gonogo.env.target import UrlTarget
from gonogo.env.worker.answers import (
    LONGER,
    Identity,
    Slots,
    describe_errors,
    identity_of,
    is_list_of_objects,
    read_message,
)
from gonogo.env.worker.process import Malformed
from gonogo.errors import EnvironmentFailure, EnvironmentTimeout, Misuse
from gonogo.records.inspection import Description, RawAnswer
from gonogo.rollouts.types import Failure, Transition
from gonogo.wire import WireObject

MAX_MESSAGE_BYTES = 100 * 1024 * 1024
STATE = '{"type":"state"}'
FULL = "CAPACITY_REACHED"
RECOVERABLE = frozenset({"VALIDATION_ERROR", "EXECUTION_ERROR"})
GONE = frozenset({"died", "timeout"})
RELEASE_S = 5.0  # a server takes a moment to free the session of a closed socket
CLOSE_S = 1.0  # a process that the environment forked holds the server's end open for ever
AGAIN_S = 0.2  # between two attempts to reach a server that is not there

AnswerT = TypeVar("AnswerT")


class Ended(WebSocketException):
    """The server is there, and said why it ends the session."""


class WebSocketConnection:
    """A :class:`~gonogo.rollouts.types.Connection` to a running OpenEnv server.

    Args:
        target: The server.
        slots: Sockets wanted; the capacity is as many as the server grants.
        timeout_s: Seconds that a step may take, counted from the answer before it in the same batch.
        startup_s: Seconds that connecting may take, and opening a session again: the server makes an instance then.

    Attributes:
        broken: How often a socket broke in use; whether the environment or somebody else ended it cannot be seen.

    Raises:
        TargetError: No OpenEnv server answers there.
        EnvironmentFailure: It answers, and fails or grants no session.
    """

    def __init__(
        self, target: UrlTarget, slots: int, *, timeout_s: float, startup_s: float
    ) -> None:
        if slots < 1:
            raise Misuse(f"slots must be at least 1, not {slots}")
        self._target, self._timeout_s, self._startup_s = target, timeout_s, startup_s
        self.schemas = fetch_schemas(target, startup_s)
        self._slots = Slots()
        self._sockets: dict[int, ClientConnection] = {}
        self._loop = asyncio.new_event_loop()
        self._heard = 0.0  # when a slot was last answered
        self.broken = 0
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        with ExitStack() as stack:
            stack.callback(self.close)
            self.capacity = self._run(self._open_all(slots))
            stack.pop_all()

    def reset(self, options: Mapping[int, WireObject]) -> dict[int, Transition | Failure]:
        """Reset the named slots; a slot whose socket died gets a new one, before its reset or over it.

        Raises:
            EnvironmentTimeout: The server cannot be reached any more.
        """
        out = self._reset_open(options)
        died = [s for s, a in out.items() if isinstance(a, Failure) and a.kind == "died"]
        # Nothing of these was flown: the server closed their sockets before, or began anew meanwhile.
        return out | self._reset_open({slot: options[slot] for slot in died})

    def _reset_open(self, options: Mapping[int, WireObject]) -> dict[int, Transition | Failure]:
        dead = dict.fromkeys(slot for slot in options if not self._is_open(slot))
        opened = self._run(self._gather(dead, self._reopen, self._startup_s))
        out: dict[int, Transition | Failure] = {s: lost for s, lost in opened.items() if lost}
        for failure in out.values():
            if isinstance(failure, Failure) and failure.kind in GONE:
                raise self._gone(failure.message)
        alive = {slot: given for slot, given in options.items() if slot not in out}
        return out | self._run(self._gather(alive, self._reset))

    def _is_open(self, slot: int) -> bool:
        socket = self._sockets.get(slot)
        return socket is not None and socket.state is State.OPEN

    def _gone(self, why: str) -> EnvironmentTimeout:
        return EnvironmentTimeout(
            f"{self._target}: the server is gone: {why}; when it answers again, give the same command again"
        )

    def step(self, actions: Mapping[int, WireObject]) -> dict[int, Transition | Failure]:
        """Step the named slots.

        Raises:
            EnvironmentTimeout: The server answers nothing any more, so that nothing can be said of what was sent.
        """
        return self._run(self._gather(actions, self._step))

    def state(self, slots: Iterable[int]) -> dict[int, WireObject | Failure]:
        """The whole state of each named slot."""
        return self._run(self._gather(dict.fromkeys(slots), self._state))

    @property
    def pid(self) -> None:
        """None: a server's process is its own affair."""
        return None

    def describe(self) -> Description:
        """What the server says over HTTP; its code, rubric and signatures cannot be seen from here."""
        return describe_server(self._target, self._timeout_s)

    def renew(self, slots: Iterable[int]) -> dict[int, Failure | None]:
        """Close the slots' sockets and open new ones, each with a session of its own."""
        within_s = self._startup_s + RELEASE_S
        return self._run(self._gather(dict.fromkeys(slots), self._renew, within_s))

    def cover(self) -> tuple[str, ...] | None:
        """None: a server's code is out of reach."""
        return None

    def raw(self, slots: Iterable[int]) -> dict[int, RawAnswer | None]:
        """Nothing: what JSON does not show cannot be seen over a socket."""
        return dict.fromkeys(slots)

    def close(self) -> None:
        """Close the sockets and the thread."""
        if self._loop.is_closed():
            return
        self._run(self._close_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _open_all(self, slots: int) -> int:
        """Open sockets until there are enough or the server grants no more; answers how many."""
        deadline = self._loop.time() + self._startup_s
        for slot in range(slots):
            try:
                async with asyncio.timeout_at(deadline):
                    refusal = await self._open(slot)
            except TimeoutError:
                raise EnvironmentTimeout(
                    f"{self._target}: slot {slot} not connected within {self._startup_s:g} s; {LONGER}"
                ) from None
            except (OSError, WebSocketException, Malformed) as error:
                raise EnvironmentFailure(f"{self._target.socket}: {error}") from None
            if refusal is not None and slot == 0:
                raise EnvironmentFailure(f"{self._target} grants no session: {refusal}")
            if refusal is not None:
                return slot
        return slots

    async def _open(self, slot: int) -> str | None:
        """Open the slot's socket and see it answer; None, or why the server has no session left."""
        await self._drop(slot)
        local = urlsplit(self._target.http).hostname in LOCAL_HOSTS
        # No deadlines of the library's: a step may block the server for longer, and batches have their own.
        socket = await open_socket(
            self._target.socket,
            max_size=MAX_MESSAGE_BYTES,
            compression=None,
            open_timeout=None,
            ping_timeout=None,
            close_timeout=CLOSE_S,
            additional_headers=authorization(self._target),
            proxy=None if local else True,
        )
        with ExitStack() as nobodys:  # this slot's time may be up before the socket is anybody's
            nobodys.callback(socket.transport.abort)
            await send(socket, STATE)
            answer = read_message(await socket.recv())
            nobodys.pop_all()
        data = answer["data"]
        if answer["type"] == "error" and data.get("code") not in RECOVERABLE:
            await socket.close()
            if data.get("code") == FULL:
                return str(data.get("message"))
            raise Ended(str(data.get("message")))
        self._sockets[slot] = socket
        return None

    async def _gather(
        self,
        batch: Mapping[int, Any],
        serve: Callable[[int, Any], Awaitable[AnswerT]],
        within_s: float | None = None,
    ) -> dict[int, AnswerT | Failure]:
        """Serve every slot at once; a slot that breaks or is late fails alone.

        Args:
            batch: What each slot is sent.
            serve: Serves one slot.
            within_s: Seconds that a slot may take, from the answer before it on; None for those of a step.

        Raises:
            EnvironmentTimeout: Slots are late, and the server does not answer for its health either.
        """
        within_s = within_s or self._timeout_s
        tasks = {
            slot: asyncio.ensure_future(self._guard(slot, serve, payload))
            for slot, payload in batch.items()
        }
        if tasks:
            within_s, late, alive = await self._wait(tasks.values(), within_s)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)
            if not alive:
                for slot in (slot for slot, task in tasks.items() if task in late):
                    await self._drop(slot)
                raise self._gone(f"no answer within {within_s:g} s")
        out: dict[int, AnswerT | Failure] = {}
        for slot, task in tasks.items():
            if task.cancelled():
                await self._drop(slot)
                out[slot] = self._slots.lose(
                    slot, Failure(f"no answer within {within_s:g} s", "timeout")
                )
            else:
                out[slot] = task.result()
        return out

    async def _wait(
        self, tasks: Iterable[asyncio.Future[AnswerT]], within_s: float
    ) -> tuple[float, set[asyncio.Future[AnswerT]], bool]:
        """Wait for a batch; the seconds that it was given, what is late, and whether the server is there.

        A server that answers nothing for as long as a slot may take, or itself may take to start, is asked for its
        health: a step that hangs is the environment's, and a server that answers nothing at all says nothing of it.
        """
        patience_s = min(within_s, self._startup_s)
        began = self._loop.time()
        late = await self._silent(set(tasks), patience_s, began)
        if not late:
            return within_s, late, True
        if not await asyncio.to_thread(answers, self._target, "/health", self._startup_s / 2):
            return patience_s, late, False
        return within_s, await self._silent(late, within_s, began), True

    async def _silent(
        self, tasks: set[asyncio.Future[AnswerT]], within_s: float, began: float
    ) -> set[asyncio.Future[AnswerT]]:
        """Wait until all have answered or, since they were asked or one of them answered, none has for so long."""
        late = {task for task in tasks if not task.done()}
        while late:
            rest_s = max(began, self._heard) + within_s - self._loop.time()
            if rest_s <= 0:
                break
            _, late = await asyncio.wait(late, timeout=rest_s)
        return late

    async def _guard(
        self, slot: int, serve: Callable[[int, Any], Awaitable[AnswerT]], payload: Any
    ) -> AnswerT | Failure:
        try:
            answer = await serve(slot, payload)
            self._heard = self._loop.time()
            return answer
        except (OSError, WebSocketException) as error:
            self.broken += 1
            await self._drop(slot)
            said = str(error) or type(error).__name__
            kind: Literal["unmade", "died"] = "unmade" if isinstance(error, Ended) else "died"
            return self._slots.lose(slot, Failure(f"the socket was lost: {said}", kind))
        except Malformed as error:
            await self._drop(slot)
            said = f"the server's answer is not OpenEnv's: {error}"
            return self._slots.lose(slot, Failure(said, "malformed"))

    async def _reset(self, slot: int, options: WireObject) -> Transition | Failure:
        answer, identity = await self._ask(slot, {"type": "reset", "data": options})
        if answer["type"] == "error":
            return self._slots.lose(slot, Failure(f"reset raised: {said_in(answer)}", "raised"))
        return self._slots.began(slot, answer["data"], identity, options.get("episode_id"))

    async def _step(self, slot: int, action: WireObject) -> Transition | Failure:
        if (failure := self._slots.lost(slot)) is not None:
            return failure
        answer, identity = await self._ask(slot, {"type": "step", "data": action})
        if answer["type"] == "error":
            return self._slots.refused(slot, said_in(answer), identity)
        return self._slots.stepped(slot, answer["data"], identity, action)

    async def _state(self, slot: int, _: None) -> WireObject | Failure:
        if (failure := self._slots.lost(slot)) is not None:
            return failure
        await send(self._sockets[slot], STATE)
        answer = await self._receive(slot)
        if answer["type"] == "error":
            return Failure(f"state raised: {said_in(answer)}", "raised")
        if not isinstance(answer["data"], dict):
            kind = type(answer["data"]).__name__
            return Failure(f"the state must be an object, not {kind}", "raised")
        return cast("WireObject", answer["data"])

    async def _reopen(self, slot: int, _: None) -> Failure | None:
        """Open the slot's socket; a server that is not there yet is tried until the batch is late."""
        while True:
            try:
                return await self._open_soon(slot)
            except Ended:
                raise
            except (OSError, WebSocketException):
                await asyncio.sleep(AGAIN_S)

    async def _renew(self, slot: int, _: None) -> Failure | None:
        self._slots.forget(slot)
        if slot in self._sockets:
            await self._sockets.pop(slot).close()
        return await self._open_soon(slot)

    async def _open_soon(self, slot: int) -> Failure | None:
        """Open the slot's socket, as soon as a session is free."""
        deadline = self._loop.time() + RELEASE_S
        while (refusal := await self._open(slot)) is not None:
            if self._loop.time() > deadline:
                return self._slots.lose(
                    slot, Failure(f"no session for a new socket: {refusal}", "full")
                )
            await asyncio.sleep(0.05)
        return None

    async def _ask(self, slot: int, message: WireObject) -> tuple[WireObject, Identity | None]:
        socket = self._sockets[slot]
        await send(socket, json.dumps(message))
        await send(socket, STATE)
        answer, state = await self._receive(slot), await self._receive(slot)
        if state["type"] == "error":
            return answer, None
        data = state["data"]
        if not isinstance(data, dict):
            return answer, None
        return answer, identity_of(data.get("episode_id"), data.get("step_count"))

    async def _receive(self, slot: int) -> WireObject:
        """The next message; an error after which the server hangs up is raised as what it says."""
        answer = read_message(await self._sockets[slot].recv())
        if answer["type"] == "error" and answer["data"].get("code") not in RECOVERABLE:
            raise WebSocketException(
                f"the server ended the session: {answer['data'].get('message')}"
            )
        return answer

    async def _drop(self, slot: int) -> None:
        socket = self._sockets.pop(slot, None)
        if socket is not None:
            socket.transport.abort()

    async def _close_all(self) -> None:
        sockets = list(self._sockets.values())
        self._sockets.clear()
        await asyncio.gather(*(socket.close() for socket in sockets), return_exceptions=True)
        # A socket that was dropped leaves its pings behind.
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)


async def send(socket: ClientConnection, message: str) -> None:
    """Send; where the server has hung up, what it said before is read first, and says why."""
    with contextlib.suppress(ConnectionClosed):
        await socket.send(message)


def said_in(answer: WireObject) -> str:
    """What an error message of the server says; the details of a validation error where it has them."""
    data = answer["data"]
    errors = data.get("errors")
    if data.get("code") == "VALIDATION_ERROR" and errors and is_list_of_objects(errors):
        return describe_errors(errors)
    return str(data.get("message"))
