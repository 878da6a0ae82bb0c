"""Environments that are not OpenEnv's, driven as if they were: an app or a server with its own routes, and a class.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. An app is asked in this
process through ASGI, its own interface, so that its faults have their lines and its code can be measured; a server is
asked over HTTP. Most such apps hold one environment for all who come: there is one slot. Where a route says which
episode is meant, what the reset gave for it is passed on.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys
import typing
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any

from openenv.core.env_server.interfaces import Environment

if typing.TYPE_CHECKING or __package__:
    from gonogo.env.worker import introspection as worker_introspection
    from gonogo.env.worker import openapi as worker_openapi
    from gonogo.env.worker.asgi import App, RouteReply, read_body
    from gonogo.env.worker.boundary import Boundary, Gone, Unfound
    from gonogo.env.worker.shapes import SchemaForm, make_answer, plain
else:
    import worker_introspection
    import worker_openapi
    from worker_asgi import App, RouteReply, read_body
    from worker_boundary import Boundary, Gone, Unfound
    from worker_shapes import SchemaForm, make_answer, plain

Json = dict[str, Any]

MOST_BYTES = 256 * 1024 * 1024
SHOWN_CHARS = 600
INVALID = 422
FAILED = 500
MOST_WRONG = 3
SUCCEEDED = ("success", "is_success", "succeeded")
"""Names by which a request, or an episode, says that it went well."""
TOKEN = "GONOGO_SERVER_TOKEN"
"""Variable of this process that holds the token for a server; never one of the user's own name."""


class Unfit(Exception):
    """An action that the app's own validation refused.

    Args:
        errors: What is wrong with it, as pydantic says it.
    """

    def __init__(self, errors: list[Json]) -> None:
        super().__init__(str(errors))
        self.errors = errors


class Refused(Exception):
    """An app answered a request with an error.

    Args:
        status: The status.
        said: What it said.
        place: Where the route's code is; None where it is elsewhere.
    """

    def __init__(self, status: int, said: str, place: Json | None) -> None:
        super().__init__(said)
        where = place or {"file": None, "line": None}
        self.place = {
            "type": f"HTTP {status}",
            "said": " ".join(said.split())[:SHOWN_CHARS],
            "file": where["file"],
            "line": where["line"],
            "code": None,
            "meant": status < 500,
        }


class RemoteServer:
    """A server elsewhere.

    Args:
        url: Base URL, without a trailing slash.
        timeout_s: Seconds that an answer may take.
    """

    def __init__(self, url: str, timeout_s: float) -> None:
        self._url, self._timeout_s = url, timeout_s
        local = urllib.parse.urlsplit(url).hostname in {"localhost", "127.0.0.1", "::1"}
        handlers = [urllib.request.ProxyHandler({})] if local else []
        self._opener = urllib.request.build_opener(*handlers)

    def ask(self, method: str, path: str, query: Mapping[str, Any], body: Any) -> RouteReply:
        """A route's status and what it answers.

        Raises:
            Gone: Nothing answers.
        """
        asked = f"?{urllib.parse.urlencode(query, doseq=True)}" if query else ""
        headers = {"Content-Type": "application/json"}
        if os.environ.get(TOKEN):
            headers["Authorization"] = f"Bearer {os.environ[TOKEN]}"
        request = urllib.request.Request(
            f"{self._url}{path}{asked}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers=headers,
        )
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                return int(response.status), read_body(response.read(MOST_BYTES))
        except urllib.error.HTTPError as error:
            with error:
                return error.code, read_body(error.read(MOST_BYTES))
        except OSError as error:
            raise Gone(f"{self._url} does not answer: {error}") from None


