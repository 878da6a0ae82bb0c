"""FastAPI app of the charter environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import CharterAction, CharterObservation
    from .environment import CharterEnvironment
except ImportError:
    from models import CharterAction, CharterObservation
    from server.environment import CharterEnvironment

app = create_app(
    CharterEnvironment, CharterAction, CharterObservation, env_name="charter"
)


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
