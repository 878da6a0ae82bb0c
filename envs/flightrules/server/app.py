"""The server's application, in OpenEnv's form: HTTP and WebSocket endpoints, and the page at `/web`.

Run it with `python -m flightrules.server.app`, `uvicorn flightrules.server.app:app`, or the `server`
command. Settings come from the environment: `MAX_CONCURRENT_ENVS` (64 sessions unless set),
`FLIGHTRULES_IDLE_S` (a session that is not used for an hour ends, unless set) and
`ENABLE_WEB_INTERFACE` (openenv's own, for the page).
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Mapping
from functools import partial

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.types import ConcurrencyConfig
from pydantic import ValidationError

from flightrules.errors import ConfigurationError, EpisodeError, RequestError, show
from flightrules.models import FlightAction, FlightObservation, FlightState
from flightrules.server.environment import FlightRulesEnvironment
from flightrules.server.guard import WireGuard, describe
from flightrules.server.missions import Missions

ENV_NAME = "flightrules"
SESSIONS = 64
IDLE_VARIABLE, IDLE_S = "FLIGHTRULES_IDLE_S", 3600.0
"""Seconds that a session may live without a reset, a step or an MCP message; a model or a human may think that long."""


def max_sessions(settings: Mapping[str, str]) -> int:
    """How many sessions may run at once: `MAX_CONCURRENT_ENVS` of the settings, 64 unless set.

    Raises:
        ConfigurationError: If the setting is not a whole number of at least 1.
    """
    given = settings.get("MAX_CONCURRENT_ENVS", str(SESSIONS))
    if not (given.isascii() and given.isdigit() and int(given) >= 1):
        raise ConfigurationError(
            f"MAX_CONCURRENT_ENVS must be a whole number of at least 1, got {show(given)}"
        )
    return int(given)


def idle_limit_s(settings: Mapping[str, str]) -> float:
    """Seconds after which an unused session ends: `FLIGHTRULES_IDLE_S` of the settings, an hour unless set.

    Raises:
        ConfigurationError: If the setting is not a finite number above 0.
    """
    given = settings.get(IDLE_VARIABLE, str(IDLE_S))
    try:
        limit_s = float(given)
    except ValueError:
        limit_s = 0.0
    if not 0.0 < limit_s < math.inf:
        raise ConfigurationError(
            f"{IDLE_VARIABLE} must be a number of seconds above 0, got {show(given)}"
        )
    return limit_s


def build_app(settings: Mapping[str, str]) -> FastAPI:
    """The application, guarded, with every refusal of ours answered as such.

    Args:
        settings: Environment variables.
    """
    idle_s = idle_limit_s(settings)
    missions = Missions()
    built = create_app(
        partial(FlightRulesEnvironment, missions),
        FlightAction,
        FlightObservation,
        env_name=ENV_NAME,
        concurrency_config=ConcurrencyConfig(
            max_concurrent_envs=max_sessions(settings), session_timeout=idle_s
        ),
        state_cls=FlightState,
        title_override="flightrules: fly a mission under directives",
    )
    built.add_exception_handler(RequestError, _answer_request_error)
    built.add_exception_handler(ValidationError, _answer_request_error)
    built.add_exception_handler(RequestValidationError, _answer_request_error)
    built.add_exception_handler(EpisodeError, _answer_episode_error)
    built.router.on_startup.append(missions.open)
    built.router.on_shutdown.append(missions.close)
    built.add_middleware(WireGuard, routes=built.router.routes, idle_s=idle_s)
    return built


async def _answer_request_error(request: Request, error: Exception) -> JSONResponse:
    """422 for what does not exist; a validation error is told without what was sent."""
    if isinstance(error, ValidationError | RequestValidationError):
        return JSONResponse({"detail": f"invalid request: {describe(error)}"}, status_code=422)
    return JSONResponse({"detail": str(error)}, status_code=422)


async def _answer_episode_error(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, status_code=409)


app = build_app(os.environ)


def main() -> None:
    """Serve the application; `--host` and `--port` choose where."""
    import uvicorn

    parser = argparse.ArgumentParser(description="Serve flightrules over HTTP and WebSocket.")
    parser.add_argument("--host", default="0.0.0.0")
    parser.add_argument("--port", type=int, default=8000)
    arguments = parser.parse_args()
    # To compress an observation of 1 kB would cost a third of what flying the decision does.
    uvicorn.run(app, host=arguments.host, port=arguments.port, ws_per_message_deflate=False)


if __name__ == "__main__":
    main()
