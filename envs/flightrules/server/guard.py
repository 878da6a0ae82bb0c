"""The door of the server: vets every message before openenv reads it.

OpenEnv's handlers assume well-meant input. A JSON array, a binary frame, an integer of 5,000 digits,
a lone surrogate or deep nesting ends a WebSocket session; a list where a text belongs is HTTP 500, as
is a NaN, by way of the report of the error; and a refused body of 5 MB is echoed in full. So this ASGI
middleware reads each message first and answers what cannot be used: an error message on the same
WebSocket, 413, 414 or 422 over HTTP. It asks the app's own router which route a message is for, so that
no spelling of a path goes round it. What passes is a JSON object of finite numbers and proper text,
small enough, and valid for its route. Nothing is changed on the way through, and nothing is decided
here that the environment would decide differently: an unusable `reply` is the environment's to judge.

A WebSocket on which nothing is asked for too long is closed, and its session with it.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any, NoReturn

from fastapi.exceptions import RequestValidationError
from openenv.core.env_server.mcp_types import JsonRpcErrorCode, JsonRpcRequest, JsonRpcResponse
from openenv.core.env_server.types import WSErrorCode
from pydantic import ValidationError
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Match, Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from flightrules.errors import OptionError, RequestError, show
from flightrules.models import FlightAction
from flightrules.server.options import check_options

MESSAGE_MAX = 65_536
"""Longest message, characters over a WebSocket and bytes over HTTP."""
MOUNTED_MAX = 1_048_576
"""Longest body for what is mounted beside openenv's routes (the page at `/web`), bytes."""
URL_MAX = 2_048
"""Longest path with its query, bytes."""
NAME_MAX = 255
"""Longest method, session id or request id of a JSON-RPC request, characters."""

_KINDS = ("reset", "step", "state", "mcp", "close")
_ASKING = frozenset(("reset", "step", "mcp"))
"""Frames that count against the idle limit, as they do for openenv's: asking for the state does not."""

Check = Callable[[dict[str, Any]], None]


class UnusableMessageError(RequestError):
    """A message that cannot be used.

    Attributes:
        code: OpenEnv's error code for a WebSocket.
        status: HTTP status.
    """

    def __init__(self, message: str, code: WSErrorCode, status: int = 422) -> None:
        super().__init__(message)
        self.code = code
        self.status = status


class WireGuard:
    """ASGI middleware that refuses unusable messages; see the module.

    Args:
        app: What it guards.
        routes: The app's routes; those that are added later are guarded too.
        idle_s: Seconds after which a WebSocket on which nothing is asked is closed.
    """

    def __init__(self, app: ASGIApp, routes: Sequence[BaseRoute], idle_s: float) -> None:
        self.app = app
        self._routes = routes
        self._idle_s = idle_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, with its messages vetted."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        length = len(scope.get("raw_path") or scope["path"]) + len(scope.get("query_string", b""))
        if length > URL_MAX:
            await _refuse_url(length, scope, receive, send)
            return
        route = self._route(scope)
        if scope["type"] == "websocket":
            if isinstance(route, Mount):
                await self.app(scope, receive, send)
                return
            socket = _Socket(receive, send, getattr(route, "path", ""), self._idle_s)
            with closing(socket):
                await self.app(scope, socket.receive, send)
        elif scope["method"] in ("GET", "HEAD", "OPTIONS"):  # their bodies are read by nobody
            await self.app(scope, receive, send)
        else:
            await self._serve_body(scope, receive, send, route)

    def _route(self, scope: Scope) -> BaseRoute | None:
        """The route that the app will choose, or None."""
        for route in self._routes:
            if route.matches(scope)[0] is Match.FULL:
                return route
        return None

    async def _serve_body(
        self, scope: Scope, receive: Receive, send: Send, route: BaseRoute | None
    ) -> None:
        mounted = isinstance(route, Mount)
        try:
            body = await _read_body(receive, MOUNTED_MAX if mounted else MESSAGE_MAX)
            if body and not mounted:
                check = _CHECKS.get(getattr(route, "path", ""))
                value = parse_object(body)
                if check is not None:
                    check(value)
        except UnusableMessageError as error:
            response = JSONResponse({"detail": str(error)}, status_code=error.status)
            await response(scope, receive, send)
            return
        pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return pending.pop() if pending else await receive()

        await self.app(scope, replay, send)


