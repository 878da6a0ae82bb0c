"""FastAPI application for the Darkroom environment."""

from openenv.core.env_server import create_app

try:
    from ..models import DarkroomAction, DarkroomObservation
    from .environment import DarkroomEnvironment
except ImportError:
    from models import DarkroomAction, DarkroomObservation
    from server.environment import DarkroomEnvironment

app = create_app(DarkroomEnvironment, DarkroomAction, DarkroomObservation, env_name="darkroom")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
