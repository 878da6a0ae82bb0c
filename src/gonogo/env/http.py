"""What a running OpenEnv server says over HTTP: its schemas, its metadata, its tools, its task API.

Episodes do not fly over HTTP (each request there has an environment of its own); these questions are the
ones that need none. A route that is not there, or answers an error, is an answer too: what it would have
said is not known.
"""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from pydantic_core import from_json

from gonogo.env.addresses import HF_TOKEN, SPACE_HOST
from gonogo.env.target import UrlTarget, token_for
from gonogo.env.worker.answers import LONGER
from gonogo.env.worker.openapi import find_routes
from gonogo.env.worker.process import MOST_BYTES
from gonogo.errors import EnvironmentTimeout, TargetError
from gonogo.records.inspection import (
    Description,
    RouteAnswer,
    TaskApi,
    TaskApiAnswers,
    TaskSplit,
)
from gonogo.rollouts.types import Schemas
from gonogo.wire import WireObject

LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
PREVIEW = 64
WAKING = frozenset({502, 503, 504})
"""What a server answers that is starting, or whose proxy is there before it."""
AGAIN_S = 2.0
NO_SUCH_SPLIT = "no-such-split"
SHOWN_CHARS = 200


def fetch_schemas(target: UrlTarget, timeout_s: float) -> Schemas:
    """``GET /schema``.

    Raises:
        TargetError: Nothing answers, or what answers is no OpenEnv server.
        EnvironmentTimeout: Something is there and does not answer in time.
    """
    url = f"{target.http}/schema"
    try:
        answer = request(target, "/schema", None, timeout_s)
    except (OSError, ValueError) as error:
        if isinstance(getattr(error, "reason", error), TimeoutError):
            said = f"{url}: no answer within {timeout_s:g} s; {LONGER}"
            raise EnvironmentTimeout(said) from None
        if isinstance(error, urllib.error.URLError) and not isinstance(
            error, urllib.error.HTTPError
        ):
            raise TargetError(f"nothing answers at {target}: {error.reason}") from None
        raise TargetError(f"{url} gives no schemas; is an OpenEnv server there? {error}") from None
    action, observation, state = (
        as_object(as_object(answer).get(name)) for name in ("action", "observation", "state")
    )
    if not action:
        raise TargetError(f"{url} does not answer as OpenEnv does: no action schema")
    return Schemas(action, observation, state)


