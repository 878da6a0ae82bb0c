"""FastAPI application for the Marquetry environment."""

from openenv.core.env_server import create_app

try:
    from ..models import MarquetryAction, MarquetryObservation
    from .environment import MarquetryEnvironment
except ImportError:
    from models import MarquetryAction, MarquetryObservation
    from server.environment import MarquetryEnvironment

app = create_app(MarquetryEnvironment, MarquetryAction, MarquetryObservation, env_name="marquetry")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
