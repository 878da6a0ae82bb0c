"""FastAPI app of the syndrome environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import SyndromeAction, SyndromeObservation
    from .environment import SyndromeEnvironment
except ImportError:
    from models import SyndromeAction, SyndromeObservation
    from server.environment import SyndromeEnvironment

app = create_app(SyndromeEnvironment, SyndromeAction, SyndromeObservation, env_name="syndrome")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