async def _refuse_url(length: int, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})  # before it is accepted: 403
        return
    detail = f"a path with its query may be {URL_MAX} bytes at most, got {length}"
    await JSONResponse({"detail": detail}, status_code=414)(scope, receive, send)


class _Socket:
    """One WebSocket: unusable frames are answered here and never arrive at openenv's handler.

    The idle limit has one timer a socket, which looks when it is due how long ago the last answer was: to
    set and cancel one a message would cost a tenth of a step.
    """

    def __init__(self, receive: Receive, send: Send, path: str, idle_s: float) -> None:
        self._receive, self._send = receive, send
        self._rpc = path == "/mcp"
        self._idle_s = idle_s
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._timer = self._loop.call_later(idle_s, self._look)
        self._since = 0.0
        self._asked = True  # to open a session is to use it
        self._waiting = self._idle = False

    def close(self) -> None:
        """Forget the timer."""
        self._timer.cancel()

    async def receive(self) -> Message:
        """The next message that can be used; a disconnect once the socket was idle for too long.

        The time counts from the last answer: openenv asks for the next message when it has sent it.
        """
        if self._asked:
            self._since = self._loop.time()
        while True:
            self._waiting = True
            try:
                message = await self._receive()
            except asyncio.CancelledError:
                if self._idle and self._task is not None and self._task.uncancel() == 0:
                    return await self._hang_up()
                raise
            finally:
                self._waiting = False
            if message["type"] != "websocket.receive":
                return message
            try:
                self._asked = self._check(message.get("text"))
            except UnusableMessageError as error:
                await self._send({"type": "websocket.send", "text": self._refusal(error)})
                continue
            return message

    def _look(self) -> None:
        """Wake `receive` where the time is up; look again when it may be."""
        left_s = self._since + self._idle_s - self._loop.time()
        if left_s <= 0.0 and self._waiting and self._task is not None:
            self._idle = True
            self._task.cancel()
        else:
            again_s = left_s if left_s > 0.0 else self._idle_s
            self._timer = self._loop.call_later(again_s, self._look)

    def _check(self, text: str | None) -> bool:
        """Check a frame, None where it was binary; answers whether it asks for something."""
        if text is None:
            raise UnusableMessageError(
                "a message must be text, got bytes", WSErrorCode.INVALID_JSON
            )
        message = parse_object(text)
        if self._rpc:
            _check_rpc(message)
            return True
        _check_frame(message)
        return message["type"] in _ASKING

    def _refusal(self, error: UnusableMessageError) -> str:
        if self._rpc:
            unread = error.code is WSErrorCode.INVALID_JSON
            code = JsonRpcErrorCode.PARSE_ERROR if unread else JsonRpcErrorCode.INVALID_REQUEST
            return JsonRpcResponse.error_response(code, str(error)).model_dump_json()
        data = {"message": str(error), "code": error.code.value}
        return json.dumps({"type": "error", "data": data})

    async def _hang_up(self) -> Message:
        reason = f"idle for {self._idle_s:g} s: no reset, step or mcp message"
        await self._send({"type": "websocket.close", "code": 1001, "reason": reason})
        return {"type": "websocket.disconnect", "code": 1001, "reason": reason}


