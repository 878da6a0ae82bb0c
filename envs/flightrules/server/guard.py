"""The door of the server: vets every message before openenv reads it.

OpenEnv's handlers assume well-meant input. A JSON array, a binary frame, an integer of 5,000 digits,
a lone surrogate or deep nesting ends a WebSocket session; a NaN in a request body turns the report of
the error into HTTP 500; and a refused action of 5 MB is echoed in full. So this ASGI middleware reads
each message first and answers what cannot be used: an error message on the same WebSocket, 413 or 422
over HTTP. What passes is a JSON object of finite numbers and proper text, small enough, and, where it
is an action or reset options, valid. Nothing is changed on the way through, and nothing is decided
here that the environment would decide differently: an unusable `reply` is the environment's to judge.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from openenv.core.env_server.types import WSErrorCode
from pydantic import ValidationError
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from flightrules.errors import OptionError, RequestError, show
from flightrules.models import FlightAction
from flightrules.server.options import check_options

MESSAGE_MAX = 65_536
"""Longest message, characters over a WebSocket and bytes over HTTP."""


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
    """ASGI middleware that refuses unusable messages; see the module."""

    def __init__(self, app: ASGIApp, env_name: str) -> None:
        self.app = app
        tasks = {f"/{env_name}/{verb}" for verb in ("tasks", "num_tasks", "task", "task_range")}
        self._json_paths = {"/reset", "/step", "/mcp", "/web/reset", "/web/step"} | tasks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, with its messages vetted where openenv reads JSON."""
        if scope["type"] == "websocket" and scope["path"] == "/ws":
            await self.app(scope, _vetted_socket(receive, send), send)
        elif (
            scope["type"] == "http"
            and scope["method"] == "POST"
            and (scope["path"] in self._json_paths)
        ):
            await self._serve_post(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _serve_post(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await _read_body(receive)
            if body:
                _check_post(scope["path"], parse_object(body))
        except UnusableMessageError as error:
            response = JSONResponse({"detail": str(error)}, status_code=error.status)
            await response(scope, receive, send)
            return
        pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return pending.pop() if pending else await receive()

        await self.app(scope, replay, send)


def _vetted_socket(receive: Receive, send: Send) -> Receive:
    """`receive` for openenv's handler: unusable messages are answered here and never arrive there."""

    async def vetted() -> Message:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            try:
                _check_frame(message.get("text"))
            except UnusableMessageError as error:
                data = {"message": str(error), "code": error.code.value}
                text = json.dumps({"type": "error", "data": data})
                await send({"type": "websocket.send", "text": text})
            else:
                return message

    return vetted


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
        raise UnusableMessageError(
            f"a message must be a JSON object, got {show(value)}", WSErrorCode.VALIDATION_ERROR
        )
    return value


def _check_frame(text: str | None) -> None:
    """Check one WebSocket message, None where it was binary."""
    if text is None:
        raise UnusableMessageError("a message must be text, got bytes", WSErrorCode.INVALID_JSON)
    message = parse_object(text)
    for name in message:
        if name not in ("type", "data"):
            raise UnusableMessageError(
                f"a message has the fields type and data, got {show(name)}",
                WSErrorCode.VALIDATION_ERROR,
            )
    kind = message.get("type")
    if kind == "step":
        _check_action(message.get("data"))
    elif kind == "reset":
        _check_reset(message.get("data", {}))
    elif not isinstance(kind, str):
        raise UnusableMessageError(
            f"type must be text, got {show(kind)}", WSErrorCode.VALIDATION_ERROR
        )


def _check_post(path: str, body: dict[str, Any]) -> None:
    if path in ("/step", "/web/step"):
        _check_action(body.get("action"))
    elif path in ("/reset", "/web/reset"):
        _check_reset(body)


def _check_action(action: object) -> None:
    if not isinstance(action, dict):
        raise UnusableMessageError(
            f"an action must be a JSON object, got {show(action)}", WSErrorCode.VALIDATION_ERROR
        )
    try:
        FlightAction.model_validate(action)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        said = "; ".join(f"{_place(problem['loc'])}: {problem['msg']}" for problem in problems[:5])
        raise UnusableMessageError(
            f"invalid action: {said}", WSErrorCode.VALIDATION_ERROR
        ) from None


def _check_reset(options: object) -> None:
    if not isinstance(options, Mapping):
        raise UnusableMessageError(
            f"reset options must be a JSON object, got {show(options)}",
            WSErrorCode.VALIDATION_ERROR,
        )
    try:
        check_options(options)
    except OptionError as error:
        raise UnusableMessageError(str(error), WSErrorCode.VALIDATION_ERROR) from None


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) if isinstance(part, int) else show(part)[1:-1] for part in location)


def _not_json(problem: str) -> UnusableMessageError:
    return UnusableMessageError(f"not JSON: {problem}", WSErrorCode.INVALID_JSON)


def _finite(literal: str) -> float:
    value = float(literal)
    if not math.isfinite(value):
        raise ValueError(f"{show(literal)} is not a finite number")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON")


async def _read_body(receive: Receive) -> bytes:
    """The whole body; it is read to its end even when too long, so that the client hears the answer."""
    chunks: list[bytes] = []
    length = 0
    while True:
        message = await receive()
        chunk = message.get("body", b"")
        length += len(chunk)
        if length <= MESSAGE_MAX:
            chunks.append(chunk)
        if not message.get("more_body", False):
            break
    if length > MESSAGE_MAX:
        raise UnusableMessageError(
            f"a body may be {MESSAGE_MAX} bytes at most, got {length}",
            WSErrorCode.VALIDATION_ERROR,
            413,
        )
    return b"".join(chunks)


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse_constant)