class RouteEnvironment(Environment[Any, Any, Any]):
    """An environment behind routes.

    Args:
        channel: An app, or a server.
        surface: What is known of it.
    """

    nameless = True
    """Its episodes have no names that could be held against a session."""

    def __init__(self, channel: App | RemoteServer, surface: Surface) -> None:
        super().__init__()
        self._channel, self._surface = channel, surface
        self._session: Json = {}
        self._sent: Json = {}
        self._answered: Json = {}
        self._envelope: frozenset[str] = frozenset()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **options: Any) -> Any:
        """Begin an episode; options that the route does not know are left out."""
        given = {"seed": seed, "episode_id": episode_id, **options}
        known = {o["name"]: o for o in self._surface.options}
        sent = {
            name: value
            for name, value in given.items()
            if value is not None and (name in known or (self._surface.open and name in options))
        }
        for name, told in known.items():
            if told["required"] and name not in sent:
                sent[name] = self._surface.filler(told)
        self._session, self._sent, self._answered = {}, {}, {}
        told = self._begin(sent, None if "seed" in sent else seed)
        self._session = worker_openapi.sessions_in(told)
        self._sent = {worker_openapi.key_of(name): value for name, value in sent.items()}
        for name, value in worker_openapi.scalars_in(told):
            self._answered.setdefault(worker_openapi.key_of(name), value)
        self._envelope = envelope_of(told)
        opened = self._opened(told)
        if (
            self._surface.observes_state
            and isinstance(opened, dict)
            and "observation" not in opened
        ):
            # What a step's answer has for an observation is one at the reset, too, without reward and end beside it.
            told_as = {worker_openapi.STATE: "observation"}
            opened = {told_as.get(name, name): each for name, each in opened.items()}
        return make_answer(opened)

    def _begin(self, sent: Json, seed: int | None) -> Any:
        """Ask the reset's route; a body that nobody has named the fields of is given the seed, unless that is refused.

        Args:
            sent: What is sent in any case.
            seed: The seed, where the route is not known to take one.
        """
        route = self._surface.routes.reset
        if seed is not None and self._surface.may_take_seed:
            with Boundary() as trying:
                return self._ask(route, {**sent, "seed": seed})
            if not isinstance(trying.error, Gone):
                self._surface.may_take_seed = False
        return self._ask(route, sent)

    def step(self, action: Any, timeout_s: float | None = None, **_: Any) -> Any:
        """Ask the step's route."""
        wrapper = self._surface.asked.wrapper
        told = self._ask(self._surface.routes.step, {wrapper: action} if wrapper else dict(action))
        return make_answer(self._opened(told))

    def _opened(self, told: Any) -> Any:
        """An answer without what says only that the request went well."""
        if not isinstance(told, dict):
            return told
        return {name: value for name, value in told.items() if name not in self._envelope}

    @property
    def state(self) -> Any:
        """What the state's route answers; empty where there is none."""
        route = self._surface.routes.state
        told = None if route is None else self._ask(route, {})
        return told if isinstance(told, dict) else {} if told is None else {"state": told}

    def close(self) -> None:
        """The app is the process's, and goes with it."""

    def _ask(self, route: worker_openapi.Route, sent: Json) -> Any:
        """Ask a route; what it takes beside its body is taken from what is sent, and from the session."""
        path, query, rest = route.path, {}, {**self._beside(route), **sent}
        needed, fields = self._surface.told_of(route)
        for each in route.parameters:
            in_body = each.place == "query" and each.name in fields
            if in_body and not each.required and route is self._surface.routes.reset:
                continue  # what stands beside the body may be taken in its place, and the rest of it dropped
            value = rest.get(each.name) if in_body else rest.pop(each.name, None)
            if value is None and self._is_filled(route, each, each.name in needed):
                value = self._meant(each.name, each.name in needed, each.schema)
            if each.place == "path":
                path = worker_openapi.fill(path, each.name, "default" if value is None else value)
            elif each.place == "query" and value is not None:
                query[each.name] = value
        body: Any = None
        if route.method != "GET":
            body = rest if rest or worker_openapi.takes_object(route) else None
        elif rest:
            query |= rest
        return self._told(route, path, query, body)

    def _told(self, route: worker_openapi.Route, path: str, query: Json, body: Any) -> Any:
        """What a route answers a request, where it answers no error."""
        try:
            status, told = self._channel.ask(route.method, path, query, body)
        except unservable() as error:
            raise Refused(FAILED, answer_errors(error), self._surface.place(route)) from error
        if status == INVALID:
            raise Unfit(errors_in(told))
        if status >= 300:
            raise Refused(status, said_in(told, status), self._surface.place(route))
        return told

    def _is_filled(
        self, route: worker_openapi.Route, each: worker_openapi.Parameter, needed: bool
    ) -> bool:
        """Whether a parameter that was not sent gets a value: at a step, none that an agent may leave out.

        But what the reset was sent, and means the same there, says which episode is meant.
        """
        routes = worker_openapi.is_routing(each.name, self._surface.routing)
        if route is not self._surface.routes.step or each.place == "path" or routes:
            return True
        # What a step without a body takes in its query is the action, and nobody adds to that.
        chooses = worker_openapi.TASK.fullmatch(each.name) is not None or self._chose(each)
        return route.body is not None and (needed or chooses)

    def _chose(self, each: worker_openapi.Parameter) -> bool:
        """Whether the reset was sent a parameter of a step, which it has to have or leaves out for the same default."""
        default = each.schema.get("default")
        known = [told for told in self._surface.options if told["name"] == each.name]
        same = any(told["required"] or told["default"] == default for told in known)
        return same and worker_openapi.key_of(each.name) in self._sent

    def _beside(self, route: worker_openapi.Route) -> Json:
        """What stands in a request's body, or in its query, to say which episode is meant."""
        needed, fields = self._surface.told_of(route)
        names = [name for name in fields if worker_openapi.SESSION.fullmatch(name)]
        names += self._surface.sessions if route.method != "GET" else []
        names += self._surface.routing if route is self._surface.routes.step else []
        meant = {name: self._meant(name, name in needed, fields.get(name, {})) for name in names}
        return {name: value for name, value in meant.items() if value is not None}

    def _meant(self, name: str, needed: bool, schema: Json) -> Any:
        """What is sent beside the action to say which episode is meant: as the reset was sent it, or answered.

        Args:
            name: The parameter or field.
            needed: Whether it must be there.
            schema: What it may be.
        """
        key = worker_openapi.key_of(name)
        for known in (self._session, self._sent):
            if key in known:
                return known[key]
        if key in self._answered and (needed or worker_openapi.TASK.fullmatch(name)):
            return self._answered[key]
        return self._surface.filler_of(name, schema) if needed else None

    def reset_signature(self) -> Json:
        """What the reset takes."""
        return {"parameters": self._surface.options, "open": self._surface.open}

    def code(self) -> Json | None:
        """Where the code lies that answers."""
        return self._surface.code


