"""FastAPI app of the minutes environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import MinutesAction, MinutesObservation
    from .environment import MinutesEnvironment
except ImportError:
    from models import MinutesAction, MinutesObservation
    from server.environment import MinutesEnvironment

app = create_app(MinutesEnvironment, MinutesAction, MinutesObservation, env_name="minutes")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
