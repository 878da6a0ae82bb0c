"""An app with its own routes, asked in this process through ASGI, its own interface.

Loaded by its path from :mod:`gonogo.env.worker.plain`, and like it imports nothing of gonogo.
"""

from __future__ import annotations

import asyncio
import json
import typing
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from typing import Any

if typing.TYPE_CHECKING or __package__:
    from gonogo.env.worker.boundary import Boundary
else:
    from worker_boundary import Boundary

Json = dict[str, Any]
RouteReply = tuple[int, Any]

RUN_TO_ITS_END = asyncio.base_events._run_until_complete_cb  # type: ignore[attr-defined]  # no stub names it
"""How anyio knows the task that a loop was begun with. It keeps the threads of functions that do not await as long as
that task lives: as a server has one, so does an app here, or each request would make a thread of its own."""


class App:
    """An ASGI app in this process.

    Args:
        app: The app.
    """

    def __init__(self, app: Any) -> None:
        self._app = app
        self._loop = asyncio.new_event_loop()
        self._root = self._loop.create_task(self._waiting())
        self._root.add_done_callback(RUN_TO_ITS_END)
        self._state: Json = {}
        self._said: asyncio.Queue[Json] = asyncio.Queue()
        self._life: asyncio.Task[None] | None = None
        self._loop.run_until_complete(self._start())

    def ask(self, method: str, path: str, query: Mapping[str, Any], body: Any) -> RouteReply:
        """A route's status and what it answers. What it raises comes through as it is."""
        asked = self._loop.create_task(self._ask(method, path, query, body))
        # Waited for beside: what a loop runs to its end would be taken for the task that keeps the threads.
        return self._loop.run_until_complete(asyncio.gather(asked))[0]

    def follow(self, followed: Callable[[Any], Any]) -> None:
        """Have the functions of its routes called through what measures them.

        Args:
            followed: Gives the function that is called in place of one.
        """
        for dependant in dependants_of(self._app):
            dependant.call = followed(dependant.call)

    async def _waiting(self) -> None:
        await asyncio.Event().wait()

    async def _start(self) -> None:
        """Let the app begin, where it takes part in that."""
        begun = asyncio.Event()
        failed: list[str] = []

        async def send(message: Json) -> None:
            if message["type"] == "lifespan.startup.failed":
                failed.append(str(message.get("message", "")).strip().rpartition("\n")[2])
            begun.set()

        async def live() -> None:
            scope = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": self._state}
            with Boundary():  # an app that knows of no such thing raises
                await self._app(scope, self._said.get, send)
            begun.set()

        self._life = self._loop.create_task(live())
        await self._said.put({"type": "lifespan.startup"})
        await begun.wait()
        if failed:
            raise RuntimeError(f"the app's startup failed: {failed[0]}")

    async def _ask(self, method: str, path: str, query: Mapping[str, Any], body: Any) -> RouteReply:
        sent = b"" if body is None else json.dumps(body).encode()
        chunks: list[bytes] = []
        status = [500]
        asked = [False]

        async def receive() -> Json:
            if asked[0]:
                await asyncio.Event().wait()  # nobody hangs up
            asked[0] = True
            return {"type": "http.request", "body": sent, "more_body": False}

        async def send(message: Json) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
            elif message["type"] == "http.response.body":
                chunks.append(message.get("body", b""))

        await self._app(
            {
                "type": "http",
                "asgi": {"version": "3.0", "spec_version": "2.3"},
                "http_version": "1.1",
                "method": method,
                "scheme": "http",
                "path": path,
                "raw_path": path.encode(),
                "query_string": urllib.parse.urlencode(query, doseq=True).encode(),
                "root_path": "",
                "headers": [
                    (b"host", b"localhost"),
                    (b"content-type", b"application/json"),
                    (b"content-length", str(len(sent)).encode()),
                ],
                "client": ("127.0.0.1", 1),
                "server": ("localhost", 80),
                "state": dict(self._state),
            },
            receive,
            send,
        )
        return status[0], read_body(b"".join(chunks))

    def close(self) -> None:
        """Let the app end, and its threads, for which the process would wait."""
        self._root.remove_done_callback(RUN_TO_ITS_END)
        tasks = [task for task in (self._root, self._life) if task is not None]
        for task in tasks:
            task.cancel()
        with Boundary():
            self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()


def dependants_of(app: Any) -> Iterator[Any]:
    """What holds the function of each route of an app, those of apps mounted below it included."""
    for route in app.routes:
        inner = getattr(route, "app", None)
        if callable(getattr(inner, "openapi", None)):
            yield from dependants_of(inner)
        elif callable(getattr(getattr(route, "dependant", None), "call", None)):
            yield route.dependant


def read_body(said: bytes) -> Any:
    """What a body holds: JSON, or its text where it is none."""
    try:
        return json.loads(said) if said else None
    except ValueError:
        return said.decode("utf-8", "replace")