def envelope_of(told: Any) -> frozenset[str]:
    """The names by which a reset's answer says success already: that of the request, for nothing was done yet.

    Args:
        told: What the route answered.
    """
    answer = told if isinstance(told, dict) else {}
    return frozenset(name for name in SUCCEEDED if answer.get(name) is True)


def errors_in(told: Any) -> list[Json]:
    """What a validation says, as pydantic says it."""
    detail = told.get("detail", told) if isinstance(told, dict) else told
    if isinstance(detail, list) and detail and all(isinstance(each, dict) for each in detail):
        return [
            {
                "loc": [part for part in worker_openapi.as_list(each.get("loc")) if part != "body"],
                "msg": str(each.get("msg", "invalid")),
                "input": each.get("input"),
            }
            for each in detail
        ]
    return [{"loc": [], "msg": said_in(told, INVALID), "input": None}]


def unservable() -> tuple[type[Exception], ...]:
    """What FastAPI raises of an answer that its own model does not take; its client is told that the server failed."""
    exceptions = sys.modules.get("fastapi.exceptions")
    return () if exceptions is None else (exceptions.ResponseValidationError,)


def answer_errors(error: Any) -> str:
    """What is wrong with a route's answer."""
    wrong = (
        f"{'.'.join(map(str, each['loc'][1:]))}: {each['msg']}"
        for each in error.errors()[:MOST_WRONG]
    )
    return f"the route's answer does not fit the model that it declares: {'; '.join(wrong)}"


