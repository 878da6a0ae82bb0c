"""The server's application, in OpenEnv's form: HTTP and WebSocket endpoints, and the page at `/web`.

Run it with `python -m flightrules.server.app`, `uvicorn flightrules.server.app:app`, or the `server`
command. Settings come from the environment: `MAX_CONCURRENT_ENVS` (64 sessions unless set) and
`ENABLE_WEB_INTERFACE` (openenv's own, for the page).
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from openenv.core.env_server.http_server import create_app
from pydantic import ValidationError

from flightrules.errors import ConfigurationError, EpisodeError, RequestError, show
from flightrules.models import FlightAction, FlightObservation, FlightState
from flightrules.server.environment import FlightRulesEnvironment
from flightrules.server.guard import WireGuard

ENV_NAME = "flightrules"
SESSIONS = 64


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


def build_app(settings: Mapping[str, str]) -> FastAPI:
    """The application, guarded, with every refusal of ours answered as such.

    Args:
        settings: Environment variables.
    """
    built = create_app(
        FlightRulesEnvironment,
        FlightAction,
        FlightObservation,
        env_name=ENV_NAME,
        max_concurrent_envs=max_sessions(settings),
        state_cls=FlightState,
        title_override="flightrules: fly a mission under directives",
    )
    built.add_exception_handler(RequestError, _answer_request_error)
    built.add_exception_handler(ValidationError, _answer_request_error)
    built.add_exception_handler(EpisodeError, _answer_episode_error)
    built.add_middleware(WireGuard, env_name=ENV_NAME)
    return built


async def _answer_request_error(request: Request, error: Exception) -> JSONResponse:
    """422 for what does not exist; a validation error of pydantic is told without its input."""
    if isinstance(error, ValidationError):
        return JSONResponse({"detail": f"{error.error_count()} invalid fields"}, status_code=422)
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
    uvicorn.run(app, host=arguments.host, port=arguments.port)


if __name__ == "__main__":
    main()
