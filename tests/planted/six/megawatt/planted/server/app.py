"""Serves the megawatt environment over HTTP and WebSocket."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import LoadForecast, LoadObservation
    from .environment import MegawattEnvironment
except ImportError:
    from models import LoadForecast, LoadObservation
    from server.environment import MegawattEnvironment

app = create_app(MegawattEnvironment, LoadForecast, LoadObservation, env_name="megawatt")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