def said_in(told: Any, status: int) -> str:
    """What an answer says of an error."""
    if isinstance(told, dict):
        told = next((told[n] for n in ("detail", "error", "message") if told.get(n)), told)
    text = told if isinstance(told, str) else json.dumps(told)
    return text[:SHOWN_CHARS] if told else f"HTTP {status}"


class Surface:
    """What is known of an app or server: its routes, and what its document leaves open, from elsewhere.

    Args:
        document: OpenAPI.
        channel: It, to be asked for the schemas that OpenEnv's servers have a route for.
        endpoints: The app's functions, by method and path; empty for a server.
        hints: Schema of the action, and tasks, as the manifest declares them.

    Raises:
        Unfound: The document names no reset or no step.
    """

    def __init__(
        self,
        document: Json,
        channel: App | RemoteServer,
        endpoints: Mapping[tuple[str, str], Callable[..., Any]],
        hints: Json,
    ) -> None:
        declared = worker_openapi.as_object(hints.get("endpoints"))
        routes = worker_openapi.find_routes(document, declared)
        if routes is None:
            raise Unfound("it has no routes that end in /reset and /step")
        self.routes, self._endpoints = routes, endpoints
        asked_for = [routes.reset, routes.step, *([] if routes.state is None else [routes.state])]
        self._told = {
            (each.method, each.path): worker_openapi.request_fields(each) for each in asked_for
        }
        said = channel_says(channel, routes.schema)
        step, reset = self.endpoint(routes.step), self.endpoint(routes.reset)
        stepped = [] if step is None else worker_introspection.read_from_body(step)
        self.sessions = [name for name in stepped if worker_openapi.SESSION.fullmatch(name)]
        self.options = worker_openapi.options_of(routes.reset)
        self.open = (
            worker_openapi.is_open(routes.reset.body)
            if routes.reset.body is not None
            else reset is not None and worker_introspection.takes_request(reset)
        )
        # A server's document does not say whether a route reads the request itself; one that does not overlooks it.
        untold = reset is None and routes.reset.body is None and routes.reset.method == "POST"
        self.may_take_seed = self.open or untold
        if reset is not None:
            known = {told["name"] for told in self.options}
            read = worker_introspection.read_from_body(reset)
            self.options += [
                worker_openapi.option(name, {}, False)
                for name in read
                if name not in known and not worker_openapi.SESSION.fullmatch(name)
            ]
        self._tasks = worker_openapi.as_list(hints.get("tasks"))
        self.routing = worker_openapi.routing_of(self.options, routes.step, stepped)
        asked = worker_openapi.action_of(routes.step, self.routing)
        form = None
        if step is not None:
            beside = {
                name: self.filler_of(name, schema)
                for name, schema in self.told_of(routes.step).fields.items()
                if worker_openapi.is_routing(name, self.routing)
            }
            beside |= {name: None for name in self.routing if name not in beside}
            asked, form = worker_introspection.action_of(step, asked, beside)
        if form is None and asked.is_free:
            for schema in (said.get("action"), hints.get("action")):
                if worker_openapi.fields_of(worker_openapi.as_object(schema)):
                    asked = asked._replace(schema=worker_openapi.as_object(schema), is_free=False)
                    break
        self.asked = asked
        self.action = form or SchemaForm("Action", asked.schema)
        observed = worker_openapi.observation_of(routes.step.answer) or said.get("observation")
        self.observes_state = (
            worker_openapi.observed_under(routes.step.answer) == worker_openapi.STATE
        )
        self.observation = SchemaForm("Observation", worker_openapi.as_object(observed))
        state = {} if routes.state is None else routes.state.answer
        named = worker_openapi.fields_of(state)
        self.state = SchemaForm(
            "State", state if named else worker_openapi.as_object(said.get("state"))
        )
        self.code = (
            None if step is None or reset is None else worker_introspection.code(step, reset)
        )

    def told_of(self, route: worker_openapi.Route) -> worker_openapi.RouteFields:
        """What the document says that a route's request has."""
        return self._told[route.method, route.path]

    def endpoint(self, route: worker_openapi.Route) -> Callable[..., Any] | None:
        """The function of a route; None of a server's."""
        return self._endpoints.get((route.method, route.path))

    def place(self, route: worker_openapi.Route) -> Json | None:
        """Where a route's function is."""
        function = self.endpoint(route)
        return None if function is None else worker_introspection.location(function)

    def filler_of(self, name: str, schema: Json) -> Any:
        """A value for what must be given with a step: what the reset takes it to be, else as for an option of it."""
        for told in self.options:
            if told["name"] == name and told["default"] is not None:
                return told["default"]
        return self.filler({"name": name, "schema": schema})

    def filler(self, told: Json) -> Any:
        """A value for an option that must be given: the first that it may have, else the first declared task."""
        schema = worker_openapi.target_of(told["schema"])
        first = [
            *worker_openapi.as_list(schema.get("enum")),
            *worker_openapi.as_list(schema.get("examples")),
        ]
        if first:
            return first[0]
        for task in self._tasks:
            named = task.get("id", task.get("name")) if isinstance(task, dict) else task
            if isinstance(named, str):
                return named
        return {"integer": 0, "number": 0, "boolean": False, "array": [], "object": {}}.get(
            str(schema.get("type")), "default"
        )