def parse_object(raw: str | bytes) -> dict[str, Any]:
    """Parse a message into a JSON object of finite numbers and proper text.

    Raises:
        UnusableMessageError: If it is too long, not JSON, not an object, nested too deeply, or holds
            NaN, an infinity, an integer too long to read, or half a surrogate pair.
    """
    if len(raw) > MESSAGE_MAX:
        raise UnusableMessageError(
            f"a message may be {MESSAGE_MAX} long at most, got {len(raw)}",
            WSErrorCode.VALIDATION_ERROR,
            413,
        )
    try:
        text = raw if isinstance(raw, str) else raw.decode()
        value = _DECODER.decode(text)
        if "\\ud" in text or "\\uD" in text:  # only an escape can hold half a surrogate pair
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeError:
        raise _not_json("text is not valid Unicode") from None
    except RecursionError:
        raise _not_json("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise _not_json(f"{error.msg} at character {error.pos}") from None
    except ValueError as error:  # our own hooks, and integers of more digits than Python reads
        raise _not_json(str(error)) from None
    if not isinstance(value, dict):
        raise _invalid(f"a message must be a JSON object, got {show(value)}")
    return value


def _check_frame(message: Mapping[str, Any]) -> None:
    """Check one message of openenv's WebSocket."""
    for name in message:
        if name not in ("type", "data"):
            raise _invalid(f"a message has the fields type and data, got {show(name)}")
    kind = message.get("type")
    if not isinstance(kind, str):
        raise _invalid(f"type must be text, got {show(kind)}")
    if kind not in _KINDS:
        said = f"Unknown message type: {show(kind)}; known: {', '.join(_KINDS)}"
        raise UnusableMessageError(said, WSErrorCode.UNKNOWN_TYPE)
    if kind == "step":
        _check_action(message.get("data"))
    elif kind == "reset":
        _check_reset(message.get("data", {}))
    elif kind == "mcp":
        _check_rpc(message.get("data"))
    elif "data" in message:
        raise _invalid(f"Invalid message: {kind} has no data")


def _check_step(body: Mapping[str, Any]) -> None:
    _check_action(body.get("action"))


def _check_rpc(request: object) -> None:
    """Check a JSON-RPC request, and the session that it names."""
    if not isinstance(request, dict):
        raise _invalid(f"a JSON-RPC request must be a JSON object, got {show(request)}")
    try:
        checked = JsonRpcRequest.model_validate(request, strict=True)
    except ValidationError as error:
        raise _invalid(f"invalid JSON-RPC request: {describe(error)}") from None
    session = checked.params.get("session_id")
    if not (session is None or isinstance(session, str)):
        raise _invalid(f"session_id must be text, got {show(session)}")
    named = {"method": checked.method, "session_id": session, "id": checked.id}
    for name, value in named.items():
        if value is not None and len(str(value)) > NAME_MAX:
            raise _invalid(f"{name} may be {NAME_MAX} characters at most, got {show(value)}")


def _check_task(body: Mapping[str, Any]) -> None:
    """Check a request of the task API: pydantic takes True for 1 and 1.0 for 1."""
    if not isinstance(split := body.get("split"), str):
        raise _invalid(f"split must be text, got {show(split)}")
    for name in ("index", "start", "stop"):
        value = body.get(name)
        if not (value is None or type(value) is int):
            raise _invalid(f"{name} must be an integer, got {show(value)}")


def _check_action(action: object) -> None:
    if not isinstance(action, dict):
        raise _invalid(f"an action must be a JSON object, got {show(action)}")
    try:
        FlightAction.model_validate(action)
    except ValidationError as error:
        raise _invalid(f"invalid action: {describe(error)}") from None


def _check_reset(options: object) -> None:
    if not isinstance(options, Mapping):
        raise _invalid(f"reset options must be a JSON object, got {show(options)}")
    try:
        check_options(options)
    except OptionError as error:
        raise _invalid(str(error)) from None


def describe(error: ValidationError | RequestValidationError) -> str:
    """The first problems of a validation error in one sentence: places and rules, nothing that was sent."""
    problems = error.errors()
    return "; ".join(f"{_place(problem['loc'])}: {problem['msg']}" for problem in problems[:5])


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) if isinstance(part, int) else show(part)[1:-1] for part in location)


def _invalid(problem: str) -> UnusableMessageError:
    return UnusableMessageError(problem, WSErrorCode.VALIDATION_ERROR)


def _not_json(problem: str) -> UnusableMessageError:
    return UnusableMessageError(f"not JSON: {problem}", WSErrorCode.INVALID_JSON)


def _finite(literal: str) -> float:
    value = float(literal)
    if not math.isfinite(value):
        raise ValueError(f"{show(literal)} is not a finite number")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON")


async def _read_body(receive: Receive, most: int) -> bytes:
    """The whole body; it is read to its end even when too long, so that the client hears the answer."""
    chunks: list[bytes] = []
    length = 0
    while True:
        message = await receive()
        chunk = message.get("body", b"")
        length += len(chunk)
        if length <= most:
            chunks.append(chunk)
        if not message.get("more_body", False):
            break
    if length > most:
        raise UnusableMessageError(
            f"a body may be {most} bytes at most, got {length}",
            WSErrorCode.VALIDATION_ERROR,
            413,
        )
    return b"".join(chunks)


_CHECKS: dict[str, Check] = {
    "/reset": _check_reset,
    "/step": _check_step,
    "/mcp": _check_rpc,
    "/web/reset": _check_reset,
    "/web/step": _check_step,
    **{
        f"/{{env_name}}/{verb}": _check_task
        for verb in ("tasks", "num_tasks", "task", "task_range")
    },
}
"""What a body must hold beside being an object, by the template of its route."""
_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse_constant)
