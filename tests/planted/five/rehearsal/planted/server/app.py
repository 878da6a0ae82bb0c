"""FastAPI application for the Rehearsal environment."""

from openenv.core.env_server import create_app

try:
    from ..models import RehearsalAction, RehearsalObservation
    from .environment import RehearsalEnvironment
except ImportError:
    from models import RehearsalAction, RehearsalObservation
    from server.environment import RehearsalEnvironment

app = create_app(RehearsalEnvironment, RehearsalAction, RehearsalObservation, env_name="rehearsal")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