def has_socket(target: UrlTarget, timeout_s: float) -> bool:
    """Whether a server is OpenEnv's, whose episodes fly over a socket; one that is waking up is waited for.

    A server whose document names a reset and a step, and not the models of OpenEnv's, is a stranger's, or an older
    OpenEnv's: its routes are asked.

    Args:
        target: The server.
        timeout_s: Seconds that it may take to wake up.

    Raises:
        TargetError: Nothing answers, or with an error that waiting does not mend.
        EnvironmentTimeout: It does not wake up in time.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            document = request(target, "/openapi.json", None, timeout_s)
        except urllib.error.HTTPError as error:
            if (said := space_problem(target, error.code)) is not None:
                raise TargetError(said) from None
            if error.code not in WAKING:
                return True  # no document: the socket says what is wrong
            if time.monotonic() > deadline:
                raise EnvironmentTimeout(
                    f"{target}: answers {error.code} for {timeout_s:g} s: it sleeps, or cannot start; {LONGER}"
                ) from None
            time.sleep(AGAIN_S)
        except (OSError, ValueError):
            return True
        else:
            return find_routes(as_object(document)) is None or is_openenv(document)


def is_openenv(document: Any) -> bool:
    """Whether a document is that of a server which OpenEnv has made, by the models of its requests."""
    schemas = as_object(as_object(as_object(document).get("components")).get("schemas"))
    return {"ResetRequest", "StepRequest", "SchemaResponse"} <= schemas.keys()


def space_problem(target: UrlTarget, status: int) -> str | None:
    """What a Space's error means, in a line; None where it is no Space's."""
    host = urlsplit(target.http).hostname or ""
    if status not in {401, 403, 404} or not host.endswith(SPACE_HOST):
        return None
    private = f"it is private: set {HF_TOKEN} to a token that reads it, and give --env {HF_TOKEN}"
    known = private if token_for(target) is None else f"{HF_TOKEN} may not read it"
    return f"{target}: answers {status}: there is no such Space, or it serves nothing, or {known}"


def answers(target: UrlTarget, path: str, timeout_s: float) -> bool:
    """Whether a route answers anything within some seconds, an error included.

    Args:
        target: The server.
        path: The route.
        timeout_s: Seconds.
    """
    try:
        request(target, path, None, timeout_s)
    except (urllib.error.HTTPError, ValueError):
        return True
    except OSError:
        return False
    return True


def describe_server(target: UrlTarget, timeout_s: float) -> Description:
    """What a server says of its environment.

    Args:
        target: The server.
        timeout_s: Seconds that each question may take.
    """
    server = Server(target, timeout_s)
    metadata = server.ask("/metadata")
    return Description(
        metadata=metadata if isinstance(metadata, dict) else None,
        reset_observation=as_object(as_object(server.ask("/schema")).get("reset_observation"))
        or None,
        tools=server.tools(),
        task_api=server.task_api(),
        problems=server.problems,
    )


class Server:
    """The questions, and what went wrong with them.

    Args:
        target: The server.
        timeout_s: Seconds that each question may take.
    """

    def __init__(self, target: UrlTarget, timeout_s: float) -> None:
        self._target, self._timeout_s = target, timeout_s
        self.problems: dict[str, str] = {}

    def ask(self, path: str, body: WireObject | None = None) -> Any:
        """A route's answer, or None with the problem noted."""
        try:
            return request(self._target, path, body, self._timeout_s)
        except (OSError, ValueError) as error:
            self.problems[path] = str(error)[:SHOWN_CHARS]
            return None

    def tools(self) -> tuple[WireObject, ...]:
        """Tools that ``/mcp`` lists; none where the environment is no MCP environment."""
        question = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        answer = self.ask("/mcp", question)
        listed = objects_in(as_object(as_object(answer).get("result")).get("tools"))
        return tuple(
            {
                "name": tool.get("name"),
                "description": tool.get("description"),
                "input_schema": tool.get("input_schema") or tool.get("inputSchema") or {},
            }
            for tool in listed
        )

    def task_api(self) -> TaskApi | None:
        """Splits with counts and previews, and how the API refuses what does not exist."""
        names = self.ask("/list_environments")
        if not isinstance(names, list) or not names:
            return None
        base = f"/{quote(str(names[0]))}"
        listed = self.answer(f"{base}/splits")
        if listed.status != 200 or not isinstance(listed.said, list):
            return None
        splits = []
        for said in objects_in(listed.said):
            name = str(said.get("name"))
            number = self.ask(f"{base}/num_tasks", {"split": name})
            window = {"split": name, "start": 0, "stop": PREVIEW}
            tasks = as_object(self.ask(f"{base}/task_range", window)).get("tasks")
            told = {
                "name": name,
                "num_tasks": as_object(number).get("num_tasks"),
                "preview": tasks[:PREVIEW] if isinstance(tasks, list) else [],
            }
            splits.append(TaskSplit.model_validate({**said, **told}))
        unknown = self.answer(f"{base}/num_tasks", {"split": NO_SUCH_SPLIT})
        negative = None
        if splits:
            negative = self.answer(f"{base}/task", {"split": splits[0].name, "index": -1})
        answers = TaskApiAnswers(unknown_split=unknown, negative_index=negative)
        return TaskApi(splits=tuple(splits), answers=answers)

    def answer(self, path: str, body: WireObject | None = None) -> RouteAnswer:
        """A route's status, and what it said; 500 where the connection broke."""
        try:
            said = request(self._target, path, body, self._timeout_s)
            return RouteAnswer(status=200, said=said)
        except urllib.error.HTTPError as error:
            text = error.read(SHOWN_CHARS).decode("utf-8", "replace")
            return RouteAnswer(status=error.code, said=text)
        except (OSError, ValueError) as error:
            return RouteAnswer(status=500, said=str(error)[:SHOWN_CHARS])


def request(target: UrlTarget, path: str, body: Mapping[str, Any] | None, timeout_s: float) -> Any:
    """GET a route, or POST a body to it; a local server is never asked over a proxy.

    Raises:
        OSError: Nothing answers, or with an error (``urllib.error.HTTPError``).
        ValueError: The answer is no JSON, or longer than an answer may be.
    """
    handlers = []
    if urlsplit(target.http).hostname in LOCAL_HOSTS:
        handlers.append(urllib.request.ProxyHandler({}))
    question = urllib.request.Request(
        f"{target.http}{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", **authorization(target)},
    )
    with urllib.request.build_opener(*handlers).open(question, timeout=timeout_s) as response:
        try:
            said = response.read(MOST_BYTES + 1)
        except http.client.HTTPException as error:
            raise ConnectionError(f"the answer is broken: {error!r}") from None
        if len(said) > MOST_BYTES:
            raise ValueError(f"an answer must not be longer than {MOST_BYTES} bytes")
        return from_json(said)


def authorization(target: UrlTarget) -> dict[str, str]:
    """The header that says who asks; none where no token is known for the server."""
    token = token_for(target)
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def as_object(value: Any) -> WireObject:
    """A JSON object; an empty one in the place of anything else."""
    return value if isinstance(value, dict) else {}


def objects_in(value: Any) -> list[WireObject]:
    """The JSON objects in a list; none in anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