def channel_says(channel: App | RemoteServer, path: str | None) -> Json:
    """What the route of the schemas answers; empty where there is none, or it answers no such thing."""
    if path is None:
        return {}
    with Boundary():
        status, told = channel.ask("GET", path, {}, None)
        return worker_openapi.as_object(told) if status == 200 else {}
    return {}


class ObjectEnvironment(Environment[Any, Any, Any]):
    """An object of a stranger's class with ``reset`` and ``step``.

    Args:
        inner: It.
        action: What makes the step's argument of an action; None where the action is it.
    """

    nameless = True

    def __init__(self, inner: Any, action: Callable[[Json], Any]) -> None:
        super().__init__()
        self._inner, self._make = inner, action
        self._loop: asyncio.AbstractEventLoop | None = None

    def reset(self, seed: int | None = None, episode_id: str | None = None, **options: Any) -> Any:
        """Begin an episode; options that the method does not know are left out."""
        given = {"seed": seed, "episode_id": episode_id, **options}
        parameters = inspect.signature(self._inner.reset).parameters
        is_open = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
        known = {
            name: value
            for name, value in given.items()
            if value is not None and (name in parameters or (is_open and name in options))
        }
        if "options" in parameters and (
            rest := {n: v for n, v in options.items() if n not in known}
        ):
            known["options"] = rest
        return make_answer(self._settled(self._inner.reset(**known)))

    def step(self, action: Any, timeout_s: float | None = None, **_: Any) -> Any:
        """Step it."""
        return make_answer(self._settled(self._inner.step(self._make(action))))

    @property
    def state(self) -> Any:
        """Its state, a property or a method; empty where it has none."""
        for name in ("state", "get_state"):
            told = getattr(self._inner, name, None)
            if told is not None:
                told = plain(self._settled(told() if callable(told) else told))
                return told if isinstance(told, dict) else {"state": told}
        return {}

    def close(self) -> None:
        """Close it, where it can be closed."""
        close = getattr(self._inner, "close", None)
        if callable(close):
            self._settled(close())
        if self._loop is not None:
            self._loop.close()
            self._loop = None

    def reset_signature(self) -> Json:
        """What the reset takes."""
        return worker_introspection.signature(self._inner.reset)

    def code(self) -> Json | None:
        """Where the code lies; that of a game is not in the wrappers that Gymnasium puts around it."""
        inner = self._inner
        while type(inner).__module__.startswith("gymnasium.wrappers"):
            inner = inner.env
        return worker_introspection.code_of_class(type(inner))

    def _settled(self, value: Any) -> Any:
        """A value; where it is awaited, what that brings: in one loop, which what it keeps may be bound to."""
        if not inspect.iscoroutine(value):
            return value
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        return self._loop.run_until_complete(value)


def is_openenv(value: Any) -> bool:
    """Whether a class or an object is of OpenEnv's."""
    return (
        issubclass(value, Environment) if inspect.isclass(value) else isinstance(value, Environment)
    )
