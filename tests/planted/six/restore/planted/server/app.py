"""FastAPI app of the restore environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import RestoreAction, RestoreObservation
    from .environment import RestoreEnvironment
except ImportError:
    from models import RestoreAction, RestoreObservation
    from server.environment import RestoreEnvironment

app = create_app(RestoreEnvironment, RestoreAction, RestoreObservation, env_name="restore")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
